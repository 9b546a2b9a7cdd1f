"""Capacity: blocks of the pool, what a request needs of it, and the figures of the log. Source: vllm-kv-rules."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.memory.vllm import requests
from sizing.memory.vllm.plan import Plan
from sizing.memory.vllm.settings import Settings


def pool_blocks(plan: Plan, available_bytes: int) -> int:
    """Blocks of the pool: the fewest of any stage that holds a cache. [-]"""
    return max(0, min(available_bytes // size for size in plan.stage_block_bytes if size))


def request_blocks(plan: Plan, settings: Settings, max_model_len: int, batch_tokens: int) -> tuple[int, ...]:
    """Blocks that a request of full length takes, by group. [-]"""
    demand = plan.demand(settings, max_model_len, batch_tokens)
    return tuple(requests.blocks(group, demand) for group in plan.groups)


def shortest_block(plan: Plan, max_model_len: int) -> int:
    """The block size that the engine stores: the shortest of all groups. [tokens]

    A state that is not cached at block ends has one block for the whole context.
    """
    sizes = []
    for group in plan.groups:
        uncached = group.family == "state" and plan.states is not None and plan.states.mode == "none"
        sizes.append(max_model_len if uncached else group.block_size)
    return min(sizes)


def tokens(plan: Plan, settings: Settings, num_blocks: int, concurrency: float, max_model_len: int) -> int:
    """ "GPU KV cache size" by the formula of the release. [tokens]"""
    if settings.release.tokens_by_concurrency:
        return int(concurrency * max_model_len)
    return num_blocks // len(plan.groups) * shortest_block(plan, max_model_len) * settings.dcp


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What is said where one request does not fit.

    needed_bytes: what it needs on the first stage that lacks room. [bytes]
    longest: longest context that fits there, as the engine says it; 0 where not one token does. [tokens]
    works: longest context that fits on every stage. [tokens]
    """

    needed_bytes: int
    longest: int
    works: int


def shortfall(
    plan: Plan, settings: Settings, available_bytes: int, max_model_len: int, batch_tokens: int
) -> Shortfall | None:
    """None where one request of full length passes the start check on every stage."""
    by_group = request_blocks(plan, settings, max_model_len, batch_tokens)
    needed: list[int] = []
    longest: list[int] = []
    for stage, size in enumerate(plan.stage_block_bytes):
        usable = available_bytes - (size if settings.release.null_block_held else 0)
        rates = _checked_bytes(plan, settings, stage)
        wanted = _product(by_group, rates)
        if size and wanted > usable:
            needed.append(wanted)
            longest.append(_longest(plan, settings, usable, rates, max_model_len, batch_tokens))
    return Shortfall(needed[0], longest[0], min(longest)) if needed else None


def _checked_bytes(plan: Plan, settings: Settings, stage: int) -> tuple[int, ...]:
    """What the start check of the release counts for one block of each group on a stage. [bytes]"""
    rules, found = settings.release, plan.groups
    if rules.start_check == "layers":
        return tuple(group.stage_bytes[stage] for group in found)
    size = plan.stage_block_bytes[stage]
    if not rules.stages_narrowed:
        size = max(group.whole_bytes for group in found)
    if rules.start_check == "first":
        return (size, *[0] * (len(found) - 1))
    if not rules.packed_counted and any(spec.kind == "compressed" for group in found for spec in group.specs):
        size = _unpacked_bytes(plan)
    return (size,) * len(found)


def _unpacked_bytes(plan: Plan) -> int:
    """A block of compressed caches by the growing group's page sizes, as often as the fullest group has one. [bytes]"""
    growing = next(group for group in plan.groups if group.family == "full")
    return sum({spec.page_bytes for spec in growing.specs}) * max(group.most_alike for group in plan.groups)


def _product(by_group: tuple[int, ...], rates: tuple[int, ...]) -> int:
    return sum(blocks * rate for blocks, rate in zip(by_group, rates, strict=True))


def _longest(
    plan: Plan, settings: Settings, usable: int, rates: tuple[int, ...], max_model_len: int, batch_tokens: int
) -> int:
    def fits(length: int) -> bool:
        return _product(request_blocks(plan, settings, length, batch_tokens), rates) <= usable

    if not fits(1):
        return 0
    low, high = 1, max_model_len
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
