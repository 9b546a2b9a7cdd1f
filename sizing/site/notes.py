"""Which notes a site calls for."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.base.notes import Note, by_level
from sizing.base.texts import Word, unit_word
from sizing.site import circuits, connection, power, supplies
from sizing.site.chassis import FORM_SOURCE
from sizing.site.connection import BANKS_SOURCE, PHASES_SOURCE, Limit
from sizing.site.plan import SitePlan

HIGH_LINE_V = 200.0
"""Lowest mains voltage that makers rate large supplies for."""


def notes(plan: SitePlan, tp: int = 1) -> tuple[Note, ...]:
    """Every note on power, connection, air and host, most serious first. Those of a chassis stand with it.

    plan: the site.   tp: cards that work on one token together, whose spikes coincide.
    """
    scenario, server_w, arrangement = plan.scenario, plan.draw.server_w, plan.arrangement
    one_feed = scenario.feeds == "ab" and scenario.supplies == 1
    survived = (note for note in supplies.redundancy(server_w, arrangement) if note.level == "hint")
    return by_level(
        (
            *((Note("warn", "one_supply_one_feed"),) if one_feed else ()),
            *power.notes(plan.card, plan.cap_w),
            *connected(plan),
            *power_factor(plan),
            *plan.feed_notes,
            *full_supply(plan),
            *survived,
            *supplies.notes(server_w, arrangement, plan.facts, scenario.cards, plan.cap_w, tp),
            *((Note("stop", "no_chassis"),) if "chassis" in plan.stops else ()),
            *((Note("warn", "active_in_dense_chassis", FORM_SOURCE),) if plan.card.cooling == "active" else ()),
            *plan.draw.notes,
            *plan.states.notes,
            *plan.cooling.notes,
            *plan.host.notes,
        )
    )


def connected(plan: SitePlan) -> Iterator[Note]:
    """What stops the servers on their connection and what would carry them; what holds only just, or only with care."""
    yield from (_passed(plan, limit) for limit in plan.connection.limits if not limit.fits and limit.kind != "supply")
    yield from (note for note in supplies.redundancy(plan.draw.server_w, plan.arrangement) if note.level != "hint")
    if not plan.connection.fits:
        yield from _lower_cap(plan)
        return
    for limit in map(plan.connection.limit, plan.connection.no_margin):
        values = {"what": Word(f"ui.site.stop.{limit.kind}"), **_figures(limit)}
        yield Note("warn", "no_margin", "" if limit.source == "input" else limit.source, values)
    yield from _spread(plan)


def _figures(limit: Limit) -> dict[str, object]:
    return {"load": limit.load, "limit": limit.limit, "unit": unit_word(limit.unit)}


def _passed(plan: SitePlan, limit: Limit) -> Note:
    circuit = plan.circuit.name
    if limit.kind == "circuit":
        smallest = plan.remedies.smallest
        values = {"circuit": circuit, "planned_w": limit.limit, "load_w": limit.load}
        smallest_name = smallest.name if smallest else ""
        key = "circuit_exceeded" if smallest else "no_circuit_fits"
        return Note("stop", key, circuits.SOURCE, {**values, "smallest": smallest_name})
    if limit.kind == "phase":
        groups = min(plan.groups, plan.planned_loss.working)
        return Note("stop", "phase_exceeded", limit.source, {"groups": groups, "circuit": circuit, **_figures(limit)})
    source = "" if limit.source == "input" else limit.source
    return Note("stop", f"stopped_by_{limit.kind}", source, {"circuit": circuit, **_figures(limit)})


def _lower_cap(plan: SitePlan) -> Iterator[Note]:
    """The card's own mode first, then the highest cap, at which the connection carries the servers."""
    if plan.measured_w[2]:
        return  # what another cap would draw is not measured
    found, circuit = plan.remedies, plan.circuit.name
    if found.mode_w is not None and found.mode_w < plan.cap_w:
        load_w = plan.at_cap(found.mode_w).connected_w
        values = {"mode_w": found.mode_w, "load_w": load_w, "planned_w": plan.planned(plan.circuit).result}
        yield Note("hint", "mode_fits_circuit", circuits.SOURCE, {**values, "circuit": circuit})
    if found.cap_w is not None and found.cap_w < plan.cap_w and found.cap_w != found.mode_w:
        key = "cap_without_margin" if found.no_margin else "cap_fits_circuit"
        yield Note("hint", key, circuits.SOURCE, {"cap_w": found.cap_w, "circuit": circuit})


def _spread(plan: SitePlan) -> Iterator[Note]:
    """What holds only while the cords are spread as evenly as they go."""
    placed, strip, servers = plan.connection.placed, plan.way.strip, plan.servers
    all_a = servers * plan.planned_loss.working * placed.cord_a
    if strip is not None and strip.banks > 1 and not circuits.fits(all_a, strip.limit_a):
        bank = plan.connection.limit("bank")
        values = {"banks": strip.banks, "fullest_a": bank.load, "limit_a": bank.limit, "all_a": all_a}
        yield Note("warn", "spread_over_banks", BANKS_SOURCE, values)
    if plan.circuit.phases == 3:
        groups = min(plan.groups, plan.planned_loss.working)
        values = {"groups": groups, "fullest_a": placed.fullest_a, "limit_a": placed.limit_a}
        if placed.uneven:
            yield Note("warn", "phases_uneven", PHASES_SOURCE, values)
        on_one = connection.line_amps(plan.circuit, (all_a, 0.0, 0.0))
        if not circuits.fits(max(on_one), placed.limit_a):
            key = "spread_over_phases" if servers == 1 else "servers_in_turn"
            yield Note("hint", key, PHASES_SOURCE, {**values, "circuit": plan.circuit.name, "all_a": max(on_one)})


def power_factor(plan: SitePlan) -> Iterator[Note]:
    """Whether servers that fit with W taken as VA still fit with the published power factor."""
    factor, planned_va = plan.facts.power_factor, plan.planned(plan.circuit).result
    apparent = connection.va(plan.connected_w, factor.value)
    within = circuits.fits(plan.connected_w, planned_va)
    if plan.scenario.power_factor == 1 and within and not circuits.fits(apparent, planned_va):
        values = {"va": apparent, "power_factor": factor.value, "planned_va": planned_va}
        yield Note("warn", "fits_in_w_not_in_va", factor.source, values)


def full_supply(plan: SitePlan) -> Iterator[Note]:
    """What one supply at its full rating would take from cord and circuit, and whether the mains suits it.

    Supplies rarely run full, so that these are hints; the voltage is not.
    """
    volts, supply_w, cord_a = plan.outlet_volts, plan.scenario.supply_w, plan.cord.amps
    full_a = supplies.input_amps(supply_w, plan.efficiency.points[-1][1], volts)
    share = circuits.share_of(plan.circuit, plan.scenario.planning_share)
    planned_a = plan.circuit.amps * share
    if share < plan.scenario.planning_share:
        lasting = {
            "continuous_a": plan.circuit.continuous_a,
            "amps": plan.circuit.amps,
            "share": plan.scenario.planning_share,
        }
        yield Note("warn", "circuit_lasting_load", plan.circuit.source, lasting)
    values = {"supply_w": supply_w, "full_a": full_a, "cord_a": cord_a, "planned_a": planned_a}
    if volts < HIGH_LINE_V:
        yield Note("warn", "mains_below_200_v", "dell-e118s", {"volts": volts})
    if not circuits.fits(full_a, cord_a):
        yield Note("hint", "full_supply_over_cord", "iec-60320", values)
    if not circuits.fits(full_a, planned_a):
        yield Note("hint", "full_supply_over_circuit", circuits.SOURCE, values)
