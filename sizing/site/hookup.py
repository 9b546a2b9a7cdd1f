"""A scenario's server on its connection: what it draws, on which supplies, cords and circuit, and what of it holds."""

from __future__ import annotations

import dataclasses
import functools
from typing import Self

from sizing import catalogue
from sizing.base import units
from sizing.base.dataclass import dataclass
from sizing.base.working import Step
from sizing.catalogue import site_facts
from sizing.catalogue.records import Card, Circuit
from sizing.catalogue.scenario import Scenario
from sizing.site import circuits, connection, power, supplies
from sizing.site.connection import Connection, Kind, PhaseLoad, Strip, Way
from sizing.site.power import Draw
from sizing.site.supplies import Case, Supplies


@dataclass(frozen=True)
class Hookup:
    """The servers of a scenario on one connection. Each part is worked out when it is first asked for.

    other_cap_w [W], other_groups, other_servers [-]: instead of the scenario's, None for those.
    """

    scenario: Scenario
    other_cap_w: float | None = None
    other_groups: int | None = None
    other_servers: int | None = None

    def at_cap(self, cap_w: float) -> Self:
        """The same at a cap of ``cap_w`` [W]; what was measured counts there as the share for its rest."""
        return self if cap_w == self.cap_w else dataclasses.replace(self, other_cap_w=cap_w)

    def spread_over(self, groups: int) -> Self:
        """The same with every server on so many of the three groups of outlets."""
        return dataclasses.replace(self, other_groups=groups)

    def of_servers(self, servers: int) -> Self:
        """The same with so many servers on the connection."""
        return self if servers == self.servers else dataclasses.replace(self, other_servers=servers)

    @property
    def cap_w(self) -> float:
        """Power cap of a card. [W]"""
        return self.scenario.power_cap_w if self.other_cap_w is None else self.other_cap_w

    @property
    def groups(self) -> int:
        """Groups of outlets of a three-phase strip that a server draws from. [groups]"""
        return self.other_groups or self.scenario.outlet_groups

    @property
    def servers(self) -> int:
        """On the connection. [servers]"""
        return self.other_servers or self.scenario.servers_connected

    @functools.cached_property
    def card(self) -> Card:
        """The card of the catalogue."""
        return catalogue.card(self.scenario.card)

    @functools.cached_property
    def circuit(self) -> Circuit:
        """The circuit of the catalogue."""
        return catalogue.circuit(self.scenario.circuit)

    @functools.cached_property
    def processor(self) -> catalogue.Processor:
        """The processor of the catalogue."""
        return catalogue.processor(self.scenario.processor)

    @functools.cached_property
    def facts(self) -> site_facts.PowerFacts:
        """Facts on power and connection."""
        return site_facts.power_facts()

    @functools.cached_property
    def cord(self) -> site_facts.Cord:
        """The cord of a supply, as it is sold in the circuit's region."""
        return self.facts.cord_of(self.scenario.cord, self.circuit.region)

    @property
    def measured_w(self) -> tuple[float | None, float | None, float | None]:
        """What was measured at the wall at this cap, idle, typical and full; None where nothing was. [W]"""
        scenario = self.scenario
        if self.cap_w != scenario.power_cap_w:
            return None, None, None
        return scenario.measured_idle_w or None, scenario.measured_typical_w or None, scenario.measured_full_w or None

    @functools.cached_property
    def rest_share(self) -> float:
        """The share for the rest of the server: what a measurement of full load implies, or the assumption. [-]"""
        scenario = self.scenario
        if not scenario.measured_full_w:
            return scenario.rest_share
        cards, cap_w, tdp = scenario.cards, scenario.power_cap_w, self.processor.tdp_w
        return scenario.measured_full_w / power.rated(cards, cap_w, scenario.processors, tdp.value).result - 1

    @functools.cached_property
    def draw(self) -> Draw:
        """Full-load power from its parts, or the measured figure."""
        scenario, tdp = self.scenario, self.processor.tdp_w
        return power.draw(
            scenario.cards,
            self.cap_w,
            scenario.processors,
            tdp.value,
            self.rest_share,
            self.measured_w[2],
            tdp.source,
        )

    @property
    def connected_w(self) -> float:
        """Power of all servers on the connection. [W]"""
        return self.servers * self.draw.server_w

    @property
    def feeds(self) -> int:
        """Feeds that a server hangs on; one supply can use one only. [feeds]"""
        return 2 if self.scenario.feeds == "ab" and self.scenario.supplies > 1 else 1

    @functools.cached_property
    def arrangement(self) -> Supplies:
        """The supplies and the feeds they hang on."""
        return supplies.split(self.scenario.supplies, self.scenario.supply_w, self.feeds)

    @functools.cached_property
    def planned_loss(self) -> Case:
        """The loss that the connection is planned for."""
        return connection.planned_loss(self.draw.server_w, self.arrangement)

    @functools.cached_property
    def way(self) -> Way:
        """How a server hangs on the connection."""
        scenario, bank_share = self.scenario, self.facts.bank_share.value
        return Way(
            self.arrangement,
            self.cord.amps,
            scenario.planning_share,
            groups=self.groups,
            power_factor=scenario.power_factor,
            strip=Strip(scenario.bank_a, scenario.banks, bank_share) if scenario.bank_a else None,
            site_cap_w=units.w_from_kw(scenario.site_limit_kw) or None,
            cord_source=self.cord.source,
        )

    @functools.cached_property
    def connection(self) -> Connection:
        """Every limit of the chosen connection."""
        return self.connection_on(self.circuit)

    def connection_on(self, circuit: Circuit) -> Connection:
        """Every limit on another circuit."""
        return connection.connect(circuit, self.draw.server_w, self.way, self.servers)

    def planned(self, circuit: Circuit) -> Step:
        """What is planned on a circuit. [W]"""
        scenario = self.scenario
        return circuits.planned(circuit, scenario.planning_share, scenario.power_factor, circuit.source)

    def most_servers(self, circuit: Circuit) -> tuple[int, Kind]:
        """How many such servers a circuit takes, and the limit that ends the count."""
        return connection.most_servers(circuit, self.draw.server_w, self.way)

    @functools.cached_property
    def servers_on_circuit(self) -> int:
        """Servers that the chosen connection takes. [servers]"""
        return self.most_servers(self.circuit)[0]

    def phase_load(self, servers: int) -> PhaseLoad:
        """Conductors of the chosen circuit in the planned loss, with so many servers."""
        return self.way.load(self.circuit, self.draw.server_w, servers)

    @property
    def outlet_volts(self) -> float:
        """Voltage at an outlet of the chosen circuit. [V]"""
        return connection.outlet_volts(self.circuit)

    @functools.cached_property
    def feed_loads_w(self) -> tuple[float, float] | None:
        """What feeds A and B carry with these servers; None where there is one, or what hangs there is not known. [W]

        An odd supply hangs on feed A, which then carries more than half.
        """
        scenario = self.scenario
        if self.feeds == 1 or not (scenario.feed_a_kw or scenario.feed_b_kw):
            return None
        on_a, on_b = (self.connected_w * count / self.arrangement.count for count in self.arrangement.feeds)
        return units.w_from_kw(scenario.feed_a_kw) + on_a, units.w_from_kw(scenario.feed_b_kw) + on_b
