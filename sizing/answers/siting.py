"""site(scenario): can it run there? Everything about the site of a scenario's server, from the one set of inputs."""

from __future__ import annotations

import functools

from sizing.answers.size import Sizing, size
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.working import Step
from sizing.catalogue.scenario import Scenario
from sizing.site import notes, parts, working
from sizing.site.parts import Part
from sizing.site.plan import SitePlan


@dataclass(frozen=True)
class Siting:
    """A server's site: its plan, and what is said of it. in_step: cards that work on one token together. [-]"""

    plan: SitePlan
    in_step: int = 1

    @property
    def scenario(self) -> Scenario:
        """What was asked."""
        return self.plan.scenario

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Every note, most serious first."""
        return notes.notes(self.plan, self.in_step)

    def working(self, part: str) -> tuple[Step, ...]:
        """The steps of one part: power, states, connection, supplies, servers, airflow, host or energy."""
        return working.working(self.plan, part)

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The server as a list of parts."""
        return parts.parts(self.plan)


def site(scenario: Scenario, *, sizing: Sizing | None = None) -> Siting:
    """The site of a scenario's server.

    sizing: of the same scenario, where it is at hand already; its best layout says which cards work in step.
    SizingError as `size`; what does not fit at the site is a note, not an error.

    >>> site(Scenario(cards=4, power_cap_w=600)).plan.stops
    ('circuit',)
    """
    sized = sizing or size(scenario)
    return Siting(sized.site, sized.best.tp if sized.best.fits else 1)
