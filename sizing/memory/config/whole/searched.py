"""Layers from architecture search: each has its own number of heads in a group, or no attention (Nemotron NAS)."""

from __future__ import annotations

from sizing.memory.architecture import Layer
from sizing.memory.caches import FullAttention, SlidingWindow
from sizing.memory.config.attention.grouped import attention_heads, head_dim
from sizing.memory.config.fields import TOKENS_MAX, Fields
from sizing.memory.config.whole.reading import Reading


def searched_blocks(fields: Fields) -> Reading | None:
    """One object a layer, which says how many query heads share a KV head."""
    if not fields.has("block_configs"):
        return None
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    fields.use("num_key_value_heads")
    blocks = fields.items("block_configs", fields.layer_count)
    layers = tuple(_layer(fields, index, block, heads, dim) for index, block in enumerate(blocks))
    return Reading(layers, heads)


def _layer(fields: Fields, index: int, block: object, heads: int, dim: int) -> Layer:
    where = f"block_configs[{index}]"
    part = Fields({where: block}, fields.where).table_at(where)
    attention = part.table_at("attention") if part else None
    if attention is None:
        raise fields.missing(f"{where}.attention")
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return Layer()
    group = attention.count("n_heads_in_group", high=heads)
    if heads % group:
        raise fields.contradiction("num_attention_heads", "block_configs")
    window = attention.optional_count("window_length", high=TOKENS_MAX)
    kept = FullAttention(heads // group, dim, dim)
    return Layer((SlidingWindow(heads // group, dim, dim, window) if window else kept,))
