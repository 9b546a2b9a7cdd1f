"""Charts: the figure holds the sizing's own numbers, reads without a legend and has a text alternative."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import pytest

import sizing
from sizing.base import texts
from sizing.sheet import figures
from sizing.sheet.figures import theme
from sizing.sheet.figures.marks import Plot
from sizing.sheet.figures.sizing_charts import air, context, layouts, memory, power
from sizing.ui import charts

SIZING_CHARTS = (layouts, context, memory, power, air)
SCENARIOS: list[dict[str, Any]] = [
    {},
    {"checkpoint": "openai/gpt-oss-120b", "cards": 8, "context_tokens": 32768, "circuit": "eu-3ph-32a"},
    {"checkpoint": "BAAI/bge-m3", "cards": 1, "kv_dtype": "auto"},
    {"checkpoint": "zai-org/GLM-5.3-FP8", "cards": 4},
    {"card": "mi300x", "cards": 2, "power_cap_w": 750},
    {"checkpoint": "openai/whisper-large-v3", "cards": 1, "kv_dtype": "bf16", "context_tokens": 448},
]


@pytest.mark.parametrize("inputs", SCENARIOS, ids=str)
@pytest.mark.parametrize("chart", SIZING_CHARTS, ids=lambda chart: chart.name)
def test_every_chart_of_every_kind_of_result(chart: Any, inputs: dict[str, Any]) -> None:
    sized = sizing.size(sizing.Scenario(**inputs))
    figure = chart.build(sized, "en")
    assert figure["layout"]["showlegend"] is False
    # Five charts together stay below the 25 KB that a move may send.
    assert len(json.dumps(figure, allow_nan=False)) < 25_000 / len(SIZING_CHARTS) * 1.4
    assert len(chart.alt(sized, "en")) > 20
    colours = {token for token in vars(theme).values() if isinstance(token, str) and token.startswith("var(")}
    used = {trace["marker"]["color"] for trace in figure["data"] if "color" in trace.get("marker", {})}
    assert used <= colours
    assert len(used) <= 5


def test_the_largest_move_stays_within_25_kb() -> None:
    sized = sizing.size(sizing.Scenario(cards=8, context_tokens=100_000, checkpoint="openai/gpt-oss-120b"))
    sent = sum(len(json.dumps(chart.build(sized, "en"))) + len(chart.alt(sized, "en")) for chart in SIZING_CHARTS)
    assert sent < 25_000


def test_every_chart_is_made_once_with_a_heading_of_its_own() -> None:
    found: dict[str, Plot] = {}
    for package in (charts, figures):
        for each in pkgutil.iter_modules(package.__path__):
            for plot in vars(importlib.import_module(f"{package.__name__}.{each.name}")).values():
                if isinstance(plot, Plot):
                    assert found.setdefault(plot.name, plot) is plot
    assert len(found) >= 26
    for name in found:
        for language in texts.LANGUAGES:
            assert texts.say(f"ui.chart.{name}", language)


def test_layouts_show_both_precisions() -> None:
    sized = sizing.size(sizing.Scenario())
    figure = layouts.build(sized, "en", other=sized.variant(kv_dtype="bf16"))
    # The German document: 211 conversations with an FP8 cache and 105 in 16 bit as one copy over four cards.
    assert [trace["x"][3] for trace in figure["data"]] == [211, 105]
    assert figure["layout"]["annotations"][3]["text"] == "<b>211 FP8</b> · 105 16-bit"


def test_the_context_line_passes_through_the_chosen_point() -> None:
    sized = sizing.size(sizing.Scenario(context_tokens=10_000))
    best, *_, chosen = context.build(sized, "en")["data"]
    assert dict(zip(best["x"], best["y"], strict=True))[10_000] == chosen["y"][0] == sized.best.conversations


def test_a_memory_bar_adds_up_to_the_card() -> None:
    figure = memory.build(sizing.size(sizing.Scenario()), "en")
    for parts in zip(*(trace["x"] for trace in figure["data"]), strict=True):
        assert sum(parts) == pytest.approx(95.6)


def test_power_bars_add_up_to_the_server() -> None:
    figure = power.build(sizing.size(sizing.Scenario()), "en")
    totals = [sum(parts) for parts in zip(*(trace["x"] for trace in figure["data"]), strict=True)]
    # (4 x cap + 2 x 280 W) x 1.15 at 600, 450 and 300 W
    assert totals == pytest.approx([3.404, 2.714, 2.024])
    assert figure["layout"]["shapes"][0]["x0"] == pytest.approx(2.944)


def test_the_air_curve_passes_through_the_chosen_point() -> None:
    sized = sizing.size(sizing.Scenario())
    curve, chosen = air.build(sized, "en")["data"]
    assert dict(zip(curve["x"], curve["y"], strict=True))[11.0] == chosen["y"][0] == sized.cfm
    band = air.build(sized, "en")["layout"]["shapes"][0]
    assert (band["y0"], band["y1"]) == (4 * 43, 4 * 125)
