"""The sizing page as widgets, without a browser."""

from __future__ import annotations

import json
import re

import pytest

from sizing.base import markup as html
from sizing.ui.pages.sizing import SizingPage


@pytest.fixture
def page() -> SizingPage:
    return SizingPage("")


def test_the_first_answer_is_the_german_documents_headline(page: SizingPage) -> None:
    assert "32 conversations of 8,192 tokens may be promised" in page.answer.html
    assert "With a 16-bit cache memory holds 105." in page.answer.html
    assert "3.40 kW, more than the 2.94 kW planned" in page.answer.html


def test_every_part_has_content_and_every_chart_a_text(page: SizingPage) -> None:
    for part in (page.answer, page.notes, page.table, page.facts):
        assert len(part.html) > 100
    for figure in page.figures.values():
        assert figure.chart.seq == 1
        assert figure.chart.alt
        assert "Show the working" in figure.below.html


def test_the_conflict_of_the_bandwidth_is_shown_with_the_card(page: SizingPage) -> None:
    assert "1,597" in page.facts.html
    assert "1,792" in page.facts.html


def test_the_documents_lost_tables_are_on_the_page(page: SizingPage) -> None:
    results = page.children[-1].children[-1].children
    documents = next(part for part in results if getattr(part, "name", "") == "documents")
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", documents.html)
    # By hand, see tests/documents/test_tables.py
    assert cells[:9] == ["76", "186", "240", "56", "106", "130", "12", "38", "52"]
    assert cells[9:] == ["24", "78", "105", "48", "156", "211", "68", "100", "116", "136", "202", "233"]


def test_an_edit_redraws_every_chart_within_the_budget(page: SizingPage) -> None:
    before = {name: figure.chart.seq for name, figure in page.figures.items()}
    page.form.hear("edit", {"cards": "2"})
    sent = 0
    for name, figure in page.figures.items():
        assert figure.chart.seq == before[name] + 1
        sent += len(json.dumps(figure.chart.figure)) + len(figure.chart.alt)
    assert sent < 25_000


def test_bad_input_stands_beside_its_field_and_the_results_stay(page: SizingPage) -> None:
    page.form.hear("edit", {"cards": "four"})
    field = page.form.values["cards"]
    assert field["text"] == "four"
    assert "must be a number" in field["error"]
    assert "32 conversations" in page.answer.html
    assert "last usable inputs" in page.answer.html


def test_changed_inputs_are_marked_with_their_default(page: SizingPage) -> None:
    page.form.hear("edit", {"rest_share": "0.2", "card": "h200-nvl"})
    assert "default 0.15" in page.form.values["rest_share"]["changed"]
    assert "RTX PRO 6000 Blackwell Server Edition" in page.form.values["card"]["changed"]
    assert page.form.values["cards"]["changed"] == ""


def test_the_address_follows_the_scenario(page: SizingPage) -> None:
    page.form.hear("edit", {"cards": "8"})
    assert page.address.query == "v=1&n=8"
    assert SizingPage("v=1&n=8").scenario == page.scenario


def test_a_damaged_link_is_said_in_the_message_area() -> None:
    said = SizingPage("n=lots&ctx=4096").messages.sentences
    assert "lots" in said[0][0]


def test_what_a_visitor_types_never_becomes_markup() -> None:
    page = SizingPage("model=<script>alert(1)</script>")
    shown = "".join(part.html for part in (page.answer, page.notes, page.table, page.facts))
    assert "<script" not in shown
    assert html.tag("p", "<b>") == "<p>&lt;b&gt;</p>"


def test_a_message_that_makes_no_sense_is_answered_and_changes_nothing(page: SizingPage) -> None:
    for content in ({}, {"kind": "edit"}, {"kind": "edit", "changes": []}, {"kind": "edit", "changes": {"x": "1"}}):
        page.form._receive(page.form, content, [])
    assert page.scenario.to_query() == "v=1"
    assert page.messages.sentences


def test_axes_stay_still_while_a_slider_moves_a_little() -> None:
    """By hand: of 211 and 208 conversations, and of 3.40 and 3.34 kW, the axis ends at the same round figure."""
    ends = []
    for context, cap_w in ((8192, 600), (8320, 590)):
        page = SizingPage(f"ctx={context}&cap={cap_w}")
        ends.append([page.figures[name].chart.figure["layout"]["xaxis"]["range"] for name in ("layouts", "power")])
    assert ends[0] == ends[1]
    assert [end for _, end in ends[0]] == [pytest.approx(500), pytest.approx(5)]
