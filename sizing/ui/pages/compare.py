"""Platforms side by side: memory, conversations, power and price, and where the ranking turns."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from sizing.catalogue.inputs import asked_on
from sizing.demand import suits
from sizing.demand.platforms import Comparison
from sizing.ui.charts.compare_charts import compare_break_even, compare_conversations
from sizing.ui.figure import Figure
from sizing.ui.page import Page, Remembered, grid, section
from sizing.ui.platform_rows import ComparisonState, PlatformsForm
from sizing.ui.reports import common, compare_report

INPUTS = asked_on("compare")


class ComparePage(Page):
    """One comparison: the answer, two charts, remarks, the table, the quotes."""

    NAME = "compare"
    INPUTS = INPUTS
    PARAMETERS = Comparison.parameters()

    def prepare(self, query: str) -> None:
        """The comparison."""
        self.comparisons = ComparisonState(query, self.scenario, self.language)
        self.comparisons.listen(self.guard(self._change))

    def remembered(self) -> Sequence[Remembered]:
        """The scenario and the comparison."""
        return (self.state, self.comparisons)

    def restart(self, query: str) -> None:
        """Start the comparison again from a link."""
        self.comparisons.open(query, self.scenario)

    def query(self) -> str:
        """The page's link."""
        return self.comparisons.listing.to_query()

    def above_form(self) -> Sequence[widgets.Widget]:
        """The platforms."""
        self.platforms = PlatformsForm(self.language)
        self.platforms.listen(ask=self.guard(self.comparisons.ask))
        return [self.platforms]

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = {
            compare_conversations.name: Figure(compare_conversations, self.language, height=230),
            compare_break_even.name: Figure(
                compare_break_even, self.language, height=230, working=compare_report.working
            ),
        }
        self.answer = section("answer", self.language, polite=True)
        self.table, self.notes, self.quotes = (
            section(name, self.language) for name in ("compare_table", "notes", "compare_quotes")
        )
        return [self.answer, grid(list(self.figures.values())), self.table, self.notes, self.quotes]

    def draw(self) -> None:
        """Draw everything for the comparison as it is now."""
        self.comparisons.serve(self.scenario)
        found, language = self.comparisons.found, self.language
        self.platforms.show(self.comparisons)
        stale = bool(self.state.errors or self.comparisons.errors)
        self.answer.show(compare_report.answer(found, language, stale=stale))
        for figure in self.figures.values():
            figure.show(found)
        self.table.show(compare_report.side_by_side(found, language))
        self.notes.show(common.notes(suits.notes(found), language))
        self.quotes.show(compare_report.quotes(found, language))


def page(query: str | None = None) -> ComparePage:
    """The page, ready to be shown by a notebook's last line."""
    return ComparePage(query)
