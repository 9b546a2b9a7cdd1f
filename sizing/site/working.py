"""The working of a site, chart by chart: each figure as a step that a person reads and a test recomputes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sizing.base import units
from sizing.base.working import Given, Step
from sizing.catalogue import site_facts
from sizing.site import air, circuits, rack
from sizing.site import energy as year
from sizing.site.connection import PhaseLoad, between_phases, outlet_volts

if TYPE_CHECKING:
    from sizing.site.plan import SitePlan


# The working of a connection: its limits, its supplies, and how many servers it takes.

PHASES_SOURCE = "servertech-3-phase"


def connection(plan: SitePlan) -> tuple[Step, ...]:
    """Every limit of the chosen connection."""
    site, circuit, server_w = plan.site, plan.circuit, plan.draw.server_w
    placed = plan.phase_load()
    volts = outlet_volts(circuit)
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


def _phase(plan: SitePlan, placed: PhaseLoad, name: str) -> tuple[Step, ...]:
    if plan.circuit.phases == 1:
        return ()
    pairs = (("cords_1", "cords_3"), ("cords_1", "cords_2"), ("cords_2", "cords_3"))
    if between_phases(plan.circuit):
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


def working(plan: SitePlan) -> tuple[Step, ...]:
    """Every step in reading order."""
    return (
        *power(plan),
        *states(plan),
        *connection(plan),
        *supplies(plan),
        *servers(plan),
        *airflow(plan),
        *host(plan),
        *energy(plan),
    )


def power(plan: SitePlan) -> tuple[Step, ...]:
    """What the server draws, and what its cap saves."""
    card, site = plan.card, plan.site
    highest = card.power_max_w
    saved = plan.at_cap(highest.value).draw.server_w - plan.draw.server_w
    given = (
        Given("highest_w", highest.value, "W", highest.source),
        Given("cap_w", site.power_cap_w, "W", "input"),
        Given("cards", site.cards, "", "input"),
        Given("rest_share", plan.rest_share, "", "step" if plan.draw.measured else "input"),
    )
    step = Step("cap_saves_w", "(highest_w - cap_w) * cards * (1 + rest_share)", given, saved, "W", "doc-de")
    return (*plan.draw.working, step)


def states(plan: SitePlan) -> tuple[Step, ...]:
    """Idle and typical use, where they were not measured."""
    site, found = plan.site, []
    for state, measured in zip((plan.states.idle, plan.states.typical), site.measured_w, strict=False):
        if measured is None:
            given = (
                Given("cards", site.cards, "", "input"),
                Given("card_w", min(state.card_w, site.power_cap_w), "W", state.card_source),
                Given("processors", site.processors, "", "input"),
                Given("processor_w", state.processor_w, "W", plan.facts.host_idle_share.source),
                Given("rest_share", site.rest_share, "", "input"),
            )
            formula = "(cards * card_w + processors * processor_w) * (1 + rest_share)"
            found.append(Step(f"state_{state.name}_w", formula, given, state.server_w, "W", "doc-de"))
        else:
            wall = Given("measured_w", measured, "W", "input")
            found.append(Step(f"state_{state.name}_w", "measured_w", (wall,), measured, "W", "input"))
    return tuple(found)


def airflow(plan: SitePlan) -> tuple[Step, ...]:
    """Density of the air, flow in both units, the cards' need, heat and exhaust."""
    site, cool = plan.site, plan.cooling
    flow, *needs = cool.working
    pressure = air.pressure_pa(site.altitude_m)
    return (
        Step(
            "pressure_pa",
            "sea_level_pa * (1 - lapse_per_m * altitude_m) ** exponent",
            (
                Given("sea_level_pa", air.SEA_LEVEL_PA, "Pa", air.SOURCE),
                Given("lapse_per_m", air.PRESSURE_LAPSE_PER_M, "1/m", air.SOURCE),
                Given("altitude_m", site.altitude_m, "m", "input"),
                Given("exponent", air.PRESSURE_EXPONENT, "", air.SOURCE),
            ),
            pressure,
            "Pa",
            air.SOURCE,
        ),
        Step(
            "density_kg_per_m3",
            "pressure_pa / (gas_constant_j_per_kg_k * (air_c + zero_c_in_k))",
            (
                Given("pressure_pa", pressure, "Pa", "step"),
                Given("gas_constant_j_per_kg_k", air.GAS_CONSTANT_J_PER_KG_K, "J/(kg·K)", air.SOURCE),
                Given("air_c", air.ROOM_C, "°C", air.SOURCE),
                Given("zero_c_in_k", air.ZERO_C_IN_K, "K", air.SOURCE),
            ),
            cool.density_kg_per_m3,
            "kg/m³",
            air.SOURCE,
        ),
        flow,
        Step(
            "m3_per_h",
            "cfm / cfm_per_m3_per_s * 3600",
            (
                Given("cfm", cool.cfm, "CFM", "step"),
                Given("cfm_per_m3_per_s", units.CFM_PER_M3_PER_S, "CFM/(m³/s)", air.SOURCE),
            ),
            cool.m3_per_h,
            "m³/h",
            air.SOURCE,
        ),
        Step(
            "cfm_per_kw",
            "cfm / heat_w * 1000",
            (Given("cfm", cool.cfm, "CFM", "step"), Given("heat_w", cool.heat_w, "W", "step")),
            cool.cfm / cool.heat_w * 1000,
            "CFM/kW",
            "doc-de",
        ),
        *needs,
        Step(
            "btu_per_h",
            "heat_w * btu_per_h_per_w",
            (
                Given("heat_w", cool.heat_w, "W", "step"),
                Given("btu_per_h_per_w", units.BTU_PER_H_PER_W, "(BTU/h)/W", "hardware-notes"),
            ),
            cool.btu_per_h,
            "BTU/h",
            "hardware-notes",
        ),
        Step(
            "tons",
            "btu_per_h / btu_per_h_per_ton",
            (
                Given("btu_per_h", cool.btu_per_h, "BTU/h", "step"),
                Given("btu_per_h_per_ton", air.BTU_PER_H_PER_TON, "(BTU/h)/ton", "hardware-notes"),
            ),
            cool.tons,
            "tons",
            "hardware-notes",
        ),
        Step(
            "exhaust_c",
            "inlet_c + rise_k",
            (Given("inlet_c", site.inlet.c, "°C", "input"), Given("rise_k", site.air_rise.k, "K", "input")),
            cool.exhaust.c,
            "°C",
            air.SOURCE,
        ),
    )


def host(plan: SitePlan) -> tuple[Step, ...]:
    """Cores, memory and drives."""
    drives, site = plan.drives, plan.site
    if drives is None or site.checkpoint_bytes is None:
        return plan.host.working
    least = site_facts.host_facts().nvme_per_socket
    return (
        *plan.host.working,
        Step(
            "nvme_drives",
            "max(nvme_per_socket * processors, ceil(versions * checkpoint_gb / drive_gb))",
            (
                Given("nvme_per_socket", least.value, "", least.source),
                Given("processors", site.processors, "", "input"),
                Given("versions", site.versions, "", "input"),
                Given("checkpoint_gb", units.gb(site.checkpoint_bytes), "GB", "input"),
                Given("drive_gb", site.drive_gb, "GB", "input"),
            ),
            drives.drives,
            "drives",
            least.source,
        ),
    )


def energy(plan: SitePlan) -> tuple[Step, ...]:
    """Energy and cost of a year."""
    site = plan.site
    if site.hours[0] is not None:
        return plan.energy.working
    given = (
        Given("day_h", year.HOURS_PER_DAY, "h", year.SOURCE),
        Given("typical_h", site.hours[1], "h", "input"),
        Given("full_h", site.hours[2], "h", "input"),
        Given("off_h", site.hours_off, "h", "input"),
    )
    idle = Step("idle_h", "day_h - typical_h - full_h - off_h", given, plan.energy.hours[0], "h", year.SOURCE)
    return (idle, *plan.energy.working)
