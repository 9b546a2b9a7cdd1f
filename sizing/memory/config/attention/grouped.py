"""Grouped-query and multi-head attention, in all the spellings of its three numbers."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache, ChunkedAttention, FullAttention, SlidingWindow
from sizing.memory.config.class_defaults import GEOMETRY, QUERY_HEADS
from sizing.memory.config.fields import DIM_MAX, HEAD_DIM_MAX, HEADS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.kinds import CHUNKED, SLIDING
from sizing.memory.config.layers.windows import window_tokens

HEADS = ("num_attention_heads", "n_head", "n_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups", "n_kv_heads")
HEAD_DIM = ("head_dim", "attention_head_dim")
WIDTH = ("hidden_size", "n_embd", "d_model", "dim")


def attention_heads(fields: Fields) -> int:
    """Query heads."""
    default = QUERY_HEADS.get(fields.model_type)
    found = fields.optional_count(*HEADS, high=HEADS_MAX)
    return found or default or fields.count(HEADS[0])


def kv_heads(fields: Fields, heads: int) -> int:
    """Heads that keep keys and values: grouped, all, or one."""
    found = _multi_query(fields) or fields.optional_count(*KV_HEADS, high=HEADS_MAX) or _nested_kv_heads(fields)
    if found is None and not any(name in fields.table for name in KV_HEADS):
        found = GEOMETRY.get(fields.model_type, (None, None))[0]
    name = next((name for name in KV_HEADS if fields.has(name)), KV_HEADS[0])
    return checked_group(fields, heads, found or heads, name)


def checked_group(fields: Fields, heads: int, groups: int, name: str) -> int:
    """The KV heads, if query heads can be dealt to them evenly."""
    if heads % groups:
        raise fields.contradiction(fields.which(*HEADS) or HEADS[0], name)
    return groups


def _nested_kv_heads(fields: Fields) -> int | None:
    inner = fields.table_at("attn_config")
    return None if inner is None else inner.optional_count("kv_n_heads", high=HEADS_MAX)


def _multi_query(fields: Fields) -> int | None:
    if fields.flag("multi_query_attention"):
        return fields.count("multi_query_group_num", high=HEADS_MAX)
    fields.use("multi_query_group_num")
    # Falcon: one KV head whatever the config counts, unless the later architecture is chosen.
    if fields.flag("multi_query") and not fields.flag("new_decoder_architecture"):
        fields.use(*KV_HEADS)
        return 1
    return None


def head_dim(fields: Fields, heads: int) -> int:
    """Width of a head, where the config or its class says it; else hidden size through heads."""
    explicit = fields.optional_count(*HEAD_DIM, high=HEAD_DIM_MAX)
    explicit = explicit or fields.optional_count("kv_channels", high=HEAD_DIM_MAX)
    if explicit:
        return explicit
    default = GEOMETRY.get(fields.model_type, (None, None))[1]
    if default and "head_dim" not in fields.table:
        return default
    hidden = fields.count(*WIDTH, high=DIM_MAX)
    if hidden % heads or hidden // heads > HEAD_DIM_MAX:
        raise fields.contradiction(fields.which(*WIDTH), fields.which(*HEADS) or HEADS[0])
    return hidden // heads


def grouped(fields: Fields) -> Callable[[int, str], tuple[Cache, ...]]:
    """One geometry for all layers, whatever their window."""
    heads = attention_heads(fields)
    if fields.has("num_attention_heads_per_layer"):
        return _heads_by_layer(fields, heads)
    groups = kv_heads(fields, heads)
    dim = head_dim(fields, heads)
    return lambda index, kind: (shaped(fields, kind, groups, dim, dim),)


def _heads_by_layer(fields: Fields, heads: int) -> Callable[[int, str], tuple[Cache, ...]]:
    """Query heads differ by layer, KV heads do not (Laguna)."""
    groups = kv_heads(fields, heads)
    for own in fields.counts("num_attention_heads_per_layer", fields.layer_count, low=1, high=HEADS_MAX):
        checked_group(fields, own, groups, "num_attention_heads_per_layer")
    dim = head_dim(fields, heads)
    return lambda index, kind: (shaped(fields, kind, groups, dim, dim),)


def shaped(fields: Fields, kind: str, groups: int, k_dim: int, v_dim: int) -> Cache:
    """The cache of a layer of this kind."""
    if kind == SLIDING:
        return SlidingWindow(groups, k_dim, v_dim, window_tokens(fields))
    if kind == CHUNKED:
        return ChunkedAttention(groups, k_dim, v_dim, fields.count("attention_chunk_size", high=TOKENS_MAX))
    return FullAttention(groups, k_dim, v_dim)
