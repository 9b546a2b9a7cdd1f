"""The working of a site, chart by chart: each figure as a step that a person reads and a test recomputes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sizing.base import units
from sizing.base.working import Step, derive
from sizing.site import circuits
from sizing.site.connection import BANKS_SOURCE, PHASES_SOURCE, PhaseLoad, Strip, between_phases
from sizing.site.options import reserved_u
from sizing.site.plan import SitePlan


def working(plan: SitePlan, part: str) -> tuple[Step, ...]:
    """Steps of one part: power, states, connection, supplies, servers, airflow, host or energy."""
    return PARTS[part](plan)


def summary(plan: SitePlan) -> tuple[Step, ...]:
    """Wall power, the chosen connection, and air, in short."""
    flow = next(step for step in plan.cooling.working if step.name == "cfm")
    return (*plan.draw.working, plan.planned(plan.circuit), flow)


def power(plan: SitePlan) -> tuple[Step, ...]:
    """What the server draws, and what its cap saves."""
    highest = plan.card.power_max_w
    saved = derive(
        "cap_saves_w",
        "(highest_w - cap_w) * cards * (1 + rest_share)",
        "W",
        "doc-de",
        highest_w=(highest.value, "W", highest.source),
        cap_w=(plan.cap_w, "W", "input"),
        cards=(plan.scenario.cards, "", "input"),
        rest_share=(plan.rest_share, "", "step" if plan.draw.measured else "input"),
    )
    return (*plan.draw.working, saved)


def states(plan: SitePlan) -> tuple[Step, ...]:
    """Idle and typical use, as measured or from their parts."""
    return plan.states.idle.working, plan.states.typical.working


# The working of a connection: its limits, its supplies, and how many servers it takes.


def connection(plan: SitePlan) -> tuple[Step, ...]:
    """Every limit of the chosen connection."""
    servers, server = (plan.servers, "", "input"), plan.draw.working[-1]
    return (
        derive("connected_w", "servers * server_w", "W", "input", servers=servers, server_w=server),
        plan.planned(plan.circuit),
        plan.server_va,
        plan.server_a,
        _cord(plan),
        *_phase(plan, plan.connection.placed, "phase_a"),
        *_bank(plan),
    )


def _cord(plan: SitePlan) -> Step:
    return derive(
        "cord_a", "server_a / cords_left", "A", circuits.SOURCE, server_a=plan.server_a, cords_left=_cords_left(plan)
    )


def _cords_left(plan: SitePlan) -> tuple[float, str, str]:
    return plan.planned_loss.working, "", "step"


def _phase(plan: SitePlan, placed: PhaseLoad, name: str) -> tuple[Step, ...]:
    if plan.circuit.phases == 1:
        return ()
    pairs = (("cords_1", "cords_3"), ("cords_1", "cords_2"), ("cords_2", "cords_3"))
    if between_phases(plan.circuit):
        sides = ", ".join(f"sqrt({one} * {one} + {two} * {two} + {one} * {two})" for one, two in pairs)
        expression = f"cord_a * max({sides})"
    else:
        expression = "cord_a * max(cords_1, cords_2, cords_3)"
    cords = {f"cords_{number}": (count, "", "step") for number, count in enumerate(placed.cords, 1)}
    return (derive(name, expression, "A", PHASES_SOURCE, cord_a=_cord(plan), **cords),)


def _bank(plan: SitePlan) -> tuple[Step, ...]:
    strip = plan.way.strip
    if strip is None:
        return ()
    return (
        derive(
            "bank_a",
            "ceil(servers * cords_left / banks) * cord_a",
            "A",
            BANKS_SOURCE,
            servers=(plan.servers, "", "input"),
            cords_left=_cords_left(plan),
            banks=(strip.banks, "", "input"),
            cord_a=_cord(plan),
        ),
        _bank_limit(plan, strip),
    )


def _bank_limit(plan: SitePlan, strip: Strip) -> Step:
    share = (strip.share, "", plan.facts.bank_share.source)
    breaker = (strip.bank_a, "A", "input")
    return derive("bank_limit_a", "breaker_a * bank_share", "A", BANKS_SOURCE, breaker_a=breaker, bank_share=share)


def supplies(plan: SitePlan) -> tuple[Step, ...]:
    """What is left of the supplies, how full they are, and what they lose as heat."""
    rating = (plan.scenario.supply_w, "W", "input")
    found = [
        derive(
            f"left_{case.name}",
            "supplies_left * supply_w",
            "W",
            "doc-en",
            supplies_left=(case.working, "", "step"),
            supply_w=rating,
        )
        for case in plan.supply_cases
    ]
    point = plan.operating_point
    if point.efficiency is not None:
        given: dict[str, Step | tuple[float, str, str]] = {
            "server_w": plan.draw.working[-1],
            "efficiency": (point.efficiency, "", point.source),
        }
        count = (plan.scenario.supplies, "", "input")
        share = "server_w * efficiency / (supplies * supply_w)"
        found += [
            derive("supply_load", share, "", point.source, **given, supplies=count, supply_w=rating),
            derive("supply_loss_w", "server_w * (1 - efficiency)", "W", point.source, **given),
        ]
    return tuple(found)


def servers(plan: SitePlan) -> tuple[Step, ...]:
    """How many servers the connection, a rack's power and a rack's height take."""
    scenario, strip, server = plan.scenario, plan.way.strip, plan.draw.working[-1]
    found: list[Step] = []

    def counted(name: str, expression: str, source: str, **given: Step | tuple[float, str, str]) -> None:
        found.append(derive(name, expression, "servers", source, **given))

    count, bound_by = plan.most_servers(plan.circuit)
    if bound_by == "circuit":
        planned = plan.planned(plan.circuit)
        formula = "floor(planned_w / server_w)"
        counted("servers_on_circuit", formula, circuits.SOURCE, planned_w=planned, server_w=server)
    elif bound_by == "phase":
        if count:
            found += _phase(plan, plan.phase_load(count), "phase_a_most")
        found += _phase(plan, plan.phase_load(count + 1), "phase_a_beyond")
    elif bound_by == "site":
        limit = (units.w_from_kw(scenario.site_limit_kw), "W", "input")
        counted("servers_on_site", "floor(site_limit_w / server_w)", "input", site_limit_w=limit, server_w=server)
    elif bound_by == "bank" and strip is not None:
        counted(
            "servers_on_banks",
            "floor(floor(bank_limit_a / cord_a) * banks / cords_left)",
            BANKS_SOURCE,
            bank_limit_a=_bank_limit(plan, strip),
            cord_a=_cord(plan),
            banks=(strip.banks, "", "input"),
            cords_left=_cords_left(plan),
        )
    if scenario.rack_feed_kw:
        feed = (units.w_from_kw(scenario.rack_feed_kw), "W", "input")
        counted("servers_on_feed", "floor(rack_feed_w / server_w)", "input", rack_feed_w=feed, server_w=server)
    if scenario.rack_u:
        heights = {"rack_u": scenario.rack_u, "reserved_u": reserved_u(plan), "server_u": scenario.server_u}
        given = {name: (height, "U", "input") for name, height in heights.items()}
        counted("servers_in_rack", "floor((rack_u - reserved_u) / server_u)", "input", **given)
    return tuple(found)


def airflow(plan: SitePlan) -> tuple[Step, ...]:
    """Density of the air, flow in both units, the cards' need, heat and exhaust."""
    return plan.cooling.working


def host(plan: SitePlan) -> tuple[Step, ...]:
    """Cores, memory and drives."""
    return (*plan.host.working, plan.drives.working) if plan.drives else plan.host.working


def energy(plan: SitePlan) -> tuple[Step, ...]:
    """Energy and cost of a year. SizingError where the hours are more than a day has."""
    return (plan.idle_hours, *plan.energy.working)


PARTS: Mapping[str, Callable[[SitePlan], tuple[Step, ...]]] = {
    each.__name__: each for each in (power, states, connection, supplies, servers, airflow, host, energy)
}
