"""The site of one kind of server: power, connection, air, chassis, host and energy from one set of inputs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sizing import catalogue
from sizing.catalogue import servers, site_facts
from sizing.catalogue.inputs import inputs
from sizing.catalogue.records import Card, Circuit
from sizing.notes import Note
from sizing.site import (
    chassis,
    circuits,
    connection,
    cooling,
    energy,
    host,
    modes,
    phases,
    power,
    rack,
    states,
    supplies,
)
from sizing.site.chassis import Judged
from sizing.site.connection import Connection, Strip
from sizing.site.cooling import Cooling
from sizing.site.energy import Energy
from sizing.site.host import Host
from sizing.site.modes import Commands
from sizing.site.power import Draw
from sizing.site.states import States
from sizing.site.supplies import Case, OperatingPoint, Supplies
from sizing.site.temperature import Rise, Temperature
from sizing.working import Step

if TYPE_CHECKING:
    from sizing.scenario import Scenario

_RANK = {"stop": 0, "warn": 1, "hint": 2}


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
    hours: of a day idle, in typical use, at full load. [h]   pue, price_per_kwh: None for the shipped ones.
    efficiency: id of the supplies' efficiency.   caps_w: to compare, None for the stops of the input. [W]
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
    hours: tuple[float, float, float] = (0.0, 0.0, 24.0)
    pue: float | None = None
    price_per_kwh: float | None = None
    efficiency: str = "titanium-230v-redundant"
    caps_w: Sequence[float] | None = None

    @classmethod
    def of(cls, scenario: Scenario, **rest: Any) -> Site:
        """A site that takes over what a Scenario says. rest: everything else, and what differs."""
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
        }
        return cls(**{**taken, **rest})


@dataclass(frozen=True)
class SitePlan:
    """Everything about the site of one kind of server. Each part is worked out when it is first asked for."""

    site: Site

    @functools.cached_property
    def card(self) -> Card:
        """The card of the catalogue."""
        return catalogue.card(self.site.card)

    @functools.cached_property
    def circuit(self) -> Circuit:
        """The circuit of the catalogue."""
        return catalogue.circuit(self.site.circuit)

    @functools.cached_property
    def _facts(self) -> site_facts.PowerFacts:
        return site_facts.power_facts()

    @functools.cached_property
    def _processor_w(self) -> float:
        return catalogue.processor(self.site.processor).tdp_w.value

    @property
    def _rest_share(self) -> float:
        """The share for the rest of the server: what a measurement at this cap implies, or the assumption."""
        return self.draw.server_w / self.draw.rated_w - 1 if self.draw.measured else self.site.rest_share

    @functools.cached_property
    def draw(self) -> Draw:
        """Full-load power from its parts, or the measured figure."""
        site, processor = self.site, catalogue.processor(self.site.processor)
        return power.draw(
            site.cards,
            site.power_cap_w,
            site.processors,
            processor.tdp_w.value,
            site.rest_share,
            measured_w=site.measured_w[2],
            processor_source=processor.tdp_w.source,
        )

    @functools.cached_property
    def states(self) -> States:
        """Idle, typical decode and full load."""
        site = self.site
        return states.states(
            self._facts,
            site.card,
            site.cards,
            site.power_cap_w,
            site.processors,
            self._processor_w,
            site.rest_share,
            site.measured_w,
        )

    @functools.cached_property
    def arrangement(self) -> Supplies:
        """The supplies and the feeds they hang on."""
        return supplies.split(self.site.supplies, self.site.supply_w, self.site.feeds)

    @functools.cached_property
    def supply_cases(self) -> tuple[Case, ...]:
        """What the supplies carry with all of them, without one, without a feed."""
        return supplies.cases(self.draw.server_w, self.arrangement)

    @functools.cached_property
    def operating_point(self) -> OperatingPoint:
        """Load point and efficiency with all supplies working."""
        curve = self._facts.efficiency_of(self.site.efficiency)
        return supplies.operating_point(self.draw.server_w, self.arrangement.count, self.site.supply_w, curve)

    @functools.cached_property
    def connection(self) -> Connection:
        """Every limit of the chosen connection."""
        return self.connection_on(self.circuit)

    def connection_on(self, circuit: Circuit) -> Connection:
        """Every limit on another circuit."""
        site, cord = self.site, self._facts.cord_of(self.site.cord)
        return connection.connect(
            circuit,
            self.draw.server_w,
            self.arrangement,
            cord.amps,
            servers=site.servers,
            groups_per_server=site.groups_per_server,
            planning_factor=site.planning_share,
            power_factor=site.power_factor,
            strip=site.strip,
            site_cap_w=site.site_cap_w,
            cord_source=cord.source,
        )

    @functools.cached_property
    def va(self) -> float:
        """Apparent power of one server with the published power factor. [VA]"""
        return connection.va(self.draw.server_w, self._facts.power_factor.value)

    @functools.cached_property
    def servers_on_circuit(self) -> int:
        """Servers that the chosen circuit takes."""
        site = self.site
        return phases.servers(
            self.circuit, self.draw.server_w, site.groups_per_server, site.planning_share, site.power_factor
        )

    @functools.cached_property
    def at_caps(self) -> tuple[rack.Row, ...]:
        """Power and servers at each cap that the card accepts."""
        site, lowest = self.site, self.card.power_min_w
        accepted = [
            cap
            for cap in (inputs()["power_cap_w"].stops if site.caps_w is None else site.caps_w)
            if (lowest is None or lowest.value <= cap) and cap <= self.card.power_max_w.value
        ]
        return rack.at_caps(
            accepted,
            site.cards,
            site.processors,
            self._processor_w,
            self._rest_share,
            self.circuit,
            groups_per_server=site.groups_per_server,
            planning_factor=site.planning_share,
            feed_w=site.rack_feed_w,
            rack_u=site.rack_u,
            server_u=site.server_u,
            reserved_u=site.reserved_u,
        )

    @functools.cached_property
    def cooling(self) -> Cooling:
        """Air, heat and exhaust of one server at full load."""
        site = self.site
        return cooling.cooling(
            self.draw.server_w, site.air_rise, site.inlet, site.cards, self.card.airflow, site.altitude_m
        )

    @functools.cached_property
    def chassis(self) -> tuple[Judged, ...]:
        """Every server of the catalogue for these cards, what fits first."""
        site = self.site
        sockets = int(site_facts.host_facts().sockets_min.value)
        return chassis.order(
            chassis.judge(
                servers.server(id),
                self.card,
                site.cards,
                site.power_cap_w,
                server_w=self.draw.server_w,
                volts=phases.outlet_volts(self.circuit),
                inlet=site.inlet,
                altitude_m=site.altitude_m,
                sockets_min=sockets,
                processor_w=self._processor_w,
            )
            for id in servers.server_ids()
        )

    @functools.cached_property
    def host(self) -> Host:
        """What the cards ask of the host."""
        return host.host(
            site_facts.host_facts(),
            self.site.cards,
            self.card.memory_gb.value,
            catalogue.processor(self.site.processor),
            self.site.processors,
        )

    @functools.cached_property
    def energy(self) -> Energy:
        """Energy and cost of a year for one server."""
        site, facts = self.site, self._facts
        drawn = (self.states.idle.server_w, self.states.typical.server_w, self.states.full.server_w)
        return energy.year(
            drawn,
            site.hours,
            facts.pue.value if site.pue is None else site.pue,
            facts.price_eur_per_kwh.value if site.price_per_kwh is None else site.price_per_kwh,
            facts.pue.source if site.pue is None else "input",
            facts.price_eur_per_kwh.source if site.price_per_kwh is None else "input",
        )

    @functools.cached_property
    def commands(self) -> Commands:
        """Commands and unit file for the cap."""
        return modes.commands(self.site.power_cap_w, self.site.cards)

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Every note on power, connection, air and host, most serious first. Those of a chassis stand with it."""
        site, card = self.site, self.card
        lowest = card.power_min_w
        maxima = tuple(mode.value for mode in card.power_modes_w)
        planned_va = circuits.planned_w(self.circuit.volts, self.circuit.phases, self.circuit.amps, site.planning_share)
        facts = self._facts
        found = (
            *modes.notes(
                site.power_cap_w,
                maxima,
                lowest.value if lowest else None,
                card.power_max_w.value,
                card.power_max_w.source,
            ),
            *self.connection.notes,
            *connection.power_factor_notes(
                self.draw.server_w, planned_va, facts.power_factor.value, facts.power_factor.source
            ),
            *self._feeds(planned_va),
            *connection.supply_notes(
                self.circuit,
                site.supply_w,
                facts.efficiency_of(site.efficiency).points[-1][1],
                facts.cord_of(site.cord).amps,
                site.planning_share,
            ),
            *supplies.notes(self.draw.server_w, self.arrangement, facts, site.cards, site.power_cap_w, site.tp),
            *self.draw.notes,
            *self.states.notes,
            *self.cooling.notes,
            *self.host.notes,
        )
        return tuple(sorted(found, key=lambda note: _RANK[note.level]))

    def _feeds(self, planned_w: float) -> tuple[Note, ...]:
        """Whether feeds A and B can stand in for each other with these servers and what hangs on them already."""
        if self.site.feed_loads_w is None:
            return ()
        half_w = self.site.servers * self.draw.server_w / 2
        load_a_w, load_b_w = self.site.feed_loads_w
        return connection.feeds(load_a_w + half_w, load_b_w + half_w, planned_w)

    @functools.cached_property
    def working(self) -> tuple[Step, ...]:
        """Steps in reading order: power, connection, air, host, energy."""
        fit = circuits.check(self.circuit, self.draw.server_w, self.site.planning_share, self.circuit.source)
        return (
            *self.draw.working,
            fit.working,
            *self.cooling.working,
            *self.host.working,
            *self.energy.working,
        )


def plan(site: Site) -> SitePlan:
    """Everything about a site. A SizingError where an input cannot be; what does not fit is a note."""
    return SitePlan(site)
