"""From the model's layers to specs, one for each cache of each layer. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import (
    BlockIndexer,
    ChunkedAttention,
    CompressedAttention,
    CrossAttention,
    FullAttention,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
    heads_per_card,
)
from sizing.memory.terms import Cache
from sizing.memory.vllm import classes
from sizing.memory.vllm.hybrid import States, aligned_block, state_bytes, states
from sizing.memory.vllm.operators import (
    BLOCK_SPARSE,
    COMPRESSED,
    DEFAULT_BLOCK,
    SPARSE_MLA,
    Heads,
    Kernel,
    common_block,
    heads_kernel,
    latent_block,
    latent_kernel,
)
from sizing.memory.vllm.settings import PACKED, Settings

# Specs: the pages that one cache of one layer takes on one card. Source: vllm-kv-rules.

Family = Literal["full", "sliding", "chunked", "cross", "state", "ring"]


@dataclass(frozen=True)
class Spec:
    """One cache of one layer.

    family: how its blocks are counted; latent attention and its indexer count as "full".
    kind: kind of the cache it stands for ("latent", "deltanet", ...).
    layout: heads, widths and precision; caches share blocks only where it is equal.
    block_size: tokens of a block. [tokens]
    page_bytes: one block. [bytes]
    window: tokens that a sliding or chunked layer keeps. [tokens]
    padded: the page is wider than what it holds, so that a longer block does not widen it.
    """

    family: Family
    kind: str
    layout: tuple[int | float | str, ...]
    block_size: int
    page_bytes: int
    window: int = 0
    padded: bool = False

    def with_block_size(self, block_size: int) -> Spec:
        """The same with longer or shorter blocks."""
        return replace(self, block_size=block_size, page_bytes=self.page_bytes * block_size // self.block_size)

    def with_page_bytes(self, page_bytes: int) -> Spec:
        """The same with its page filled up to a width."""
        return replace(self, page_bytes=page_bytes, padded=True)

    def same_slots_as(self, other: Spec) -> bool:
        """Whether two layers always need the same token slots, so that they can share one list of blocks."""
        if self.family != other.family or self.block_size != other.block_size:
            return False
        if self.family == "state":
            return self.page_bytes == other.page_bytes and self.kind == other.kind
        return self.window == other.window


def head_bytes(width: int, precision: str) -> int:
    """One head's key or value of one token. [bytes]

    NVFP4 keeps a scale for each 16 values; scales for each token and head are four bytes.
    """
    match precision:
        case "nvfp4":
            return width // 2 + width // 16
        case "fp8_per_token_head" | "int8_per_token_head":
            return width + 4
        case "fp8":
            return width
    return width * 2


# DeepSeek V4's caches: windows of records, compressed records, index keys, and the compressors' own states. Source:
# vllm-kv-rules, vllm-source.

# Pages are rounded up to a whole number of these. [bytes]
_ALIGNMENT = 576
_WINDOW_BLOCK = 64
_FP32 = 4
# Ratio -> (tokens of a state block, groups of tokens that the compressor overlooks).
_COMPRESSORS = {4: (4, 2), 128: (8, 1)}


def _page(num_bytes: int) -> int:
    return -(-num_bytes // _ALIGNMENT) * _ALIGNMENT


def specs(cache: CompressedAttention, block: int) -> tuple[Spec, ...]:
    """All caches of one layer. block: tokens that a block of compressed records stands for. [tokens]"""
    record = int(cache.entry_bytes("fp8"))
    found = [_sliding(_WINDOW_BLOCK, record, cache.window)]
    if not cache.ratio:
        return tuple(found)
    found.append(_growing("record", block, block // cache.ratio * record))
    state_block, overlap = _COMPRESSORS[cache.ratio]
    window = overlap * cache.ratio
    # Values and gates of each overlooked group, in fp32.
    found.append(_sliding(state_block, 2 * overlap * cache.entry_dim * _FP32, window))
    if cache.index_dim:
        found.append(_growing("index", block, block // cache.ratio * int(cache.index_bytes("fp8"))))
        found.append(_sliding(state_block, 2 * overlap * cache.index_dim * _FP32, window))
    return tuple(found)


def _growing(name: str, block: int, num_bytes: int) -> Spec:
    return Spec("full", "compressed", (name, num_bytes), block, _page(num_bytes), padded=True)


def _sliding(block: int, token_bytes: int, window: int) -> Spec:
    layout = ("window", token_bytes)
    return Spec("sliding", "compressed", layout, block, _page(block * token_bytes), window, padded=True)


ByHead = FullAttention | SlidingWindow | CrossAttention


@dataclass(frozen=True)
class LayerSpec:
    """A spec and the pipeline stage whose cards hold it."""

    spec: Spec
    stage: int


@dataclass(frozen=True)
class Cut:
    """A model cut into specs.

    block_size: block of the layers that grow. [tokens]   states: how recurrent states are kept.
    """

    layers: tuple[LayerSpec, ...]
    block_size: int
    states: States | None


def cut(architecture: Architecture, drafting: Sequence[Layer], precision: str, settings: Settings) -> Cut:
    """All specs of the model, with those of the layers that draft on the last stage."""
    placed = [
        (architecture.layers[index], stage)
        for stage, stage_layers in enumerate(architecture.stages(settings.pp))
        for index in stage_layers
    ]
    placed += [(layer, settings.pp - 1) for layer in drafting]
    caches = {cache for layer, _ in placed for cache in layer.caches}
    if not caches:
        return Cut((), 0, None)
    choose = _Kernels(architecture, precision, settings)
    kernels = list(dict.fromkeys(choose.base(cache) for cache in _in_order(placed) if not cache.is_state))
    found = states(architecture, settings)
    asked = settings.block_size
    dense = any(isinstance(cache, LatentAttention) and not cache.sparse for cache in caches)
    if asked is not None and dense and asked % (latent_block(settings) or asked):
        asked = None
    block = common_block(kernels, asked) if kernels else asked or DEFAULT_BLOCK
    page = 0
    if found is not None and kernels:
        token = next(token_bytes(cache, precision, settings) for cache in _in_order(placed) if not cache.is_state)
        block = aligned_block(found, architecture, kernels, block, token, settings)
        page = block * token
    specs: dict[Cache, tuple[Spec, ...]] = {}
    for cache in caches:
        if cache.is_state:
            width = state_bytes(cache, architecture, settings)
            specs[cache] = (Spec("state", cache.kind, (width,), block, max(width, page), padded=page > width),)
        else:
            specs[cache] = _specs(cache, precision, block, choose, settings)
    return Cut(
        tuple(LayerSpec(spec, stage) for layer, stage in placed for cache in layer.caches for spec in specs[cache]),
        block,
        found,
    )


def _in_order(placed: list[tuple[Layer, int]]) -> list[Cache]:
    return list(dict.fromkeys(cache for layer, _ in placed for cache in layer.caches))


class _Kernels:
    """Which kernel serves which cache of this model."""

    def __init__(self, architecture: Architecture, precision: str, settings: Settings) -> None:
        self.precision, self.settings = precision, settings
        found = [cache for layer in architecture.layers for cache in layer.caches]
        heads = [cache for cache in found if isinstance(cache, ByHead)]
        self.widths = {cache.k_dim for cache in heads}
        self.widest = max(self.widths, default=0)
        self.images, self.sinks = classes.images_both_ways(architecture), classes.has_sinks(architecture)
        self.attention_heads = architecture.attention_heads

    def of(self, cache: Cache, k_dim: int | None = None) -> Kernel:
        """The kernel of one cache; with ``k_dim`` as if its heads were so wide."""
        match cache:
            case FullAttention() | SlidingWindow() | CrossAttention():
                heads = Heads(
                    k_dim=k_dim or cache.k_dim,
                    v_dim=k_dim or cache.v_dim,
                    several_widths=len(self.widths) > 1,
                    grouped=self.attention_heads > cache.kv_heads,
                    images=self.images,
                    sinks=self.sinks,
                    cross=isinstance(cache, CrossAttention),
                )
                return heads_kernel(heads, self.precision, self.settings)
            case LatentAttention(sparse=False):
                return latent_kernel(cache.latent_dim + cache.rope_dim, self.precision, self.settings)
            case LatentAttention() | SparseIndexer():
                return SPARSE_MLA
            case BlockIndexer(ratio=1):
                return BLOCK_SPARSE
            case CompressedAttention():
                return COMPRESSED
        raise SizingError("vllm_cache_unknown", input="config.json", kind=cache.kind)

    def base(self, cache: Cache) -> Kernel:
        """The kernel by which the common block is chosen: the engine asks it as if all heads were the widest."""
        own = self.of(cache)
        if len(self.widths) > 1 and isinstance(cache, ByHead) and cache.k_dim == cache.v_dim:
            return self.of(cache, self.widest)
        return own


def token_bytes(cache: Cache, precision: str, settings: Settings) -> int:
    """One token of one layer on one card. [bytes]"""
    match cache:
        case FullAttention() | SlidingWindow() | CrossAttention():
            pair = head_bytes(cache.k_dim, precision) + head_bytes(cache.v_dim, precision)
            return heads_per_card(cache.kv_heads, settings.tp) * pair
        case LatentAttention():
            if precision == PACKED:
                return int(cache.bytes_per_token("fp8"))
            return (cache.latent_dim + cache.rope_dim) * (1 if precision == "fp8" else 2)
        case SparseIndexer(ratio=1):
            return cache.index_dim + 4
        case BlockIndexer(ratio=1):
            return cache.index_dim * 2  # 16 bit whatever the precision, whole on every card
    raise SizingError("vllm_cache_unknown", input="config.json", kind=cache.kind)


def _specs(cache: Cache, precision: str, block: int, choose: _Kernels, settings: Settings) -> tuple[Spec, ...]:
    if isinstance(cache, CompressedAttention):
        return specs(cache, block)
    size = 0 if isinstance(cache, SparseIndexer) and cache.ratio > 1 else token_bytes(cache, precision, settings)
    match cache:
        case FullAttention() | CrossAttention():
            family: Family = "cross" if isinstance(cache, CrossAttention) else "full"
            layout = _layout(cache, precision, settings)
            return (Spec(family, cache.kind, layout, block, block * size),)
        case SlidingWindow():
            layout = _layout(cache, precision, settings)
            if cache.kind == "bounded":
                return (Spec("full", cache.kind, layout, block, block * size),)
            if isinstance(cache, ChunkedAttention):
                kept = settings.release.chunks_freed and settings.hybrid_manager
                shape: Family = "chunked" if kept else "full"
                return (Spec(shape, cache.kind, layout, block, block * size, cache.window if kept else 0),)
            if not settings.hybrid_manager:
                return (Spec("full", cache.kind, layout, block, block * size),)
            own = block
            if settings.release.window_blocks == "smallest":
                own = choose.of(cache).sizes[0]
            elif settings.release.window_blocks == "fits":
                own = choose.of(cache).largest_within(block)
            return (Spec("sliding", cache.kind, layout, own, own * size, cache.window),)
        case LatentAttention():
            return (Spec("full", cache.kind, ("latent", size), block, block * size),)
        case SparseIndexer(ratio=1):
            return (Spec("full", cache.kind, ("indexer", size), block, block * size),)
        case SparseIndexer() if settings.release.pooled_keys and precision == "bf16":
            return _pooled(cache, block, settings.speculative_tokens)
        case BlockIndexer(ratio=1):
            return (Spec("full", cache.kind, ("block_indexer", size), block, block * size),)
    raise SizingError("vllm_cache_unknown", input="config.json", kind=cache.kind)


def _pooled(cache: SparseIndexer, block: int, drafted: int) -> tuple[Spec, ...]:
    """Index keys of several tokens each, and a ring of a request's raw keys and gates that are not yet one, in 16 bit.

    The ring holds as many whole pools, a power of two, as a pool and the drafted tokens need.
    """
    pools = 1 << (-(-(cache.ratio + drafted) // cache.ratio) - 1).bit_length()
    ring = cache.ratio * pools
    keys = block // cache.ratio * (cache.index_dim + 4)
    ring_bytes = ring * 2 * cache.index_dim * 2
    return (
        Spec("full", cache.kind, ("indexer", cache.index_dim, cache.ratio), block, keys),
        Spec("ring", cache.kind, ("ring", ring_bytes), ring, ring_bytes),
    )


def _layout(cache: ByHead, precision: str, settings: Settings) -> tuple[int | float | str, ...]:
    return (heads_per_card(cache.kv_heads, settings.tp), cache.k_dim, cache.v_dim, precision)
