"""What changed in which release of vLLM, as one table. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import Literal

from sizing.base.errors import SizingError

Version = tuple[int, int, int]


@dataclass(frozen=True)
class Release:
    """How one release plans the cache.

    version: (major, minor, patch).
    group_slack: layer kinds are padded to equal groups of the larger count where it is below this multiple of the
        smaller one; 0 where the smaller count always decides. [-]
    tokens_by_concurrency: "GPU KV cache size" is concurrency times max_model_len; before, blocks through groups.
    every_batch_held: windows hold the tokens of every batch in flight; before, of one batch.
    second_runner: which models run on the second model runner, which keeps one batch more in flight than stages.
    states_cached: hybrids have prefix caching on by default.
    states_kept_all: prefix caching of Mamba layers keeps the state of every block.
    checkpointed: kinds of state that keep one block more, to export a state from inside a prefill.
    start_check: what must hold one request: "layers" of a stage each by itself, blocks of the "first" group only, or
        of "all" groups.
    stages_narrowed: a stage is checked and sized by its own layers; before, the start check wanted the whole model's
        cache on each stage ("first"), and caches of several widths in one group took the whole model's room there.
    null_block_held: the start check leaves out the one block that stays empty.
    window_blocks: block of a sliding layer: "same" as the others, its kernel's "smallest", or the largest that "fits".
    window_value_width: a sliding layer's page follows the values' own width; before, keys' width twice.
    pages_filled: pages that do not divide the widest are filled up to it; before, such a model was refused.
    chunks_freed: chunked attention frees what lies behind; before, it was kept like full attention.
    latent_alignment: blocks of hybrids with latent attention are multiples of this. [tokens]
    user_block_aligns: a hybrid's block is a multiple of the block size asked for.
    cross_by_batch: cross-attention is charged the encoder's budget of tokens; before, its true positions.
    latent_blocks: (major compute capability, block) that dense latent attention is set to, whatever is asked for.
    wide_windows_64: data-centre Blackwell serves models with bidirectional images on 64-token kernels.
    wide_fp8_64: Hopper serves an FP8 cache of 512-wide heads on 64-token kernels.
    sparse_fp8_plain: data-centre Blackwell keeps sparse latent FP8 as plain values, without packed scales.
    sparse_declared_fp8: Hopper serves sparse latent attention where the checkpoint declares FP8.
    sparse_fp8_default: model classes that choose FP8 there by themselves do so from this release on.
    nvfp4_everywhere: an NVFP4 cache beyond data-centre Blackwell.
    packed_counted: the start check counts compressed caches as they are packed.
    compressed_auto: compressed caches start without a precision being asked for.
    """

    version: Version
    group_slack: float
    tokens_by_concurrency: bool
    every_batch_held: bool
    second_runner: Literal["none", "dense", "all"]
    states_cached: bool
    states_kept_all: bool
    checkpointed: frozenset[str]
    start_check: Literal["layers", "first", "all"]
    stages_narrowed: bool
    null_block_held: bool
    window_blocks: Literal["same", "smallest", "fits"]
    window_value_width: bool
    pages_filled: bool
    chunks_freed: bool
    latent_alignment: int
    user_block_aligns: bool
    cross_by_batch: bool
    latent_blocks: tuple[tuple[int, int], ...]
    wide_windows_64: bool
    wide_fp8_64: bool
    sparse_fp8_plain: bool
    sparse_declared_fp8: bool
    sparse_fp8_default: bool
    nvfp4_everywhere: bool
    packed_counted: bool
    compressed_auto: bool


_FIRST = Release(
    version=(0, 10, 0),
    group_slack=0.0,
    tokens_by_concurrency=False,
    every_batch_held=False,
    second_runner="none",
    states_cached=False,
    states_kept_all=True,
    checkpointed=frozenset(),
    start_check="layers",
    stages_narrowed=False,
    null_block_held=False,
    window_blocks="same",
    window_value_width=False,
    pages_filled=False,
    chunks_freed=False,
    latent_alignment=64,
    user_block_aligns=False,
    cross_by_batch=False,
    latent_blocks=((9, 64), (10, 128)),
    wide_windows_64=False,
    wide_fp8_64=False,
    sparse_fp8_plain=False,
    sparse_declared_fp8=False,
    sparse_fp8_default=False,
    nvfp4_everywhere=False,
    packed_counted=False,
    compressed_auto=False,
)

# (first release that does so, what it does), oldest first.
_CHANGES: tuple[tuple[Version, dict[str, object]], ...] = (
    ((0, 12, 0), {"cross_by_batch": True}),
    ((0, 13, 0), {"group_slack": 1.25}),
    ((0, 14, 0), {"chunks_freed": True, "start_check": "first"}),
    ((0, 15, 0), {"latent_blocks": ((9, 64), (10, 64))}),
    ((0, 17, 0), {"stages_narrowed": True}),
    ((0, 18, 0), {"group_slack": 1.5, "latent_blocks": (), "start_check": "all"}),
    ((0, 20, 0), {"latent_alignment": 128, "user_block_aligns": True}),
    ((0, 20, 2), {"tokens_by_concurrency": True}),
    ((0, 26, 0), {"every_batch_held": True, "second_runner": "dense", "window_value_width": True}),
    ((0, 28, 0), {"pages_filled": True}),
    ((0, 28, 0), {"states_cached": True, "states_kept_all": False, "window_blocks": "smallest"}),
    ((0, 28, 0), {"sparse_fp8_plain": True}),
    ((0, 29, 0), {"second_runner": "all", "null_block_held": True, "checkpointed": frozenset({"kda"})}),
    ((0, 29, 0), {"compressed_auto": True, "packed_counted": True}),
    ((0, 30, 0), {"wide_windows_64": True, "sparse_declared_fp8": True}),
    ((0, 31, 0), {"window_blocks": "fits", "wide_fp8_64": True}),
    ((0, 32, 0), {"checkpointed": frozenset({"kda", "mamba2"})}),
    ((0, 32, 0), {"nvfp4_everywhere": True, "sparse_fp8_default": True}),
    ((0, 33, 0), {"checkpointed": frozenset({"kda", "mamba2", "deltanet"})}),
)

OLDEST, NEWEST = (0, 10), (0, 33)
_PATTERN = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:[-+.]?[a-z0-9][a-z0-9.+_-]{0,60})?", re.IGNORECASE)


@functools.lru_cache(maxsize=256)
def release(version: str) -> Release:
    """The rules of a release, "0.33.0" or "0.19.2rc1.dev134"; SizingError outside 0.10 to 0.33."""
    match = _PATTERN.fullmatch(version.strip()) if isinstance(version, str) else None
    if match is None:
        raise SizingError("vllm_version_unreadable", input="version", value=str(version)[:40])
    number: Version = (int(match[1]), int(match[2]), int(match[3] or 0))
    if not OLDEST <= number[:2] <= NEWEST:
        raise SizingError("vllm_version_unknown", input="version", value=version, oldest="0.10", newest="0.33")
    changes: dict[str, object] = {}
    for since, change in _CHANGES:
        if number >= since:
            changes |= change
    return replace(_FIRST, version=number, **changes)  # type: ignore[arg-type]
