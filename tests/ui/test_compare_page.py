"""The page that compares platforms as widgets, without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sizing.answers.answer import answer
from sizing.catalogue.scenario import Scenario
from sizing.demand.side_by_side import Comparison
from sizing.sheet.figures import theme
from sizing.ui.charts.compare_charts import compare_break_even, compare_conversations
from sizing.ui.pages.compare import ComparePage

CHARTS = (compare_conversations, compare_break_even)


@pytest.fixture
def page() -> ComparePage:
    return ComparePage("")


def _ask(page: ComparePage, **message: Any) -> None:
    page.rows._receive(page.rows, message, [])


def _second(page: ComparePage) -> int:
    """What two H200 NVL may be promised for: by a speed that is scaled from another edition's, which may move."""
    found = answer(Scenario(card="h200-nvl", cards=2, power_cap_w=600))
    assert found.conversations
    assert not found.at_most
    return found.conversations


def test_an_upper_bound_is_said_and_wins_nothing() -> None:
    page = ComparePage("v=1&cv=1&rig=rtx-pro-6000-server~4~1~0~16000&rig=mi300x~2~1~0~10000")
    # No speed was measured on an MI300X: what memory holds there is an upper bound.
    bound = answer(Scenario(card="mi300x", cards=2)).conversations
    assert bound
    assert "A may be promised for 32 conversations on 4 × RTX PRO 6000" in page.answer.html
    assert f"(B at most {bound}, speed not measured)" in page.answer.html
    # 4 x 16,000 / 32 = 2,000
    assert f"Price per conversation [USD]: A 2,000; B at least {20_000 / bound:,.0f}." in page.answer.html
    assert f"at most {bound}" in page.table.html
    assert f"✓ {bound}" not in page.table.html


def test_the_first_answer_is_the_documents_comparison(page: ComparePage) -> None:
    assert page.messages.sentences == []
    assert f"B serves the most: {_second(page)} conversations" in page.answer.html
    # Two H200 NVL of 33,500 USD (21 September 2026).
    price = f"{67_000 / _second(page):,.0f} USD for the cards alone."
    assert f"Cheapest per conversation: B, at {price}" in page.answer.html
    assert "384 GB" in page.table.html
    assert "4 pools of 96 GB" in page.table.html
    assert "one pool" in page.table.html


def test_every_part_has_content_and_every_chart_a_text(page: ComparePage) -> None:
    for part in (page.answer, page.table, page.notes, page.quotes):
        assert len(part.html) > 100
    for figure in page.figures.values():
        assert figure.chart.seq == 1
        assert len(figure.chart.alt) > 20
    assert "Show the working" in page.figures["compare_break_even"].below.html


def test_the_winner_of_a_row_is_marked_by_sign_and_word(page: ComparePage) -> None:
    assert "✓ 384 GB" in page.table.html
    assert f"✓ {_second(page)}" in page.table.html
    # The caption explains the sign, and stands once more as the name of the scrolling region.
    assert page.table.html.count("✓") - 2 == page.table.html.count('class="sizing-said"')


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
@pytest.mark.parametrize("name", Comparison.PRESETS)
@pytest.mark.parametrize("query", ["", "model=BAAI/bge-m3&kv=auto", "model=moonshotai/Kimi-K2-Instruct", "cur=EUR"])
def test_charts_keep_to_the_house_style(chart: Any, name: str, query: str) -> None:
    page = ComparePage(query)
    _ask(page, kind="preset", name=name)
    assert page.messages.sentences == []
    found = page.listed.found
    assert found.comparison.platforms == Comparison.preset_entries(name)
    figure = chart.build(found, "en")
    assert figure["layout"]["showlegend"] is False
    assert len(json.dumps(figure, allow_nan=False)) < 10_000
    colours = {token for token in vars(theme).values() if isinstance(token, str) and token.startswith("var(")}
    used = {part["color"] for trace in figure["data"] for part in (trace.get("marker"), trace.get("line")) if part}
    assert used <= colours
    assert len(chart.alt(found, "en")) > 20


def test_the_break_even_chart_crosses_at_the_turning_price(page: ComparePage) -> None:
    _ask(page, kind="edit", service=0, field="card_price", text="16000")
    line, _, level, point = compare_break_even.build(page.listed.found, "en")["data"]
    # By hand: 1,777.8 USD a conversation, times its conversations, over two cards.
    assert point["x"][0] == pytest.approx(64_000 / 32 * _second(page) / 2)
    assert point["y"][0] == level["y"][0] == pytest.approx(64_000 / 32)
    slope = (line["y"][1] - line["y"][0]) / (line["x"][1] - line["x"][0])
    assert slope * point["x"][0] == pytest.approx(point["y"][0])


def test_a_typed_price_answers(page: ComparePage) -> None:
    _ask(page, kind="edit", service=1, field="card_price", text="20,000")
    assert f"B, at {40_000 / _second(page):,.0f} USD for the cards alone." in page.answer.html
    _ask(page, kind="edit", service=1, field="card_price", text="")
    assert f"B, at {67_000 / _second(page):,.0f} USD" in page.answer.html
    _ask(page, kind="edit", service=-1, field="currency", text="EUR")
    # 4 x 16,276.47 EUR / 32 conversations = 2,034.6; no quote in EUR is known for an H200 NVL.
    assert "B has no price yet. Per conversation it would be cheaper than A (2,035 EUR)" in page.answer.html


def test_another_card_does_not_keep_the_price_and_cap_of_the_last(page: ComparePage) -> None:
    _ask(page, kind="edit", service=1, field="card_price", text="20000")
    _ask(page, kind="edit", service=1, field="power_cap_w", text="450")
    _ask(page, kind="edit", service=1, field="card", text="l40s")
    platform = page.listed.listing.platforms[1]
    assert (platform.card_price, platform.power_cap_w) == (None, 0)
    assert {each["name"]: each for each in page.rows.rows[1]["fields"]}["power_cap_w"]["text"] == "350"


def test_platforms_are_added_up_to_four_and_removed(page: ComparePage) -> None:
    for _ in range(5):
        _ask(page, kind="add")
    assert len(page.rows.rows) == 4
    assert page.rows.full
    for _ in range(6):
        _ask(page, kind="remove", service=0)
    assert len(page.rows.rows) == 1


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [("cards", "9", "between 1 and 8"), ("card_price", "cheap", "must be a number"), ("card", "h300", "h300")],
)
def test_bad_input_stands_beside_its_field_and_the_results_stay(
    page: ComparePage, field: str, text: str, said: str
) -> None:
    _ask(page, kind="edit", service=1, field=field, text=text)
    shown = {each["name"]: each for each in page.rows.rows[1]["fields"]}[field]
    assert shown["text"] == text
    assert said in shown["error"]
    assert "B serves the most" in page.answer.html
    assert "last usable inputs" in page.answer.html


def test_the_address_brings_the_comparison_back(page: ComparePage) -> None:
    _ask(page, kind="preset", name="pools")
    _ask(page, kind="edit", service=2, field="card_price", text="31000")
    page.form.hear("edit", {"context_tokens": "32768"})
    again = ComparePage(page.address.query)
    assert again.listed.listing == page.listed.listing
    assert again.scenario.context_tokens == 32768


def test_what_a_visitor_types_never_becomes_markup(page: ComparePage) -> None:
    _ask(page, kind="edit", service=0, field="card", text="<script>alert(1)</script>")
    shown = "".join(part.html for part in (page.answer, page.notes, page.table, page.quotes))
    assert "<script" not in shown


def test_a_message_that_makes_no_sense_changes_nothing(page: ComparePage) -> None:
    for content in (
        None,
        {},
        {"kind": "edit", "service": 9, "field": "cards", "text": "1"},
        {"kind": "edit", "service": 0, "field": "currency", "text": "EUR"},
        {"kind": "preset", "name": "none such"},
        {"kind": "remove", "service": 77},
    ):
        page.rows._receive(page.rows, content, [])
    assert page.address.query == "v=1&cv=1"


@pytest.mark.parametrize(
    ("query", "said", "chart"),
    [
        ("rig=l4~1", "The model does not fit on 1 × L4", "no price can be compared"),
        ("rig=l4~1&rig=l4~2", "The model fits on none of them.", "no price can be compared"),
        (
            "rig=rtx-pro-6000-server~4",
            "4 × RTX PRO 6000 Blackwell Server Edition serves 32 conversations.",
            "add another",
        ),
        (
            "rig=rtx-pro-6000-server~4&rig=rtx-pro-6000-server~4&rig=l4~1",
            "A, B serve the most: 32 conversations each (C does not fit).",
            "B",
        ),
        ("rig=rtx-pro-6000-server~4&rig=l4~1", "(B does not fit)", "does not run on B"),
        ("ctx=200000", "The model ends at 131,072 tokens", "no price can be compared"),
    ],
)
def test_an_empty_comparison_says_a_sentence(query: str, said: str, chart: str) -> None:
    page = ComparePage(f"v=1&cv=1&{query}")
    assert said in page.answer.html
    assert chart in page.figures["compare_break_even"].chart.alt
    assert "All serve" not in page.answer.html
    assert page.messages.sentences == []


def test_no_mark_for_a_platform_that_does_not_hold_the_model() -> None:
    page = ComparePage("v=1&cv=1&rig=l4~1~1~0~2500&rig=rtx-pro-6000-server~4~1~0~9000")
    marked = page.table.html.split("compare-best")[1:]
    assert len(marked) == 1
    assert "32" in marked[0]
    assert "Cheapest per conversation: B" in page.answer.html
