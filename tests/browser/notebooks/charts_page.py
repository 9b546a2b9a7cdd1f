"""A small page for the tests of the charts, messages and head: everything that a real page does, on known data."""

from __future__ import annotations

import time
from typing import Any

import ipywidgets as widgets

from sizing.base.errors import SizingError
from sizing.sheet.figures import theme
from sizing.ui.errors import guarded
from sizing.ui.widgets.frame import Head, Messages
from sizing.ui.widgets.regions import Chart

NUM_CHARTS = 5


def figure(factor: int, value: int) -> dict[str, Any]:
    """Bars of factor x value, and a line at half of it."""
    names = ["one copy", "two pairs", "four copies"]
    heights = [factor * value, factor * value + 1, factor * value + 2]
    return {
        "data": [
            {"type": "bar", "x": names, "y": heights, "marker": {"color": [theme.GREY, theme.GREY, theme.ACCENT]}},
            {"type": "scatter", "x": names, "y": [factor * value / 2] * 3, "line": {"color": theme.LIMIT}},
        ],
        "layout": theme.layout(theme.axis("layout"), theme.axis("conversations")),
    }


def page() -> widgets.VBox:
    """Five charts that follow a slider, one in a tab that is closed at first, and buttons that break things."""
    slider = widgets.IntSlider(value=40, min=0, max=1000, description="value")
    charts = [Chart(f"chart-{k}", figure(k, 40), alt=f"Chart {k} at 40") for k in range(1, NUM_CHARTS + 1)]
    hidden = Chart("hidden", figure(1, 40), alt="hidden at first")
    lone = Chart("lone", figure(1, 1), alt="alone")
    messages = Messages()

    def move(change: dict[str, Any]) -> None:
        for k, chart in enumerate(charts, start=1):
            chart.show(figure(k, change["new"]), alt=f"Chart {k} at {change['new']}")
        hidden.show(figure(1, change["new"]))

    def refuse(change: dict[str, Any]) -> None:
        if change["new"] == 13:
            raise SizingError("not_whole", label="Value", value="13", example="14")

    def storm(_button: widgets.Button) -> None:
        for value in range(60):
            lone.show(figure(1, value))
            time.sleep(0.005)

    def break_chart(_button: widgets.Button) -> None:
        lone.show({"data": [None], "layout": {}})

    def heal_chart(_button: widgets.Button) -> None:
        lone.show(figure(1, 7))

    def fault(_button: widgets.Button) -> None:
        raise ZeroDivisionError("<b>secret</b>")

    slider.observe(guarded(move, messages), "value")
    slider.observe(guarded(refuse, messages), "value")
    buttons = []
    for callback in (storm, break_chart, heal_chart, fault):
        button = widgets.Button(description=callback.__name__)
        button.on_click(guarded(callback, messages))
        buttons.append(button)
    tabs = widgets.Tab([widgets.Label("empty"), hidden], titles=["first", "second"])
    figures = widgets.Box([*charts, lone])
    figures.add_class("sizing-charts")
    inputs = widgets.VBox([slider, *buttons])
    inputs.add_class("sizing-inputs")
    results = widgets.VBox([messages, figures, tabs])
    results.add_class("sizing-results")
    columns = widgets.Box([inputs, results])
    columns.add_class("sizing-page")
    root = widgets.VBox([Head(), columns])
    root.add_class("sizing-page-root")
    return root
