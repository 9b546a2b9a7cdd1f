"""The working of a connection: its limits, its supplies, and how many servers it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sizing.site import circuits, phases, rack
from sizing.working import Given, Step

if TYPE_CHECKING:
    from sizing.site.plan import SitePlan

PHASES_SOURCE = "servertech-3-phase"


def connection(plan: SitePlan) -> tuple[Step, ...]:
    """Every limit of the chosen connection."""
    site, circuit, server_w = plan.site, plan.circuit, plan.draw.server_w
    placed = plan.phase_load()
    volts = phases.outlet_volts(circuit)
    return (
        Step(
            "connected_w",
            "servers * server_w",
            (Given("servers", site.servers, "", "input"), Given("server_w", server_w, "W", "step")),
            site.servers * server_w,
            "W",
            "input",
        ),
        _planned(plan),
        Step(
            "server_va",
            "server_w / power_factor",
            (
                Given("server_w", server_w, "W", "step"),
                Given(
                    "power_factor",
                    plan.power_factor,
                    "",
                    "input" if site.power_factor < 1 else plan.facts.power_factor.source,
                ),
            ),
            plan.va,
            "VA",
            plan.facts.power_factor.source,
        ),
        Step(
            "server_a",
            "server_w / power_factor / outlet_volts",
            (
                Given("server_w", server_w, "W", "step"),
                Given("power_factor", site.power_factor, "", "input"),
                Given("outlet_volts", volts, "V", circuit.source if circuit.phases == 1 else PHASES_SOURCE),
            ),
            plan.amps,
            "A",
            circuits.SOURCE,
        ),
        Step(
            "cord_a",
            "server_a / cords_left",
            (
                Given("server_a", plan.amps, "A", "step"),
                Given("cords_left", plan.planned_loss.working, "", "step"),
            ),
            placed.cord_a,
            "A",
            circuits.SOURCE,
        ),
        *_phase(plan, placed, "phase_a"),
        *_bank(plan),
    )


def _planned(plan: SitePlan) -> Step:
    site, circuit = plan.site, plan.circuit
    made = circuits.check(circuit, plan.draw.server_w, site.planning_share, circuit.source).working
    if site.power_factor == 1:
        return made
    planned = made.result * site.power_factor
    factor = Given("power_factor", site.power_factor, "", "input")
    return Step(made.name, f"{made.expression} * power_factor", (*made.given, factor), planned, "W", made.source)


def _phase(plan: SitePlan, placed: phases.PhaseLoad, name: str) -> tuple[Step, ...]:
    if plan.circuit.phases == 1:
        return ()
    pairs = (("cords_1", "cords_3"), ("cords_1", "cords_2"), ("cords_2", "cords_3"))
    if phases.between_phases(plan.circuit):
        sides = ", ".join(f"sqrt({one} * {one} + {two} * {two} + {one} * {two})" for one, two in pairs)
        expression = f"cord_a * max({sides})"
    else:
        expression = "cord_a * max(cords_1, cords_2, cords_3)"
    given = (
        Given("cord_a", placed.cord_a, "A", "step"),
        *(Given(f"cords_{number}", count, "", "step") for number, count in enumerate(placed.cords, 1)),
    )
    return (Step(name, expression, given, placed.fullest_a, "A", PHASES_SOURCE),)


def _bank(plan: SitePlan) -> tuple[Step, ...]:
    strip = plan.site.strip
    if strip is None:
        return ()
    limit = next(limit for limit in plan.connection.limits if limit.kind == "bank")
    return (
        Step(
            "bank_a",
            "ceil(servers * cords_left / banks) * cord_a",
            (
                Given("servers", plan.site.servers, "", "input"),
                Given("cords_left", plan.planned_loss.working, "", "step"),
                Given("banks", strip.banks, "", "input"),
                Given("cord_a", plan.phase_load().cord_a, "A", "step"),
            ),
            limit.load,
            "A",
            limit.source,
        ),
        Step(
            "bank_limit_a",
            "breaker_a * bank_share",
            (
                Given("breaker_a", strip.bank_a, "A", "input"),
                Given("bank_share", strip.share, "", plan.facts.bank_share.source),
            ),
            limit.limit,
            "A",
            limit.source,
        ),
    )


def supplies(plan: SitePlan) -> tuple[Step, ...]:
    """What is left of the supplies, how full they are, and what they lose as heat."""
    found = []
    for case in plan.supply_cases:
        given = (
            Given("supplies_left", case.working, "", "step"),
            Given("supply_w", plan.site.supply_w, "W", "input"),
        )
        found.append(Step(f"left_{case.name}", "supplies_left * supply_w", given, case.available_w, "W", "doc-en"))
    point = plan.operating_point
    if point.efficiency is not None and point.loss_w is not None:
        given = (
            Given("server_w", plan.draw.server_w, "W", "step"),
            Given("efficiency", point.efficiency, "", point.source),
        )
        share = (
            *given,
            Given("supplies", plan.site.supplies, "", "input"),
            Given("supply_w", plan.site.supply_w, "W", "input"),
        )
        found += [
            Step(
                "supply_load",
                "server_w * efficiency / (supplies * supply_w)",
                share,
                point.load_share,
                "",
                point.source,
            ),
            Step("supply_loss_w", "server_w * (1 - efficiency)", given, point.loss_w, "W", point.source),
        ]
    return tuple(found)


def servers(plan: SitePlan) -> tuple[Step, ...]:
    """How many servers the connection, a rack's power and a rack's height take."""
    site, server = plan.site, Given("server_w", plan.draw.server_w, "W", "step")
    found: list[Step] = []
    count, bound_by = plan.most_servers(plan.circuit, plan.draw.server_w)
    if bound_by == "circuit":
        planned = Given("planned_w", _planned(plan).result, "W", "step")
        found.append(
            Step(
                "servers_on_circuit",
                "floor(planned_w / server_w)",
                (planned, server),
                count,
                "servers",
                circuits.SOURCE,
            )
        )
    elif bound_by == "phase":
        if count:
            found += _phase(plan, plan.phase_load(count), "phase_a_most")
        found += _phase(plan, plan.phase_load(count + 1), "phase_a_beyond")
    elif bound_by == "site" and site.site_cap_w is not None:
        limit = Given("site_limit_w", site.site_cap_w, "W", "input")
        found.append(
            Step("servers_on_site", "floor(site_limit_w / server_w)", (limit, server), count, "servers", "input")
        )
    elif bound_by == "bank" and site.strip is not None:
        given = (
            Given("bank_limit_a", site.strip.bank_a * site.strip.share, "A", "step"),
            Given("cord_a", plan.phase_load().cord_a, "A", "step"),
            Given("banks", site.strip.banks, "", "input"),
            Given("cords_left", plan.planned_loss.working, "", "step"),
        )
        formula = "floor(floor(bank_limit_a / cord_a) * banks / cords_left)"
        found.append(Step("servers_on_banks", formula, given, count, "servers", "geist-pdu"))
    if site.rack_feed_w is not None:
        feed = Given("rack_feed_w", site.rack_feed_w, "W", "input")
        fed = rack.by_power(site.rack_feed_w, plan.draw.server_w)
        found.append(Step("servers_on_feed", "floor(rack_feed_w / server_w)", (feed, server), fed, "servers", "input"))
    if site.rack_u is not None and site.server_u is not None:
        heights = (
            Given("rack_u", site.rack_u, "U", "input"),
            Given("reserved_u", site.reserved_u, "U", "input"),
            Given("server_u", site.server_u, "U", "input"),
        )
        tall = rack.by_height(site.rack_u, site.server_u, site.reserved_u)
        found.append(
            Step("servers_in_rack", "floor((rack_u - reserved_u) / server_u)", heights, tall, "servers", "input")
        )
    return tuple(found)
