"""The sizing page: does it fit, how many conversations at once, in which layout, and what does the server draw."""

from __future__ import annotations

import os
from typing import Any

import ipywidgets as widgets

from sizing.scenario import Scenario
from sizing.size import Sizing
from sizing.texts import say
from sizing.ui import controls, report, wording
from sizing.ui.chart import Chart
from sizing.ui.charts import air, context, layouts, memory, power
from sizing.ui.errors import Messages, guarded
from sizing.ui.form import Form
from sizing.ui.head import Head
from sizing.ui.live import Live
from sizing.ui.state import State


class SizingPage(widgets.VBox):
    """The page as a widget.

    query: of the page's address, with a scenario in it or not.   language: of every word.
    """

    def __init__(self, query: str | None = None, language: str = "en") -> None:
        self.state = State(query if query is not None else os.environ.get("QUERY_STRING", ""), language)
        self.language = language
        self.messages = Messages()
        self.form = Form(controls.fields(self.state), controls.values(self.state), _form_words(language))
        self.answer = Live("answer", label=say("ui.region.answer", language), polite=True)
        self.notes = Live("notes", label=say("ui.region.notes", language))
        self.table = Live("table", label=say("ui.region.table", language))
        self.facts = Live("facts", label=say("ui.region.facts", language))
        self.tables = Live("documents", report.documents(language), label=say("ui.region.documents", language))
        self.charts = {chart.NAME: Chart(chart.NAME, height=HEIGHTS[chart.NAME]) for chart in CHARTS}
        self.workings = {name: Live(f"working-{name}") for name in self.charts}
        super().__init__(self._children())
        self.add_class("sizing-page-root")
        self.form.on_edit(guarded(self.state.edit, self.messages, language=language))
        self.form.on_reset(guarded(self.state.reset, self.messages, language=language))
        self.state.listen(guarded(self.show, self.messages, language=language))
        self._say_dropped()

    @property
    def scenario(self) -> Scenario:
        """The scenario on the page, for a cell further down."""
        return self.state.scenario

    def _children(self) -> list[widgets.Widget]:
        inputs = widgets.VBox([self.form])
        inputs.add_class("sizing-inputs")
        figures = widgets.Box([self._figure(name) for name in self.charts])
        figures.add_class("sizing-charts")
        results = widgets.VBox([self.messages, self.answer, figures, self.notes, self.table, self.facts, self.tables])
        results.add_class("sizing-results")
        page = widgets.Box([inputs, results])
        page.add_class("sizing-page")
        return [Head(self.language), page]

    def _figure(self, name: str) -> widgets.Widget:
        title = widgets.HTML(report.figure_title(name, self.language))
        title.add_class("sizing-figure-title")
        figure = widgets.VBox([title, self.charts[name], self.workings[name]])
        figure.add_class("sizing-figure")
        figure.add_class(f"sizing-figure-{name}")
        return figure

    def show(self) -> None:
        """Draw everything for the state as it is now."""
        sizing, language = self.state.sizing, self.language
        self.form.fields = controls.fields(self.state)
        self.form.values = controls.values(self.state)
        other = _other_precision(sizing)
        self.answer.show(report.answer(sizing, other, language, stale=bool(self.state.errors)))
        for chart in CHARTS:
            more: dict[str, Any] = {"other": other} if chart is layouts else {}
            self.charts[chart.NAME].show(chart.build(sizing, language, **more), alt=chart.alt(sizing, language, **more))
        for name, working in self.workings.items():
            working.show(report.working(name, sizing, language))
        self.notes.show(report.notes(sizing, language))
        self.table.show(report.layouts_table(sizing, other, language))
        self.facts.show(report.facts(sizing, language))

    def _say_dropped(self) -> None:
        for number, error in enumerate(self.state.dropped):
            self.messages.say(error.what(self.language), say("ui.dropped", self.language), slot=f"link {number}")


CHARTS = (layouts, context, memory, power, air)
HEIGHTS = {"layouts": 250, "context": 250, "memory": 230, "power": 230, "air": 230}


def _form_words(language: str) -> dict[str, str]:
    return {key: say(f"ui.form.{key}", language) for key in ("reset", "set_back", "nothing_found")}


def _other_precision(sizing: Sizing) -> Sizing | None:
    """The same in 16 bit, or in FP8 where 16 bit is chosen; None where the model keeps no cache to compare."""
    if not sizing.kv_gib_per_conversation:
        return None
    return sizing.variant(kv_dtype="fp8" if sizing.kv_dtype == "bf16" else "bf16")


def page(query: str | None = None) -> SizingPage:
    """The page, ready to be shown by a notebook's last line."""
    return SizingPage(query)
