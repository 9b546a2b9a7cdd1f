"""The evidence page as widgets, without a browser."""

from __future__ import annotations

import json
import re
from statistics import median
from typing import Any

import pytest

from sizing.catalogue.loader import default
from sizing.catalogue.parts import ResultFilters
from sizing.models import evidence as room
from sizing.speed.accuracy import KINDS, accuracy, summary
from sizing.ui.charts.evidence_charts import error_classes, evidence_logs, evidence_results, evidence_speed
from sizing.ui.pages.evidence import EvidencePage
from tests.speed.conftest import without_the_library


def said(part: Any) -> str:
    """The words of a part of the page."""
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", part.html))


@pytest.fixture(scope="module")
def page() -> EvidencePage:
    return EvidencePage("")


def test_it_opens_with_mlperf_and_its_notice(page: EvidencePage) -> None:
    page.form.hear("reset", None)
    assert not page.messages.sentences
    # 80 results of llama2-70b-99 and 16 of llama2-70b-99.9
    assert "96 of 500 published results" in said(page.answer)
    assert "registered and unregistered trademarks of MLCommons Association" in said(page.answer)
    assert "not an MLPerf metric" in said(page.answer)
    assert "our own division" in said(page.answer)


def test_filters_leave_what_they_name(page: EvidencePage) -> None:
    page.form.hear("edit", {"result_card": "rtx-pro-6000-server", "result_scenario": "interactive"})
    # the two ASUS boxes: 6,238.12 and 6,262.63 tokens/s over eight cards
    assert "2 of 500 published results" in said(page.answer)
    assert "780–783 (2)" in page.plot.chart.alt
    page.form.hear("edit", {"result_suite": "helix", "result_model": "all", "result_scenario": "all"})
    assert "603" in said(page.table)
    assert "MLCommons" not in said(page.answer)
    page.form.hear("edit", {"result_suite": "helix", "result_model": "gpt-oss-120b"})
    assert "No published result has all of these" in said(page.answer)
    page.form.hear("reset", None)


def test_all_500_can_be_shown(page: EvidencePage) -> None:
    page.form.hear("edit", {"result_suite": "all", "result_model": "all"})
    assert page.table.html.count("<tr") == 501
    # nine are rates of one user, for each watt, or of arithmetic, and are not on the chart of tokens a second
    assert sum(len(trace["x"]) for trace in page.plot.chart.figure_data) == 500 - 8
    page.form.hear("reset", None)


def test_the_link_holds_the_filters(page: EvidencePage) -> None:
    page.form.hear("edit", {"result_suite": "rtx6kpro", "result_model": "all"})
    wanted = ResultFilters(result_suite="rtx6kpro", result_model="all")
    assert ResultFilters.read_link(page.address.query) == (wanted, [])
    page.form.hear("reset", None)


def test_errors_of_the_speed_estimates_are_shown_not_hidden(page: EvidencePage) -> None:
    words = said(page.speed)
    for assumed in (False, True):
        numbers = summary(accuracy().part(assumed=assumed))
        assert numbers is not None
        middle, low, high, worst = numbers
        for number in (middle, low, high, worst):
            assert f"{number:.2f}" in words
    assert page.speed.html.count("<tr") == len(accuracy().compared) + 1
    for count in accuracy().unanswered.values():
        assert f"{count}: " in words


def test_the_cache_figures_stand_against_real_logs(page: EvidencePage) -> None:
    words = said(page.logs)
    assert f"of {len(room.startup_logs())} logs within 1 %" in words
    assert page.logs.html.count("<tr") == len(room.startup_logs()) + 1
    for log in room.startup_logs():
        assert abs(log.error) <= 0.01 or log.reason


def test_every_source_is_listed_with_its_date(page: EvidencePage) -> None:
    assert page.sources.html.count("<tr") == len(default().sources) + 1
    for key in default().sources:
        assert default().source(key).read_on in page.sources.html


def test_each_kind_says_how_near_it_comes_and_caps_are_counted_apart(page: EvidencePage) -> None:
    words = said(page.speed)
    for kind in KINDS:
        part = accuracy().of_kind(kind)
        near = sum(abs(each.estimate - each.result.value) <= each.result.value / 4 for each in part)
        assert f"{len(part)} results, median {median(each.ratio for each in part):.2f}, {near} within 25 %" in words
    assert f"of {len(accuracy().caps)} capped runs" in words


def test_without_the_extra_the_page_works_and_says_so(without_the_library: None) -> None:
    page = EvidencePage("")
    assert not page.messages.sentences
    assert "aiconfigurator-core 0.12.0" in said(page.speed)
    assert page.speed.html.count("<tr") == len(accuracy().compared) + 1
    assert "96 of 500" in said(page.answer)


@pytest.mark.parametrize("suite", ["all", "mlperf", "storagereview", "helix", "wattage"])
def test_the_chart_of_every_publisher(suite: str) -> None:
    found = room.evidence(ResultFilters(result_suite=suite, result_model="all"))
    figure = evidence_results.build(found, "en")
    json.dumps(figure, allow_nan=False)
    assert figure["layout"]["showlegend"] is False
    assert len(evidence_results.alt(found, "en")) > 20
    assert evidence_results.height(found) >= 160
    for trace in figure["data"]:
        assert "lines" not in trace["mode"]


def test_every_log_is_in_one_class_of_error() -> None:
    logs = room.startup_logs()
    assert sum(count for _, count in error_classes(logs, "en")) == len(logs)
    assert len(evidence_logs.alt(logs, "en")) > 40


def test_one_to_one_is_a_line_and_each_result_a_dot() -> None:
    figure = evidence_speed.build(accuracy(), "en")
    assert sum(len(trace["x"]) for trace in figure["data"]) == len(accuracy().compared)
    assert figure["layout"]["shapes"][0]["y0"] == 1


_ = without_the_library  # the fixture, by name
