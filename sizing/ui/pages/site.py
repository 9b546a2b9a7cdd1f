"""The site page: can the server run there, on which connection, with how much air, in which chassis?"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import ipywidgets as widgets

from sizing.answers import siting
from sizing.answers.siting import Siting
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, join
from sizing.base.notes import Note
from sizing.base.working import Step
from sizing.catalogue.inputs import asked_on
from sizing.ui.charts.site_charts import site_air, site_caps, site_connections, site_servers
from sizing.ui.page import Page, figures, grid, section
from sizing.ui.reports import common, site_report, site_tables

HEIGHTS = ((site_connections, 330), (site_caps, 330), (site_servers, 240), (site_air, 240))
STEPS = {
    "site_connections": ("power", "connection"),
    "site_caps": ("power",),
    "site_servers": ("servers",),
    "site_air": ("airflow",),
    "supplies": ("supplies",),
    "states": ("states", "energy"),
    "parts": ("host",),
}
"""Which part of the working stands under which figure."""

SAID = ("server_w_band", "supplies_survive_one_supply_lost", "supplies_survive_one_feed_lost", "air_covers")
"""Notes that other parts of the page say already."""

INPUTS = asked_on("site")


class SitePage(Page):
    """One scenario at its site: the answer, four charts, redundancy, states, notes, chassis, parts, commands, facts."""

    NAME = "site"
    INPUTS = INPUTS
    IN_PYTHON = "answer.site"

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = figures(HEIGHTS, self.language, working)
        self.answer = section("answer", self.language, polite=True)
        self.supplies, self.states, self.notes, self.chassis, self.parts, self.cap, self.facts = (
            section(name, self.language) for name in ("supplies", "states", "notes", "chassis", "parts", "cap", "facts")
        )
        charts = grid([*self.figures.values(), self.supplies, self.states])
        return [self.answer, charts, self.notes, self.chassis, self.parts, self.cap, self.facts]

    def draw(self) -> None:
        """Draw everything for the state as it is now."""
        found, language = siting.site(self.scenario, sizing=self.state.sizing), self.language
        self.answer.show(site_report.answer(self.state.answer, found, language, stale=bool(self.state.errors)))
        for figure in self.figures.values():
            figure.show(found)
        self.supplies.show(join([site_report.diagram(found, language), working("supplies", found, language)]))
        self.states.show(join([site_report.states(found, language), working("states", found, language)]))
        self.notes.show(common.notes(unsaid(found), language))
        self.chassis.show(site_tables.chassis(found, language))
        self.parts.show(join([site_tables.parts(found, language), working("parts", found, language)]))
        self.cap.show(site_report.commands(found, language))
        self.facts.show(site_tables.facts(found, language))


def unsaid(found: Siting) -> tuple[Note, ...]:
    """Its notes without those that other parts of the page say already."""
    return tuple(note for note in found.notes if note.key not in SAID)


def working(name: str, found: Siting, language: str) -> Markup:
    """The steps behind one figure, folded away."""
    shown = common.section(f"working-{name}", lambda: _steps(name, found), language)
    return join([site_tables.servers(found, language), shown]) if name == site_servers.name else shown


def _steps(name: str, found: Siting) -> list[Step]:
    """A part that has none for these inputs is left out."""
    steps: list[Step] = []
    for part in STEPS[name]:
        with contextlib.suppress(SizingError):  # the part itself says why
            steps += found.working(part)
    return steps


page = SitePage
