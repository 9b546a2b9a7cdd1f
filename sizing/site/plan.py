"""The site of one kind of server: power, connection, air, chassis, host and energy from one set of inputs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sizing import catalogue
from sizing.base.notes import Note
from sizing.base.temperature import Rise
from sizing.base.working import Step
from sizing.catalogue import site_facts
from sizing.catalogue.records import Card, Circuit
from sizing.site import air, chassis, connection, energy, host, notes, options, parts, power, rack, supplies, working
from sizing.site.air import Cooling
from sizing.site.chassis import Judged
from sizing.site.connection import Connection, Kind, PhaseLoad
from sizing.site.energy import Energy
from sizing.site.host import Drives, Host
from sizing.site.notes import Stop
from sizing.site.options import AtCap, OnCircuit, Remedies
from sizing.site.parts import Part
from sizing.site.power import Commands, Draw, States
from sizing.site.site import Site
from sizing.site.supplies import Case, OperatingPoint, Supplies

__all__ = ["Site", "SitePlan", "Stop", "plan"]


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
    def processor(self) -> catalogue.Processor:
        """The processor of the catalogue."""
        return catalogue.processor(self.site.processor)

    @functools.cached_property
    def facts(self) -> site_facts.PowerFacts:
        """Facts on power and connection."""
        return site_facts.power_facts()

    @functools.cached_property
    def cord(self) -> site_facts.Cord:
        """The cord of a supply."""
        return self.facts.cord_of(self.site.cord)

    @property
    def _processor_w(self) -> float:
        return self.processor.tdp_w.value

    @property
    def rest_share(self) -> float:
        """The share for the rest of the server: what a measurement at this cap implies, or the assumption."""
        return self.draw.server_w / self.draw.rated_w - 1 if self.draw.measured else self.site.rest_share

    def at_cap(self, cap_w: float) -> SitePlan:
        """The same site at another cap [W]; what was measured counts as the share for the rest of the server there."""
        if cap_w == self.site.power_cap_w:
            return self
        changed = {"power_cap_w": cap_w, "rest_share": self.rest_share, "measured_w": (None, None, None)}
        return SitePlan(dataclasses.replace(self.site, **changed))  # type: ignore[arg-type]

    def spread_over(self, groups: int) -> SitePlan:
        """The same site with every server on so many of the three groups of outlets."""
        return SitePlan(dataclasses.replace(self.site, groups_per_server=groups))

    @functools.cached_property
    def draw(self) -> Draw:
        """Full-load power from its parts, or the measured figure."""
        site = self.site
        return power.draw(
            site.cards,
            site.power_cap_w,
            site.processors,
            self._processor_w,
            site.rest_share,
            measured_w=site.measured_w[2],
            processor_source=self.processor.tdp_w.source,
        )

    @functools.cached_property
    def states(self) -> States:
        """Idle, typical decode and full load."""
        site = self.site
        return power.states(
            self.facts,
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
    def planned_loss(self) -> Case:
        """The loss that the connection is planned for."""
        return connection.planned_loss(self.draw.server_w, self.arrangement)

    @property
    def supply_scheme(self) -> str:
        """How the load divides the supplies into needed and spare, "2+2"; "" where they do not carry it."""
        return supplies.scheme(self.draw.server_w, self.arrangement)

    @functools.cached_property
    def operating_point(self) -> OperatingPoint:
        """Load point and efficiency with all supplies working."""
        curve = self.facts.efficiency_of(self.site.efficiency)
        return supplies.operating_point(self.draw.server_w, self.arrangement.count, self.site.supply_w, curve)

    @functools.cached_property
    def connection(self) -> Connection:
        """Every limit of the chosen connection."""
        return self.connection_on(self.circuit)

    def connection_on(self, circuit: Circuit) -> Connection:
        """Every limit on another circuit."""
        servers, source = self.site.servers, self.cord.source
        return connection.connect(
            circuit,
            self.draw.server_w,
            self.arrangement,
            self.cord.amps,
            servers=servers,
            cord_source=source,
            **self._way,
        )

    def most_servers(self, circuit: Circuit, server_w: float) -> tuple[int, Kind]:
        """How many servers of a draw [W] a circuit takes, and the limit that ends the count."""
        return connection.most_servers(circuit, server_w, self.arrangement, self.cord.amps, **self._way)

    @functools.cached_property
    def _way(self) -> dict[str, Any]:
        """How a server hangs on a connection."""
        site = self.site
        return {
            "groups_per_server": site.groups_per_server,
            "planning_factor": site.planning_share,
            "power_factor": site.power_factor,
            "strip": site.strip,
            "site_cap_w": site.site_cap_w,
        }

    def phase_load(self, servers: int | None = None) -> PhaseLoad:
        """Conductors of the chosen circuit in the planned loss, with the servers connected or another number."""
        site = self.site
        return connection.load(
            self.circuit,
            self.draw.server_w,
            site.servers if servers is None else servers,
            site.groups_per_server,
            site.planning_share,
            site.power_factor,
            self.planned_loss.working,
        )

    @property
    def power_factor(self) -> float:
        """The power factor that the VA figure goes by: your own, or the published one where W are taken as VA."""
        return self.site.power_factor if self.site.power_factor < 1 else self.facts.power_factor.value

    @functools.cached_property
    def va(self) -> float:
        """Apparent power of one server. [VA]"""
        return connection.va(self.draw.server_w, self.power_factor)

    @functools.cached_property
    def amps(self) -> float:
        """Current of one server at the voltage of an outlet, all of its cords together. [A]"""
        return connection.va(self.draw.server_w, self.site.power_factor) / self.outlet_volts

    @property
    def outlet_volts(self) -> float:
        """Voltage at an outlet of the chosen circuit. [V]"""
        return connection.outlet_volts(self.circuit)

    @functools.cached_property
    def servers_on_circuit(self) -> int:
        """Servers that the chosen connection takes."""
        return self.most_servers(self.circuit, self.draw.server_w)[0]

    @functools.cached_property
    def on_circuits(self) -> tuple[OnCircuit, ...]:
        """The servers on every circuit of the region."""
        return options.on_circuits(self)

    @functools.cached_property
    def caps(self) -> tuple[AtCap, ...]:
        """The server at every cap to compare."""
        return options.at_caps(self)

    @functools.cached_property
    def remedies(self) -> Remedies:
        """What would carry the server."""
        return options.remedies(self)

    @functools.cached_property
    def at_caps(self) -> tuple[rack.Row, ...]:
        """Power and servers at each cap to compare."""
        return self.rows(options.caps(self.card, self.site.power_cap_w, self.site.caps_w))

    @functools.cached_property
    def at_fine_caps(self) -> tuple[rack.Row, ...]:
        """Power and servers in steps of 10 W."""
        return self.rows(options.fine_caps(self.card))

    def rows(self, caps_w: Iterable[float], circuit: Circuit | None = None) -> tuple[rack.Row, ...]:
        """Power and servers at caps [W], on the chosen circuit or another."""
        return options.rows(self, caps_w, circuit or self.circuit)

    @functools.cached_property
    def cooling(self) -> Cooling:
        """Air, heat and exhaust of one server at full load."""
        return self.cooling_at(self.site.air_rise.k)

    def cooling_at(self, rise_k: float) -> Cooling:
        """The same at another temperature rise. [K]"""
        site = self.site
        rise = Rise.from_k(rise_k)
        return air.cooling(self.draw.server_w, rise, site.inlet, site.cards, self.card.airflow, site.altitude_m)

    @functools.cached_property
    def chassis(self) -> tuple[Judged, ...]:
        """Every server of the catalogue for these cards, what fits first."""
        site = self.site
        return chassis.listed(
            self.card,
            site.cards,
            site.power_cap_w,
            server_w=self.draw.server_w,
            volts=self.outlet_volts,
            inlet=site.inlet,
            altitude_m=site.altitude_m,
            sockets_min=int(site_facts.host_facts().sockets_min.value),
            processor_w=self._processor_w,
        )

    @functools.cached_property
    def drives(self) -> Drives | None:
        """NVMe for the checkpoint, None where its size is not given."""
        site = self.site
        if site.checkpoint_bytes is None:
            return None
        a_socket = int(site_facts.host_facts().nvme_per_socket.value)
        return host.drives(site.checkpoint_bytes, site.drive_gb, site.processors, site.versions, a_socket)

    @functools.cached_property
    def host(self) -> Host:
        """What the cards ask of the host."""
        return host.host(
            site_facts.host_facts(),
            self.site.cards,
            self.card.memory_gb.value,
            self.processor,
            self.site.processors,
            nvme_drives=self.drives.drives if self.drives else None,
        )

    @property
    def pairs(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each socket its pairs of cards."""
        return host.pairs(self.site.cards, self.site.processors)

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The server as a list of parts."""
        return parts.parts(self)

    @functools.cached_property
    def energy(self) -> Energy:
        """Energy and cost of a year for one server. SizingError where the hours are more than a day has."""
        site, facts = self.site, self.facts
        drawn = (self.states.idle.server_w, self.states.typical.server_w, self.states.full.server_w)
        idle_h, typical_h, full_h = site.hours
        if idle_h is None:
            idle_h = energy.idle_hours(typical_h, full_h, site.hours_off)
        return energy.year(
            drawn,
            (idle_h, typical_h, full_h),
            facts.pue.value if site.pue is None else site.pue,
            facts.price_eur_per_kwh.value if site.price_per_kwh is None else site.price_per_kwh,
            facts.pue.source if site.pue is None else "input",
            facts.price_eur_per_kwh.source if site.price_per_kwh is None else "input",
        )

    @functools.cached_property
    def commands(self) -> Commands:
        """Commands and unit file for the cap."""
        return power.commands(self.site.power_cap_w, self.site.cards)

    @functools.cached_property
    def stops(self) -> tuple[Stop, ...]:
        """What stops it, in the order in which it has to be solved; empty where it runs."""
        return notes.stops(self)

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Every note on power, connection, air and host, most serious first. Those of a chassis stand with it."""
        return notes.notes(self)

    @property
    def working(self) -> tuple[Step, ...]:
        """Steps in reading order: power, states, connection, supplies, servers, air, host, energy."""
        return working.working(self)


def plan(site: Site) -> SitePlan:
    """Everything about a site. A SizingError where an input cannot be; what does not fit is a note."""
    return SitePlan(site)
