"""The evidence page: published results, our own figures against them and against logs, and every source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import ipywidgets as widgets

from sizing.base.errors import SizingError
from sizing.catalogue.parts import ResultFilters
from sizing.catalogue.values import Values
from sizing.models.evidence import evidence, log_summary, startup_logs
from sizing.speed.accuracy import accuracy
from sizing.ui.charts.evidence_charts import evidence_logs, evidence_results, evidence_speed
from sizing.ui.page import FigureBox, Page, grid, section
from sizing.ui.reports import evidence_report as report
from sizing.ui.state import Memory, State

INPUTS = tuple(ResultFilters.INPUTS)
PARAMETERS = tuple(spec.short for spec in ResultFilters.INPUTS.values())


class FilterState(State):
    """Which results are shown, beside the scenario that travels along."""

    def open(self, query: str) -> None:
        """Start again from a link."""
        super().open(query)
        self.filters, dropped = ResultFilters.read_link(query)
        self.dropped = (*self.dropped, *dropped)

    def holding(self, name: str) -> Values:
        """What holds an input's value."""
        return self.filters if name in INPUTS else super().holding(name)

    def value(self) -> tuple[Any, ...]:
        """The scenario, the model that stands in, and the filters."""
        return (*super().value(), self.filters)

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken."""
        super().restore(memory)
        self.filters = memory.value[2]

    def edit(self, changes: Mapping[str, str]) -> None:
        """Take what was chosen, by filter. What cannot be used stays as it came, with its error."""
        for name, text in changes.items():
            self.pending.pop(name, None)
            self.errors.pop(name, None)
            try:
                self.filters = self.filters.replace(**{name: text})
            except SizingError as error:
                if error.input not in INPUTS:
                    raise
                self.pending[name], self.errors[name] = text, error
        self._tell()

    def reset(self, name: str | None = None, *, among: Sequence[str] | None = None) -> None:
        """One filter, or all, back to the default."""
        self.edit({each: self.filters.default_of(each) for each in ([name] if name else INPUTS)})


class EvidencePage(Page):
    """Published results to filter and plot, errors of ours, all sources."""

    NAME = "evidence"
    INPUTS = INPUTS
    IN_PYTHON = ""
    PARAMETERS = PARAMETERS
    STATE = FilterState
    state: FilterState

    def query(self) -> str:
        """The page's link."""
        filters = urlencode(self.state.filters.link_pairs())
        return self.scenario.to_query() + (f"&{filters}" if filters else "")

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        language = self.language
        self.answer = section("answer", language, polite=True)
        self.plot = FigureBox(evidence_results, language, height=240)
        self.table = section("evidence_results", language)
        self.speed_plot = FigureBox(evidence_speed, language, height=300)
        self.logs_plot = FigureBox(evidence_logs, language, height=300)
        self.speed = section("evidence_speed", language)
        self.logs = section("evidence_logs", language)
        self.sources = section("evidence_sources", language)
        self._draw_logs()
        self.sources.show(report.sources(language))
        self.speed_plot.show(accuracy())
        self.speed.show(report.speed(accuracy(), self.language))
        return [
            self.answer,
            self.plot,
            self.table,
            grid([self.speed_plot, self.logs_plot, self.speed, self.logs]),
            self.sources,
        ]

    def draw(self) -> None:
        """Draw the results that the filters leave."""
        filters = self.state.filters
        found = evidence(filters)
        self.answer.show(report.answer(found, filters, self.language, stale=bool(self.state.errors)))
        self.plot.show(found, chosen=filters.result_card)
        self.table.show(report.results(found, self.language))

    def _draw_logs(self) -> None:
        logs = startup_logs()
        self.logs_plot.show(logs)
        self.logs.show(report.logs(logs, log_summary(), self.language))


page = EvidencePage
