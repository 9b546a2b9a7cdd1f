"""Latent attention (MLA), with the keys of an indexer beside it where attention is sparse."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache, FullAttention, LatentAttention, SparseIndexer
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.class_defaults import EXPANDS_LATENT, SHARES_INDEXER_BY_DEFAULT
from sizing.memory.config.fields import HEAD_DIM_MAX, LAYERS_MAX, Fields
from sizing.memory.config.kinds import FULL

Attention = Callable[[int, str], tuple[Cache, ...]]

# Keys that describe heads which exist only after decompression.
_DECOMPRESSED = ("num_key_value_heads", "head_dim", "v_head_dim", "qk_nope_head_dim", "qk_head_dim", "q_lora_rank")
_INDEXER = ("index_topk", "index_head_dim", "index_n_heads")


def expanded_latent(fields: Fields) -> Attention | None:
    """A class that decompresses before it caches: full heads, values padded to the keys' width (MiniCPM 3)."""
    if not fields.has("kv_lora_rank") or fields.model_type not in EXPANDS_LATENT:
        return None
    heads = attention_heads(fields)
    dim = fields.count("qk_nope_head_dim", high=HEAD_DIM_MAX) + fields.count("qk_rope_head_dim", high=HEAD_DIM_MAX)
    fields.use("kv_lora_rank", *_DECOMPRESSED)
    return lambda index, kind: (FullAttention(heads, dim, dim),)


def latent(fields: Fields) -> Attention | None:
    """One compressed vector a token, whatever the number of heads."""
    if not fields.has("kv_lora_rank") or not fields.flag("use_mla", default=True):
        fields.use("kv_lora_rank", "qk_rope_head_dim")  # class defaults of a model that does not use them
        return None
    attention_heads(fields)
    fields.use(*_DECOMPRESSED)
    _check_key_width(fields)
    rank = fields.count("kv_lora_rank", high=1 << 14)
    # 0: no rotary part, positions come from the recurrent layers.
    rope = fields.count("qk_rope_head_dim", low=0, high=HEAD_DIM_MAX)
    sparse = any(fields.has(name) for name in _INDEXER)
    vector = LatentAttention(rank, rope, sparse)
    if not sparse:
        return lambda index, kind: _only_full(fields, kind, (vector,))
    indexer = SparseIndexer(fields.count("index_head_dim", high=HEAD_DIM_MAX))
    fields.count("index_topk", high=1 << 24)
    fields.use(*_INDEXER)
    shared = _layers_without_indexer(fields)
    return lambda index, kind: _only_full(fields, kind, (vector,) if index in shared else (vector, indexer))


def _only_full(fields: Fields, kind: str, caches: tuple[Cache, ...]) -> tuple[Cache, ...]:
    if kind != FULL:
        raise fields.contradiction("kv_lora_rank", "layer_types")
    return caches


def _check_key_width(fields: Fields) -> None:
    whole = fields.optional_count("qk_head_dim", high=HEAD_DIM_MAX)
    parts = [fields.optional_count(name, low=0, high=HEAD_DIM_MAX) for name in ("qk_nope_head_dim", "qk_rope_head_dim")]
    if whole is not None and None not in parts and sum(part or 0 for part in parts) != whole:
        raise fields.contradiction("qk_head_dim", "qk_nope_head_dim")


def _layers_without_indexer(fields: Fields) -> frozenset[int]:
    """Layers that reuse an earlier layer's choice of tokens and so own no index keys: by list, letters or rule."""
    layers = fields.layer_count
    said: dict[str, frozenset[int]] = {}
    if fields.has("indexer_types"):
        words = fields.words("indexer_types", layers)
        if other := next((word for word in words if word not in ("full", "shared")), None):
            raise fields.unknown_value("indexer_types", other)
        said["indexer_types"] = frozenset(index for index, word in enumerate(words) if word == "shared")
    letters = fields.get("index_topk_pattern")
    if letters is not None:
        if not isinstance(letters, str) or len(letters) != layers or set(letters) - {"F", "S"}:
            raise fields.unknown_value("index_topk_pattern", letters)
        said["index_topk_pattern"] = frozenset(index for index, letter in enumerate(letters) if letter == "S")
    period = fields.optional_count("index_topk_freq", high=LAYERS_MAX)
    offset = fields.optional_count("index_skip_topk_offset", low=0, high=LAYERS_MAX)
    if period is not None and letters is None:
        first = 2 if offset is None else offset
        said["index_topk_freq"] = frozenset(index for index in range(layers) if max(index - first + 1, 0) % period)
    if not said and fields.model_type in SHARES_INDEXER_BY_DEFAULT:
        raise fields.missing("indexer_types")
    names = list(said)
    for name in names[1:]:
        if said[name] != said[names[0]]:
            raise fields.contradiction(names[0], name)
    return said[names[0]] if names else frozenset()
