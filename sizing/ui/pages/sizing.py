"""The sizing page: does it fit, how many conversations at once, in which layout, and what does the server draw."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from sizing.answers.size import Sizing
from sizing.catalogue.inputs import asked_on
from sizing.sheet.figures.sizing_charts import air, context, layouts, memory, power
from sizing.ui.page import Page, figures, grid, section
from sizing.ui.reports import common, sizing_report

HEIGHTS = ((layouts, 250), (context, 250), (memory, 230), (power, 230), (air, 230))


INPUTS = asked_on("sizing")


class SizingPage(Page):
    """One scenario: the answer, five charts, notes, layouts, facts, and the documents' tables."""

    NAME = "sizing"
    INPUTS = INPUTS

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = figures(HEIGHTS, self.language, sizing_report.working)
        self.answer = section("answer", self.language, polite=True)
        self.notes = section("notes", self.language)
        self.table = section("table", self.language)
        self.engine = section("engine", self.language)
        self.facts = section("facts", self.language)
        documents = section("documents", self.language)
        documents.show(sizing_report.documents(self.language))
        return [self.answer, grid([*self.figures.values(), self.notes]), self.table, self.engine, self.facts, documents]

    def draw(self) -> None:
        """Draw everything for the state as it is now."""
        sizing, language = self.state.sizing, self.language
        other = other_precision(sizing)
        self.answer.show(sizing_report.answer(self.state.answer, other, language, stale=bool(self.state.errors)))
        for name, figure in self.figures.items():
            figure.show(sizing, **({"other": other} if name == layouts.name else {}))
        self.notes.show(common.notes(self.state.answer.notes_at_hand, language))
        self.table.show(sizing_report.layouts_table(sizing, other, language))
        self.engine.show(sizing_report.engine_section(sizing, language))
        self.facts.show(sizing_report.facts(sizing, language))


def other_precision(sizing: Sizing) -> Sizing | None:
    """The same in 16 bit, or in FP8 where 16 bit is chosen; None where the model keeps no cache to compare."""
    if not sizing.kv_gib_per_conversation:
        return None
    return sizing.variant(kv_dtype="fp8" if sizing.kv_dtype == "bf16" else "bf16")


page = SizingPage
