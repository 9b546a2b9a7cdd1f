"""What all pages share: navigation, inputs beside results, messages, and the state behind them."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence

import ipywidgets as widgets

from sizing.catalogue.inputs import inputs
from sizing.scenario import Scenario
from sizing.texts import say
from sizing.ui import controls
from sizing.ui.address import Address
from sizing.ui.errors import Messages, guarded
from sizing.ui.figure import Figure
from sizing.ui.form import Form
from sizing.ui.head import Head
from sizing.ui.live import Live
from sizing.ui.state import State

PAGES = ("sizing", "site", "new_model", "speed", "shared_server", "compare", "evidence")
"""Every page in the order of the navigation: notebooks/<name>.ipynb, with its title ``ui.page.<name>``."""


class Page(widgets.VBox):
    """Base of a page: a subclass names its inputs, makes its results once and draws them after every change.

    query: of the page's address, with a scenario in it or not; the server's where it is not given.
    language: of every word.
    """

    NAME = ""
    INPUTS: tuple[str, ...] | None = None
    """Names of the inputs in the form; None for all."""
    PARAMETERS: tuple[str, ...] = ()
    """Parameters of the address that are this page's beside the scenario's."""

    def __init__(self, query: str | None = None, language: str = "en") -> None:
        self.language = language
        self.state = State(query if query is not None else os.environ.get("QUERY_STRING", ""), language)
        self.messages = Messages()
        self.address = Address(
            pages=[(f"{name}.ipynb", say(f"ui.page.{name}", language)) for name in PAGES],
            current=f"{self.NAME}.ipynb",
            query=self.scenario.to_query(),
            own=["v", *(spec.short for spec in inputs().values()), *self.PARAMETERS],
            label=say("ui.region.pages", language),
        )
        words = {key: say(f"ui.form.{key}", language) for key in ("reset", "set_back", "nothing_found", "fold")}
        self.form = Form(controls.fields(self.state, self.INPUTS), controls.values(self.state, self.INPUTS), words)
        left = widgets.VBox([*self.above_form(), self.form])
        left.add_class("sizing-inputs")
        results = widgets.VBox([self.messages, *self.results()])
        results.add_class("sizing-results")
        body = widgets.Box([left, results])
        body.add_class("sizing-page")
        super().__init__([Head(language), self.address, body])
        self.add_class("sizing-page-root")
        self.form.on_edit(guarded(self._edit, self.messages, language=language))
        # "All" is all that stands on this page: what another page set stays as it is.
        reset = functools.partial(self.state.reset, among=self.INPUTS)
        self.form.on_reset(guarded(reset, self.messages, language=language))
        self.state.listen(guarded(self._change, self.messages, language=language))
        for number, error in enumerate(self.state.dropped):
            self.messages.say(error.what(language), say("ui.dropped", language), slot=f"link {number}")

    @property
    def scenario(self) -> Scenario:
        """The scenario on the page."""
        return self.state.scenario

    def above_form(self) -> Sequence[widgets.Widget]:
        """What stands above the inputs, made once; nothing on most pages."""
        return ()

    def results(self) -> Sequence[widgets.Widget]:
        """The parts right of the inputs, made once; every page makes its own."""
        raise TypeError(f"{type(self).__name__} makes no results")

    def draw(self) -> None:
        """Fill the parts for the state as it is now; every page fills its own."""
        raise TypeError(f"{type(self).__name__} draws nothing")

    def _edit(self, changes: Mapping[str, str]) -> None:
        for number in range(len(self.state.dropped)):
            self.messages.clear(f"link {number}")  # read by now, and no longer about what is shown
        self.state.edit(changes)

    def _change(self) -> None:
        self.form.fields = controls.fields(self.state, self.INPUTS)
        self.form.values = controls.values(self.state, self.INPUTS)
        self.address.query = self.scenario.to_query()
        self.draw()


def section(name: str, language: str, *, polite: bool = False) -> Live:
    """An empty region of a page, named for screen readers by ``ui.region.<name>``."""
    return Live(name, label=say(f"ui.region.{name}", language), polite=polite)


def grid(parts: Sequence[widgets.Widget | Figure]) -> widgets.Box:
    """Parts two beside each other where the page is wide enough."""
    box = widgets.Box(list(parts))
    box.add_class("sizing-charts")
    return box
