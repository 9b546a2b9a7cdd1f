"""Geometry of the layers that attend. One file for each family of spellings; each says whether it is concerned."""

from __future__ import annotations

import functools
from collections.abc import Callable

from sizing.memory.architecture import Layer
from sizing.memory.caches import (
    BlockIndexer,
    ChunkedAttention,
    FullAttention,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.config.class_defaults import EXPANDS_LATENT, QUERY_HEADS, SHARES_INDEXER_BY_DEFAULT
from sizing.memory.config.fields import (
    CHUNKED,
    DIM_MAX,
    FULL,
    HEAD_DIM_MAX,
    HEADS_MAX,
    LAYER_COUNT,
    LAYERS_MAX,
    SLIDING,
    TOKENS_MAX,
    Fields,
)
from sizing.memory.config.layers import window_tokens
from sizing.memory.config.model_types import defaults, geometry
from sizing.memory.terms import Cache

# Grouped-query and multi-head attention, in all the spellings of its three numbers.

HEADS = ("num_attention_heads", "n_head", "n_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups", "n_kv_heads")
HEAD_DIM = ("head_dim", "attention_head_dim")
RATIO_MAX = 1 << 12
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
        found = geometry(fields.model_type)[0]
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
    default = geometry(fields.model_type)[1]
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
    by_kind = functools.cache(lambda kind: (shaped(fields, kind, groups, dim, dim),))
    return lambda index, kind: by_kind(kind)


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


SPARSE_LAYER = "minimax_m3_sparse"


def _sparse_by_type(fields: Fields, words: list[object]) -> Callable[[int, str], tuple[Cache, ...]]:
    """The same as transformers writes it: a word in the list of layers, and the indexer's keys beside the others."""
    plain = grouped(fields)
    fields.use(*_INDEXER)
    indexer = BlockIndexer(fields.count("index_head_dim", high=HEAD_DIM_MAX))
    return lambda index, kind: (
        plain(index, kind) + ((indexer,) if words[min(index, len(words) - 1)] == SPARSE_LAYER else ())
    )


# Grouped attention that reads blocks which an indexer picks (MiniMax-M3).


def block_sparse(fields: Fields) -> Callable[[int, str], tuple[Cache, ...]] | None:
    """Keys and values as ever, and index keys beside them in the layers that the config marks."""
    sparse = fields.table_at("sparse_attention_config")
    words = fields.get("layer_types")
    if isinstance(words, list) and SPARSE_LAYER in words:
        return _sparse_by_type(fields, words)
    if sparse is None or not sparse.flag("use_sparse_attention", default=True):
        return None
    layers = fields.layer_count
    marked = sparse.counts("sparse_attention_freq", layers, high=1)
    if sparse.has("sparse_disable_index_value"):
        without_values = sparse.counts("sparse_disable_index_value", layers, high=1)
        if any(mark and not bare for mark, bare in zip(marked, without_values, strict=True)):
            raise sparse.unknown_value("sparse_disable_index_value", 0)
    plain = grouped(fields)
    indexer = BlockIndexer(sparse.count("sparse_index_dim", high=HEAD_DIM_MAX))
    # Layers past the end are for multi-token prediction and are made like the last one.
    return lambda index, kind: plain(index, kind) + ((indexer,) if marked[min(index, layers - 1)] else ())


def picked_tokens(fields: Fields) -> Callable[[int, str], tuple[Cache, ...]] | None:
    """Keys and values as ever, and in every layer that attends index keys, one for several tokens (Qwen4)."""
    if not fields.has("indexer_head_dim"):
        return None
    plain = grouped(fields)
    heads = fields.count("indexer_kv_heads", high=HEADS_MAX)
    ratio = fields.count("indexer_compress_ratio", high=RATIO_MAX)
    fields.use("indexer_n_heads")
    indexer = BlockIndexer(heads * fields.count("indexer_head_dim", high=HEAD_DIM_MAX), ratio)
    return lambda index, kind: (*plain(index, kind), indexer)


# Models whose sliding layers have a geometry of their own.


def _two(fields: Fields, full: tuple[int, int, int], sliding: tuple[int, int, int]) -> Attention:
    by_kind = functools.cache(lambda kind: (shaped(fields, kind, *(sliding if kind == SLIDING else full)),))
    return lambda index, kind: by_kind(kind)


def own_window_geometry(fields: Fields) -> Attention | None:
    """Keys that begin with swa_, and values narrower than keys (MiMo-V2)."""
    if not fields.has("swa_num_key_value_heads"):
        return None
    heads = attention_heads(fields)
    k_dim = head_dim(fields, heads)
    v_dim = fields.optional_count("v_head_dim", high=HEAD_DIM_MAX) or k_dim
    swa_heads = fields.optional_count("swa_num_attention_heads", high=HEADS_MAX) or heads
    swa_groups = checked_group(
        fields, swa_heads, fields.count("swa_num_key_value_heads", high=HEADS_MAX), "swa_num_key_value_heads"
    )
    swa_k = fields.optional_count("swa_head_dim", high=HEAD_DIM_MAX) or k_dim
    swa_v = fields.optional_count("swa_v_head_dim", high=HEAD_DIM_MAX) or swa_k
    return _two(fields, (kv_heads(fields, heads), k_dim, v_dim), (swa_groups, swa_k, swa_v))


def other_setting(fields: Fields) -> Attention | None:
    """An object with the heads of the other kind of layer (Step 3.5 and later)."""
    other = fields.table_at("attention_other_setting")
    if other is None:
        return None
    kind = other.text("attention_type")
    if kind not in (None, "sliding_attention"):
        raise other.unknown_value("attention_type", kind)
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    own_heads = other.count("num_attention_heads", high=HEADS_MAX)
    own_groups = other.optional_count("num_attention_groups", "num_key_value_heads", high=HEADS_MAX)
    groups = kv_heads(fields, heads)
    own = checked_group(other, own_heads, own_groups or groups, "num_attention_groups")
    own_dim = other.optional_count("head_dim", high=HEAD_DIM_MAX) or dim
    return _two(fields, (groups, dim, dim), (own, own_dim, own_dim))


def own_global_geometry(fields: Fields) -> Attention | None:
    """Full layers with heads and widths of their own (Gemma 4)."""
    if not fields.has("global_head_dim"):
        return None
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    groups = kv_heads(fields, heads)
    wide = fields.count("global_head_dim", high=HEAD_DIM_MAX)
    global_groups = fields.optional_count("num_global_key_value_heads", high=HEADS_MAX)
    if fields.flag("attention_k_eq_v"):
        # The number for global layers is read only where keys serve as values too; both are still stored.
        global_groups = checked_group(fields, heads, global_groups or groups, "num_global_key_value_heads")
    else:
        global_groups = groups
    return _two(fields, (global_groups, wide, wide), (groups, dim, dim))


# Latent attention (MLA), with the keys of an indexer beside it where attention is sparse.

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
    uses = fields.flag("use_mla", default=True)
    if uses and not fields.has("kv_lora_rank") and defaults(fields.model_type).get("kv_lora_rank"):
        raise fields.missing("kv_lora_rank")
    if not fields.has("kv_lora_rank") or not uses:
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
    alone = (vector,)
    if not sparse:
        return lambda index, kind: _only_full(fields, kind, alone)
    pooled = fields.optional_count("index_kpool", high=RATIO_MAX) or 1  # index keys of several tokens are made one
    if not fields.flag("index_kpool_compress", default=True):
        raise fields.unknown_value("index_kpool_compress", False)
    indexer = SparseIndexer(fields.count("index_head_dim", high=HEAD_DIM_MAX), pooled)
    fields.count("index_topk", high=1 << 24)
    fields.use(*_INDEXER)
    shared = _layers_without_indexer(fields)
    both = (vector, indexer)
    return lambda index, kind: _only_full(fields, kind, alone if index in shared else both)


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


Attention = Callable[[int, str], tuple[Cache, ...]]
"""Caches of the layer with this number and kind."""

# In the order of asking: the special before the general.
_READERS: tuple[Callable[[Fields], Attention | None], ...] = (
    expanded_latent,
    latent,
    block_sparse,
    picked_tokens,
    own_window_geometry,
    other_setting,
    own_global_geometry,
    grouped,
)


def attention(fields: Fields) -> Attention:
    """The geometry that these fields describe, with layers that use another layer's cache left without one."""
    for reader in _READERS:
        if (found := reader(fields)) is not None:
            return _shared(fields, found)
    raise fields.missing("num_attention_heads")


def _shared(fields: Fields, own: Attention) -> Attention:
    layers = fields.layer_count if fields.has("num_kv_shared_layers") or fields.flag("use_cla") else 0
    tail = fields.optional_count("num_kv_shared_layers", low=0, high=max(0, layers - 1)) or 0
    if tail:
        # The last layers read what an earlier layer of their kind has stored (Gemma 3n, Gemma 4).
        return lambda index, kind: own(index, kind) if not layers - tail <= index < layers else ()
    if fields.flag("use_cla"):
        # Of each run of layers the first stores, the others read (cross-layer attention, Hunyuan).
        share = fields.count("cla_share_factor", high=layers)
        return lambda index, kind: own(index, kind) if index % share == 0 else ()
    fields.use("cla_share_factor")
    return own


# Layers for multi-token prediction: how many, and what each holds when speculative decoding runs.

MTP_MAX = 64
_ATTENDS = {"attention": FULL, "full_attention": FULL, "sliding_attention": SLIDING, "*": FULL}


def mtp_count(fields: Fields) -> int:
    """Modules for multi-token prediction that the checkpoint holds. [-]"""
    if fields.has("num_mtp_modules") and not fields.has("num_nextn_predict_layers"):
        each = fields.optional_count("mtp_transformer_layers", low=0, high=MTP_MAX)
        return fields.count("num_mtp_modules", low=0, high=MTP_MAX) * (1 if each is None else each)
    names = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
    return fields.optional_count(*names, low=0, high=MTP_MAX) or 0


def mtp_layers(fields: Fields, attends: Attention | None) -> tuple[Layer, ...]:
    """The layers of all modules; one full layer each where the config does not list them."""
    count = mtp_count(fields)
    if attends is None or not count:
        return (Layer(),) * count
    index = fields.layer_count if fields.which(*LAYER_COUNT) else LAYERS_MAX
    layers = tuple(Layer(attends(index, kind)) if kind else Layer() for kind in _kinds(fields))
    return layers if fields.has("mtp_layer_types") or _padded(fields) else layers * count


def _padded(fields: Fields) -> bool:
    types = fields.get("layer_types") if fields.has("attention_other_setting") else None
    return isinstance(types, list) and len(types) > fields.layer_count


def _kinds(fields: Fields) -> list[str]:
    """Kind of each layer of one module (of all modules where the list names them all); "" keeps nothing."""
    if fields.has("mtp_layer_types"):
        words: tuple[str, ...] = fields.words("mtp_layer_types")
    elif fields.has("mtp_layers_block_type"):
        words = fields.words("mtp_layers_block_type")
    elif letters := fields.text("mtp_hybrid_override_pattern"):
        words = tuple(letters[:MTP_MAX])
    elif _padded(fields):
        words = fields.words("layer_types")[fields.layer_count :]
    else:
        return [SLIDING if fields.has("hybrid_layer_pattern") else FULL]
    return [_ATTENDS.get(word, "") for word in words[:MTP_MAX]]
