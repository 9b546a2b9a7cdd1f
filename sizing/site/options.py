"""Options: the server on every connection of its region, at every cap, in a rack; and what would make it run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sizing import catalogue
from sizing.base import checks, units
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.catalogue.records import Card, Circuit
from sizing.site.connection import Connection, Limit, outlet_volts
from sizing.site.hookup import Hookup

ROUND_W = 50
MOST_ROUND_CAPS = 9
FINE_W = 10
SAME_VOLTAGE = 0.05


@dataclass(frozen=True)
class OnCircuit(Shown, facts=("name", "planned_w", "load_w", "fits")):
    """The servers connected, on one circuit.

    planned_w: what is planned on it. [W]   load_w: of the servers. [W]
    shares: cards, processors and rest of them over planned_w. [-]
    """

    circuit: Circuit
    planned_w: float
    load_w: float
    shares: tuple[float, float, float]
    connection: Connection

    @property
    def name(self) -> str:
        """The circuit's."""
        return self.circuit.name

    @property
    def fits(self) -> bool:
        """It carries the servers, every limit counted."""
        return self.connection.fits

    @property
    def limit(self) -> Limit:
        """The fullest limit."""
        return self.connection.limits[0]


def on_circuit(plan: Hookup, circuit: Circuit) -> OnCircuit:
    """The servers connected, on one circuit of any region."""
    planned_w = plan.planned(circuit).result
    cards, processors, rest = (plan.servers * part / planned_w for part in plan.draw.parts_w)
    return OnCircuit(circuit, planned_w, plan.connected_w, (cards, processors, rest), plan.connection_on(circuit))


def on_circuits(plan: Hookup) -> tuple[OnCircuit, ...]:
    """The servers on every circuit of the chosen one's region, the smallest first."""
    found = (on_circuit(plan, circuit) for circuit in _of_region(plan))
    return tuple(sorted(found, key=lambda one: (one.planned_w, one.circuit.phases)))


def _of_region(plan: Hookup) -> Iterable[Circuit]:
    listed = (catalogue.circuit(id) for id in catalogue.circuit_ids())
    return (circuit for circuit in listed if circuit.region == plan.circuit.region)


@dataclass(frozen=True)
class AtCap:
    """The servers of the connection at one cap. [W]

    mode: the cap is a default limit that the card can be cabled for.   load_w: of all servers connected.
    parts_w: cards, processors and rest of it.   saves_w: at the wall, against the highest cap.
    cards_save_w: of that, the cards alone.   connection: on the chosen circuit.
    """

    cap_w: float
    mode: bool
    load_w: float
    parts_w: tuple[float, float, float]
    saves_w: float
    cards_save_w: float
    connection: Connection


def _range_w(card: Card) -> tuple[float, float]:
    """Lowest and highest cap; where the lowest is not known only the highest is sure. [W]"""
    highest = card.power_max_w.value
    return (card.power_min_w.value if card.power_min_w else highest), highest


def caps(card: Card, chosen_w: float) -> tuple[float, ...]:
    """Caps to compare: round ones from the card's lowest to its highest, its modes, and ``chosen_w``. [W]"""
    lowest, highest = _range_w(card)
    step = ROUND_W if (highest - lowest) / ROUND_W <= MOST_ROUND_CAPS else 2 * ROUND_W
    first = int(-(-lowest // step) * step)
    wanted = {lowest, highest, chosen_w, *(mode.value for mode in card.power_modes_w)}
    floor_w = card.power_min_w.value if card.power_min_w else 0.0
    return tuple(
        sorted(float(cap) for cap in (wanted | {*range(first, int(highest) + 1, step)}) if floor_w <= cap <= highest)
    )


def fine_caps(card: Card) -> tuple[float, ...]:
    """Caps in steps of 10 W from the card's lowest to its highest. [W]"""
    lowest, highest = _range_w(card)
    return (*(float(cap) for cap in range(int(lowest), int(highest), FINE_W)), highest)


def at_caps(plan: Hookup) -> tuple[AtCap, ...]:
    """The servers of the connection at each cap of `caps`, the highest first."""
    servers = plan.servers
    modes = {mode.value for mode in plan.card.power_modes_w}
    highest = plan.at_cap(plan.card.power_max_w.value).draw
    found = []
    for cap_w in reversed(caps(plan.card, plan.cap_w)):
        one = plan.at_cap(cap_w)
        cards, processors, rest = (servers * part for part in one.draw.parts_w)
        found.append(
            AtCap(
                cap_w=cap_w,
                mode=len(modes) > 1 and cap_w in modes,
                load_w=one.connected_w,
                parts_w=(cards, processors, rest),
                saves_w=servers * (highest.server_w - one.draw.server_w),
                cards_save_w=servers * (highest.cards_w - one.draw.cards_w),
                connection=one.connection,
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Remedies(Shown, facts=("single", "three", "smallest", "cap_w", "no_margin", "mode_w", "phases")):
    """What would carry the server, None where nothing does.

    single, three: the smallest circuit of the region with one phase, with three; first of those whose outlets have the
    voltage of the chosen one.   smallest: the smallest of all.
    mode_w: the card's highest mode that the chosen circuit carries with a margin. [W]   cap_w: the highest cap that it
    carries, in steps of 10 W.   no_margin: with that cap a limit is just reached.
    phases: the fewest over which a server has to be spread for the chosen circuit to carry it. [-]
    """

    single: Circuit | None
    three: Circuit | None
    smallest: Circuit | None
    cap_w: float | None
    no_margin: bool
    mode_w: float | None
    phases: int | None


def remedies(plan: Hookup) -> Remedies:
    """What would carry this server."""
    listed = sorted(_of_region(plan), key=lambda circuit: (plan.planned(circuit).result, circuit.phases))
    carrying = [circuit for circuit in listed if plan.connection_on(circuit).fits]
    volts = plan.outlet_volts
    # 230 V and 400 V three-phase have outlets of the same nominal voltage
    like = sorted(carrying, key=lambda circuit: abs(outlet_volts(circuit) / volts - 1) >= SAME_VOLTAGE)
    cap_w = _highest(plan, fine_caps(plan.card))
    modes = sorted((mode.value for mode in plan.card.power_modes_w), reverse=True)
    with_margin = (mode for mode in modes if cap_w is not None and mode <= cap_w and _margin(plan, mode))
    return Remedies(
        single=next((circuit for circuit in like if circuit.phases == 1), None),
        three=next((circuit for circuit in like if circuit.phases == 3), None),
        smallest=next(iter(carrying), None),
        cap_w=cap_w,
        no_margin=cap_w is not None and not _margin(plan, cap_w),
        mode_w=next(with_margin, None),
        phases=_phases(plan),
    )


def _margin(plan: Hookup, cap_w: float) -> bool:
    return not plan.at_cap(cap_w).connection.no_margin


def _phases(plan: Hookup) -> int | None:
    if plan.circuit.phases == 1:
        return None
    spread = ((groups, plan.spread_over(groups)) for groups in range(1, min(3, plan.planned_loss.working) + 1))
    return next((groups for groups, one in spread if one.connection.fits), None)


def _highest(plan: Hookup, caps_w: Sequence[float]) -> float | None:
    """The highest cap whose connection fits: a lower cap never loads any limit more."""
    fewest, most = 0, len(caps_w)
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if plan.at_cap(caps_w[middle - 1]).connection.fits:
            fewest = middle
        else:
            most = middle - 1
    return caps_w[fewest - 1] if fewest else None


# Racks: how many servers a circuit, a rack feed and a rack's height take, at each cap.


def by_power(feed_w: float, server_w: float) -> int:
    """Servers of ``server_w`` [W] that a feed of ``feed_w`` [W] takes, with any reserve already off it. [servers]

    >>> by_power(17_000, 3404)
    4
    """
    checks.number("feed_w", feed_w, 0, 100_000_000, "W")
    return units.floor_count(feed_w / checks.number("server_w", server_w, 1, 10_000_000, "W"))


def by_height(rack_u: int, server_u: int, reserved_u: int = 0) -> int:
    """Servers of ``server_u`` that a rack of ``rack_u`` takes, with ``reserved_u`` kept for switches and strips. [-]

    >>> by_height(42, 4, 2)
    10
    """
    checks.count("rack_u", rack_u, 1, 100)
    checks.count("server_u", server_u, 1, 100)
    checks.count("reserved_u", reserved_u, 0, rack_u)
    return (rack_u - reserved_u) // server_u


@dataclass(frozen=True)
class CapRow:
    """Servers at one cap. cap_w: of a card. [W]   server_w: of a server. [W]

    on_circuit, on_feed, in_rack: servers that each takes, None where it was not asked. [-]
    """

    cap_w: float
    server_w: float
    on_circuit: int
    on_feed: int | None
    in_rack: int | None


def rows(plan: Hookup, caps_w: Iterable[float], circuit: Circuit) -> tuple[CapRow, ...]:
    """Power and servers at caps [W]: on a circuit with every limit, by a rack's power, by its height."""
    scenario = plan.scenario
    in_rack = by_height(scenario.rack_u, scenario.server_u, reserved_u(plan)) if scenario.rack_u else None
    found = []
    for cap_w in caps_w:
        one = plan.at_cap(cap_w)
        server_w, feed_w = one.draw.server_w, units.w_from_kw(scenario.rack_feed_kw)
        on_feed = by_power(feed_w, server_w) if feed_w else None
        found.append(CapRow(cap_w, server_w, one.most_servers(circuit)[0], on_feed, in_rack))
    return tuple(found)


def reserved_u(plan: Hookup) -> int:
    """Units of a plan's rack that are kept, no more than it has. [U]"""
    return min(plan.scenario.reserved_u, plan.scenario.rack_u)
