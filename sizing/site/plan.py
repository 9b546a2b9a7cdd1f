"""The site of a scenario's server: power, connection, air, chassis, host and energy as plain results."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Literal

from sizing.base import units
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.temperature import Rise, Temperature
from sizing.base.working import Step, derive
from sizing.catalogue import site_facts
from sizing.catalogue.records import Circuit
from sizing.catalogue.scenario import Scenario
from sizing.site import air, chassis, circuits, connection, energy, host, options, power, supplies
from sizing.site.air import Cooling
from sizing.site.chassis import Judged
from sizing.site.energy import Energy
from sizing.site.hookup import Hookup
from sizing.site.host import Drives, Host
from sizing.site.options import AtCap, CapRow, OnCircuit, Remedies
from sizing.site.power import Commands, PowerStates
from sizing.site.supplies import Case, OperatingPoint

Stop = Literal["cap", "circuit", "phase", "bank", "cord", "supply", "site", "feed", "host", "air", "chassis"]


@dataclass(frozen=True)
class SitePlan(Hookup):
    """Everything about the site of a scenario's server. Each part is worked out when it is first asked for.

    What does not fit is in ``stops`` and a note, a SizingError where an input cannot be.
    checkpoint_bytes: of the weights on the drives, None to leave the drives out. [bytes]
    """

    checkpoint_bytes: float | None = None

    @functools.cached_property
    def states(self) -> PowerStates:
        """Idle, typical decode and full load."""
        scenario, tdp_w = self.scenario, self.processor.tdp_w.value
        share = scenario.rest_share if self.cap_w == scenario.power_cap_w else self.rest_share
        return power.states(
            self.facts, scenario.card, scenario.cards, self.cap_w, scenario.processors, tdp_w, share, self.measured_w
        )

    @functools.cached_property
    def supply_cases(self) -> tuple[Case, ...]:
        """What the supplies carry with all of them, without one, without a feed."""
        return supplies.cases(self.draw.server_w, self.arrangement)

    @property
    def supply_scheme(self) -> str:
        """How the load divides the supplies into needed and spare, "2+2"; "" where they do not carry it."""
        return supplies.scheme(self.draw.server_w, self.arrangement)

    @property
    def efficiency(self) -> site_facts.Efficiency:
        """The supplies' efficiency by their load."""
        return self.facts.efficiency_of(self.scenario.supply_efficiency)

    @functools.cached_property
    def operating_point(self) -> OperatingPoint:
        """Load point and efficiency with all supplies working."""
        return supplies.operating_point(
            self.draw.server_w, self.arrangement.count, self.scenario.supply_w, self.efficiency
        )

    @property
    def power_factor(self) -> float:
        """The power factor that the VA figure goes by: your own, or the published one where W are taken as VA. [-]"""
        return self.scenario.power_factor if self.scenario.power_factor < 1 else self.facts.power_factor.value

    @functools.cached_property
    def server_va(self) -> Step:
        """Apparent power of one server. [VA]"""
        source = self.facts.power_factor.source
        factor = (self.power_factor, "", "input" if self.scenario.power_factor < 1 else source)
        server = self.draw.working[-1]
        return derive("server_va", "server_w / power_factor", "VA", source, server_w=server, power_factor=factor)

    @functools.cached_property
    def server_a(self) -> Step:
        """Current of one server at the voltage of an outlet, all of its cords together. [A]"""
        source = self.circuit.source if self.circuit.phases == 1 else connection.PHASES_SOURCE
        return derive(
            "server_a",
            "server_w / power_factor / outlet_volts",
            "A",
            circuits.SOURCE,
            server_w=self.draw.working[-1],
            power_factor=(self.scenario.power_factor, "", "input"),
            outlet_volts=(self.outlet_volts, "V", source),
        )

    @functools.cached_property
    def on_chosen(self) -> OnCircuit:
        """The servers on the chosen circuit."""
        return options.on_circuit(self, self.circuit)

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
    def at_caps(self) -> tuple[CapRow, ...]:
        """Power and servers at each cap to compare."""
        return self.rows(options.caps(self.card, self.cap_w))

    @functools.cached_property
    def at_fine_caps(self) -> tuple[CapRow, ...]:
        """Power and servers in steps of 10 W."""
        return self.rows(options.fine_caps(self.card))

    def rows(self, caps_w: Iterable[float], circuit: Circuit | None = None) -> tuple[CapRow, ...]:
        """Power and servers at caps [W], on the chosen circuit or another."""
        return options.rows(self, caps_w, circuit or self.circuit)

    @functools.cached_property
    def inlet(self) -> Temperature:
        """Air at the inlet."""
        return Temperature.from_c(self.scenario.inlet_c)

    @functools.cached_property
    def cooling(self) -> Cooling:
        """Air, heat and exhaust of one server at full load."""
        return self.cooling_at(self.scenario.air_rise_c)

    def cooling_at(self, rise_k: float) -> Cooling:
        """The same at another temperature rise, ``rise_k``. [K]"""
        scenario = self.scenario
        return air.cooling(
            self.draw.server_w, Rise.from_k(rise_k), self.inlet, scenario.cards, self.card.airflow, scenario.altitude_m
        )

    @property
    def cards_airflow_cfm(self) -> tuple[tuple[float, float], ...]:
        """What the cards ask for, by inlet temperature; empty where their maker does not say. [°C], [CFM]"""
        points, altitude_m = self.card.airflow, self.scenario.altitude_m
        needs = [
            (point.inlet_c, air.card_need(Temperature.from_c(point.inlet_c), points, altitude_m)) for point in points
        ]
        return tuple((inlet_c, need.cfm * self.scenario.cards) for inlet_c, need in needs)

    @functools.cached_property
    def chassis(self) -> tuple[Judged, ...]:
        """Every server of the catalogue for these cards, what fits first."""
        return chassis.listed(
            self.card,
            self.scenario.cards,
            self.cap_w,
            server_w=self.draw.server_w,
            volts=self.outlet_volts,
            inlet=self.inlet,
            altitude_m=self.scenario.altitude_m,
            sockets_min=int(site_facts.host_facts().sockets_min.value),
            processor_w=self.processor.tdp_w.value,
        )

    @functools.cached_property
    def drives(self) -> Drives | None:
        """NVMe for the checkpoint, None where its size is not given."""
        scenario, least = self.scenario, site_facts.host_facts().nvme_per_socket
        if self.checkpoint_bytes is None:
            return None
        drive_gb = units.gb_from_tb(scenario.drive_tb)
        return host.drives(
            self.checkpoint_bytes, drive_gb, scenario.processors, scenario.versions_held, int(least.value), least.source
        )

    @functools.cached_property
    def host(self) -> Host:
        """What the cards ask of the host."""
        scenario, drives = self.scenario, self.drives.drives if self.drives else None
        memory_gb, facts = self.card.memory_gb.value, site_facts.host_facts()
        return host.host(facts, scenario.cards, memory_gb, self.processor, scenario.processors, nvme_drives=drives)

    @property
    def pairs(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each socket its pairs of cards."""
        return host.pairs(self.scenario.cards, self.scenario.processors)

    @functools.cached_property
    def idle_hours(self) -> Step:
        """Hours of a day that the server is idle: what the others leave. SizingError where they are more than a day."""
        scenario = self.scenario
        return energy.idle_hours(scenario.hours_typical, scenario.hours_full, scenario.hours_off)

    @functools.cached_property
    def energy(self) -> Energy:
        """Energy and cost of a year for one server. SizingError where the hours are more than a day has."""
        scenario, facts, states = self.scenario, self.facts, self.states
        drawn = (states.idle.server_w, states.typical.server_w, states.full.server_w)
        hours = (self.idle_hours.result, scenario.hours_typical, scenario.hours_full)
        # The published figures stay theirs, so that the working names where they come from.
        pue_source = facts.pue.source if scenario.pue == facts.pue.value else "input"
        price = facts.price_eur_per_kwh
        price_source = price.source if scenario.price_per_kwh == price.value else "input"
        return energy.year(drawn, hours, scenario.pue, scenario.price_per_kwh, pue_source, price_source)

    @functools.cached_property
    def commands(self) -> Commands:
        """Commands and unit file for the cap."""
        return power.commands(self.cap_w, self.scenario.cards)

    @functools.cached_property
    def feed_notes(self) -> tuple[Note, ...]:
        """Whether feeds A and B can stand in for each other with these servers and what hangs on them already."""
        if self.feed_loads_w is None:
            return ()
        load_w, planned_w = self.feed_loads_w, self.planned(self.circuit).result
        if circuits.fits(sum(load_w), planned_w):
            return ()
        values = {"together_w": sum(load_w), "planned_w": planned_w}
        level: Literal["stop", "warn"] = "warn" if circuits.fits(max(load_w), planned_w) else "stop"
        return (Note(level, "feeds_not_redundant", circuits.SOURCE, values),)

    @functools.cached_property
    def stops(self) -> tuple[Stop, ...]:
        """What stops it, in the order in which it has to be solved; empty where it runs."""
        others: tuple[tuple[Stop, tuple[Note, ...]], ...] = (
            ("feed", self.feed_notes),
            ("host", self.host.notes),
            ("air", self.cooling.notes),
        )
        return (
            *(("cap",) if power.cap_notes(self.card, self.cap_w) else ()),
            *self.connection.stopped_by,
            *(kind for kind, said in others if any(note.level == "stop" for note in said)),
            *(("chassis",) if all(judged.verdict == "stopped" for judged in self.chassis) else ()),
        )


def site_plan(scenario: Scenario, checkpoint_bytes: float) -> SitePlan:
    """The site of a scenario's server, worked out once for whatever is asked of it.

    No figure of it depends on what is needed (people, lengths, speed): the plan holds those inputs at their defaults.
    checkpoint_bytes: of the weights on the drives. [bytes]
    """
    need = {name: scenario.default_of(name) for name in scenario.need.changed()}
    return _plan(scenario.replace(**need), checkpoint_bytes)


@functools.lru_cache(maxsize=16)
def _plan(scenario: Scenario, checkpoint_bytes: float) -> SitePlan:
    return SitePlan(scenario, checkpoint_bytes=checkpoint_bytes)
