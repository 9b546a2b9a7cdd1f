"""site(scenario): can it run there? Everything about the site of a scenario's server, from the one set of inputs."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sizing.answers.size import Sizing, size
from sizing.base.notes import Note
from sizing.base.temperature import Temperature
from sizing.base.units import bytes_from_gib
from sizing.base.working import Step
from sizing.catalogue.scenario import Scenario
from sizing.site import working
from sizing.site.air import card_need
from sizing.site.chassis import Judged
from sizing.site.options import AtCap, OnCircuit
from sizing.site.parts import Part
from sizing.site.plan import SitePlan, plan
from sizing.site.site import Site
from sizing.site.supplies import Case

__all__ = ["AtCap", "Case", "Judged", "OnCircuit", "Part", "SitePlan", "Siting", "site"]


@dataclass(frozen=True)
class Siting:
    """The site of one scenario. plan: every figure of it, see `sizing.site.plan`."""

    scenario: Scenario
    sizing: Sizing
    plan: SitePlan

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Every note, most serious first."""
        if self.scenario.feeds == "ab" and self.scenario.supplies == 1:
            alone = Note("warn", "one_supply_one_feed")
            serious = [note for note in self.plan.notes if note.level == "stop"]
            return (*serious, alone, *(note for note in self.plan.notes if note.level != "stop"))
        return self.plan.notes

    def working(self, part: str) -> tuple[Step, ...]:
        """The steps of one part: power, states, connection, supplies, servers, airflow, host or energy."""
        found: tuple[Step, ...] = getattr(working, part)(self.plan)
        return found

    @property
    def cfm(self) -> float:
        """Air that carries the server's heat away. [CFM]"""
        return self.plan.cooling.cfm

    @property
    def m3_per_h(self) -> float:
        """The same. [m³/h]"""
        return self.plan.cooling.m3_per_h

    def cfm_at(self, rise_c: float) -> float:
        """The same at another temperature rise. [CFM]"""
        return self.plan.cooling_at(rise_c).cfm

    @property
    def cards_airflow_cfm(self) -> tuple[tuple[float, float], ...]:
        """What the cards ask for, by inlet temperature; empty where their maker does not say. [°C], [CFM]"""
        points, altitude_m = self.plan.card.airflow, self.scenario.altitude_m
        needs = [(point.inlet_c, card_need(Temperature.from_c(point.inlet_c), points, altitude_m)) for point in points]
        return tuple((inlet_c, need.cfm * self.scenario.cards) for inlet_c, need in needs)


def site(scenario: Scenario, *, sizing: Sizing | None = None) -> Siting:
    """The site of a scenario's server.

    sizing: of the same scenario, where it is at hand already. Its best layout says which cards work in step, and its
    model what the drives hold. SizingError as `size`; what does not fit at the site is a note, not an error.

    >>> site(Scenario(cards=4, power_cap_w=600)).plan.stops
    ('circuit',)
    """
    sized = sizing or size(scenario)
    best = sized.best
    chosen = Site.of(scenario, tp=best.tp if best.fits else 1, checkpoint_bytes=bytes_from_gib(sized.weights_gib))
    return Siting(scenario, sized, plan(chosen))
