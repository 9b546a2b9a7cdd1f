"""Inputs of a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sizing import catalogue
from sizing.base import units
from sizing.base.temperature import Rise, Temperature
from sizing.catalogue.site_facts import power_facts
from sizing.site.connection import Strip

if TYPE_CHECKING:
    from sizing.catalogue.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Site:
    """Inputs of a site. Ids are those of the catalogue.

    card, cards, power_cap_w [W], processor, processors, rest_share [-]: as in Scenario.
    measured_w: wall power of idle, typical and full, None where it was not measured. [W]
    circuit, planning_share [-], air_rise: as in Scenario.   power_factor: W for each VA. [-]
    feeds: 1, or 2 for A and B.   groups_per_server: groups of outlets of a three-phase strip that a server draws from.
    supply_w [W], supplies: of a server.   cord: id of the cord.   strip: the rack strip's banks, or None.
    site_cap_w: for all servers of the connection. [W]   servers: on the connection. [-]   tp: cards of one copy. [-]
    feed_loads_w: what feeds A and B carry already, None where that is not known. [W]
    inlet, altitude_m [m]: of the site.   rack_feed_w [W], rack_u, server_u, reserved_u [U]: of the rack, or None.
    hours: of a day idle, in typical use, at full load; None for idle: what the others and hours_off leave. [h]
    pue, price_per_kwh: None for the shipped ones.   efficiency: id of the supplies' efficiency.
    caps_w: to compare, None for round ones between the card's lowest and highest. [W]
    checkpoint_bytes: of one checkpoint on the drives.   drive_gb: a drive's nominal size. [GB]   versions: kept. [-]
    """

    card: str
    cards: int
    power_cap_w: float
    processor: str
    processors: int
    rest_share: float
    circuit: str
    planning_share: float
    air_rise: Rise
    inlet: Temperature
    supply_w: float
    supplies: int
    cord: str
    feeds: int = 2
    measured_w: tuple[float | None, float | None, float | None] = (None, None, None)
    power_factor: float = 1.0
    groups_per_server: int = 1
    strip: Strip | None = None
    site_cap_w: float | None = None
    servers: int = 1
    tp: int = 1
    altitude_m: float = 0.0
    feed_loads_w: tuple[float, float] | None = None
    rack_feed_w: float | None = None
    rack_u: int | None = None
    server_u: int | None = None
    reserved_u: int = 0
    hours: tuple[float | None, float, float] = (0.0, 0.0, 24.0)
    hours_off: float = 0.0
    pue: float | None = None
    price_per_kwh: float | None = None
    efficiency: str = "titanium-230v-redundant"
    caps_w: Sequence[float] | None = None
    checkpoint_bytes: float | None = None
    drive_gb: float = 7680.0
    versions: int = 1

    @classmethod
    def of(cls, scenario: Scenario, **rest: Any) -> Site:
        """A site that takes over what a Scenario says. rest: what differs, and what a scenario does not say."""
        facts = power_facts()
        region = catalogue.circuit(scenario.circuit).region
        two = scenario.feeds == "ab" and scenario.supplies > 1
        loads_w = (units.w_from_kw(scenario.feed_a_kw), units.w_from_kw(scenario.feed_b_kw))
        taken: dict[str, Any] = {
            "card": scenario.card,
            "cards": scenario.cards,
            "power_cap_w": scenario.power_cap_w,
            "processor": scenario.processor,
            "processors": scenario.processors,
            "rest_share": scenario.rest_share,
            "circuit": scenario.circuit,
            "planning_share": scenario.planning_share,
            "air_rise": Rise.from_k(scenario.air_rise_c),
            "inlet": Temperature.from_c(scenario.inlet_c),
            "supply_w": scenario.supply_w,
            "supplies": scenario.supplies,
            "cord": f"{scenario.cord}-us" if region == "US" else scenario.cord,
            "feeds": 2 if two else 1,
            "measured_w": tuple(
                value or None
                for value in (scenario.measured_idle_w, scenario.measured_typical_w, scenario.measured_full_w)
            ),
            "power_factor": scenario.power_factor,
            "groups_per_server": scenario.outlet_groups,
            "strip": Strip(scenario.bank_a, scenario.banks, facts.bank_share.value) if scenario.bank_a else None,
            "site_cap_w": units.w_from_kw(scenario.site_limit_kw) or None,
            "servers": scenario.servers_connected,
            "altitude_m": scenario.altitude_m,
            "feed_loads_w": loads_w if two and any(loads_w) else None,
            "rack_feed_w": units.w_from_kw(scenario.rack_feed_kw) or None,
            "rack_u": scenario.rack_u or None,
            "server_u": scenario.server_u,
            "reserved_u": min(scenario.reserved_u, scenario.rack_u),
            "hours": (None, scenario.hours_typical, scenario.hours_full),
            "hours_off": scenario.hours_off,
            # The published figures stay theirs, so that the working names where they come from.
            "pue": None if scenario.pue == facts.pue.value else scenario.pue,
            "price_per_kwh": None
            if scenario.price_per_kwh == facts.price_eur_per_kwh.value
            else scenario.price_per_kwh,
            "efficiency": scenario.supply_efficiency,
            "drive_gb": scenario.drive_tb * 1000,
            "versions": scenario.versions_held,
        }
        return cls(**{**taken, **rest})
