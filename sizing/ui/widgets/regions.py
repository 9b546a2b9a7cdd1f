"""What stands in a page's results: charts, written parts with folds, texts to copy, the table of pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from sizing.base.markup import NOTHING, Markup
from sizing.base.texts import say
from sizing.serve.voila import packed_plotly_js
from sizing.ui.widgets.widget import Widget, text, whole

Plain = Mapping[str, Any]
"""A figure of plotly as a plain dict, ``{"data": [...], "layout": {...}}``: a kernel needs no plotly to build one."""


MOST_SCRIPTS = 3
"""How often one chart sends plotly.js: a browser asks once, and again where the answer was lost on the way."""


class Chart(Widget, hears={"plotly": {}}):
    """A chart that redraws in place.

    plotly's own FigureWidget sends its five megabytes once for each chart; these send it once a page, packed, and only
    where the page has not loaded it already. Colours are named as CSS variables (``theme.ACCENT``) and resolved by the
    browser when it draws, so a change of theme needs no word with the kernel. Only the newest figure is drawn when
    several come at once. In the page the element carries ``data-chart`` (the name) and ``data-drawn`` (the number of
    the figure on the screen).

    name: unique on the page.
    figure: what to draw first.
    alt: the same in a sentence, for who cannot see it.
    height: [CSS pixels]; fixed, so that nothing jumps.
    """

    name = traitlets.Unicode().tag(sync=True)
    figure_data: Any = traitlets.List().tag(sync=True)
    figure_layout: Any = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(260).tag(sync=True)
    seq = traitlets.Int(0).tag(sync=True)

    def __init__(self, name: str, figure: Plain | None = None, *, alt: str = "", height: int = 260) -> None:
        super().__init__(name=name, height=height, alt=alt)
        self._scripts_left = MOST_SCRIPTS
        self.listen(plotly=self._send_script)
        if figure is not None:
            self.show(figure, alt=alt)

    def _send_script(self) -> None:
        if self._scripts_left:
            self._scripts_left -= 1
            self.send({"kind": "plotly"}, buffers=[packed_plotly_js()])

    @property
    def figure(self) -> dict[str, Any]:
        """What was shown last."""
        return {"data": self.figure_data, "layout": self.figure_layout}

    def show(self, figure: Plain, *, alt: str | None = None) -> None:
        """Draw a figure in place of the last one: one message with what differs, none if nothing does.

        figure: a plain dict, or anything with plotly's ``to_plotly_json``.
        alt: the new text alternative; the old one stays where it is not given.
        """
        plain = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
        data, layout = list(plain.get("data", ())), dict(plain.get("layout", {}))
        with self.hold_sync():
            if alt is not None:
                self.alt = alt
            if self.seq == 0 or data != self.figure_data or layout != self.figure_layout:
                self.figure_data, self.figure_layout = data, layout
                self.seq += 1


def keys(value: Any) -> frozenset[str]:
    """The keys of folds in a message."""
    if not isinstance(value, list):
        raise TypeError("no list")
    return frozenset(str(key) for key in value[:100])


class Live(Widget, hears={"open": {"keys": keys}, "cure": {"name": text(40)}}):
    """HTML of `sizing.base.markup`, where every value is escaped. It keeps what the visitor opened when it changes.

    Only what can be seen is made and sent: a fold is made when the visitor opens it.

    shown: what the browser has.
    label: what a screen reader calls the region.   polite: its answer (``sizing-answer``) is said aloud on change.
    """

    shown = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    polite = traitlets.Bool(False).tag(sync=True)

    def __init__(self, name: str, html: Markup = NOTHING, *, label: str = "", polite: bool = False) -> None:
        self._opened: frozenset[str] = frozenset()
        super().__init__(name=name, label=label, polite=polite)
        self.listen(open=self.unfold)
        self.show(html)

    def show(self, html: Markup) -> None:
        """Put other content in its place; nothing is sent where what can be seen is the same."""
        self.content = html
        self.shown = html.opened(self._opened.__contains__)

    def unfold(self, keys: frozenset[str]) -> None:
        """The folds that are open now, by their data-keys."""
        self._opened = keys
        self.show(self.content)

    @property
    def html(self) -> str:
        """All of it, every fold opened."""
        return self.content.opened(lambda key: True)


class Snippet(Widget):
    """A text that a visitor takes along, under a title, with a button that copies it; hidden while it is empty."""

    title = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, language: str) -> None:
        super().__init__(words={name: say(f"ui.snippet.{name}", language) for name in ("copy", "copied", "marked")})

    def show(self, title: str, text: str) -> None:
        """Other content."""
        with self.hold_sync():
            self.title, self.text = title, text


MOST_PINS = 3


def links(value: Any) -> list[str]:
    """The links of a message's pins."""
    if not isinstance(value, list):
        raise TypeError("no list")
    return [str(pin)[:8000] for pin in value[:MOST_PINS]]


class PinBoard(
    Widget, hears={"pin": {}, "show": {"number": whole}, "remove": {"number": whole}, "kept": {"pins": links}}
):
    """Scenarios that were pinned, beside the one on the page. The browser's tab keeps them over a reload.

    words: texts by name.   columns: head of each column, the page's own first, then the pins'.

    rows: label, its cells (text and whether it differs from the page's), and whether it opens a part of the table.
    pins: link of each, which the tab keeps.   full: no more can be pinned.
    """

    words: Any = traitlets.Dict().tag(sync=True)
    columns: Any = traitlets.List().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    pins: Any = traitlets.List().tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(words=dict(words))

    def show(self, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], pins: Sequence[str]) -> None:
        """Other content."""
        with self.hold_sync():
            self.columns, self.rows = list(columns), [dict(row) for row in rows]
            self.pins, self.full = list(pins), len(pins) >= MOST_PINS
