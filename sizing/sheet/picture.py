"""Charts in a notebook: those of the pages for a result, and three for a table of `sizing.sweep`.

A chart shows itself as plotly's figure where that can be drawn, and as SVG everywhere else, so that a stored notebook
shows it, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sizing.answers.answer import Answer
from sizing.answers.size import Sizing
from sizing.base.errors import SizingError
from sizing.base.texts import say
from sizing.sheet.drawing import svg
from sizing.sheet.figures import frame_charts, model_charts, sizing_charts, speed_charts
from sizing.sheet.figures.marks import Plot
from sizing.sheet.figures.theme import GROUND, paper
from sizing.sheet.plotting import plotted
from sizing.speed import Speed

if TYPE_CHECKING:
    import pandas as pd

PLOTLY = "application/vnd.plotly.v1+json"
WIDTH_MM, MM_PER_PIXEL = 140.0, 0.2
HEIGHT = 260
"""Of a chart that has no height of its own. [CSS pixels]"""

_VARIABLE = re.compile(r"var\(--sizing-[\w-]+\)")

OF_SIZING: dict[str, Plot] = {
    plot.name: plot
    for plot in (
        sizing_charts.layouts,
        sizing_charts.context,
        sizing_charts.memory,
        sizing_charts.power,
        sizing_charts.air,
        model_charts.model_map,
        model_charts.model_cache,
    )
}
OF_SPEED: dict[str, Plot] = {
    plot.name: plot
    for plot in (speed_charts.speed_each, speed_charts.speed_total, speed_charts.speed_ends, speed_charts.speed_first)
}
OF_FRAME: dict[str, Callable[..., dict[str, Any]]] = {
    "heatmap": frame_charts.heatmap,
    "lines": frame_charts.lines,
    "bars": frame_charts.bars,
}


class Picture:
    """A chart. title: its heading.   alt: the same in words.   data: as plotly's JSON.

    ``plotly.graph_objects.Figure(picture.data)`` is plotly's own, to change and to show elsewhere.
    """

    def __init__(self, made: dict[str, Any], title: str, alt: str, language: str, height: int) -> None:
        self._made, self.title, self.alt, self._language, self._height = made, title, alt, language, height

    @property
    def data(self) -> dict[str, Any]:
        """The figure as plotly's JSON, colours as on paper."""
        layout = self._made["layout"] | {"height": self._height, "paper_bgcolor": GROUND, "plot_bgcolor": GROUND}
        named: dict[str, Any] = _coloured({"data": self._made["data"], "layout": layout})
        return named

    @property
    def svg(self) -> str:
        """As SVG, which opens everywhere."""
        high = self._height * MM_PER_PIXEL
        drawn = plotted(self._made, self.title, self.alt, self._language, width=WIDTH_MM, height=high)
        style = f'style="background: {paper(GROUND)}; max-width: 900px; font-family: Roboto, Arial, sans-serif"'
        return svg(drawn).replace("<svg ", f"<svg {style} ", 1)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {PLOTLY: self.data, "image/svg+xml": self.svg, "text/plain": f"{self.title}. {self.alt}"}

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"


def plot(
    shown: Sizing | Answer | Speed | pd.DataFrame, name: str = "", language: str = "en", **columns: Any
) -> Picture:
    """A chart of a result or of a table.

    shown: a sizing, an answer, a speed, or a table of `sizing.sweep`.
    name: of a sizing and an answer "layouts", "context", "memory", "power", "air", "model_map", "model_cache"; of an
        answer and a speed "speed_each", "speed_total", "speed_ends", "speed_first"; of a table "heatmap", "lines",
        "bars". The first where none is said.
    columns: of a table, see `sizing.sheet.figures.frame_charts`.   SizingError for a name that there is not.
    """
    if isinstance(shown, Sizing | Answer | Speed):
        found = _charts(shown)
        name = name or next(iter(found))
        if name not in found:
            raise _unknown(name, list(found))
        chart, of = found[name]
        height = chart.height(of) if chart.height else HEIGHT
        title = say(f"ui.chart.{name}", language)
        return Picture(chart.build(of, language), title, chart.alt(of, language), language, height)
    if not hasattr(shown, "columns"):
        raise SizingError("plot_nothing", input="shown", value=type(shown).__name__)
    name = name or "heatmap"
    if name not in OF_FRAME:
        raise _unknown(name, list(OF_FRAME))
    made = OF_FRAME[name](shown, language=language, **columns)
    return Picture(made, made["title"], made["alt"], language, made["height"])


def _charts(shown: Sizing | Answer | Speed) -> dict[str, tuple[Plot, Any]]:
    """The charts of a result by name, each with what it is drawn of."""
    sized = shown.sizing if isinstance(shown, Answer) else shown if isinstance(shown, Sizing) else None
    speed = shown.speed if isinstance(shown, Answer) else shown if isinstance(shown, Speed) else None
    found: dict[str, tuple[Plot, Any]] = {}
    if sized is not None:
        found |= {name: (each, sized) for name, each in OF_SIZING.items()}
    if speed is not None:
        found |= {name: (each, speed) for name, each in OF_SPEED.items()}
    return found


def _unknown(name: str, known: list[str]) -> SizingError:
    return SizingError("not_a_choice", input="name", label="name", value=str(name)[:60], known=", ".join(known))


def _coloured(value: Any) -> Any:
    """A figure whose colours are those of paper, since no page names them here."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: paper(found[0]), value)
    if isinstance(value, dict):
        return {key: _coloured(each) for key, each in value.items()}
    return [_coloured(each) for each in value] if isinstance(value, list | tuple) else value
