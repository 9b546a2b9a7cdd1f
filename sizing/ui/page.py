"""What all pages share: the head with navigation, inputs beside results, messages, and the states behind them."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar

import ipywidgets as widgets

from sizing.base.errors import SizingError
from sizing.base.markup import Markup, tag
from sizing.base.texts import LANGUAGES, say
from sizing.catalogue import links
from sizing.catalogue.inputs import every_input, inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand.strip import strip
from sizing.serve.voila import PAGES
from sizing.sheet.figures.marks import Plot
from sizing.ui import controls, python_cell
from sizing.ui.errors import guarded
from sizing.ui.own_card import OwnCard
from sizing.ui.state import History, Memory, Moment, State
from sizing.ui.widgets.boxes import Form, form_words
from sizing.ui.widgets.frame import LONGEST_QUERY, Address, Glossary, Head, Messages, Tools
from sizing.ui.widgets.regions import Chart, Live, Snippet

Working = Callable[[Any, str], Markup]


class FigureBox(widgets.VBox):
    """A chart on a page.

    working: gives the section behind the chart's figures, or None where there is none.
    height: where the chart has none of its own. [CSS pixels]
    """

    def __init__(self, plot: Plot, language: str, *, height: int = 240, working: Working | None = None) -> None:
        self.plot, self.language, self._working = plot, language, working
        self._seen: object = None
        self.chart = Chart(plot.name, height=height)
        self.below = Live(f"working-{plot.name}")
        title = widgets.HTML(tag("h2", say(f"ui.chart.{plot.name}", language)))
        title.add_class("sizing-figure-title")
        super().__init__([title, self.chart, self.below])
        self.add_class("sizing-figure")
        self.add_class(f"sizing-figure-{plot.name}")

    def show(self, result: Any, **more: Any) -> None:
        """Draw the chart of a result, and its working."""
        plot = self.plot
        if plot.sees:
            seen, self._seen = self._seen, plot.sees(result)
            if seen is self._seen:
                return
        if plot.height:
            self.chart.height = plot.height(result)
        self.chart.show(plot.build(result, self.language, **more), alt=plot.alt(result, self.language, **more))
        if self._working:
            self.below.show(self._working(result, self.language))


def figures(
    plots: Iterable[tuple[Plot, int]], language: str, working: Callable[[str, Any, str], Markup] | None = None
) -> dict[str, FigureBox]:
    """Charts of a page by their names, each with its height. working: by the name of the chart."""
    return {
        plot.name: FigureBox(
            plot, language, height=height, working=functools.partial(working, plot.name) if working else None
        )
        for plot, height in plots
    }


LANGUAGE_PARAMETER = "lang"
_LINK = "link"
LATER_S = 0.4
"""Pause after a move before measured operations are loaded, once, for a second or two."""

P = ParamSpec("P")
R = TypeVar("R")


class Remembered(Protocol):
    """Something that changes under a visitor's hands and can be taken back."""

    language: str

    @property
    def dropped(self) -> Sequence[SizingError]:
        """Parts of the link that could not be read."""

    @property
    def waiting(self) -> bool:
        """Something was left out that ``settle`` brings."""

    def settle(self) -> None:
        """Bring what was left out, and tell who listens."""

    def memory(self) -> Memory:
        """What it takes to stand here again."""

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken."""


class Page(widgets.VBox):
    """Base of a page: a subclass names its inputs, makes its results and draws them after every change.

    query: of the page's address, with a scenario in it or not; the server's where it is not given. A page that was
        made before its visitor came hears the address from the browser.
    language: of every word; the address' where it is not given.
    """

    NAME = ""
    INPUTS: tuple[str, ...] | None = None
    """Names of the inputs in the form; None for all."""
    STATE: type[State] = State
    PARAMETERS: tuple[str, ...] = ()
    """Parameters of the address that are this page's beside the scenario's."""
    IN_PYTHON = "answer"
    """What a cell of Python shows to say the same as the page; "" for a page that answers nothing."""

    def __init__(self, query: str | None = None, language: str | None = None) -> None:
        text = query if query is not None else os.environ.get("QUERY_STRING", "")
        self.language = language or asked_language(text) or LANGUAGES[0]
        self.messages = Messages()
        self._later: asyncio.TimerHandle | None = None
        self.history = History()
        self.state = self.STATE(text, self.language)
        self.state.listen(self.guard(self._change))
        self.prepare(text)
        self.head = Head(self.language)
        self.address = Address(
            current=f"{self.NAME}.ipynb",
            read=text,
            own=["v", *(spec.short for spec in inputs().values()), *self.PARAMETERS],
        )
        self.address.listen(here=self.guard(self.reopen))
        self.tools = Tools()
        self.tools.listen(
            back=self.guard(functools.partial(self._step, False)),
            forward=self.guard(functools.partial(self._step, True)),
            language=self.guard(self.speak),
        )
        self.bar = widgets.Box([self.address, self.tools])
        self.bar.add_class("sizing-head")
        super().__init__([self.head, self.bar])
        self.add_class("sizing-page-root")
        self._build()
        self._say_dropped()

    @property
    def scenario(self) -> Scenario:
        """The scenario on the page."""
        return self.state.scenario

    def guard(self, callback: Callable[P, R]) -> Callable[P, R | None]:
        """The callback, with its faults said in the page's message area."""
        return guarded(callback, self.messages, language=lambda: self.language)

    # What a page makes of its own

    def prepare(self, query: str) -> None:
        """Make the states that a page has beside the scenario's, and listen to them; none on most pages."""

    def remembered(self) -> Sequence[Remembered]:
        """Every state of the page; the scenario's first."""
        return (self.state,)

    def restart(self, query: str) -> None:
        """Start the states of ``prepare`` again from a link."""

    def query(self) -> str:
        """The page's link; a model of one's own whose config is too long for one stays out of it."""
        query = self.scenario.to_query()
        if len(query) <= LONGEST_QUERY:
            return query
        return self.scenario.replace(checkpoint=self.scenario.default_of("checkpoint")).to_query()

    def python(self) -> str:
        """The cell that makes the page's answer; "" where it has none."""
        if not self.IN_PYTHON:
            return ""
        brought = {"checkpoint": self.state.brought} if self.state.brought else {}
        return python_cell.of_scenario(self.scenario.replace(**brought), self.IN_PYTHON)

    def above_form(self) -> Sequence[widgets.Widget]:
        """What stands above the inputs; nothing on most pages."""
        return ()

    def results(self) -> Sequence[widgets.Widget]:
        """The parts right of the inputs; every page makes its own. Made again when the language changes."""
        raise TypeError(f"{type(self).__name__} makes no results")

    def draw(self) -> None:
        """Fill the parts for the state as it is now; every page fills its own."""
        raise TypeError(f"{type(self).__name__} draws nothing")

    # What happens to it

    def reopen(self, query: str) -> None:
        """Show another link, without the page being made again."""
        self.address.read = query
        self.state.open(query)
        self.restart(query)
        self.history = History()
        language = asked_language(query) or self.language
        if language == self.language:
            self._change()
        else:
            self.speak(language)
        self._say_dropped()

    def speak(self, language: str) -> None:
        """Every word in another language, every number its way. What was typed stays."""
        if language not in LANGUAGES:
            raise SizingError("unknown_language", input="language", value=language[:20], known=", ".join(LANGUAGES))
        self.language = language
        for each in self.remembered():
            each.language = language
        self.messages.clear_all()
        old: Sequence[widgets.Widget] = self.body_parts
        self._build()
        _close(old)

    def _build(self) -> None:
        fields, values = controls.fields(self.state, self.INPUTS), controls.values(self.state, self.INPUTS)
        self.form = Form(fields, values, form_words(self.language))
        # "All" is all that stands on this page: what another page set stays as it is.
        reset = functools.partial(self.state.reset, among=self.INPUTS)
        self.form.listen(edit=self.guard(self._edit), reset=self.guard(reset))
        self.head.speak(self.language, say(f"ui.page.{self.NAME}", self.language) if self.NAME in PAGES else "")
        self.address.speak(self.language, [(f"{name}.ipynb", say(f"ui.page.{name}", self.language)) for name in PAGES])
        self.own_card = OwnCard(self.state) if self.INPUTS is None or "card" in self.INPUTS else None
        if self.own_card:
            self.own_card.listen(edit=self.guard(self.own_card.edit))
        self.cell = Snippet(self.language) if self.IN_PYTHON else None
        self.tools.speak(self.language)
        self.body_parts = tuple(self.body())
        for part in _all_in(self.body_parts):
            if isinstance(part, Live):
                part.listen(open=self.guard(part.unfold), cure=self.guard(self._cure))
        self.guard(self._change)()  # a fault in one part is said, and leaves the rest of the page
        self.children = (self.head, self.bar, *self.body_parts)

    def body(self) -> Sequence[widgets.Widget]:
        """Everything below the head."""
        left = widgets.VBox([*self.above_form(), self.form, *([self.own_card] if self.own_card else [])])
        left.add_class("sizing-inputs")
        last = [*([self.cell] if self.cell else []), Glossary(self.language)]
        results = widgets.VBox([self.messages, *self.results(), *last])
        results.add_class("sizing-results")
        body = widgets.Box([left, results])
        body.add_class("sizing-page")
        return (body,)

    def _say_dropped(self) -> None:
        for number, error in enumerate([error for state in self.remembered() for error in state.dropped]):
            # What is wrong with the link as a whole says itself what follows; a part of it gave way to the default.
            fix = error.fix(self.language) if error.input == links.LINK else say("ui.dropped", self.language)
            self.messages.say(error.what(self.language), fix, slot=f"{_LINK} {number}")

    def _edit(self, changes: Mapping[str, str]) -> None:
        self.messages.clear_all(starting=_LINK)  # read by now, and no longer about what is shown
        self.state.edit(changes)

    def _cure(self, name: str) -> None:
        """Change what cures the limit of this name in the strip of the answer."""
        for limit in strip(self.state.answer):
            if limit.name == name and limit.changes:
                self.messages.clear_all(starting=_LINK)
                self.state.change(limit.changes)

    def _change(self) -> None:
        self.form.fields = controls.fields(self.state, self.INPUTS)
        self.form.values = controls.values(self.state, self.INPUTS)
        if self.own_card:
            self.own_card.show()
        self.draw()
        if self.cell:
            self.cell.show(say("ui.python", self.language), self.python())
        if any(state.waiting for state in self.remembered()):
            self.soon(self._settle)
        self.address.query = self.query()
        self.history.note(self._moment())
        self.tools.show(self._named(self.history.behind()), self._named(self.history.ahead()))

    def _settle(self) -> None:
        for state in self.remembered():
            if state.waiting:
                state.settle()

    def soon(self, act: Callable[[], object]) -> bool:
        """Act when the page has been still for a moment (True); at once where no loop runs, as in a script (False)."""
        if self._later is not None:
            self._later.cancel()
        act = self.guard(act)
        try:
            self._later = asyncio.get_running_loop().call_later(LATER_S, act)
        except RuntimeError:
            act()
            return False
        return True

    # Back and forward

    def _moment(self) -> Moment:
        return tuple(state.memory() for state in self.remembered())

    def _step(self, forward: bool) -> None:
        moment = self.history.forward() if forward else self.history.back()
        for state, memory in zip(self.remembered(), moment or (), strict=False):
            state.restore(memory)
        if moment:
            self._change()

    def _named(self, names: frozenset[str] | None) -> str | None:
        """What a move changed, in words; None for no move."""
        if names is None:
            return None
        labels = [spec.label(self.language) for name, spec in every_input().items() if name in names]
        if len(labels) == 1:
            return labels[0]
        return say("ui.tools.several" if labels else "ui.tools.list", self.language, count=len(labels))


def asked_language(query: str) -> str | None:
    """The language that a link asks for, None where it asks for none that there is."""
    asked = dict(links.pairs(query)).get(LANGUAGE_PARAMETER, "")
    return asked if asked in LANGUAGES else None


def section(name: str, language: str, *, polite: bool = False) -> Live:
    """An empty region of a page, named for screen readers by ``ui.region.<name>``."""
    return Live(name, label=say(f"ui.region.{name}", language), polite=polite)


def grid(parts: Sequence[widgets.Widget | FigureBox]) -> widgets.Box:
    """Parts two beside each other where the page is wide enough."""
    box = widgets.Box(list(parts))
    box.add_class("sizing-charts")
    return box


def stack(parts: Sequence[widgets.Widget]) -> widgets.VBox:
    """Parts that belong together, one under the other."""
    box = widgets.VBox(list(parts))
    box.add_class("sizing-part")
    return box


def _all_in(parts: Iterable[widgets.Widget]) -> Iterator[widgets.Widget]:
    for part in parts:
        yield part
        yield from _all_in(getattr(part, "children", ()))


def _close(parts: Sequence[widgets.Widget]) -> None:
    """Give back parts and all in them, except the messages, which stay with the page."""
    for part in list(_all_in(parts)):
        if not isinstance(part, Messages):
            part.close()
