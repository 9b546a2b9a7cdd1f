"""A chart with its heading above and its working below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from sizing.base.markup import Markup, tag
from sizing.base.texts import say
from sizing.ui.chart import Chart
from sizing.ui.live import Live


class Figure(widgets.VBox):
    """A chart module on a page.

    module: a file of sizing/ui/charts: ``NAME`` (which also names the heading, ``ui.chart.<NAME>``),
        ``build(result, language)`` for the plotly figure as a plain dict, ``alt(result, language)`` for it in words.
    working: gives the section behind the chart's figures, or None where there is none.   height: [CSS pixels]
    """

    def __init__(
        self,
        module: Any,
        language: str,
        *,
        height: int = 240,
        working: Callable[[Any, str], Markup] | None = None,
    ) -> None:
        self.module, self.language, self._working = module, language, working
        self.chart = Chart(module.NAME, height=height)
        self.below = Live(f"working-{module.NAME}")
        title = widgets.HTML(tag("h2", say(f"ui.chart.{module.NAME}", language)))
        title.add_class("sizing-figure-title")
        super().__init__([title, self.chart, self.below])
        self.add_class("sizing-figure")
        self.add_class(f"sizing-figure-{module.NAME}")

    def show(self, result: Any, **more: Any) -> None:
        """Draw the chart of a result, and its working."""
        build, alt = self.module.build, self.module.alt
        self.chart.show(build(result, self.language, **more), alt=alt(result, self.language, **more))
        if self._working:
            self.below.show(self._working(result, self.language))
