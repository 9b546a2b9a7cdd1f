"""The share of a card that an engine asks for, in the engine's own arithmetic.

An engine asks for ceil(total x utilization) of what CUDA sees of the whole card, and does not start where less is free
at that moment. Two engines on a card therefore have to be given shares that add up, whatever they need.
Source: vllm-kv-rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizing import catalogue
from sizing.memory import budget
from sizing.memory.budget.estimate import fitted
from sizing.scenario import Scenario
from sizing.size import reported_memory, usable_memory
from sizing.units import KIB, bytes_from_gib, gib

STEPS = 10_000
"""A share is given with four decimals: a ten-thousandth of the card is the smallest step."""


@dataclass(frozen=True, slots=True)
class Room:
    """What one card offers, in whole KiB where engines share it.

    rule: share and reserve.   reported_gib: by the driver.   usable_gib: for weights and cache of one engine. [GiB]
    visible_kib: total that CUDA sees.   limit_kib: what all engines of a card may ask for together: share x total.
    context_kib: what the driver takes for each engine's contexts, which older releases do not count as the engine's.
    step_kib: one step of a share, which rounding a share up may cost.   reserve_kib: of each engine. [KiB]
    visible_stated: a source states what CUDA sees of this card; otherwise the usual gap to the driver's figure counts.
    """

    rule: budget.MemoryRule
    reported_gib: float
    usable_gib: float
    visible_kib: int
    limit_kib: int
    context_kib: int
    step_kib: int
    reserve_kib: int
    visible_stated: bool

    @property
    def visible_gib(self) -> float:
        """Total that CUDA sees. [GiB]"""
        return gib(self.visible_kib * KIB)


def room(scenario: Scenario) -> Room:
    """What one card of a scenario offers under its memory rule."""
    card = catalogue.card(scenario.card)
    reported = reported_memory(card).value_gib
    stated = card.cuda_visible_gib
    visible = kib(stated.value if stated else budget.visible_gib(reported), down=True)
    usable = usable_memory(scenario, card)
    own = scenario.memory_rule == budget.CUSTOM
    rule = budget.resolve_rule(
        scenario.memory_rule,
        share=scenario.memory_share if own else None,
        reserve_gib=scenario.memory_reserve_gib if own else None,
    )
    return Room(
        rule=rule,
        reported_gib=reported,
        usable_gib=usable,
        visible_kib=visible,
        limit_kib=math.floor(rule.share * visible * (1 + 1e-12)),
        context_kib=kib(fitted().consumed_gib),
        step_kib=-(-visible // STEPS),
        reserve_kib=kib(rule.reserve_gib),
        visible_stated=stated is not None,
    )


def kib(value_gib: float, *, down: bool = False) -> int:
    """GiB as whole KiB, rounded up, or down for what is offered."""
    exact = bytes_from_gib(value_gib) / KIB
    return math.floor(exact) if down else math.ceil(exact * (1 - 1e-15))


def utilization(need_kib: int, visible_kib: int) -> float:
    """The share that gives an engine at least ``need_kib`` of a card, with four decimals. [-]

    >>> utilization(25 * 2**20, 100 * 2**20)
    0.25
    """
    return -(-need_kib * STEPS // visible_kib) / STEPS


def requested_gib(total_gib: float, share: float) -> float:
    """What an engine asks for at start: ceil(total x utilization), of what CUDA sees. [GiB]"""
    return gib(math.ceil(bytes_from_gib(total_gib) * share))


def starts(total_gib: float, free_gib: float, share: float) -> bool:
    """Whether an engine starts with this much free. [GiB]

    >>> starts(94.97, 79.12, 0.95)
    False
    """
    return requested_gib(total_gib, share) <= free_gib
