"""Platforms side by side: memory, conversations, power and price, and where the ranking turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

from sizing import catalogue
from sizing.base.markup import NOTHING, Markup
from sizing.catalogue.inputs import asked_on
from sizing.demand import suits
from sizing.demand.side_by_side import Comparison, Platform, SideBySide, compare
from sizing.ui.charts.compare_charts import compare_break_even, compare_conversations
from sizing.ui.page import figures, grid, section
from sizing.ui.reports import common, compare_report
from sizing.ui.reports.compare_report import platform_name
from sizing.ui.rows import ListedPage, RowsForm, RowsState
from sizing.ui.state import at_once


class ComparisonState(RowsState[Comparison, SideBySide]):
    """The platforms of a comparison."""

    LISTING = Comparison

    def solve(self, listing: Comparison) -> SideBySide:
        """Every platform with its figures."""
        return compare(listing, measured=at_once())

    @property
    def waiting(self) -> bool:
        """Speed was left out while measured operations were not loaded."""
        return self.found.pending

    def settle(self) -> None:
        """Compare again, with the speed that was left out."""
        self.found = compare(self.listing)
        self._tell()

    @property
    def listing(self) -> Comparison:
        """The comparison that is shown."""
        return self.found.comparison

    def current(self, number: int, name: str) -> Any:
        """The value that counts: the card's own cap where none is given, a platform that there is."""
        if name == "power_cap_w":
            return self.listing.platforms[number].cap_w
        return self.found.varied + 1 if name == "varied" else super().current(number, name)

    def currency(self) -> str:
        """Currency of every price."""
        return self.listing.currency

    def follows(self, number: int, name: str, value: Any) -> dict[str, Any]:
        """Price and cap belonged to the other card."""
        other = name == "card" and value != self.listing.platforms[number].card
        return {"card_price": None, "power_cap_w": 0.0} if other else {}


class PlatformsForm(RowsForm):
    """Rows of platforms and the comparison's own fields."""

    LISTING, WORDS_OF = Comparison, "compare"

    def show(self, state: ComparisonState) -> None:
        """The platforms of a state."""
        self.fill(state, Comparison.INPUTS)

    def summary(self, entry: Platform) -> str:
        """Cards and servers."""
        return platform_name(entry, self.language)

    def placed(self, state: ComparisonState, number: int) -> bool:
        """The model fits on a platform."""
        return state.found.platforms[number].sizing.fits

    def options(self, state: ComparisonState, name: str) -> list[list[str]]:
        """Cards of the catalogue; the platform that varies is one of them."""
        if name == "card":
            return [[id, catalogue.card(id).name] for id in catalogue.card_ids()]
        return self._one_of(state, self.summary) if name == "varied" else super().options(state, name)


INPUTS = asked_on("compare")
HEIGHTS = ((compare_conversations, 230), (compare_break_even, 230))


class ComparePage(ListedPage):
    """One comparison: the answer, two charts, remarks, the table, the quotes."""

    NAME = "compare"
    INPUTS = INPUTS
    PARAMETERS = Comparison.parameters()
    LISTED, ROWS = ComparisonState, PlatformsForm
    WORKED_OUT_BY = ("sizing.demand.side_by_side", "compare")

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = figures(HEIGHTS, self.language, _working)
        self.answer = section("answer", self.language, polite=True)
        self.table, self.notes, self.quotes = (
            section(name, self.language) for name in ("compare_table", "notes", "compare_quotes")
        )
        return [self.answer, grid(list(self.figures.values())), self.table, self.notes, self.quotes]

    def draw(self) -> None:
        """Draw everything for the comparison as it is now."""
        self.listed.serve(self.scenario)
        found, language = self.listed.found, self.language
        self.rows.show(self.listed)
        stale = bool(self.state.errors or self.listed.errors)
        self.answer.show(compare_report.answer(found, language, stale=stale))
        for figure in self.figures.values():
            figure.show(found)
        self.table.show(compare_report.side_by_side(found, language))
        self.notes.show(common.notes(suits.notes(found), language))
        self.quotes.show(compare_report.quotes(found, language))


def _working(name: str, found: SideBySide, language: str) -> Markup:
    return compare_report.working(found, language) if name == compare_break_even.name else NOTHING


page = ComparePage
