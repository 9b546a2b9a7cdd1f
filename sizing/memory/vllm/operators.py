"""Kernels: which one serves a cache on a card, and so which block sizes are possible. Source: vllm-source."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from sizing.base.dataclass import dataclass
from sizing.memory.vllm.releases import first_with
from sizing.memory.vllm.settings import RefusesError, Settings

DEFAULT_BLOCK = 16


@dataclass(frozen=True)
class Kernel:
    """A kernel and the blocks it reads.

    sizes: block sizes. [tokens]   multiples: any multiple of the first is read in one piece.
    """

    name: str
    sizes: tuple[int, ...]
    multiples: bool = False

    def supports(self, block_size: int) -> bool:
        """Whether blocks of this size are whole numbers of its own."""
        return any(block_size % size == 0 for size in self.sizes)

    def largest_within(self, block_size: int) -> int:
        """Its largest own block that is not longer; its smallest where none is. [tokens]"""
        if self.multiples:
            return max(self.sizes[0], block_size // self.sizes[0] * self.sizes[0])
        return max((size for size in self.sizes if size <= block_size), default=min(self.sizes))


FLASH_ATTENTION = Kernel("FLASH_ATTN", (DEFAULT_BLOCK,), multiples=True)
FLASH_ATTENTION_WIDE_FP8 = Kernel("FLASH_ATTN", (64,))
TRITON = Kernel("TRITON_ATTN", (DEFAULT_BLOCK,), multiples=True)
TRITON_FLASHINFER = Kernel("TRITON_FLASHINFER", (64,))
FLASHINFER = Kernel("FLASHINFER", (16, 32, 64))
FLASHINFER_LARGE_PAGES = Kernel("FLASHINFER", (16, 32, 64, 128, 256, 512, 1024))
FLASH_ATTENTION_MLA = Kernel("FLASH_ATTN_MLA", (DEFAULT_BLOCK,), multiples=True)
FLASHMLA = Kernel("FLASHMLA", (64,))
FLASHINFER_MLA = Kernel("FLASHINFER_MLA", (32, 64))
TRITON_MLA = Kernel("TRITON_MLA", (DEFAULT_BLOCK,), multiples=True)
SPARSE_MLA = Kernel("MLA_SPARSE", (64,), multiples=True)
BLOCK_SPARSE = Kernel("BLOCK_SPARSE", (128,), multiples=True)  # a block picked is a block kept
COMPRESSED = Kernel("MLA_SPARSE_COMPRESSED", (256,), multiples=True)

_FLASHINFER_WIDTHS = (64, 128, 256, 512)
_COMPOSITE_WIDTHS = (256, 512)
_WIDE = 512
_FLASH_ATTENTION_2_WIDTH = 256
# Triton compiles FP8 arithmetic from this compute capability on.
_TRITON_FP8 = (8, 9)
_LATENT_WIDTHS = (320, 512, 576)


@dataclass(frozen=True)
class Heads:
    """What decides the kernel of a layer with keys and values by head.

    k_dim, v_dim: widths. [elements]
    several_widths: not all layers are equally wide.   grouped: more query heads than KV heads.
    images, sinks: see classes.   cross: over an encoder's output.
    """

    k_dim: int
    v_dim: int
    several_widths: bool
    grouped: bool
    images: bool
    sinks: bool
    cross: bool


def heads_kernel(heads: Heads, precision: str, settings: Settings) -> Kernel:
    """The kernel of a layer with keys and values by head; RefusesError where none serves the precision.

    The first that takes the block size asked for, in the engine's order.
    """
    asked = settings.block_size
    for kernel in _heads_order(heads, precision, settings):
        if asked is None or kernel.supports(asked):
            return kernel
    return _triton(precision, settings)


def _heads_order(heads: Heads, precision: str, settings: Settings) -> tuple[Kernel, ...]:
    """Kernels before Triton, which takes what is left."""
    major = settings.capability[0]
    if precision.endswith("per_token_head"):
        if heads.k_dim != heads.v_dim:
            raise RefusesError("narrow_values", "--kv-cache-dtype", capability=capability_text(settings))
        return ()
    if precision == "nvfp4":
        return (_nvfp4_kernel(heads, settings),)
    if heads.k_dim != heads.v_dim:
        # Data-centre Blackwell takes an operator that has no FP8; the others' learned it with a release.
        if precision == "fp8" and (major == 10 or (major != 9 and not settings.release.narrow_values_fp8)):
            raise RefusesError("narrow_values", "--kv-cache-dtype", capability=capability_text(settings))
        return (FLASH_ATTENTION,) if major in (9, 10) else ()
    if heads.several_widths and major not in (9, 10):
        return ()
    if heads.images:
        return _order_for_images(heads, precision, settings)
    sixteen = precision == "bf16" and heads.k_dim <= _FLASH_ATTENTION_2_WIDTH and not heads.sinks
    flashinfer = heads.k_dim in _FLASHINFER_WIDTHS and not heads.cross and not (heads.sinks and major == 8)
    order: list[Kernel] = []
    if major == 10:
        order = [_flashinfer(heads, settings)] if flashinfer else []
        return (*order, FLASH_ATTENTION)
    if major == 9:
        order = [_hopper(heads, precision, settings)]
    elif sixteen and heads.k_dim % 8 == 0:
        order = [FLASH_ATTENTION]
    return (*order, FLASHINFER) if flashinfer else tuple(order)


def _order_for_images(heads: Heads, precision: str, settings: Settings) -> tuple[Kernel, ...]:
    """Images attended to both ways need a kernel with masks for them, alone or beside a causal one."""
    composite = heads.k_dim in _COMPOSITE_WIDTHS
    if settings.datacenter_blackwell:
        return (TRITON_FLASHINFER, FLASH_ATTENTION) if composite and settings.release.wide_windows_64 else ()
    return (_hopper(heads, precision, settings),) if settings.capability[0] == 9 and composite else ()


def _hopper(heads: Heads, precision: str, settings: Settings) -> Kernel:
    wide = precision == "fp8" and heads.k_dim == _WIDE and settings.release.wide_fp8_64
    return FLASH_ATTENTION_WIDE_FP8 if wide else FLASH_ATTENTION


def _flashinfer(heads: Heads, settings: Settings) -> Kernel:
    return FLASHINFER_LARGE_PAGES if heads.grouped and settings.datacenter_blackwell else FLASHINFER


def _triton(precision: str, settings: Settings) -> Kernel:
    if precision in ("fp8", "fp8_per_token_head") and settings.capability < _TRITON_FP8:
        raise RefusesError("fp8_card", "--kv-cache-dtype", capability=capability_text(settings))
    return TRITON


def _nvfp4_kernel(heads: Heads, settings: Settings) -> Kernel:
    blackwell = settings.datacenter_blackwell
    refused = (
        heads.images
        or heads.cross
        or heads.k_dim != heads.v_dim
        or heads.k_dim not in _FLASHINFER_WIDTHS
        or (heads.several_widths and settings.capability[0] not in (9, 10))
        or (not blackwell and (heads.sinks or heads.k_dim == 64))
    )
    if refused:
        raise RefusesError("nvfp4_model", "--kv-cache-dtype", capability=capability_text(settings))
    if not blackwell and not settings.release.nvfp4_everywhere:
        since = first_with("nvfp4_everywhere")
        raise RefusesError("nvfp4_card", "--kv-cache-dtype", capability=capability_text(settings), release=since)
    return _flashinfer(heads, settings)


def latent_kernel(width: int, precision: str, settings: Settings) -> Kernel:
    """The kernel of dense latent attention. width: latent and rotary part. [elements]"""
    major, asked = settings.capability[0], settings.block_size
    if precision == "fp8" and settings.capability < _TRITON_FP8:
        raise RefusesError("fp8_card", "--kv-cache-dtype", capability=capability_text(settings))
    order: tuple[Kernel, ...] = ()
    if width in _LATENT_WIDTHS:
        if forced := latent_block(settings):
            return Kernel("MLA", (forced,), multiples=True)
        if major == 9:
            order = (FLASHMLA,) if precision == "fp8" else (FLASH_ATTENTION_MLA, FLASHMLA)
        elif major == 10:
            order = (FLASHINFER_MLA,)
    return next((kernel for kernel in order if asked is None or kernel.supports(asked)), TRITON_MLA)


def latent_block(settings: Settings) -> int:
    """The block that a release sets dense latent attention to on this card, 0 where the kernel decides. [tokens]"""
    return dict(settings.release.latent_blocks).get(settings.capability[0], 0)


def common_block(kernels: Sequence[Kernel], asked: int | None) -> int:
    """The block size of the layers that grow: as asked for, else the smallest that every kernel takes. [tokens]"""
    if asked is not None:
        if any(not kernel.supports(asked) for kernel in kernels):
            smallest = _smallest(kernels)
            raise RefusesError("block_size", "--block-size", smallest, asked=asked)
        return asked
    return _smallest(kernels)


def _smallest(kernels: Sequence[Kernel]) -> int:
    if all(kernel.supports(DEFAULT_BLOCK) for kernel in kernels):
        return DEFAULT_BLOCK
    candidates = {math.lcm(*sizes) for sizes in itertools.product(*(kernel.sizes for kernel in kernels))}
    return min(size for size in candidates if all(kernel.supports(size) for kernel in kernels))


def capability_text(settings: Settings) -> str:
    """The compute capability as people write it: "9.0"."""
    return f"{settings.capability[0]}.{settings.capability[1]}"
