"""A chart with its heading above and its working below."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import ipywidgets as widgets

from sizing.base.markup import Markup, tag
from sizing.base.texts import say
from sizing.sheet.figures.marks import Plot
from sizing.ui.widgets.regions import Chart, Live

Working = Callable[[Any, str], Markup]


class Figure(widgets.VBox):
    """A chart on a page.

    working: gives the section behind the chart's figures, or None where there is none.
    height: where the chart has none of its own. [CSS pixels]
    """

    def __init__(self, plot: Plot, language: str, *, height: int = 240, working: Working | None = None) -> None:
        self.plot, self.language, self._working = plot, language, working
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
        if plot.height:
            self.chart.height = plot.height(result)
        self.chart.show(plot.build(result, self.language, **more), alt=plot.alt(result, self.language, **more))
        if self._working:
            self.below.show(self._working(result, self.language))


def figures(
    plots: Iterable[tuple[Plot, int]], language: str, working: Callable[[str, Any, str], Markup] | None = None
) -> dict[str, Figure]:
    """Charts of a page by their names, each with its height. working: by the name of the chart."""
    return {
        plot.name: Figure(
            plot, language, height=height, working=functools.partial(working, plot.name) if working else None
        )
        for plot, height in plots
    }
