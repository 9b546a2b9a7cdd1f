"""Compressed attention (DeepSeek V4): a window of records, beyond it one record for several tokens."""

from __future__ import annotations

from sizing.memory.architecture import Layer, LeftOut
from sizing.memory.caches import CompressedAttention
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.fields import HEAD_DIM_MAX, LAYERS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.whole.reading import Reading

# Records for each ratio; 0 keeps the window alone. Other ratios have no cache layout that we know of.
_RATIOS = (0, 4, 128)
_INDEXED_RATIO = 4


def compressed(fields: Fields) -> Reading | None:
    """One ratio a layer; entries past the last layer belong to multi-token prediction."""
    if not fields.has("compress_ratios") and not fields.has("compress_rates"):
        return None
    if fields.has("kv_lora_rank"):
        raise fields.contradiction("compress_ratios", "kv_lora_rank")
    entry = fields.count("head_dim", high=HEAD_DIM_MAX)
    rope = fields.count("qk_rope_head_dim", high=entry)
    window = fields.count("sliding_window", high=TOKENS_MAX)
    index = fields.count("index_head_dim", high=HEAD_DIM_MAX)
    fields.use("num_key_value_heads", "index_n_heads", "index_topk", "qk_nope_head_dim", "layer_types")

    def layer(ratio: int) -> Layer:
        if ratio not in _RATIOS:
            raise fields.unknown_value("compress_ratios", ratio)
        return Layer((CompressedAttention(entry, rope, window, ratio, index if ratio == _INDEXED_RATIO else 0),))

    ratios = _ratios(fields)
    return Reading(
        tuple(layer(ratio) for ratio in ratios),
        attention_heads(fields),
        layer(0),
        (LeftOut("compressor_state"),),
        kinds=tuple(str(ratio) for ratio in ratios),
    )


def _ratios(fields: Fields) -> tuple[int, ...]:
    layers = fields.layer_count
    if fields.has("compress_ratios"):
        ratios = fields.counts("compress_ratios", high=1 << 16, longest=2 * LAYERS_MAX)
        if len(ratios) < layers:
            raise fields.length_error("compress_ratios", len(ratios), layers)
        return ratios[:layers]
    rates = fields.table_at("compress_rates")
    words = fields.words("layer_types", layers)
    if rates is None:
        raise fields.missing("compress_rates")
    return tuple(rates.optional_count(word, low=0, high=1 << 16) or 0 for word in words)
