"""Lists and strings that name the kind of every layer."""

from __future__ import annotations

from sizing.memory.config.class_defaults import LAST_LAYER_FULL
from sizing.memory.config.fields import LAYER_COUNT, LAYERS_MAX, Fields
from sizing.memory.config.kinds import CHUNKED, FULL, NONE, PARALLEL, SLIDING, STATE, Pattern

_LAYER_TYPES = {
    "full_attention": FULL,
    "attention": FULL,
    "deepseek_sparse_attention": FULL,
    "indexed_attention": FULL,
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
    """Two lists of layer numbers, counted from 1 (Kimi Linear and K3)."""
    inner = fields.table_at("linear_attn_config")
    if inner is None or not inner.has("full_attn_layers"):
        return None
    layers = fields.layer_count
    full = inner.counts("full_attn_layers", low=1, high=layers)
    state = inner.counts("kda_layers", low=1, high=layers)
    if sorted(full + state) != list(range(1, layers + 1)):
        raise inner.contradiction("full_attn_layers", "kda_layers")
    attends = set(full)
    return tuple(FULL if number in attends else STATE for number in range(1, layers + 1))


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
