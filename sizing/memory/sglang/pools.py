"""What one token and one state take of SGLang's pools on one rank. Source: sglang-kv-rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import (
    BlockIndexer,
    CompressedAttention,
    CrossAttention,
    FullAttention,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.sglang.releases import NAME, Rules
from sizing.memory.starting import facts
from sizing.memory.terms import ELEMENT_BYTES, Cache

STATE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
V4_PAGE, V4_RATIO, V4_RING, V4_SLOW_RING = 256, 0.1, 8, 128
SLOW_ROWS = 128
V4_ROW_STEP = 576
"""Pages of a compressed cache are filled up to this. [bytes]"""
WINDOW_RATIO = 0.8
"""Tokens of the sliding pool for one of the full pool, where no flag says otherwise. [-]"""


@dataclass(frozen=True)
class Pools:
    """Bytes on the fullest rank.

    full: of one token in the layers that keep the whole context.   swa: of one in the sliding layers. [bytes/token]
    drafted: of one token in the layers that draft. [bytes/token]   state: of one slot of recurrent state. [bytes]
    slow_row: of one row of a compressed cache's slow states.   slow_ring: rows of one request. [bytes], [-]
    ratio: sliding tokens for a full one; 0 with a single pool.
    window: of the sliding layers, 0 without such a pool. [tokens]   page: tokens of one page. [tokens]
    """

    full: float
    swa: float = 0.0
    drafted: float = 0.0
    state: int = 0
    slow_row: int = 0
    slow_ring: int = 0
    ratio: float = 0.0
    window: int = 0
    page: int = 1

    @property
    def cell(self) -> float:
        """Of one token of the size that is printed. [bytes/token]"""
        return self.full + self.ratio * self.swa + self.drafted

    def fixed_bytes(self, requests: int) -> int:
        """What so many requests take whatever their length: a ring of slow states each, and a spare one. [bytes]"""
        rows = (requests + 1) * self.slow_ring + self.slow_ring + 1
        return -(-rows // SLOW_ROWS) * SLOW_ROWS * self.slow_row


@dataclass(frozen=True)
class Rank:
    """How a model is dealt out. tp: of the attention, without its data parallelism.   pp: stages.   kv_dtype: resolved.

    state_dtype: of recurrent states.   ratio: sliding tokens for a full one, None for the default.
    page: None for the default.   raw_records: a sparse latent cache in FP8 has no scales (data-centre Blackwell).
    drafting: tokens drafted at a time. [tokens]
    """

    tp: int
    pp: int
    kv_dtype: str
    state_dtype: str = "float32"
    ratio: float | None = None
    page: int | None = None
    raw_records: bool = False
    drafting: int = 0


def pools(architecture: Architecture, rank: Rank, rules: Rules) -> tuple[Pools, ...]:
    """The pools of each pipeline stage. SizingError for a kind of cache whose rule is not known."""
    layers = _with_shared(architecture) if _two_pools(architecture) else architecture.layers
    spans = architecture.stages(rank.pp)
    found = [_stage([layers[k] for k in span], architecture, rank, rules) for span in spans]
    if not any(each.cell or each.state for each in found):
        raise SizingError("sglang_no_cache", input="architecture")
    return tuple(found)


def _two_pools(architecture: Architecture) -> bool:
    return architecture.model_type.startswith(tuple(facts(NAME)["two_pools"]))


def _with_shared(architecture: Architecture) -> Sequence[Layer]:
    """Layers at the end that use another layer's cache own one here: the pattern of the first ones goes on."""
    owning = [layer for layer in architecture.layers if layer.caches]
    tail = len(architecture.layers) - len(owning)
    if not tail or any(layer.caches for layer in architecture.layers[len(owning) :]):
        return architecture.layers
    period = next(p for p in range(1, len(owning) + 1) if owning[p:] == owning[: len(owning) - p])
    return [*owning, *(owning[(len(owning) + k) % period] for k in range(tail))]


def _stage(layers: Sequence[Layer], architecture: Architecture, rank: Rank, rules: Rules) -> Pools:
    caches = [cache for layer in layers for cache in layer.caches]
    if any(isinstance(cache, CompressedAttention) for cache in caches):
        return _compressed([cache for cache in caches if isinstance(cache, CompressedAttention)], rank, rules)
    by_window = _two_pools(architecture) and any(isinstance(cache, SlidingWindow) for cache in caches)
    full = swa = 0.0
    widest = max((_token_bytes(each, rank) for each in caches if isinstance(each, FullAttention)), default=0.0)
    window = 0
    for layer in layers:
        for cache in layer.caches:
            if isinstance(cache, SparseIndexer | BlockIndexer):
                full += _token_bytes(cache, rank) if rules.indexer_counted else 0
            elif isinstance(cache, SlidingWindow) and by_window:
                swa += _token_bytes(cache, rank) if rules.pools_by_layer else widest
                window = max(window, cache.window)
            elif not cache.is_state:
                full += _token_bytes(cache, rank)
        if not rules.indexer_elided and rules.indexer_counted and _reuses(layer):
            full += next(_token_bytes(each, rank) for each in caches if isinstance(each, SparseIndexer))
    ratio = (WINDOW_RATIO if rank.ratio is None else rank.ratio) if by_window else 0.0
    keeping = sum(any(not cache.is_state for cache in layer.caches) for layer in layers)
    drafted = 0.0
    if rank.drafting and rules.draft_counted and keeping:
        one = swa / max(1, keeping) if by_window and not full else full
        drafted = one * max(1, len(architecture.mtp_layers)) / keeping
    state = sum(_state_bytes(cache, rank) for cache in caches if cache.is_state)
    page = rank.page or (64 if any(isinstance(cache, SparseIndexer) for cache in caches) else 1)
    return Pools(full, swa, drafted, state, ratio=ratio, window=window, page=page)


def _reuses(layer: Layer) -> bool:
    """A sparse layer that takes another layer's picks."""
    sparse = any(isinstance(cache, LatentAttention) and cache.sparse for cache in layer.caches)
    return sparse and not any(cache.picks for cache in layer.caches)


def _token_bytes(cache: Cache, rank: Rank) -> float:
    """One token of one layer on one rank. [bytes]"""
    match cache:
        case CrossAttention():
            raise SizingError("sglang_cache_unknown", input="architecture", kind=cache.kind)
        case LatentAttention():
            width = cache.latent_dim + cache.rope_dim
            if rank.kv_dtype == "nvfp4":  # half a byte a value, and a scale for each sixteen
                return width // 2 + width // 16
            if rank.kv_dtype == "fp8" and cache.sparse and not rank.raw_records:
                return cache.bytes_per_token("fp8")
            return width * ELEMENT_BYTES[rank.kv_dtype]
        case SparseIndexer():
            return cache.index_dim + cache.index_dim // 128 * 4
        case BlockIndexer():
            return cache.index_dim * 2
        case FullAttention() | SlidingWindow():
            return cache.bytes_per_token(rank.kv_dtype, rank.tp)
    raise SizingError("sglang_cache_unknown", input="architecture", kind=cache.kind)


def _state_bytes(cache: Any, rank: Rank) -> int:
    """One slot of one layer's state: the state in its own precision, the tail of the convolution in 16 bit. [bytes]"""
    names = {field.name for field in fields(cache)}
    widths = {"state_bytes": STATE_BYTES[rank.state_dtype], "conv_bytes": 2}
    held: Cache = replace(cache, **{name: width for name, width in widths.items() if name in names})
    return held.terms(rank.kv_dtype, rank.tp).fixed_bytes


def _compressed(caches: Sequence[CompressedAttention], rank: Rank, rules: Rules) -> Pools:
    """A window of records and compressed ones beyond it; states of the compressors by ring or by request."""
    page, ratio = rank.page or V4_PAGE, V4_RATIO if rank.ratio is None else rank.ratio
    first = caches[0]
    record = first.entry_bytes("fp8")
    ring = V4_RING * (2 if rank.drafting else 1)
    fast = [cache for cache in caches if cache.ratio == 4]
    slow = [cache for cache in caches if cache.ratio == 128]
    index = max((cache.index_dim for cache in caches), default=0)

    def of_page(tokens: int) -> float:
        size = record * tokens
        return (math.ceil(size / V4_ROW_STEP) * V4_ROW_STEP if rules.pages_padded else size) / tokens

    states = 2 * 2 * 4 * (first.entry_dim + index)  # key and value, both halves of an overlap, in 32 bit
    slow_row = 2 * 4 * first.entry_dim * len(slow)
    slow_ring = V4_SLOW_RING * (2 if rank.drafting else 1)
    swa = of_page(page) * len(caches) + ring / page * states * len(fast)
    if rules.c128_per_token:
        swa += slow_ring / page * slow_row
        slow_row = slow_ring = 0
    full = (of_page(page // 4) + index + 4) / 4 * len(fast) + of_page(max(1, page // 128)) / 128 * len(slow)
    drafted = (full + ratio * swa) / len(caches) if rank.drafting else 0.0
    return Pools(full, swa, drafted, 0, slow_row, slow_ring, ratio, first.window, page)


def fewest(values: Iterable[float]) -> int:
    """The smallest of the stages' values, which holds for all. [-]"""
    return max(0, math.floor(min(values)))
