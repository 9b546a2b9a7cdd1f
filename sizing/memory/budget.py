"""Planning rules: usable memory of a card = share x reported - reserve."""

from __future__ import annotations

import functools
import math
from types import MappingProxyType
from typing import Any

from sizing.base import files
from sizing.base.checks import number
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.numbers import is_number
from sizing.base.units import GB, gib, gib_from_mib

# The figures of data/budget.toml, checked as they are read.


class BudgetDataError(ValueError):
    """A fault in data/budget.toml: ours, found by the tests."""


@dataclass(frozen=True)
class BudgetFigure:
    """One figure with its unit and origin.

    source: key of sources.toml.   basis: how it was chosen where no source prints it, else "".
    """

    value: float
    unit: str
    source: str
    read_on: str
    basis: str = ""


@functools.cache
def tables() -> dict[str, Any]:
    """The whole file."""
    return files.read_toml(files.data_dir() / "budget.toml", "budget.toml")


def figure(table: dict[str, Any], name: str, unit: str) -> BudgetFigure:
    """The figure ``name`` of a table, which must stand there in this unit with its source."""
    try:
        found = BudgetFigure(**table[name])
    except (KeyError, TypeError) as error:
        raise BudgetDataError(f"budget.toml: {name}: {error}") from None
    if found.unit != unit or not found.source or not math.isfinite(found.value):
        raise BudgetDataError(f"budget.toml: {name} = {found}: wanted a finite number in {unit!r} with a source")
    return found


LARGEST_CARD_GIB = 4096
DRIVER_GAP_GIB = 0.55  # middle of 0.44 to 0.67 GiB between driver and CUDA (source: memory-budget)
CUSTOM = "custom"


@dataclass(frozen=True)
class MemoryRule:
    """One rule.

    name: "planning", "vllm-0.20", "custom".   share: part of the reported memory. [-]
    reserve_gib: taken off after that. [GiB]
    share_source, reserve_source: keys of sources.toml, "input" for what the caller gives.
    graphs_in_share: CUDA graphs come out of the same share, not on top of it.
    """

    name: str
    share: float
    reserve_gib: float
    share_source: str
    reserve_source: str
    graphs_in_share: bool = False

    def usable_gib(self, memory_gib: float) -> float:
        """Of a card or a slice, for weights and cache; below 0 where the reserve alone does not fit. [GiB]"""
        return self.share * memory_gib - self.reserve_gib


@dataclass(frozen=True)
class ReportedMemory:
    """What the driver reports for a card, as the rules count it.

    value_gib: rounded to 0.1 GiB. [GiB]
    derived: no MiB figure is published; the product's GB, counted as 10**9 bytes, stand in.
    """

    value_gib: float
    derived: bool


def _rule(name: str, *, graphs_in_share: bool = False) -> MemoryRule:
    table = tables()["rule"][name]
    share, reserve = figure(table, "share", "-"), figure(table, "reserve_gib", "GiB")
    return MemoryRule(name, share.value, reserve.value, share.source, reserve.source, graphs_in_share)


RULES = MappingProxyType(
    {
        "planning": _rule("planning"),
        "vllm-0.20": _rule("vllm-0.20", graphs_in_share=True),
    }
)
RULE_NAMES = (*RULES, CUSTOM)


def reported_memory(*, mib: float | None = None, gb: float | None = None) -> ReportedMemory:
    """Memory of a card as the rules count it: MiB / 1024, rounded to 0.1 GiB. [MiB], [GB] -> [GiB]

    Without a published MiB figure the product's GB are counted as 10**9 bytes and rounded down. Every card with both
    figures reports more than that (0.937 to 1.000 GiB a GB against 0.931), so that the result errs to the safe side;
    it is marked ``derived``. Neither: SizingError. Source: doc-de (rounding).

    >>> reported_memory(mib=97_887)
    ReportedMemory(value_gib=95.6, derived=False)
    >>> reported_memory(gb=192)
    ReportedMemory(value_gib=178.8, derived=True)
    """
    if mib is not None:
        return ReportedMemory(round(gib_from_mib(_positive(mib, "mib", LARGEST_CARD_GIB * 1024)), 1), derived=False)
    if gb is None:
        raise SizingError("card_memory_unknown", input="card")
    return ReportedMemory(math.floor(gib(_positive(gb, "gb", LARGEST_CARD_GIB) * GB) * 10) / 10, derived=True)


def visible_gib(reported_gib: float) -> float:
    """Memory that CUDA sees on a card whose driver reports ``reported_gib``. [GiB]

    A typical figure (the gap is 0.44 to 0.67 GiB); a card's own, where published, is better. Source: memory-budget.
    """
    return number("reported_gib", reported_gib, DRIVER_GAP_GIB, LARGEST_CARD_GIB, "GiB", above=True) - DRIVER_GAP_GIB


def resolve_rule(rule: str, *, share: float | None = None, reserve_gib: float | None = None) -> MemoryRule:
    """The rule of that name. "custom" needs both figures; the others refuse them. [-], [GiB]"""
    if rule == CUSTOM:
        return MemoryRule(CUSTOM, _share(share), _reserve(reserve_gib), "input", "input")
    if not isinstance(rule, str) or rule not in RULES:
        raise SizingError("memory_rule_unknown", input="memory_rule", value=rule, known=", ".join(RULE_NAMES))
    for name, value in (("share", share), ("reserve_gib", reserve_gib)):
        if value is not None:
            raise SizingError("memory_rule_fixed", input=name, rule=rule, value=value)
    return RULES[rule]


def usable_gib(
    reported_gib: float, *, rule: str, share: float | None = None, reserve_gib: float | None = None
) -> float:
    """Memory of one card for weights and cache: share x reported - reserve. [GiB]

    reported_gib: as the driver reports it, rounded to 0.1 GiB (see reported_memory). [GiB]
    rule: one of RULE_NAMES. "planning" is 0.9 x reported - 3 GiB (doc-de); "vllm-0.20" takes the engine's default share
    from release 0.20 on and the median reserve of its start-up logs (memory-budget); "custom" takes the two figures.
    share: above 0, at most 1. [-]   reserve_gib: 0 or more. [GiB]
    SizingError: an unknown rule, a figure out of range, missing or not wanted, or nothing left.

    >>> usable_gib(95.6, rule="planning")
    83.04
    """
    reported = _positive(reported_gib, "reported_gib", LARGEST_CARD_GIB)
    chosen = resolve_rule(rule, share=share, reserve_gib=reserve_gib)
    usable = chosen.share * reported - chosen.reserve_gib
    if usable <= 0:
        raise SizingError(
            "memory_rule_leaves_nothing",
            input="card",
            share=chosen.share,
            reported_gib=reported,
            reserve_gib=chosen.reserve_gib,
        )
    return usable


def _share(value: float | None) -> float:
    if value is None:
        raise SizingError("memory_rule_needs", input="share")
    if not is_number(value) or not 0 < value <= 1:
        raise SizingError("share_out_of_range", input="share", value=value)
    return value


def _reserve(value: float | None) -> float:
    if value is None:
        raise SizingError("memory_rule_needs", input="reserve_gib")
    if not is_number(value) or not 0 <= value <= LARGEST_CARD_GIB:
        raise SizingError("reserve_out_of_range", input="reserve_gib", value=value)
    return value


def _positive(value: Any, name: str, limit: float) -> float:
    if not is_number(value) or not 0 < value <= limit:
        raise SizingError("reported_out_of_range", input=name, value=value, limit=LARGEST_CARD_GIB)
    return float(value)
