"""Racks: how many servers a circuit, a rack feed and a rack's height take, at each cap."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from sizing.base import checks, units
from sizing.site import connection, power
from sizing.site.circuits import CircuitFacts


def by_power(feed_w: float, server_w: float) -> int:
    """Servers that a feed of ``feed_w`` [W] takes. The feed is what may be used, with any reserve already off. [-]

    >>> by_power(17_000, 3404)
    4
    """
    checks.number("feed_w", feed_w, 0, 100_000_000, "W")
    return units.floor_count(feed_w / checks.number("server_w", server_w, 1, 10_000_000, "W"))


def by_height(rack_u: int, server_u: int, reserved_u: int = 0) -> int:
    """Servers that a rack takes by height, with some units kept for switches and strips. [-]

    >>> by_height(42, 4, 2)
    10
    """
    checks.count("rack_u", rack_u, 1, 100)
    checks.count("server_u", server_u, 1, 100)
    checks.count("reserved_u", reserved_u, 0, rack_u)
    return (rack_u - reserved_u) // server_u


@dataclass(frozen=True, slots=True)
class Row:
    """Servers at one cap. cap_w: of a card. [W]   server_w: of a server. [W]

    on_circuit, on_feed, in_rack: servers that each takes, None where it was not asked. [-]
    """

    cap_w: float
    server_w: float
    on_circuit: int
    on_feed: int | None
    in_rack: int | None

    @property
    def servers(self) -> int:
        """The least of feed and height, or of the circuit where neither was asked."""
        asked = [count for count in (self.on_feed, self.in_rack) if count is not None]
        return min(asked) if asked else self.on_circuit

    @property
    def bound_by(self) -> Literal["circuit", "feed", "height"]:
        """What the count stops at."""
        if self.on_feed is None and self.in_rack is None:
            return "circuit"
        if self.in_rack is None or (self.on_feed is not None and self.on_feed <= self.in_rack):
            return "feed"
        return "height"


def at_caps(
    caps_w: Iterable[float],
    cards: int,
    processors: int,
    processor_w: float,
    rest_share: float,
    circuit: CircuitFacts,
    *,
    groups_per_server: int = 1,
    planning_factor: float,
    power_factor: float = 1.0,
    count: Callable[[float], int] | None = None,
    feed_w: float | None = None,
    rack_u: int | None = None,
    server_u: int | None = None,
    reserved_u: int = 0,
) -> tuple[Row, ...]:
    """Servers of ``cards`` cards that fit, one row for each cap [W], in the order given.

    count: servers of a draw [W] that the connection takes; None to go by the phases of the circuit alone.
    feed_w: rack feed. [W]   rack_u, server_u, reserved_u: heights. [U] None leaves that count out.
    """
    rows = []
    for cap_w in caps_w:
        server_w = power.server_w(power.rated_w(cards, cap_w, processors, processor_w), rest_share)
        rows.append(
            Row(
                cap_w=cap_w,
                server_w=server_w,
                on_circuit=count(server_w)
                if count
                else connection.servers(circuit, server_w, groups_per_server, planning_factor, power_factor),
                on_feed=None if feed_w is None else by_power(feed_w, server_w),
                in_rack=None if rack_u is None or server_u is None else by_height(rack_u, server_u, reserved_u),
            )
        )
    return tuple(rows)
