"""Which layer is of which kind: every way in which configs say so, one function each.

A function returns None where its keys are absent. Several that speak about one model must agree.
"""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.config.class_defaults import WINDOW_RULES
from sizing.memory.config.fields import LAYERS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.kinds import CHUNKED, FULL, NONE, PARALLEL, SLIDING, STATE

Pattern = tuple[str, ...]

_LAYER_TYPES = {
    "full_attention": FULL,
    "attention": FULL,
    "deepseek_sparse_attention": FULL,
    "sliding_attention": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": STATE,
    "mamba": STATE,
    "conv": STATE,
}
_BLOCK_TYPES = {"attention": FULL, "mamba": STATE, "moe": NONE, "mlp": NONE}
_HYBRID_LETTERS = {"*": FULL, "M": STATE, "E": NONE, "-": NONE}


# Geometry of recurrent states.
_STATE_KEYS = ("mamba_d_state", "mamba_num_heads", "ssm_state_size", "linear_num_value_heads")


def _translate(fields: Fields, key: str, words: tuple[str, ...], meaning: dict[str, str]) -> Pattern:
    for word in words:
        if word not in meaning:
            raise fields.unknown_value(key, word)
    return tuple(meaning[word] for word in words)


def _every(layers: int, period: int, kind: str, rest: str, offset: int) -> Pattern:
    return tuple(kind if index % period == offset else rest for index in range(layers))


def layer_types(fields: Fields) -> Pattern | None:
    """A list with one word a layer (most hybrids and windowed models of 2025 on)."""
    if not fields.has("layer_types"):
        return None
    words = fields.words("layer_types", fields.layer_count)
    return _translate(fields, "layer_types", words, _LAYER_TYPES)


def layers_block_type(fields: Fields) -> Pattern | None:
    """The same under another name, with expert and MLP layers counted as layers of their own."""
    if not fields.has("layers_block_type"):
        return None
    words = fields.words("layers_block_type", fields.layer_count if _counts_layers(fields) else None)
    return _translate(fields, "layers_block_type", words, _BLOCK_TYPES)


def hybrid_override_pattern(fields: Fields) -> Pattern | None:
    """One letter a layer: M state, * attention, E experts, - MLP."""
    text = fields.text("hybrid_override_pattern")
    if text is None:
        return None
    if _counts_layers(fields) and len(text) != fields.layer_count:
        raise fields.length_error("hybrid_override_pattern", len(text), fields.layer_count)
    return _translate(fields, "hybrid_override_pattern", tuple(text[: LAYERS_MAX + 1]), _HYBRID_LETTERS)


def _counts_layers(fields: Fields) -> bool:
    return bool(fields.which("num_hidden_layers", "n_layer", "n_layers", "num_layers"))


def full_attention_interval(fields: Fields) -> Pattern | None:
    """Every n-th layer attends, the others keep a state (gated DeltaNet)."""
    if not fields.has("full_attention_interval"):
        return None
    period = fields.count("full_attention_interval", high=LAYERS_MAX)
    return _every(fields.layer_count, period, FULL, STATE, period - 1)


def attn_layer_period(fields: Fields) -> Pattern | None:
    """Every n-th layer attends from an offset on, the others keep a state (Jamba)."""
    if not fields.has("attn_layer_period"):
        return None
    period = fields.count("attn_layer_period", high=LAYERS_MAX)
    offset = fields.count("attn_layer_offset", low=0, high=period - 1)
    return _every(fields.layer_count, period, FULL, STATE, offset)


def linear_attn_lists(fields: Fields) -> Pattern | None:
    """Two lists of layer numbers, counted from 1 (Kimi Linear and K3)."""
    inner = fields.table_at("linear_attn_config")
    if inner is None:
        return None
    layers = fields.layer_count
    full = inner.counts("full_attn_layers", low=1, high=layers)
    state = inner.counts("kda_layers", low=1, high=layers)
    if sorted(full + state) != list(range(1, layers + 1)):
        raise inner.contradiction("full_attn_layers", "kda_layers")
    return tuple(FULL if number in set(full) else STATE for number in range(1, layers + 1))


def attn_type_list(fields: Fields) -> Pattern | None:
    """1 attends, 0 keeps a state (MiniMax)."""
    if not fields.has("attn_type_list"):
        return None
    values = fields.counts("attn_type_list", fields.layer_count, high=1)
    return tuple(FULL if value else STATE for value in values)


def chunk_rule(fields: Fields) -> Pattern | None:
    """Layers with rotary positions attend inside a chunk, those without to everything (Llama 4)."""
    if not fields.has("attention_chunk_size") or fields.has("hybrid_layer_pattern"):
        return None
    layers = fields.layer_count
    if not fields.has("no_rope_layers") or fields.get("no_rope_layers") == []:
        return _every(layers, fields.optional_count("no_rope_layer_interval") or 4, FULL, CHUNKED, 3)
    return tuple(CHUNKED if value else FULL for value in fields.counts("no_rope_layers", layers, high=1))


def window_pattern(fields: Fields) -> Pattern | None:
    """Every n-th layer attends to everything, the others to a window (Gemma 3, Command A)."""
    key = fields.which("sliding_window_pattern", "_sliding_window_pattern")
    if not key or not fields.has("sliding_window"):
        return None
    period = fields.count(key, high=LAYERS_MAX)
    return _every(fields.layer_count, period, FULL, SLIDING, period - 1)


def hybrid_layer_pattern(fields: Fields) -> Pattern | None:
    """1 attends to a window, 0 to everything (MiMo-V2)."""
    if not fields.has("hybrid_layer_pattern"):
        return None
    values = fields.counts("hybrid_layer_pattern", fields.layer_count, high=1)
    return tuple(SLIDING if value else FULL for value in values)


def parallel_mamba(fields: Fields) -> Pattern | None:
    """Every layer attends and keeps a state (Falcon-H1)."""
    return (PARALLEL,) * fields.layer_count if fields.has("mamba_d_ssm") else None


_READERS: tuple[Callable[[Fields], Pattern | None], ...] = (
    layer_types,
    layers_block_type,
    hybrid_override_pattern,
    full_attention_interval,
    attn_layer_period,
    linear_attn_lists,
    attn_type_list,
    chunk_rule,
    hybrid_layer_pattern,
    window_pattern,
    parallel_mamba,
)
_KEYS = {
    layer_types: "layer_types",
    layers_block_type: "layers_block_type",
    hybrid_override_pattern: "hybrid_override_pattern",
    full_attention_interval: "full_attention_interval",
    attn_layer_period: "attn_layer_period",
    linear_attn_lists: "linear_attn_config",
    attn_type_list: "attn_type_list",
    chunk_rule: "attention_chunk_size",
    hybrid_layer_pattern: "hybrid_layer_pattern",
    window_pattern: "sliding_window_pattern",
    parallel_mamba: "mamba_d_ssm",
}


def pattern(fields: Fields) -> Pattern:
    """Kind of every layer, from whichever keys speak of it; all full where none does."""
    found: Pattern | None = None
    by = ""
    for reader in _READERS:
        kinds = reader(fields)
        if kinds is None:
            continue
        if found is None:
            found, by = kinds, _KEYS[reader]
        elif kinds != found:
            raise fields.contradiction(by, _KEYS[reader])
    if found is None:
        return _uniform(fields)
    if SLIDING in found and not _windows_on(fields):
        return tuple(FULL if kind == SLIDING else kind for kind in found)
    return found


def _windows_on(fields: Fields) -> bool:
    """Whether the window is used at all: absent, null, 0 or switched off means no."""
    if not fields.optional_count("sliding_window", low=0, high=TOKENS_MAX):
        return False
    # A class with max_window_layers knows the switch and has it off by default (Qwen2 and its heirs).
    return fields.flag("use_sliding_window", default=not fields.has("max_window_layers"))


def _uniform(fields: Fields) -> Pattern:
    """No key speaks of single layers: all alike, or by the rule that the model class documents."""
    layers = fields.layer_count
    if any(fields.has(key) for key in _STATE_KEYS):
        # Some layers keep a state, but nothing says which.
        raise fields.missing("layer_types")
    if not _windows_on(fields):
        return (FULL,) * layers
    if fields.has("use_sliding_window", "max_window_layers"):
        below = fields.count("max_window_layers", low=0, high=LAYERS_MAX)
        return tuple(SLIDING if index >= below else FULL for index in range(layers))
    period = WINDOW_RULES.get(str(fields.get("model_type")))
    if period is None:
        raise fields.missing("layer_types")
    return _every(layers, period, FULL, SLIDING, period - 1) if period else (SLIDING,) * layers
