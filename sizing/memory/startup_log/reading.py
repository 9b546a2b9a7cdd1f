"""Reads what a vLLM start-up log says about model, layout, memory and cache, in the formats of releases 0.8 to 0.33.

A log is a visitor's text: it is searched line by line for known sentences and for nothing else, in time linear in its
length. The formats are those of public start-up logs (source: vllm-kv-rules).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from sizing.errors import SizingError
from sizing.memory.startup_log.lines import ADVICE, AVAILABLE, CARD, PLACES, WEIGHTS

MOST_CHARACTERS = 2_000_000
_LONGEST_LINE = 20_000  # the line with the whole configuration has a few thousand characters


@dataclass(frozen=True, slots=True)
class Found:
    """A value and the line it stands in; the first line is 1."""

    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class StartupLog:
    """What the log says; None where it does not.

    version, model, kv_dtype, quantization: as printed.   tp, pp, dp, dcp: sizes of the groups. [-]
    max_model_len, max_num_batched_tokens, speculative_tokens: [tokens]   max_num_seqs: [-]
    asked_block_size, block_size: asked for, and chosen by the engine for a hybrid model. [tokens]
    speculative_method, speculative_model: of the draft.   prefix_caching, enforce_eager: as the engine has them.
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
                if found is not None:
                    yield field.name, found


_COMPILED = [(rank, mark, [(name, re.compile(p), take) for name, p, take in values]) for rank, mark, values in PLACES]
_ASKED = max(rank for rank, _, _ in PLACES)
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read(text: str) -> StartupLog:
    """What a start-up log says. Where it tells of several starts, the last value of each kind counts.

    SizingError where no line is one that vLLM prints at its start, or the text is longer than MOST_CHARACTERS.

    >>> log = read("INFO [kv_cache_utils.py:2395] GPU KV cache size: 661,808 tokens, Maximum concurrency for 32,768 "
    ...            "tokens per request: 20.20x")
    >>> log.kv_tokens.value, log.concurrency.value
    (661808, 20.2)
    """
    if len(text) > MOST_CHARACTERS:
        raise SizingError("log_too_long", input="log", most_million=MOST_CHARACTERS / 1e6)
    held: dict[str, tuple[int, Found]] = {}
    available: dict[str, Found] = {}
    weights: dict[str, Found] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = _ESCAPES.sub("", raw[:_LONGEST_LINE])
        _read_line(line, number, held)
        for table, pattern in ((available, AVAILABLE), (weights, WEIGHTS)):
            if ("KV" in line or "kv_cache_size" in line or "weights t" in line or "took" in line) and (
                match := pattern.search(line)
            ):
                card = found[1] if (found := CARD.search(line[:300])) else ""
                table[card] = Found(float(next(group for group in match.groups() if group)), number)
    values = {name: found for name, (_, found) in held.items()}
    if weights:
        values["weights_gib"] = max(weights.values(), key=lambda found: float(found.value))
    if not values and not available:
        raise SizingError("log_nothing_found", input="log")
    return StartupLog(**values, available_gib=tuple(available.values()))


def _read_line(line: str, number: int, held: dict[str, tuple[int, Found]]) -> None:
    advice = any(mark in line for mark in ADVICE)
    for rank, mark, values in _COMPILED:
        if mark not in line or (advice and rank == _ASKED):
            continue
        for name, pattern, take in values:
            match = pattern.search(line)
            if match is None or match[1] == "None" or (name in held and held[name][0] < rank):
                continue
            held[name] = (rank, Found(take(match[1]), number))
