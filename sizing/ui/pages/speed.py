"""The speed page: how fast will it feel, where does speed end before memory, and what does a power cap cost?"""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from sizing.answers import speed_notes
from sizing.catalogue.inputs import asked_on
from sizing.sheet.figures.speed_charts import speed_cap, speed_each, speed_ends, speed_first, speed_total
from sizing.speed import Speed, arrivals
from sizing.speed.alone import Alone, alone
from sizing.ui.page import Page, figures, grid, section
from sizing.ui.reports import common
from sizing.ui.reports import speed_report as report

HEIGHTS = ((speed_each, 310), (speed_total, 310), (speed_ends, 250), (speed_first, 250), (speed_cap, 330))
INPUTS = asked_on("speed")


class SpeedPage(Page):
    """One scenario: the answer, five charts, notes, layouts, one user as a range, advice on passing sums."""

    NAME = "speed"
    INPUTS = INPUTS
    IN_PYTHON = "answer.speed.best"

    def prepare(self, query: str) -> None:
        """What is drawn later, and what was found so far."""
        self._ranges: dict[object, tuple[Alone | None, report.Loads]] = {}

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = figures(HEIGHTS, self.language, report.working)
        self.answer = section("answer", self.language, polite=True)
        self.notes = section("notes", self.language)
        self.table = section("speed_layouts", self.language)
        self.ranges = section("speed_ranges", self.language)
        self.advice = section("speed_advice", self.language)
        self.facts = section("speed_facts", self.language)
        return [
            self.answer,
            grid([*self.figures.values(), self.notes]),
            self.table,
            self.ranges,
            self.advice,
            self.facts,
        ]

    def draw(self) -> None:
        """Draw everything for the state as it is now."""
        found, language = self.state.answer.speed, self.language
        self.answer.show(report.answer(self.state.answer, language, stale=bool(self.state.errors)))
        for figure in self.figures.values():
            figure.show(found)
        self.notes.show(common.notes(speed_notes.notes(found), language))
        self.table.show(report.layouts(found, language))
        self.advice.show(report.advice(found, language))
        self.facts.show(report.facts(found, language))
        self._draw_ranges(found)

    def _draw_ranges(self, found: Speed) -> None:
        """One user alone needs every engine's kernels: drawn at once where they are known, else a moment later."""
        best = found.best
        pending = best is not None and best.gap is not None and best.gap.key == "loading"
        key = (found.sizing.scenario, best.layout.name if best else None)
        if best is None or best.label == "limit" or key in self._ranges:
            known, loads = self._ranges.get(key, (None, ()))
            self.ranges.show(report.ranges(found, known, self.language, loads=loads, pending=pending))
            return
        self.ranges.show(report.ranges(found, None, self.language, pending=True))

        def fill() -> None:
            if len(self._ranges) > 200:
                self._ranges.clear()
            self._ranges[key] = alone(found.sizing, best.layout), arrivals.loads(best)
            known, loads = self._ranges[key]
            self.ranges.show(report.ranges(found, known, self.language, loads=loads))

        self.soon(fill)


page = SpeedPage
