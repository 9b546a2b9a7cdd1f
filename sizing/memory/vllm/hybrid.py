"""Hybrids: recurrent states beside attention, and the common block they force. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

import math
from typing import Literal

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.architecture import Architecture
from sizing.memory.caches import DeltaNetState, LinearAttentionState, Mamba1State, Mamba2State, ShortConvState
from sizing.memory.terms import Cache
from sizing.memory.vllm import classes
from sizing.memory.vllm.operators import Kernel
from sizing.memory.vllm.releases import first_with
from sizing.memory.vllm.settings import FLAGS, STATE_DTYPES, RefusesError, Settings

StateMode = Literal["none", "align", "all"]

# Tokens on whose multiples a prefill kernel can export a state.
_GRID = {"deltanet": 64, "kda": 16}
_GRID_CARDS = (9, 10, 12)
_GRID_WIDTH = 128


@dataclass(frozen=True)
class States:
    """How recurrent states are kept.

    mode: "none" the newest only, "align" also one at a block's end, "all" one for every block.
    page_bytes: widest state of a layer. [bytes]
    blocks: state blocks that one request holds, except in mode "all". [-]
    grid: blocks are multiples of this. [tokens]
    """

    mode: StateMode
    page_bytes: int
    blocks: int
    grid: int


def states(architecture: Architecture, settings: Settings) -> States | None:
    """The states of a model, None where it has none."""
    caches = [cache for layer in architecture.layers for cache in layer.caches if cache.is_state]
    if not caches:
        return None
    kinds = {cache.kind for cache in caches}
    mode = _mode(kinds, settings)
    can = settings.release.pooled_checkpoints or not classes.pools_keys(architecture)
    exported = mode == "align" and can and all(_exports(cache, settings) for cache in caches)
    grid = math.lcm(*(_GRID.get(kind, 1) for kind in kinds)) if exported else 1
    kept = 1 if mode == "none" else 2 + (1 if exported else 0)
    page = max(state_bytes(cache, architecture, settings) for cache in caches)
    return States(mode, page, kept + settings.speculative_tokens, grid)


def _mode(kinds: set[str], settings: Settings) -> StateMode:
    """The mode asked for, where the release has it for these kinds; keeping none is never asked for by itself."""
    release, asked = settings.release, settings.state_mode
    if not (release.states_cached if settings.prefix_caching is None else settings.prefix_caching):
        return "none"
    if asked == "all" and not release.states_all_known:
        raise RefusesError("state_mode", FLAGS["state_mode"], release=first_with("states_all_known"))
    every = release.states_kept_all if asked in (None, "none") else asked == "all"
    return "all" if every and kinds <= {"mamba1", "mamba2"} else "align"


def _exports(cache: Cache, settings: Settings) -> bool:
    """Whether the prefill kernel of this state can hand over a state from inside, which takes one block more."""
    if cache.kind not in settings.release.checkpointed:
        return False
    if not isinstance(cache, DeltaNetState):
        return True
    major = settings.capability[0]
    return major in _GRID_CARDS and ((major == 9 and cache.kind == "deltanet") or cache.k_dim == _GRID_WIDTH)


def state_bytes(cache: Cache, architecture: Architecture, settings: Settings) -> int:
    """State of one layer on one card, with the columns that speculative tokens add to the convolution. [bytes]"""
    tp, spec = settings.tp, settings.speculative_tokens
    element = _element_bytes(cache, architecture, settings)
    match cache:
        case DeltaNetState():
            rows = cache.conv_kernel - 1 + spec
            state = cache.v_heads // tp * cache.v_dim * cache.k_dim * element
            return rows * (cache.conv_channels // tp) * cache.conv_bytes + state
        case Mamba2State():
            groups = cache.groups if cache.groups % tp == 0 else tp
            channels = (cache.heads * cache.head_dim + 2 * groups * cache.state_dim) // tp
            state = cache.heads // tp * cache.head_dim * cache.state_dim * element
            return (cache.conv_kernel - 1 + spec) * channels * cache.conv_bytes + state
        case Mamba1State():
            inner = cache.inner_dim // tp
            return (cache.conv_kernel - 1) * inner * cache.conv_bytes + inner * cache.state_dim * element
        case LinearAttentionState():
            return cache.heads // tp * cache.head_dim**2 * cache.state_bytes
        case ShortConvState():
            return (cache.conv_kernel - 1 + spec) * (cache.channels // tp) * cache.conv_bytes
    raise SizingError("vllm_cache_unknown", input="config.json", kind=cache.kind)


def _element_bytes(cache: Cache, architecture: Architecture, settings: Settings) -> int:
    if settings.state_dtype is not None:
        return STATE_DTYPES[settings.state_dtype]
    if architecture.declared_state_dtype is not None:
        return STATE_DTYPES[architecture.declared_state_dtype]
    return classes.default_state_bytes(architecture, cache.kind)


def aligned_block(
    found: States, architecture: Architecture, kernels: list[Kernel], block: int, token_bytes: int, settings: Settings
) -> int:
    """The block of a hybrid's attention: long enough that its page holds a state. [tokens]

    block: what the attention alone would take. [tokens]   token_bytes: one token of one attention layer. [bytes]
    """
    align = max(min(kernel.sizes[0] for kernel in kernels), block if settings.release.user_block_aligns else 0)
    if "latent" in classes.kinds(architecture):
        align = max(align, settings.release.latent_alignment)
    align = math.lcm(align, found.grid)
    if found.mode == "all":
        align = math.lcm(align, classes.state_chunk_tokens(architecture))
    needed = -(-found.page_bytes // (align * token_bytes)) * align
    every = math.lcm(*(min(kernel.sizes) for kernel in kernels))
    return max(block, -(-needed // every) * every)
