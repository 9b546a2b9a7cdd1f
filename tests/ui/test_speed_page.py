"""The speed page as widgets, without a browser."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import sizing
from sizing.sheet.figures import theme
from sizing.sheet.figures.speed_charts import speed_cap, speed_each, speed_ends, speed_first, speed_total
from sizing.speed import speed
from sizing.ui.pages.speed import SpeedPage
from tests.speed.conftest import needs_kernels, without_the_library

CHARTS = (speed_each, speed_total, speed_ends, speed_first, speed_cap)
SCENARIOS: list[dict[str, Any]] = [
    {},
    {"checkpoint": "openai/gpt-oss-120b", "context_tokens": 32768, "kv_dtype": "bf16", "power_cap_w": 430},
    {"checkpoint": "BAAI/bge-m3", "cards": 1, "kv_dtype": "auto"},
    {"checkpoint": "zai-org/GLM-5.3-FP8", "cards": 1},
    {"card": "mi300x", "cards": 2, "power_cap_w": 750},
    {"checkpoint": "deepseek-ai/DeepSeek-V4-Flash-0731", "kv_dtype": "auto", "waiting_clients": 0},
    {"context_tokens": 256, "floor_tokens_s": 400},
]


def said(part: Any) -> str:
    """The words of a part of the page."""
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", part.html))


@pytest.fixture(scope="module")
def page() -> SpeedPage:
    return SpeedPage("")


@needs_kernels
def test_the_answer_names_count_floor_and_layout(page: SpeedPage) -> None:
    page.form.hear("reset", None)
    best = sizing.answer(sizing.Scenario()).speed.best
    assert best is not None
    assert f"{best.holds} conversations of 8,192 tokens may be promised" in said(page.answer)
    assert f"the cache holds {best.last.conversations}" in said(page.answer)
    assert "measured operations, vLLM 0.24.0" in said(page.answer)


def test_every_part_has_content_and_every_chart_words(page: SpeedPage) -> None:
    page.form.hear("reset", None)
    assert not page.messages.sentences
    for part in (page.answer, page.notes, page.table, page.ranges, page.advice, page.facts):
        assert len(part.html) > 100
    for figure in page.figures.values():
        assert figure.chart.seq >= 1
        assert len(figure.chart.alt) > 40
        assert figure.below.html


def test_the_conflict_of_the_bandwidth_is_visible(page: SpeedPage) -> None:
    for part in (page.notes, page.facts):
        assert "1,597" in part.html
        assert "1,792" in part.html


def test_the_layouts_table_shows_each_layout_that_fits(page: SpeedPage) -> None:
    page.form.hear("reset", None)
    assert page.table.html.count("<tr") == 1 + 6
    assert "sizing-chosen" in page.table.html


def test_advice_names_releases_and_flags_with_dates(page: SpeedPage) -> None:
    for word in ("VLLM_ALLREDUCE_USE_FLASHINFER_PCIE_IPC=1", "from 0.30.0", "2026-09-22", "--pipeline-parallel-size"):
        assert word in page.advice.html


def test_a_cap_is_a_range_with_sources_and_a_warning(page: SpeedPage) -> None:
    page.form.hear("edit", {"power_cap_w": "450"})
    assert "89–98 %" in page.figures["speed_cap"].chart.alt
    assert "MLPerf Inference v6.0" in page.figures["speed_cap"].below.html
    assert "The speeds and the promise count what two of them kept" in said(page.notes)
    page.form.hear("reset", None)


def test_prompt_and_answer_beyond_the_context_are_said(page: SpeedPage) -> None:
    page.form.hear("edit", {"context_tokens": "1000"})
    assert "longer than the context length of 1,000 tokens" in said(page.notes)
    page.form.hear("reset", None)


@needs_kernels
def test_one_user_is_a_range_with_its_causes(page: SpeedPage) -> None:
    page.form.hear("reset", None)
    words = said(page.ranges)
    assert "by two usual causes" in words
    for engine in ("vLLM", "SGLang", "TensorRT-LLM"):
        assert engine in words
    assert re.search(r"gained 1\.14 to 1\.64 times", words)


def test_a_move_sends_little(page: SpeedPage) -> None:
    page.form.hear("reset", None)
    before = {name: json.dumps(figure.chart.figure) for name, figure in page.figures.items()}
    page.form.hear("edit", {"context_tokens": "16384"})
    sent = 0
    for name, figure in page.figures.items():
        now = json.dumps(figure.chart.figure)
        sent += len(now) if now != before[name] else 0
    assert 0 < sent < 25_000
    page.form.hear("reset", None)


@pytest.mark.parametrize("inputs", SCENARIOS, ids=str)
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_chart_of_every_kind_of_result(chart: Any, inputs: dict[str, Any]) -> None:
    found = speed(sizing.size(sizing.Scenario(**inputs)))
    figure = chart.build(found, "en")
    assert figure["layout"]["showlegend"] is False
    json.dumps(figure, allow_nan=False)
    assert len(chart.alt(found, "en")) > 20
    colours = {token for token in vars(theme).values() if isinstance(token, str) and token.startswith("var(")}
    for trace in figure["data"]:
        for part in ("marker", "line"):
            colour = trace.get(part, {}).get("color", theme.ACCENT)
            assert set([colour] if isinstance(colour, str) else colour) <= colours


def test_the_lines_are_the_curves() -> None:
    found = speed(sizing.size(sizing.Scenario()))
    drawn = {tuple(trace["x"]): trace["y"] for trace in speed_each.build(found, "en")["data"]}
    for curve in found.curves:
        x = tuple(point.conversations for point in curve.points)
        assert x in drawn
    bars = speed_ends.build(found, "en")["data"]
    assert bars[0]["x"] == [curve.last.conversations for curve in found.curves]
    assert bars[1]["x"] == [curve.holds for curve in found.curves]


def test_cap_ranges_are_never_joined_to_a_curve() -> None:
    figure = speed_cap.build(speed(sizing.size(sizing.Scenario())), "en")
    for trace in figure["data"]:
        assert len(trace["x"]) == 2
        assert trace["y"][0] == trace["y"][1]


def test_the_page_works_and_says_so_without_the_extra(without_the_library: None) -> None:
    page = SpeedPage("")
    assert not page.messages.sentences
    assert "aiconfigurator-core 0.12.0 is not installed here" in said(page.answer)
    assert "even the physical limit of speed ends there" in said(page.answer)
    assert "physical limit only" in said(page.table)
    assert {figure.chart.seq for figure in page.figures.values()} == {1}


def test_what_does_not_fit_is_said() -> None:
    page = SpeedPage("v=1&model=zai-org/GLM-5.3-FP8&n=1")
    assert "It does not fit." in said(page.answer)
    assert not page.messages.sentences


_ = without_the_library  # the fixture, by name
