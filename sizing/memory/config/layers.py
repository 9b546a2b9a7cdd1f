"""Which layer is of which kind.

Every way in which configs say so is one reader: a function that returns None where its keys are absent. Those that
speak about one model must agree, else the config contradicts itself.
"""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.config.class_defaults import LAST_LAYER_FULL, MIXED_BY_DEFAULT, PARALLEL_STATES, WINDOW_RULES
from sizing.memory.config.fields import (
    CHUNKED,
    FULL,
    HEADS_MAX,
    LAYER_COUNT,
    LAYERS_MAX,
    NONE,
    PARALLEL,
    SLIDING,
    STATE,
    TOKENS_MAX,
    Fields,
    Pattern,
    every,
)
from sizing.memory.config.model_types import defaults

# Lists and strings that name the kind of every layer.

_LAYER_TYPES = {
    "full_attention": FULL,
    "attention": FULL,
    "deepseek_sparse_attention": FULL,
    "indexed_attention": FULL,
    "minimax_m3_sparse": FULL,
    "sliding_attention": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": STATE,
    "mamba": STATE,
    "conv": STATE,
    "hybrid": PARALLEL,
    "moe": NONE,
    "mlp": NONE,
}
_INDEXED = ("deepseek_sparse_attention", "indexed_attention")
_BLOCK_TYPES = {"attention": FULL, "mamba": STATE, "hybrid": PARALLEL, "moe": NONE, "mlp": NONE}
_HYBRID_LETTERS = {"*": FULL, "M": STATE, "E": NONE, "-": NONE}


def _translate(fields: Fields, key: str, words: tuple[str, ...], meaning: dict[str, str]) -> Pattern:
    for word in words:
        if word not in meaning:
            raise fields.unknown_value(key, word)
    return tuple(meaning[word] for word in words)


def layer_types(fields: Fields) -> Pattern | None:
    """A list with one word a layer (most hybrids and windowed models of 2025 on)."""
    if not fields.has("layer_types"):
        return None
    layers = fields.layer_count
    words = fields.words("layer_types")
    if fields.has("attention_other_setting") and len(words) > layers:
        # This family lists its layers for multi-token prediction after those of the model.
        extra = fields.count("num_nextn_predict_layers", low=0, high=LAYERS_MAX)
        words = words[:layers] if len(words) == layers + extra else words
    if len(words) != layers:
        raise fields.length_error("layer_types", len(words), layers)
    if set(words) & set(_INDEXED) and not fields.has("index_head_dim"):
        raise fields.missing("index_head_dim")
    kinds = _translate(fields, "layer_types", words, _LAYER_TYPES)
    if kinds[-1] == SLIDING and fields.model_type in LAST_LAYER_FULL:
        return (*kinds[:-1], FULL)
    return kinds


def layers_block_type(fields: Fields) -> Pattern | None:
    """The same under another name, with expert and MLP layers counted as layers of their own."""
    if not fields.has("layers_block_type"):
        return None
    words = fields.words("layers_block_type", fields.layer_count if fields.which(*LAYER_COUNT) else None)
    if not words:
        raise fields.length_error("layers_block_type", 0, 1)
    return _translate(fields, "layers_block_type", words, _BLOCK_TYPES)


def hybrid_override_pattern(fields: Fields) -> Pattern | None:
    """One letter a layer: M state, * attention, E experts, - MLP."""
    text = fields.text("hybrid_override_pattern")
    if text is None:
        return None
    layers = fields.layer_count if fields.which(*LAYER_COUNT) else min(len(text), LAYERS_MAX)
    if len(text) != layers or not text:
        raise fields.length_error("hybrid_override_pattern", len(text), layers)
    return _translate(fields, "hybrid_override_pattern", tuple(text), _HYBRID_LETTERS)


def attn_type_list(fields: Fields) -> Pattern | None:
    """1 attends, 0 keeps a state (MiniMax)."""
    if not fields.has("attn_type_list"):
        return None
    values = fields.counts("attn_type_list", fields.layer_count, high=1)
    return tuple(FULL if value else STATE for value in values)


def hybrid_layer_pattern(fields: Fields) -> Pattern | None:
    """1 attends to a window, 0 to everything (MiMo-V2)."""
    if not fields.has("hybrid_layer_pattern"):
        return None
    fields.use("attention_chunk_size")  # stands in these configs and is not used by the model
    values = fields.counts("hybrid_layer_pattern", fields.layer_count, high=1)
    return tuple(SLIDING if value else FULL for value in values)


def linear_attn_lists(fields: Fields) -> Pattern | None:
    """Two lists of layer numbers, counted from 1 (Kimi Linear and K3) or 0."""
    inner = fields.table_at("linear_attn_config")
    if inner is None or not inner.has("full_attn_layers"):
        return None
    layers = fields.layer_count
    full = inner.counts("full_attn_layers", high=layers)
    state = inner.counts("kda_layers", high=layers)
    first = min(full + state, default=1)  # GLM-5.3 counts from 0
    if sorted(full + state) != list(range(first, first + layers)):
        raise inner.contradiction("full_attn_layers", "kda_layers")
    attends = set(full)
    return tuple(FULL if number in attends else STATE for number in range(first, first + layers))


def attn_layer_indices(fields: Fields) -> Pattern | None:
    """The layers that attend, counted from 0; the others keep a state (Bamba, LFM2)."""
    key = fields.which("attn_layer_indices", "full_attn_idxs")
    if not key:
        return None
    layers = fields.layer_count
    attends = set(fields.counts(key, high=layers - 1))
    return tuple(FULL if index in attends else STATE for index in range(layers))


# Lists with one entry a layer that say nothing about the cache, but must go with the number of layers.
_ONE_A_LAYER = ("mlp_layer_types", "moe_layer_freq", "no_rope_layers", "activation_sparsity_pattern")


def check_lengths(fields: Fields, layers: int, extra: int) -> None:
    """Refuse lists by layer that do not go with the layers, or with these and those for multi-token prediction."""
    for name in _ONE_A_LAYER:
        value = fields.table.get(name)
        if isinstance(value, list) and value and len(value) not in (layers, layers + extra):
            raise fields.length_error(name, len(value), layers)


# Rules that say which layers attend and which keep a state.


def full_attention_interval(fields: Fields) -> Pattern | None:
    """Every n-th layer attends, the others keep a state (gated DeltaNet)."""
    if not fields.has("full_attention_interval"):
        return None
    period = fields.count("full_attention_interval", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, STATE, period - 1)


def attn_layer_period(fields: Fields) -> Pattern | None:
    """Every n-th layer attends from an offset on, the others keep a state (Jamba)."""
    if not fields.has("attn_layer_period"):
        return None
    period = fields.count("attn_layer_period", high=LAYERS_MAX)
    offset = fields.count("attn_layer_offset", low=0, high=period - 1)
    return every(fields.layer_count, period, FULL, STATE, offset)


def layer_group_size(fields: Fields) -> Pattern | None:
    """The last layer of every group attends, the others keep a state (Ling and Ring, linear)."""
    if not fields.has("layer_group_size"):
        return None
    period = fields.count("layer_group_size", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, STATE, period - 1)


def chunk_rule(fields: Fields) -> Pattern | None:
    """Layers with rotary positions attend inside a chunk, those without to everything (Llama 4)."""
    if not fields.has("attention_chunk_size") or fields.has("hybrid_layer_pattern"):
        return None
    layers = fields.layer_count
    if fields.get("no_rope_layers"):
        return tuple(CHUNKED if value else FULL for value in fields.counts("no_rope_layers", layers, high=1))
    period = fields.optional_count("no_rope_layer_interval", high=LAYERS_MAX) or 4
    return every(layers, period, FULL, CHUNKED, period - 1)


def parallel_mamba(fields: Fields) -> Pattern | None:
    """Every layer attends and keeps a state (Falcon-H1)."""
    side_by_side = fields.has("mamba_d_ssm") or fields.model_type in PARALLEL_STATES
    return (PARALLEL,) * fields.layer_count if side_by_side else None


def states_only(fields: Fields) -> Pattern | None:
    """Every layer keeps a state (Mamba, Mamba-2)."""
    if not fields.has("state_size") or fields.has("num_attention_heads"):
        return None
    fields.count("state_size", high=HEADS_MAX)
    return (STATE,) * fields.layer_count


# Rules that say which layers see a window only.


def window_tokens(fields: Fields) -> int:
    """Tokens of a sliding layer's window."""
    window = _window(fields)
    if not window:
        raise fields.missing("sliding_window")
    return window


def _window(fields: Fields) -> int | None:
    """The window under either name; 0, and -1 under the second, switch it off."""
    window = fields.optional_count("sliding_window", low=0, high=TOKENS_MAX)
    other = fields.optional_count("sliding_window_size", low=-1, high=TOKENS_MAX)
    if window and other is not None and other not in (window, -1):
        raise fields.contradiction("sliding_window", "sliding_window_size")
    return window if window is not None else (None if other is None else max(other, 0))


def switched_on(fields: Fields, listed: bool = False) -> bool:
    """Whether a window is used at all: absent, null, 0 or switched off means no.

    listed: some list names sliding layers, so that a missing window is an error instead.
    """
    window = _window(fields)
    if window is None and listed:
        raise fields.missing("sliding_window")
    if not window:
        fields.use("use_sliding_window", "max_window_layers")
        return False
    if listed:
        if not fields.flag("use_sliding_window", default=True):
            raise fields.contradiction("layer_types", "use_sliding_window")
        return True
    # A class with max_window_layers knows the switch and has it off by default (Qwen2 and its heirs).
    named = defaults(fields.model_type).get("use_sliding_window")
    return fields.flag("use_sliding_window", default=not fields.has("max_window_layers") if named is None else named)


def global_every_n(fields: Fields) -> Pattern | None:
    """Every n-th layer attends to everything, the others to a window (Trinity)."""
    if not fields.has("global_attn_every_n_layers") or not switched_on(fields):
        return None
    period = fields.count("global_attn_every_n_layers", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, SLIDING, period - 1)


def window_pattern(fields: Fields) -> Pattern | None:
    """Every n-th layer attends to everything (Gemma 3, Command A), or a letter a layer: L window, G all (EXAONE)."""
    key = fields.which("sliding_window_pattern", "_sliding_window_pattern")
    if not key or not switched_on(fields):
        return None
    layers = fields.layer_count
    if isinstance(fields.get(key), str):
        letters = fields.get(key)
        if not letters or len(letters) > LAYERS_MAX or set(letters) - {"L", "G"}:
            raise fields.unknown_value(key, letters)
        kinds = [SLIDING if letters[index % len(letters)] == "L" else FULL for index in range(layers)]
        return tuple(kinds)
    period = fields.count(key, high=LAYERS_MAX)
    return every(layers, period, FULL, SLIDING, period - 1)


def _beyond_positions(fields: Fields) -> bool:
    """A window that no context can fill up (Phi-4-mini)."""
    positions = fields.optional_count("max_position_embeddings", high=TOKENS_MAX)
    return positions is not None and window_tokens(fields) >= positions


def without_a_list(fields: Fields) -> Pattern:
    """No key speaks of single layers: all alike, or by the rule that the model class documents."""
    layers = fields.layer_count
    if not switched_on(fields) or _beyond_positions(fields):
        return (FULL,) * layers
    if fields.has("use_sliding_window", "max_window_layers"):
        below = fields.count("max_window_layers", low=0, high=LAYERS_MAX)
        return tuple(SLIDING if index >= below else FULL for index in range(layers))
    rule = WINDOW_RULES.get(fields.model_type)
    if rule is None:
        raise fields.missing("layer_types")
    period, offset = rule
    return every(layers, period, FULL, SLIDING, offset)


_READERS: tuple[tuple[str, Callable[[Fields], Pattern | None]], ...] = (
    ("layer_types", layer_types),
    ("layers_block_type", layers_block_type),
    ("hybrid_override_pattern", hybrid_override_pattern),
    ("attn_type_list", attn_type_list),
    ("hybrid_layer_pattern", hybrid_layer_pattern),
    ("linear_attn_config", linear_attn_lists),
    ("attn_layer_indices", attn_layer_indices),
    ("full_attention_interval", full_attention_interval),
    ("attn_layer_period", attn_layer_period),
    ("layer_group_size", layer_group_size),
    ("attention_chunk_size", chunk_rule),
    ("global_attn_every_n_layers", global_every_n),
    ("sliding_window_pattern", window_pattern),
    ("mamba_d_ssm", parallel_mamba),
    ("state_size", states_only),
)

# Geometry of recurrent states: some layer keeps one, so that something must say which.
_STATE_KEYS = (
    "conv_L_cache",
    "linear_num_heads",
    "linear_num_value_heads",
    "mamba_d_state",
    "mamba_n_heads",
    "mamba_num_heads",
    "n_mamba_heads",
    "short_conv_kernel_size",
    "ssm_state_size",
)


def pattern(fields: Fields) -> Pattern:
    """Kind of every layer, from whichever keys speak of it; all full where none does."""
    found: Pattern | None = None
    by = ""
    for key, reader in _READERS:
        kinds = reader(fields)
        if kinds is None:
            continue
        if found is None:
            found, by = kinds, key
        elif kinds != found:
            raise fields.contradiction(by, key)
    if found is None:
        if any(fields.has(key) for key in _STATE_KEYS) or fields.model_type in MIXED_BY_DEFAULT:
            raise fields.missing("layer_types")
        return without_a_list(fields)
    if SLIDING in found and not switched_on(fields, listed=True):
        found = tuple(FULL if kind == SLIDING else kind for kind in found)
    if STATE not in found:
        fields.use(*_STATE_KEYS)
    return found
