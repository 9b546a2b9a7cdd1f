"""The working of a site, chart by chart: each figure as a step that a person reads and a test recomputes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sizing import units
from sizing.catalogue import site_facts
from sizing.site import air, cooling
from sizing.site import energy as year
from sizing.site.steps_connection import connection, servers, supplies
from sizing.working import Given, Step

if TYPE_CHECKING:
    from sizing.site.plan import SitePlan


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
                Given("btu_per_h_per_ton", cooling.BTU_PER_H_PER_TON, "(BTU/h)/ton", "hardware-notes"),
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
