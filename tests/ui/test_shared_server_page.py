"""The page for a shared server as widgets, without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sizing.sharing import Plan, preset
from sizing.sheet.figures import theme
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from sizing.ui.pages.shared_server import SharedServerPage

CHARTS = (sharing_cards, sharing_services)


@pytest.fixture
def page() -> SharedServerPage:
    return SharedServerPage("")


def _ask(page: SharedServerPage, **message: Any) -> None:
    page.rows._receive(page.rows, message, [])


def test_the_first_answer_is_the_english_documents_first_scenario(page: SharedServerPage) -> None:
    assert "All 4 services fit, on 4 of 4 cards." in page.answer.html
    # By hand in tests/sharing/test_documents.py: 11, 11, 2 and 2 conversations, none after the loss of a card.
    assert [label["text"] for label in page.figures["sharing_services"].chart.figure_layout["annotations"]] == [
        "<b>11</b> · 0 left",
        "<b>11</b> · 0 left",
        "<b>2</b> · 0 left",
        "<b>2</b> · 0 left",
    ]


def test_every_part_has_content_and_every_chart_a_text(page: SharedServerPage) -> None:
    for part in (page.answer, page.notes, page.table, page.facts, page.key):
        assert len(part.html) > 100
    for figure in page.figures.values():
        assert figure.chart.seq == 1
        assert len(figure.chart.alt) > 20
    assert "Show the working" in page.figures["sharing_cards"].below.html
    assert "vllm serve" in page.commands[0].text
    assert page.commands[1].text == ""


@pytest.mark.parametrize("name", Plan.PRESETS)
def test_every_preset_fits_and_every_column_adds_up_to_its_card(page: SharedServerPage, name: str) -> None:
    _ask(page, kind="preset", name=name)
    assert page.messages.sentences == []
    assert page.rows.preset == name
    assert page.listed.found.placement.fits
    assert page.listed.listing == preset(name)
    figure = sharing_cards.build(page.listed.found, "en")
    tops: dict[int, float] = {}
    total: dict[int, float] = {}
    for trace in figure["data"]:
        for x, base, y in zip(trace["x"], trace["base"], trace["y"], strict=True):
            tops[x] = max(tops.get(x, 0.0), base + y)
            total[x] = total.get(x, 0.0) + y
    for card, top in tops.items():
        assert total[card] == pytest.approx(top, abs=0.01)
        assert top == pytest.approx(95.6, abs=0.01)
    assert sum(len(json.dumps(chart.build(page.listed.found, "en"))) for chart in CHARTS) < 25_000


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
@pytest.mark.parametrize("query", ["", "hosts=2&n=8", "card=l40s", "card=mi300x&n=1", "n=1"])
def test_charts_keep_to_the_house_style(chart: Any, query: str) -> None:
    shared = SharedServerPage(query).listed.found
    figure = chart.build(shared, "en")
    assert figure["layout"]["showlegend"] is False
    colours = {token for token in vars(theme).values() if isinstance(token, str) and token.startswith("var(")}
    assert {trace["marker"]["color"] for trace in figure["data"]} <= colours
    assert len(chart.alt(shared, "en")) > 20


def test_what_does_not_fit_says_the_smallest_change_and_makes_it(page: SharedServerPage) -> None:
    _ask(page, kind="preset", name="one_70b")
    page.form.hear("edit", {"cards": "3"})
    assert "no place for A" in page.answer.html
    assert page.rows.remedy.startswith("It all fits if")
    assert page.rows.remedy in page.answer.html
    assert "4 cards in a server need no change." in page.answer.html
    assert [row["placed"] for row in page.rows.rows] == [False, True, True, True, True, True]
    _ask(page, kind="make_fit")
    assert "All 6 services fit, on 3 of 3 cards." in page.answer.html
    assert page.rows.remedy == ""


def test_services_are_added_changed_and_removed(page: SharedServerPage) -> None:
    _ask(page, kind="add")
    assert len(page.rows.rows) == 5
    assert "4 of 5 services fit" in page.answer.html
    _ask(page, kind="edit", service=4, field="checkpoint", text="BAAI/bge-m3")
    _ask(page, kind="edit", service=3, field="copies", text="1")
    _ask(page, kind="remove", service=3)
    assert "All 4 services fit" in page.answer.html
    assert [service.checkpoint for service in page.listed.listing.services][-1] == "BAAI/bge-m3"
    for _ in range(5):
        _ask(page, kind="remove", service=0)
    assert len(page.rows.rows) == 1
    for _ in range(20):
        _ask(page, kind="add")
    assert len(page.rows.rows) == 16
    assert page.rows.full


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("context_tokens", "lots", "must be a number"),
        ("copies", "0", "Choose between 1 and 16"),
        ("checkpoint", "nobody/nothing", "nobody/nothing"),
        ("kv_dtype", "int3", "Choose one of"),
        ("conversations", "-4", "Choose between 1 and"),
    ],
)
def test_bad_input_stands_beside_its_field_and_the_results_stay(
    page: SharedServerPage, field: str, text: str, said: str
) -> None:
    _ask(page, kind="edit", service=1, field=field, text=text)
    shown = {each["name"]: each for each in page.rows.rows[1]["fields"]}[field]
    assert shown["text"] == text
    assert said in shown["error"]
    assert "All 4 services fit" in page.answer.html
    assert "last usable inputs" in page.answer.html
    _ask(page, kind="edit", service=1, field="conversations", text="")
    _ask(
        page,
        kind="edit",
        service=1,
        field=field,
        text={"checkpoint": "Qwen/Qwen3-8B", "kv_dtype": "fp8"}.get(field, "2"),
    )
    assert page.listed.errors == {}


def test_the_aim_for_one_service_asks_which(page: SharedServerPage) -> None:
    assert [field["name"] for field in page.rows.own] == ["servers", "aim"]
    _ask(page, kind="edit", service=-1, field="aim", text="most_conversations")
    assert [field["name"] for field in page.rows.own] == ["servers", "aim", "favourite"]
    assert [value for value, _ in page.rows.own[2]["options"]] == ["1", "2", "3", "4"]
    assert "most conversations for one service" in page.answer.html


def test_two_servers_have_their_own_commands(page: SharedServerPage) -> None:
    for service in range(4):
        _ask(page, kind="edit", service=service, field="copies", text="2")
    _ask(page, kind="edit", service=-1, field="servers", text="2")
    assert "All 4 services fit, on 8 of 8 cards." in page.answer.html
    assert page.commands[0].text.count("vllm serve") == page.commands[1].text.count("vllm serve") == 4
    assert "Server 1 lost" in page.table.html


def test_the_address_holds_the_plan_and_brings_it_back(page: SharedServerPage) -> None:
    assert page.address.query == "v=1&pv=1"
    _ask(page, kind="preset", name="dozen")
    page.form.hear("edit", {"cards": "5"})
    _ask(page, kind="edit", service=-1, field="aim", text="fewest_cards")
    again = SharedServerPage(page.address.query)
    assert again.listed.listing == page.listed.listing
    assert again.listed.listing.scenario.cards == 5
    assert Plan.from_query(page.address.query) == page.listed.listing


def test_a_damaged_link_is_said_in_the_message_area() -> None:
    page = SharedServerPage("n=2&svc=Qwen/Qwen3-8B~many&svc=Qwen/Qwen3-8B")
    assert any("must be a number" in what for what, _ in page.messages.sentences)
    assert len(page.rows.rows) == 1
    broken = SharedServerPage("svc=nobody/nothing")
    assert broken.messages.sentences
    assert "All 4 services fit" in broken.answer.html


def test_what_a_visitor_types_never_becomes_markup(page: SharedServerPage) -> None:
    _ask(page, kind="edit", service=0, field="checkpoint", text="<script>alert(1)</script>")
    shown = "".join(part.html for part in (page.answer, page.notes, page.table, page.facts))
    assert "<script" not in shown


def test_a_message_that_makes_no_sense_changes_nothing(page: SharedServerPage) -> None:
    for content in (
        None,
        {},
        {"kind": "edit"},
        {"kind": "edit", "service": 99, "field": "copies", "text": "1"},
        {"kind": "edit", "service": 0, "field": "aim", "text": "fit_all"},
        {"kind": "edit", "service": "0", "field": "copies", "text": "1"},
        {"kind": "preset", "name": "none such"},
        {"kind": "remove", "service": 77},
        {"kind": "make_fit"},
    ):
        page.rows._receive(page.rows, content, [])
    assert page.address.query == "v=1&pv=1"
