"""Geometry of the attention layers: grouped heads, latent attention, windows of their own shape."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import (
    Cache,
    ChunkedAttention,
    FullAttention,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.config.class_defaults import GEOMETRY
from sizing.memory.config.fields import DIM_MAX, HEADS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.kinds import CHUNKED, SLIDING

# Caches of layer ``index``, which is of ``kind``.
Attention = Callable[[int, str], tuple[Cache, ...]]

HEAD_DIM_MAX = 8192


def attention_heads(fields: Fields) -> int:
    """Query heads."""
    default = GEOMETRY.get(str(fields.get("model_type")), {}).get("num_attention_heads")
    return (
        fields.optional_count("num_attention_heads", "n_head", "n_heads", high=HEADS_MAX)
        or default
        or fields.count("num_attention_heads")
    )


def attention(fields: Fields) -> Attention:
    """The geometry that these fields describe."""
    if fields.has("kv_lora_rank"):
        return _latent(fields)
    if fields.has("swa_num_key_value_heads"):
        return _own_window_geometry(fields)
    if fields.has("global_head_dim"):
        return _own_global_geometry(fields)
    return _grouped(fields)


def _kv_heads(fields: Fields, heads: int, *names: str) -> int:
    default = GEOMETRY.get(str(fields.get("model_type")), {}).get("num_key_value_heads", heads)
    kv_heads = fields.optional_count(*names, high=HEADS_MAX) or default
    if heads % kv_heads:
        raise fields.contradiction("num_attention_heads", fields.which(*names) or names[0])
    return kv_heads


def _head_dim(fields: Fields, heads: int) -> int:
    explicit = fields.optional_count("head_dim", "attention_head_dim", high=HEAD_DIM_MAX)
    if explicit:
        return explicit
    if default := GEOMETRY.get(str(fields.get("model_type")), {}).get("head_dim"):
        return default
    hidden = fields.count("hidden_size", "n_embd", "d_model", high=DIM_MAX)
    if hidden % heads or hidden // heads > HEAD_DIM_MAX:
        raise fields.contradiction("hidden_size", "num_attention_heads")
    return hidden // heads


def _grouped(fields: Fields) -> Attention:
    heads = attention_heads(fields)
    kv_heads = _kv_heads(fields, heads, "num_key_value_heads", "num_kv_heads", "n_head_kv")
    dim = _head_dim(fields, heads)
    return lambda index, kind: (_shaped(fields, kind, kv_heads, dim, dim),)


def _shaped(fields: Fields, kind: str, kv_heads: int, k_dim: int, v_dim: int) -> Cache:
    if kind == SLIDING:
        return SlidingWindow(kv_heads, k_dim, v_dim, fields.count("sliding_window", high=TOKENS_MAX))
    if kind == CHUNKED:
        return ChunkedAttention(kv_heads, k_dim, v_dim, fields.count("attention_chunk_size", high=TOKENS_MAX))
    return FullAttention(kv_heads, k_dim, v_dim)


def _own_window_geometry(fields: Fields) -> Attention:
    """Sliding layers with heads and widths of their own; keys wider than values (MiMo-V2)."""
    heads = attention_heads(fields)
    k_dim = _head_dim(fields, heads)
    full = (
        _kv_heads(fields, heads, "num_key_value_heads"),
        k_dim,
        fields.optional_count("v_head_dim", high=HEAD_DIM_MAX) or k_dim,
    )
    swa_heads = fields.optional_count("swa_num_attention_heads", high=HEADS_MAX) or heads
    swa_k = fields.optional_count("swa_head_dim", high=HEAD_DIM_MAX) or k_dim
    sliding = (
        _kv_heads(fields, swa_heads, "swa_num_key_value_heads"),
        swa_k,
        fields.optional_count("swa_v_head_dim", high=HEAD_DIM_MAX) or swa_k,
    )
    return lambda index, kind: (_shaped(fields, kind, *(sliding if kind == SLIDING else full)),)


def _own_global_geometry(fields: Fields) -> Attention:
    """Full layers with heads and widths of their own, the last layers without a cache (Gemma 4)."""
    heads = attention_heads(fields)
    dim = _head_dim(fields, heads)
    sliding = (_kv_heads(fields, heads, "num_key_value_heads"), dim, dim)
    wide = fields.count("global_head_dim", high=HEAD_DIM_MAX)
    same = fields.flag("attention_k_eq_v")
    full_heads = _kv_heads(fields, heads, "num_global_key_value_heads") if same else sliding[0]
    full = (full_heads, wide, wide)
    owners = fields.layer_count - (fields.optional_count("num_kv_shared_layers", low=0, high=fields.layer_count) or 0)
    return lambda index, kind: (
        (_shaped(fields, kind, *(sliding if kind == SLIDING else full)),) if index < owners else ()
    )


def _latent(fields: Fields) -> Attention:
    """One compressed vector a token, with an indexer's keys beside it where attention is sparse."""
    sparse = fields.has("index_topk")
    latent = LatentAttention(
        fields.count("kv_lora_rank", high=HEADS_MAX), fields.count("qk_rope_head_dim", high=HEAD_DIM_MAX), sparse
    )
    if not sparse:
        return lambda index, kind: (latent,)
    indexer = SparseIndexer(fields.count("index_head_dim", high=HEAD_DIM_MAX))
    owners = _indexer_owners(fields)
    return lambda index, kind: (latent, indexer) if index not in owners or owners[index] else (latent,)


def _indexer_owners(fields: Fields) -> dict[int, bool]:
    if not fields.has("indexer_types"):
        return {}
    words = fields.words("indexer_types", fields.layer_count)
    for word in words:
        if word not in ("full", "shared"):
            raise fields.unknown_value("indexer_types", word)
    return {index: word == "full" for index, word in enumerate(words)}
