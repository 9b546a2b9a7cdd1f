"""Supplies: what is left without one or without a feed, how they share the load, and what they lose as heat."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Literal

from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.catalogue.site_facts import Efficiency, PowerFacts
from sizing.site import circuits

LOW_LINE_V = 220.0
"""Mains voltage up to which a maker's low-line rating counts."""


@dataclass(frozen=True)
class Supplies:
    """The supplies of one server. rated_w: output of one. [W]   feeds: how many hang on each feed. [-]"""

    rated_w: float
    feeds: tuple[int, ...]

    @property
    def count(self) -> int:
        """All of them. [supplies]"""
        return sum(self.feeds)

    @property
    def available_w(self) -> float:
        """What all of them deliver. [W]"""
        return self.count * self.rated_w


def split(count: int, rated_w: float, feeds: int = 2) -> Supplies:
    """``count`` supplies of ``rated_w`` [W], spread over the feeds as evenly as they go.

    >>> split(5, 2400).feeds
    (3, 2)
    """
    checks.count("supplies", count, 1, 64)
    checks.count("feeds", feeds, 1, 4)
    checks.number("supply_w", rated_w, 50, 20_000, "W")
    if feeds > count:
        raise SizingError("feeds_without_supply", input="feeds", value=feeds, supplies=count)
    return Supplies(float(rated_w), tuple(count // feeds + (1 if feed < count % feeds else 0) for feed in range(feeds)))


@dataclass(frozen=True)
class Case:
    """The supplies in one situation. working: those left. [-]   available_w: what they deliver. [W]

    load_w: the server's draw at the wall, compared with output ratings, so that conversion loss is reserve. [W]
    share: load over rating of each of them, shared equally. [-]
    """

    name: Literal["all_working", "one_supply_lost", "one_feed_lost"]
    working: int
    available_w: float
    load_w: float

    @property
    def fits(self) -> bool:
        """They carry the server."""
        return circuits.fits(self.load_w, self.available_w)

    @property
    def share(self) -> float:
        """Load over rating of each supply that is left. [-]"""
        return self.load_w / self.available_w if self.available_w else math.inf


def cases(load_w: float, supplies: Supplies) -> tuple[Case, ...]:
    """What supplies under ``load_w`` [W] must survive: all working, one supply lost, the fuller of two feeds lost."""
    checks.number("load_w", load_w, 0, 10_000_000, "W")
    found = [Case("all_working", supplies.count, supplies.count * supplies.rated_w, load_w)]
    left = supplies.count - 1
    found.append(Case("one_supply_lost", left, left * supplies.rated_w, load_w))
    if len(supplies.feeds) > 1:
        left = supplies.count - max(supplies.feeds)
        found.append(Case("one_feed_lost", left, left * supplies.rated_w, load_w))
    return tuple(found)


def scheme(load_w: float, supplies: Supplies) -> str:
    """How ``load_w`` [W] divides the supplies into needed and spare, "" where they do not carry it.

    >>> scheme(3404, split(4, 3200))
    '2+2'
    """
    needed = max(1, math.ceil(load_w / supplies.rated_w * (1 - 1e-12)))
    return f"{needed}+{supplies.count - needed}" if needed <= supplies.count else ""


@dataclass(frozen=True)
class OperatingPoint:
    """How supplies work at a load. load_share: output over rating of each. [-]   efficiency: output over input,
    None below the lowest point of its curve or above the rating. [-]   output_w, loss_w: of all of them. [W]
    """

    load_share: float
    efficiency: float | None
    output_w: float | None
    loss_w: float | None
    source: str


def efficiency_at(load_share: float, curve: Efficiency) -> float | None:
    """Efficiency at ``load_share`` of the rating, on straight lines between the points of a curve; None outside. [-]"""
    points = curve.points
    if not points[0][0] <= load_share <= points[-1][0]:
        return None
    for (low, at_low), (high, at_high) in itertools.pairwise(points):
        if load_share <= high:
            return at_low + (at_high - at_low) * (load_share - low) / (high - low)
    return points[-1][1]


def operating_point(wall_w: float, working: int, rated_w: float, curve: Efficiency) -> OperatingPoint:
    """How ``working`` supplies of ``rated_w`` [W] and a curve work when the server draws ``wall_w`` [W] from the mains.

    The efficiency depends on the output, which depends on the efficiency: found by halving.
    """
    checks.number("wall_w", wall_w, 0, 10_000_000, "W")
    checks.count("working", working, 1, 64)
    rating = working * checks.number("supply_w", rated_w, 50, 20_000, "W")
    (lowest, at_lowest), (highest, at_highest) = curve.points[0], curve.points[-1]
    if wall_w < lowest * rating / at_lowest:
        return OperatingPoint(wall_w * at_lowest / rating, None, None, None, curve.source)
    if wall_w > highest * rating / at_highest:
        return OperatingPoint(wall_w * at_highest / rating, None, None, None, curve.source)
    low, high = lowest, highest
    for _ in range(60):
        middle = (low + high) / 2
        if middle * rating / (efficiency_at(middle, curve) or at_lowest) < wall_w:
            low = middle
        else:
            high = middle
    output_w = high * rating
    return OperatingPoint(high, output_w / wall_w, output_w, wall_w - output_w, curve.source)


def input_amps(rated_w: float, efficiency: float, volts: float) -> float:
    """Current that a supply at its full ``rated_w`` [W] and ``efficiency`` [-] takes from ``volts`` [V]. [A]

    >>> input_amps(3200, 0.94, 230)
    14.8
    """
    checks.number("supply_w", rated_w, 50, 20_000, "W")
    checks.number("efficiency", efficiency, 0.3, 1)
    return rated_w / efficiency / checks.number("volts", volts, 100, 1_000, "V")


def redundancy(load_w: float, supplies: Supplies, source: str = "") -> Iterator[Note]:
    """What the supplies of a server of ``load_w`` [W] do and do not survive. source: of their number and rating."""
    for case in cases(load_w, supplies):
        values = {"working": case.working, "available_w": case.available_w, "load_w": load_w}
        if not case.fits:
            yield Note("stop" if case.name == "all_working" else "warn", f"supplies_{case.name}", source, values)
        elif case.name != "all_working":
            yield Note("hint", f"supplies_survive_{case.name}", source, {**values, "share": case.share})


def notes(
    load_w: float, supplies: Supplies, facts: PowerFacts, cards: int, cap_w: float, tp: int = 1
) -> tuple[Note, ...]:
    """What to say about supplies beside their redundancy: how they share, spikes and inrush.

    load_w: of the server [W]. facts: of spikes and inrush. cards at cap_w [W].
    tp: cards that work on one token together, whose spikes coincide.
    """
    factor, inrush = facts.transient_factor, facts.inrush_a
    spike = {"factor": factor.value, "cards": cards, "spike_w": cards * cap_w * (factor.value - 1)}
    started = {"inrush_a": inrush.value, "all_a": inrush.value * supplies.count}
    sharing = {"share_w": load_w / supplies.count, "count": supplies.count}
    return (
        Note("hint", "supplies_share", "hp-3par-planning", sharing),
        Note("hint", "spikes", factor.source, spike),
        *((Note("hint", "spikes_coincide", "uptime-ai-power", {"tp": tp}),) if tp > 1 else ()),
        Note("hint", "inrush", inrush.source, started),
        Note("hint", "breaker_characteristic", "fujitsu-m12-breakers"),
    )


def rating_at(volts: float, rated_w: float, low_line_w: float | None) -> float:
    """Output of a supply at ``volts``: low_line_w up to 220 V where its maker states it, else rated_w. [W]"""
    return low_line_w if low_line_w is not None and volts <= LOW_LINE_V else rated_w
