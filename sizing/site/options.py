"""Options: the same server on every connection of its region and at every cap, and what would make it run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing import catalogue
from sizing.catalogue.records import Card, Circuit
from sizing.site import circuits, rack
from sizing.site import connection as phases
from sizing.site.connection import Connection, Kind, Limit

if TYPE_CHECKING:
    from sizing.site.plan import SitePlan

ROUND_W = 50
MOST_ROUND_CAPS = 9
FINE_W = 10
SAME_VOLTAGE = 0.05


@dataclass(frozen=True, slots=True)
class OnCircuit:
    """The server, or the servers, on one circuit.

    planned_w: what is planned on it. [W]   load_w: of the servers connected. [W]
    shares: cards, processors and rest of them over planned_w. [-]
    servers: how many such servers it takes.   bound_by: what ends that count.
    """

    circuit: Circuit
    planned_w: float
    load_w: float
    shares: tuple[float, float, float]
    connection: Connection
    servers: int
    bound_by: Kind

    @property
    def limit(self) -> Limit:
        """The fullest limit."""
        return self.connection.limits[0]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Remedies:
    """What would carry the server, None where nothing does.

    single, three: the smallest circuit of the region with one phase, with three; first of those whose outlets have the
    voltage of the chosen one.
    cap_w: the highest cap that the chosen circuit carries, in steps of 10 W.   mode_w: the card's highest mode that it
    carries. [W]   phases: the fewest over which a server has to be spread for the chosen circuit to carry it. [-]
    """

    single: Circuit | None
    three: Circuit | None
    cap_w: float | None
    mode_w: float | None
    phases: int | None


def _range_w(card: Card) -> tuple[float, float]:
    """Lowest and highest cap; where the lowest is not known only the highest is sure. [W]"""
    highest = card.power_max_w.value
    return (card.power_min_w.value if card.power_min_w else highest), highest


def caps(card: Card, chosen_w: float, asked_w: Sequence[float] | None = None) -> tuple[float, ...]:
    """Caps to compare: round ones from the card's lowest to its highest, its modes, and the chosen one. [W]"""
    lowest, highest = _range_w(card)
    if asked_w is None:
        step = ROUND_W if (highest - lowest) / ROUND_W <= MOST_ROUND_CAPS else 2 * ROUND_W
        first = int(-(-lowest // step) * step)
        wanted = {lowest, highest, *(mode.value for mode in card.power_modes_w), *range(first, int(highest) + 1, step)}
    else:
        wanted = set(asked_w)
    wanted.add(chosen_w)
    floor_w = card.power_min_w.value if card.power_min_w else 0.0
    return tuple(sorted(float(cap) for cap in wanted if floor_w <= cap <= highest))


def fine_caps(card: Card) -> tuple[float, ...]:
    """Caps in steps of 10 W from the card's lowest to its highest. [W]"""
    lowest, highest = _range_w(card)
    return (*(float(cap) for cap in range(int(lowest), int(highest), FINE_W)), highest)


def on_circuits(plan: SitePlan) -> tuple[OnCircuit, ...]:
    """The servers on every circuit of the chosen one's region, the smallest first."""
    found = []
    for id in catalogue.circuit_ids():
        circuit = catalogue.circuit(id)
        if circuit.region == plan.circuit.region:
            planned_w = circuits.planned_w(
                circuit.volts, circuit.phases, circuit.amps, plan.site.planning_share, plan.site.power_factor
            )
            servers, bound_by = plan.most_servers(circuit, plan.draw.server_w)
            cards, processors, rest = (plan.site.servers * part / planned_w for part in plan.draw.parts_w)
            found.append(
                OnCircuit(
                    circuit=circuit,
                    planned_w=planned_w,
                    load_w=plan.site.servers * plan.draw.server_w,
                    shares=(cards, processors, rest),
                    connection=plan.connection_on(circuit),
                    servers=servers,
                    bound_by=bound_by,
                )
            )
    return tuple(sorted(found, key=lambda one: (one.planned_w, one.circuit.phases)))


def at_caps(plan: SitePlan) -> tuple[AtCap, ...]:
    """The servers of the connection at each cap of `caps`, the highest first."""
    servers = plan.site.servers
    modes = {mode.value for mode in plan.card.power_modes_w}
    highest = plan.at_cap(plan.card.power_max_w.value).draw
    found = []
    for cap_w in reversed(caps(plan.card, plan.site.power_cap_w, plan.site.caps_w)):
        one = plan.at_cap(cap_w)
        cards, processors, rest = (servers * part for part in one.draw.parts_w)
        found.append(
            AtCap(
                cap_w=cap_w,
                mode=len(modes) > 1 and cap_w in modes,
                load_w=servers * one.draw.server_w,
                parts_w=(cards, processors, rest),
                saves_w=servers * (highest.server_w - one.draw.server_w),
                cards_save_w=servers * (highest.cards_w - one.draw.cards_w),
                connection=one.connection,
            )
        )
    return tuple(found)


def remedies(plan: SitePlan) -> Remedies:
    """What would carry this server."""
    carrying = sorted(
        (one.circuit for one in plan.on_circuits if one.connection.fits),
        key=lambda circuit: not _same_voltage(circuit, plan.circuit),
    )
    fitting = _highest(plan, fine_caps(plan.card))
    modes = sorted((mode.value for mode in plan.card.power_modes_w), reverse=True)
    return Remedies(
        single=next((circuit for circuit in carrying if circuit.phases == 1), None),
        three=next((circuit for circuit in carrying if circuit.phases == 3), None),
        cap_w=fitting,
        mode_w=next((mode for mode in modes if fitting is not None and mode <= fitting), None),
        phases=_phases(plan),
    )


def _same_voltage(circuit: Circuit, other: Circuit) -> bool:
    """Whether outlets have the same nominal voltage, as 230 V and 400 V three-phase do."""
    return abs(phases.outlet_volts(circuit) / phases.outlet_volts(other) - 1) < SAME_VOLTAGE


def _phases(plan: SitePlan) -> int | None:
    if plan.circuit.phases == 1:
        return None
    spread = ((groups, plan.spread_over(groups)) for groups in range(1, min(3, plan.planned_loss.working) + 1))
    return next((groups for groups, one in spread if one.connection.fits), None)


def _highest(plan: SitePlan, caps_w: Sequence[float]) -> float | None:
    """The highest cap whose connection fits: a lower cap never loads any limit more."""
    fewest, most = 0, len(caps_w)
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if plan.at_cap(caps_w[middle - 1]).connection.fits:
            fewest = middle
        else:
            most = middle - 1
    return caps_w[fewest - 1] if fewest else None


def rows(plan: SitePlan, caps_w: Iterable[float], circuit: Circuit) -> tuple[rack.Row, ...]:
    """Power and servers at caps [W]: on a circuit with every limit, by a rack's power, by its height."""
    site = plan.site
    return rack.at_caps(
        caps_w,
        site.cards,
        site.processors,
        plan.processor.tdp_w.value,
        plan.rest_share,
        circuit,
        planning_factor=site.planning_share,
        count=lambda server_w: plan.most_servers(circuit, server_w)[0],
        feed_w=site.rack_feed_w,
        rack_u=site.rack_u,
        server_u=site.server_u,
        reserved_u=site.reserved_u,
    )
