"""One plotly.js a page, thin charts over plain figures.

plotly's own FigureWidget sends its five megabytes once for each chart; these send it once a page, packed, and
only where the page has not loaded it already. A figure is a plain dict, ``{"data": [...], "layout": {...}}``, so
that a kernel needs no plotly to build one: only the script that the plotly package carries is used, by the browser.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

Figure = Mapping[str, Any]


def plotly_js() -> Path:
    """plotly.min.js of the installed plotly package, found without importing it."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed", name="plotly")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@functools.cache
def packed_plotly_js() -> bytes:
    """plotly.min.js, gzipped: 4.8 MB become 1.5."""
    return gzip.compress(plotly_js().read_bytes(), compresslevel=6, mtime=0)


class Chart(anywidget.AnyWidget):
    """A chart that redraws in place.

    Colours are named as CSS variables (``theme.ACCENT``) and resolved by the browser when it draws, so a change of
    theme needs no word with the kernel. Only the newest figure is drawn when several come at once. In the page the
    element carries ``data-chart`` (the name) and ``data-drawn`` (the number of the figure on the screen).

    name: unique on the page.
    figure: what to draw first.
    alt: the same in a sentence, for who cannot see it.
    height: [CSS pixels]; fixed, so that nothing jumps.
    """

    _esm = Path(__file__).parent / "static" / "chart.js"

    name = traitlets.Unicode().tag(sync=True)
    figure_data: Any = traitlets.List().tag(sync=True)
    figure_layout: Any = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(260).tag(sync=True)
    seq = traitlets.Int(0).tag(sync=True)

    def __init__(self, name: str, figure: Figure | None = None, *, alt: str = "", height: int = 260) -> None:
        super().__init__(name=name, height=height, alt=alt)
        self.on_msg(self._answer)
        if figure is not None:
            self.show(figure, alt=alt)

    @property
    def figure(self) -> dict[str, Any]:
        """What was shown last."""
        return {"data": self.figure_data, "layout": self.figure_layout}

    def show(self, figure: Figure, *, alt: str | None = None) -> None:
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

    def _answer(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        if content.get("kind") == "plotly":
            self.send({"kind": "plotly"}, buffers=[packed_plotly_js()])
