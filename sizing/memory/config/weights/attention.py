"""Weights of the layers that attend."""

from __future__ import annotations

from sizing.memory.config.attention.grouped import attention_heads, head_dim, kv_heads
from sizing.memory.config.fields import HEAD_DIM_MAX, HEADS_MAX, Fields
from sizing.memory.config.kinds import FULL, SLIDING
from sizing.memory.config.weights.class_traits import GATED_ATTENTION, QKV_BIAS, QUERY_KEY_NORM
from sizing.memory.config.weights.modules import Linear, Part


def attention_part(fields: Fields, index: int, kind: str) -> Part:
    """Projections of one layer, by its number and kind."""
    if fields.has("kv_lora_rank") and fields.flag("use_mla", default=True):
        return _latent(fields, index)
    if fields.has("compress_ratios") or fields.has("compress_rates"):
        return _compressed(fields, kind)
    return _grouped(fields, index, kind)


def _grouped(fields: Fields, index: int, kind: str) -> Part:
    heads, groups, k_dim, v_dim = _geometry(fields, index, kind)
    width = fields.count("hidden_size", "n_embd", "d_model")
    gated = fields.flag("attn_output_gate", default=fields.model_type in GATED_ATTENTION)
    # Layers that read another layer's cache have their projections in the files all the same.
    linears = [
        Linear("attn.q_proj", heads * k_dim * (2 if gated else 1), width),
        Linear("attn.k_proj", groups * k_dim, width),
    ]
    # Where keys serve as values, a global layer stores no projection for the latter.
    if not (fields.flag("attention_k_eq_v") and kind != SLIDING):
        linears.append(Linear("attn.v_proj", groups * v_dim, width))
    linears.append(Linear("attn.o_proj", width, heads * v_dim))
    if fields.get("gating") is True or fields.flag("use_head_wise_attn_gate"):
        linears.append(Linear("attn.g_proj", heads, width))
    plain = 2 * k_dim if fields.flag("use_qk_norm", default=fields.model_type in QUERY_KEY_NORM) else 0
    if fields.get("qk_norm_type") == "per_layer":
        plain = heads * k_dim + groups * k_dim
    if fields.model_type in QKV_BIAS:
        plain += heads * k_dim + groups * (k_dim + v_dim)
    elif fields.flag("attention_bias"):
        plain += heads * k_dim + groups * (k_dim + v_dim) + width
    return Part(tuple(linears), plain)


def _geometry(fields: Fields, index: int, kind: str) -> tuple[int, int, int, int]:
    """Query heads, KV heads, widths of a key and of a value."""
    heads = attention_heads(fields)
    groups = kv_heads(fields, heads)
    dim = head_dim(fields, heads)
    k_dim = v_dim = dim
    if fields.has("swa_num_key_value_heads"):
        v_dim = fields.optional_count("v_head_dim", high=HEAD_DIM_MAX) or dim
        if kind == SLIDING:
            heads = fields.optional_count("swa_num_attention_heads", high=HEADS_MAX) or heads
            groups = fields.count("swa_num_key_value_heads", high=HEADS_MAX)
            k_dim = fields.optional_count("swa_head_dim", high=HEAD_DIM_MAX) or dim
            v_dim = fields.optional_count("swa_v_head_dim", high=HEAD_DIM_MAX) or k_dim
    elif fields.has("attention_other_setting") and kind == SLIDING:
        other = fields.table_at("attention_other_setting") or fields
        heads = other.count("num_attention_heads", high=HEADS_MAX)
        groups = other.optional_count("num_attention_groups", "num_key_value_heads", high=HEADS_MAX) or groups
    elif fields.has("global_head_dim") and kind == FULL:
        k_dim = v_dim = fields.count("global_head_dim", high=HEAD_DIM_MAX)
        if fields.flag("attention_k_eq_v"):
            groups = fields.optional_count("num_global_key_value_heads", high=HEADS_MAX) or groups
    by_layer = fields.get("num_attention_heads_per_layer")
    if isinstance(by_layer, list) and by_layer:
        heads = by_layer[min(index, len(by_layer) - 1)]  # checked when the cache was read
    return heads, groups, k_dim, v_dim


def _latent(fields: Fields, index: int) -> Part:
    heads = attention_heads(fields)
    width = fields.count("hidden_size")
    rank = fields.count("kv_lora_rank", high=1 << 14)
    nope = fields.count("qk_nope_head_dim", low=0, high=HEAD_DIM_MAX)
    rope = fields.count("qk_rope_head_dim", low=0, high=HEAD_DIM_MAX)
    value = fields.count("v_head_dim", high=HEAD_DIM_MAX)
    query_rank = fields.optional_count("q_lora_rank", high=1 << 16)
    linears = [
        Linear("attn.kv_a_proj_with_mqa", rank + rope, width),
        Linear("attn.kv_b_proj", heads * (nope + value), rank),
        Linear("attn.o_proj", width, heads * value),
    ]
    plain = rank
    if query_rank:
        linears.append(Linear("attn.q_a_proj", query_rank, width))
        linears.append(Linear("attn.q_b_proj", heads * (nope + rope), query_rank))
        plain += query_rank
    else:
        linears.append(Linear("attn.q_proj", heads * (nope + rope), width))
    if fields.flag("mla_use_output_gate"):
        linears.append(Linear("attn.g_proj", heads * value, width))
    if fields.has("index_head_dim") and query_rank and _owns_indexer(fields, index):
        index_heads = fields.count("index_n_heads", high=HEADS_MAX)
        index_dim = fields.count("index_head_dim", high=HEAD_DIM_MAX)
        linears.append(Linear("attn.indexer.wq_b", index_heads * index_dim, query_rank))
        linears.append(Linear("attn.indexer.wk", index_dim, width))
        plain += index_heads * width + 2 * index_dim
    return Part(tuple(linears), plain)


def _owns_indexer(fields: Fields, index: int) -> bool:
    types = fields.get("indexer_types")
    return not isinstance(types, list) or index >= len(types) or types[index] != "shared"


def _compressed(fields: Fields, kind: str) -> Part:
    """DeepSeek V4; ``kind`` is the compression ratio as a word."""
    ratio = int(kind)
    heads = attention_heads(fields)
    width = fields.count("hidden_size")
    dim = fields.count("head_dim", high=HEAD_DIM_MAX)
    rank = fields.count("q_lora_rank", high=1 << 16)
    out_rank = fields.count("o_groups", high=HEADS_MAX) * fields.count("o_lora_rank", high=1 << 16)
    linears = [
        Linear("attn.fused_wqa_wkv", rank + dim, width),
        Linear("attn.wq_b", heads * dim, rank),
        Linear("attn.wo_a", out_rank, heads * dim // fields.count("o_groups", high=HEADS_MAX)),
        Linear("attn.wo_b", width, out_rank),
    ]
    part = Part(tuple(linears), rank + dim, heads)
    if ratio > 1:
        part += _compressor(width, dim, ratio)
    if ratio == 4:
        index_heads = fields.count("index_n_heads", high=HEADS_MAX)
        index_dim = fields.count("index_head_dim", high=HEAD_DIM_MAX)
        queries = Linear("attn.indexer.wq_b", index_heads * index_dim, rank)
        part += Part((queries,), index_heads * width) + _compressor(width, index_dim, ratio)
    return part


def _compressor(width: int, dim: int, ratio: int) -> Part:
    overlap = 2 if ratio == 4 else 1
    return Part((), 2 * overlap * dim * width + dim, ratio * overlap * dim)
