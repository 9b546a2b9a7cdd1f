"""What an engine's start-up log says, each value with the line it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from sizing.base.dataclass import dataclass

MOST_CHARACTERS = 2_000_000


@dataclass(frozen=True)
class Found:
    """A value and the line it stands in; the first line is 1."""

    value: Any
    line: int


@dataclass(frozen=True)
class StartupLog:
    """What the log says; None where it does not.

    engine: whose.   version, model, kv_dtype, quantization: as printed.   tp, pp, dp, dcp: sizes of the groups. [-]
    max_model_len, max_num_batched_tokens, speculative_tokens: [tokens]   max_num_seqs: [-]
    asked_block_size, block_size: asked for, and chosen by the engine for a hybrid model. [tokens]
    speculative_method, speculative_model: of the draft.   prefix_caching, enforce_eager: as the engine has them.
    state_mode: what prefix caching keeps of recurrent states: "none", "align" or "all".
    utilization: --gpu-memory-utilization. [-]   total_gib: of a card, as the engine sees it. [GiB]
    weights_gib: "Model loading took", of the card that took most. [GiB]
    activation_gib, non_torch_gib: of the profiling step. [GiB]
    graphs_estimated_gib, graphs_gib: CUDA graphs, before and after capture. [GiB]
    available_gib: "Available KV cache memory" by card, in the order of the log. [GiB]
    fixed_gib: memory for the cache that was asked for instead of a share. [GiB]
    kv_tokens: "GPU KV cache size". [tokens]   concurrency, concurrency_tokens: "Maximum concurrency". [-], [tokens]
    blocks: of the pool.   blocks_override: a number of blocks that was asked for. [-]
    needed_gib, short_gib, longest_tokens: of the refusal that names them. [GiB], [tokens]
    state_blocks, state_seqs: of the refusal for too few state blocks. [-]
    no_memory: the refusal that nothing is left for the cache.
    """

    engine: str
    version: Found | None = None
    model: Found | None = None
    kv_dtype: Found | None = None
    quantization: Found | None = None
    tp: Found | None = None
    pp: Found | None = None
    dp: Found | None = None
    dcp: Found | None = None
    max_model_len: Found | None = None
    max_num_batched_tokens: Found | None = None
    max_num_seqs: Found | None = None
    asked_block_size: Found | None = None
    block_size: Found | None = None
    speculative_tokens: Found | None = None
    speculative_method: Found | None = None
    speculative_model: Found | None = None
    prefix_caching: Found | None = None
    state_mode: Found | None = None
    enforce_eager: Found | None = None
    utilization: Found | None = None
    total_gib: Found | None = None
    weights_gib: Found | None = None
    activation_gib: Found | None = None
    non_torch_gib: Found | None = None
    graphs_estimated_gib: Found | None = None
    graphs_gib: Found | None = None
    available_gib: tuple[Found, ...] = ()
    fixed_gib: Found | None = None
    kv_tokens: Found | None = None
    concurrency: Found | None = None
    concurrency_tokens: Found | None = None
    blocks: Found | None = None
    blocks_override: Found | None = None
    needed_gib: Found | None = None
    short_gib: Found | None = None
    longest_tokens: Found | None = None
    state_blocks: Found | None = None
    state_seqs: Found | None = None
    no_memory: Found | None = None

    @property
    def poorest_gib(self) -> float | None:
        """The least memory that any card has for the cache: it decides for all. [GiB]"""
        return min((found.value for found in self.available_gib), default=None)

    def items(self) -> Iterator[tuple[str, Found]]:
        """Everything that was found, by name; the cards' memory one by one."""
        for field in fields(self):
            value = getattr(self, field.name)
            for found in value if isinstance(value, tuple) else (value,):
                if isinstance(found, Found):
                    yield field.name, found
