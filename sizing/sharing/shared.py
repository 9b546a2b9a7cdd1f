"""The shared server for the pages: a plan with its placement, what fails, what would make it fit, what to type."""

from __future__ import annotations

import functools

from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.working import Step
from sizing.sharing import commands as typed
from sizing.sharing import notes as noted
from sizing.sharing import working as worked
from sizing.sharing.losses import Failures, failures
from sizing.sharing.placement import Placement, place
from sizing.sharing.plan import Plan
from sizing.sharing.remedy import Changes, changes


@dataclass(frozen=True)
class Shared:
    """A placement with all that follows from it, each part worked out when it is first asked for."""

    placement: Placement

    @property
    def plan(self) -> Plan:
        """The wish."""
        return self.placement.plan

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a good engineer would say aloud, most serious first."""
        return noted.notes(self.placement)

    @functools.cached_property
    def working(self) -> tuple[Step, ...]:
        """The steps behind the shares and slices."""
        return tuple(worked.working(self.placement))

    @functools.cached_property
    def failures(self) -> Failures:
        """What each single loss leaves."""
        return failures(self.placement)

    @functools.cached_property
    def changes(self) -> Changes | None:
        """The smallest change that makes it fit; None where it does."""
        return None if self.placement.fits else changes(self.placement)

    @property
    def server_w(self) -> float:
        """Power of one server from the wall. [W]"""
        return self.failures.server_w

    def commands(self, server: int) -> tuple[str, ...]:
        """What to type on one server, in order: slices, then engines."""
        lines = typed.slice_commands(self.placement, server)
        return (*lines, *(start.line for start in typed.starts(self.placement, server)))


def shared(plan: Plan) -> Shared:
    """The best placement of a plan. SizingError where an input cannot be."""
    return Shared(place(plan))


__all__ = ["Shared", "shared"]
