"""Which notes a site calls for, and what stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sizing.base.notes import Note
from sizing.site import circuits, connection, power, supplies
from sizing.site.chassis import FORM_SOURCE

if TYPE_CHECKING:
    from sizing.site.plan import SitePlan

Stop = Literal["cap", "circuit", "phase", "bank", "cord", "supply", "site", "feed", "host", "air", "chassis"]

_RANK = {"stop": 0, "warn": 1, "hint": 2}


def stops(plan: SitePlan) -> tuple[Stop, ...]:
    """What stops it, in the order in which it has to be solved; empty where it runs."""
    found: list[Stop] = ["cap"] if _stop(_cap(plan)) else []
    found += plan.connection.stopped_by
    others: tuple[tuple[Stop, tuple[Note, ...]], ...] = (
        ("feed", _feeds(plan)),
        ("host", plan.host.notes),
        ("air", plan.cooling.notes),
    )
    found += [kind for kind, said in others if _stop(said)]
    if all(judged.verdict == "stopped" for judged in plan.chassis):
        found.append("chassis")
    return tuple(found)


def notes(plan: SitePlan) -> tuple[Note, ...]:
    """Every note on power, connection, air and host, most serious first."""
    site = plan.site
    found = (
        *_cap(plan),
        *plan.connection.notes,
        *_planned(plan),
        *supplies.notes(plan.draw.server_w, plan.arrangement, plan.facts, site.cards, site.power_cap_w, site.tp),
        *((Note("stop", "no_chassis"),) if "chassis" in plan.stops else ()),
        *((Note("warn", "active_in_dense_chassis", FORM_SOURCE),) if plan.card.cooling == "active" else ()),
        *plan.draw.notes,
        *plan.states.notes,
        *plan.cooling.notes,
        *plan.host.notes,
    )
    return tuple(sorted(found, key=lambda note: _RANK[note.level]))


def _stop(found: tuple[Note, ...]) -> bool:
    return any(note.level == "stop" for note in found)


def _cap(plan: SitePlan) -> tuple[Note, ...]:
    card = plan.card
    maxima = tuple(mode.value for mode in card.power_modes_w)
    lowest = card.power_min_w.value if card.power_min_w else None
    return power.notes(plan.site.power_cap_w, maxima, lowest, card.power_max_w.value, card.power_max_w.source)


def _planned(plan: SitePlan) -> tuple[Note, ...]:
    """What the planned load calls for: VA, feeds that stand in for each other, supplies at their full rating."""
    site, circuit, facts = plan.site, plan.circuit, plan.facts
    planned_va = circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, site.planning_share)
    connected_w = site.servers * plan.draw.server_w
    found: list[Note] = []
    if site.power_factor == 1:
        factor = facts.power_factor
        found += connection.power_factor_notes(connected_w, planned_va, factor.value, factor.source)
    found += _feeds(plan)
    full_efficiency = facts.efficiency_of(site.efficiency).points[-1][1]
    found += connection.supply_notes(circuit, site.supply_w, full_efficiency, plan.cord.amps, site.planning_share)
    return tuple(found)


def _feeds(plan: SitePlan) -> tuple[Note, ...]:
    """Whether feeds A and B can stand in for each other with these servers and what hangs on them already."""
    site, circuit = plan.site, plan.circuit
    if site.feed_loads_w is None:
        return ()
    half_w = site.servers * plan.draw.server_w / 2
    load_a_w, load_b_w = site.feed_loads_w
    planned_w = circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, site.planning_share, site.power_factor)
    return connection.feeds(load_a_w + half_w, load_b_w + half_w, planned_w)
