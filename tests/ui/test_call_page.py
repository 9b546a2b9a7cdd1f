"""The call page as widgets, without a browser."""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any

import pytest

from sizing.catalogue.inputs import inputs
from sizing.serve.voila import PAGES
from sizing.sharing import Plan, plan
from sizing.sharing.plan import starts
from sizing.sheet import sheets
from sizing.sheet.bill import lines
from sizing.sheet.one_model import ModelContent
from sizing.ui.pages.call import CallPage
from sizing.ui.pages.site import INPUTS as SITE_INPUTS
from sizing.ui.pages.sizing import INPUTS as SIZING_INPUTS
from sizing.ui.reports import call_report


@pytest.fixture
def page() -> CallPage:
    return CallPage("")


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def press(page: CallPage, step: str) -> None:
    page.steps_bar._receive(page.steps_bar, {"kind": "go", "step": step}, [])


def shown(page: CallPage) -> list[str]:
    return [name for name, box in page.boxes.items() if box.layout.display != "none"]


def test_it_starts_with_the_need_and_the_documents_answer(page: CallPage) -> None:
    assert shown(page) == ["need"]
    assert "32 conversations of 8,192 tokens may be promised" in page.answer.html
    # 100 x 0.2 x 6 requests an hour of 30 s each: 1.0 at once; with a mean of 1, four cover 99.6 % of moments.
    assert "Enough for the 4 asked for." in text(page.answer.html)
    assert "Running on average 1.0" in text(page.live["call_need"].html)


@pytest.mark.parametrize("step", call_report.NAMES)
def test_each_step_shows_its_inputs_and_is_in_the_link(page: CallPage, step: str) -> None:
    press(page, step)
    assert shown(page) == [step]
    assert set(page.form.only) <= set(call_report.INPUTS)
    assert CallPage(page.address.query).step == step
    assert not page.messages.sentences


def test_every_input_of_the_pages_before_is_in_a_step() -> None:
    left_out = {*SIZING_INPUTS, *SITE_INPUTS} - set(call_report.INPUTS)
    assert not left_out
    assert len(call_report.INPUTS) == len(set(call_report.INPUTS))


def test_the_steps_say_what_they_came_to(page: CallPage) -> None:
    said = {step["name"]: (step["summary"], step["state"]) for step in page.steps_bar.steps}
    assert said["need"] == ("4 at the peak", "good")
    assert said["site"] == ("3.40 kW on 230 V, 16 A single-phase", "bad")
    page.form.hear("edit", {"wanted_conversations": "500"})
    assert page.steps_bar.steps[0]["state"] == "bad"
    assert "Not enough: 500 are asked for, 468 are missing." in text(page.answer.html)


@pytest.mark.parametrize("start", starts(), ids=lambda start: start.name)
def test_a_start_is_one_move_that_can_be_undone(page: CallPage, start: Any) -> None:
    page.starts._receive(page.starts, {"kind": "take", "key": start.name}, [])
    assert page.plan == start.plan
    assert page.starts.chosen == start.name
    assert Plan.read_query(page.address.query)[0] == start.plan
    page.tools._receive(page.tools, {"kind": "back"}, [])
    assert page.plan == Plan()
    assert not page.messages.sentences


def test_an_answer_of_the_search_is_taken_over(page: CallPage) -> None:
    page.form.hear("edit", {"staff": "800"})
    press(page, "server")
    # By hand: 8 at once, and of a Poisson law with that mean 99 % lie at 15 or below.
    # Of two pairs 32 keep the speed asked for, so that one pair keeps 16.
    assert "1 server of 2 cards" in page.goals.cards[0]["title"]
    page.goals._receive(page.goals, {"kind": "take", "key": "0"}, [])
    assert (page.scenario.cards, page.scenario.kv_dtype, page.scenario.staff) == (2, "fp8", 800)
    page.goals._receive(page.goals, {"kind": "take", "key": "99"}, [])
    assert page.scenario.cards == 2


TWO_SERVERS = "v=1&model=openai/gpt-oss-120b&ctx=131072&n=2&staff=3000&spare=yes&step=server"


def test_two_servers_that_survive_a_failure_say_the_same_in_every_step() -> None:
    # 3,000 x 0.2 x 6 requests an hour of 30 s: 30 at once, 43 at the peak. One server of two cards holds 46, and 28
    # of them keep the speed asked for: two servers are too few once one is lost, three are not.
    # It draws (2 x 600 + 2 x 280) x 1.15 = 2,024 W: each needs a socket of 2,944 W of its own.
    page = CallPage(TWO_SERVERS)
    assert "3 servers of 2 cards" in page.goals.cards[0]["title"]
    page.goals._receive(page.goals, {"kind": "take", "key": "0"}, [])
    assert (page.scenario.servers, page.scenario.servers_connected) == (3, 1)
    assert "Enough for the 43 asked for, with one server lost as well." in text(page.answer.html)
    said = {step["name"]: (step["summary"], step["state"]) for step in page.steps_bar.steps}
    assert said["server"][0].startswith("3 servers with 2 ×")
    assert said["site"] == ("2.02 kW on 230 V, 16 A single-phase", "good")
    press(page, "site")
    assert "Stop." not in text(page.live["notes"].html)
    press(page, "offer")
    quantity = {line.key: line.quantity for line in lines(page.request())}
    assert (quantity["chassis"], quantity["cards"], quantity["circuits"]) == (3, 6, 6)  # three pairs of feeds


def test_counts_are_those_of_one_server_and_said_so_on_page_and_sheet() -> None:
    page = CallPage("v=1&ctx=32768&staff=1000&rph=8&ma=0.7&mb=0.25&mc=0.05&nsrv=2")
    # By hand: those that run weigh 0.7 x 300, 0.25 x 700, 0.05 x 1,500 and end at 1,800, 6,700 and 25,500 tokens.
    # A pair's card keeps 83.04 - 67.7 / 2 = 49.19 GiB at 81,920 bytes a token and card: 644,743 tokens.
    assert math.ceil((210 * 1800 + 175 * 6700 + 75 * 25500) / 460) == 7529
    assert (2 * (644743 // 32768), 2 * (644743 // 7529)) == (38, 170)
    need = text(page.live["call_need"].html)
    assert "The memory of one server" in need
    assert "32,768 38" in need
    assert "7,529 170" in need
    assert "2 servers together: 24. Enough for the 23 asked for." in text(page.answer.html)
    second = ModelContent(page.request()).second
    assert "on one server: 38 conversations at the full 32,768 tokens, 170 at the 7,529" in second
    assert "2 servers together: 24." in second
    press(page, "offer")
    assert "For 2 servers" in text(page.live["parts"].html)


def test_servers_on_one_connection_are_weighed_together_in_every_step() -> None:
    page = CallPage(f"{TWO_SERVERS}&servers=2")
    said = {step["name"]: (step["summary"], step["state"]) for step in page.steps_bar.steps}
    assert said["site"] == ("4.05 kW on 230 V, 16 A single-phase", "bad")
    assert "2 servers on one connection draw about 4.05 kW together, more than the 2.94 kW" in text(page.answer.html)
    for step in ("server", "site", "offer"):
        press(page, step)
        assert "4,048 W" in text(page.live["notes"].html)


def test_a_server_that_may_not_be_lost_is_not_enough(page: CallPage) -> None:
    page.form.hear("edit", {"survive_failure": "yes"})
    assert "Enough for the 4 asked for, but not with one server lost." in text(page.answer.html)
    assert page.steps_bar.steps[0]["state"] == "bad"
    page.form.hear("edit", {"servers_offered": "2"})
    assert "Enough for the 4 asked for, with one server lost as well." in text(page.answer.html)
    assert page.steps_bar.steps[0]["state"] == "good"


def test_of_several_services_nothing_is_said_about_the_one_model() -> None:
    page = CallPage("v=1&work=several&pv=1&hosts=2&staff=200&ma=1")
    assert page.figures["call_need"].layout.display == "none"
    assert "Counted" not in page.live["call_need"].html
    assert "short_share" not in page.form.only
    assert "The server draws about 3.40 kW, more than the 2.94 kW" in text(page.answer.html)
    assert page.steps_bar.steps[2]["summary"].startswith("2 servers with 4 ×")
    for step in ("model", "server", "offer"):
        press(page, step)
        notes = text(page.live["notes"].html)
        assert "3,404 W is more than the 2,944 W" in notes
        assert "custom all-reduce" not in notes
        assert "--kv-cache-dtype" not in notes
    page.form.hear("edit", {"seconds_per_request": "0"})
    press(page, "need")
    assert "not estimated for several services" in text(page.live["notes"].html)


def test_a_wish_that_nothing_meets_gets_the_nearest_and_the_reason(page: CallPage) -> None:
    page.form.hear("edit", {"wanted_conversations": "1000000"})
    press(page, "server")
    assert "None of" in page.goals.intro
    assert any(kind == "bad" for _, kind in page.goals.cards[0]["lines"])


def test_a_budget_without_a_price_says_so_in_the_step(page: CallPage) -> None:
    page.form.hear("edit", {"budget": "50000"})
    press(page, "server")
    assert "price" in page.live["call_goal_error"].html
    assert page.goals.cards == []


def test_pins_show_what_differs(page: CallPage) -> None:
    board = page.board
    board._receive(board, {"kind": "pin"}, [])
    board._receive(board, {"kind": "pin"}, [])
    assert len(board.pins) == 1, "the same scenario is pinned once"
    page.form.hear("edit", {"cards": "2", "context_tokens": "16384"})
    rows = {row["label"]: row["cells"] for row in board.rows}
    assert rows["Number of cards"] == [["2 cards", False], ["4 cards", True]]
    assert rows["Context length"] == [["16,384 tokens", False], ["8,192 tokens", True]]
    assert rows["May be promised at once"][1] == ["32", True]
    assert "Processor" not in rows
    for cards in ("1", "3", "5"):
        page.form.hear("edit", {"cards": cards})
        board._receive(board, {"kind": "pin"}, [])
    assert (len(board.pins), board.full) == (3, True)
    board._receive(board, {"kind": "show", "number": 0}, [])
    assert page.scenario.cards == 4
    board._receive(board, {"kind": "remove", "number": 0}, [])
    board._receive(board, {"kind": "remove", "number": 9}, [])
    assert len(board.pins) == 2


def test_pins_come_back_from_the_tab_and_damaged_ones_do_not_hurt(page: CallPage) -> None:
    board = page.board
    board._receive(board, {"kind": "kept", "pins": ["v=1&n=2", "v=1&work=several&pv=1", "model=nobody/nothing"]}, [])
    assert board.pins[:2] == ["v=1&n=2", "v=1&work=several&pv=1"]
    assert len(board.columns) == len(board.pins) + 1


def test_a_pin_that_cannot_be_read_as_it_was_is_not_shown_as_something_else(page: CallPage) -> None:
    board = page.board
    board._receive(board, {"kind": "kept", "pins": [1, "v=1&n=zz", "v=1&n=2"]}, [])
    assert board.pins == ["v=1&n=2"]
    assert "2 can no longer be read" in str(page.messages.sentences)


def test_money_has_the_currency_that_is_chosen(page: CallPage) -> None:
    page.form.hear("edit", {"offer_currency": "USD", "price_per_card": "9000"})
    units = {field["name"]: field["unit"] for field in page.form.fields}
    assert {units[name] for name in ("budget", "price_per_card", "price_per_server")} == {"USD"}
    assert page.form.values["price_per_card"]["changed"].endswith("USD")
    page.board._receive(page.board, {"kind": "pin"}, [])
    page.form.hear("edit", {"price_per_card": "8000"})
    rows = {row["label"]: row["cells"] for row in page.board.rows}
    assert rows["Price of a card"] == [["8,000 USD", False], ["9,000 USD", True]]
    page.form.hear("edit", {"price_per_card": "0"})
    assert page.board.rows[1]["cells"][0] == ["not given", False]


def test_a_saved_file_opens_and_a_broken_one_says_why(page: CallPage) -> None:
    page.starts._receive(page.starts, {"kind": "take", "key": "services"}, [])
    text_of_file = page.plan.to_json()
    other = CallPage("")
    other.keep._receive(other.keep, {"kind": "open", "text": text_of_file}, [])
    assert other.plan == page.plan
    other.keep._receive(other.keep, {"kind": "open", "text": "{"}, [])
    assert "JSON" in other.keep.error
    assert other.plan == page.plan
    sent: list[Any] = []
    other.keep.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
    other.keep._receive(other.keep, {"kind": "save"}, [])
    assert plan.read(sent[0]["text"]) == page.plan
    assert json.loads(sent[0]["text"])["services"]


def test_several_services_have_their_own_answer_and_form(page: CallPage) -> None:
    page.starts._receive(page.starts, {"kind": "take", "key": "services"}, [])
    press(page, "model")
    assert "All 12 services fit" in page.answer.html
    assert page.rows.layout.display != "none"
    assert "checkpoint" not in page.form.only
    page.rows._receive(page.rows, {"kind": "remove", "service": 0, "seq": 1}, [])
    assert "All 11 services fit" in page.answer.html
    page.tools._receive(page.tools, {"kind": "back"}, [])
    assert "All 12 services fit" in page.answer.html


def make(page: CallPage, kind: str, **more: str) -> list[tuple[Any, Any]]:
    """What the browser is sent when a sheet is asked for."""
    sent: list[tuple[Any, Any]] = []
    page.sheet.send = lambda content, buffers=None: sent.append((content, buffers))  # type: ignore[method-assign]
    wanted = {"customer": "", "remark": "", "link": "https://example.org/call?v=1", **more}
    page.sheet._receive(page.sheet, {"kind": "make", "file": kind, **wanted}, [])
    end = time.monotonic() + 60
    while page.sheet.busy and time.monotonic() < end:
        time.sleep(0.02)
    return sent


@pytest.mark.parametrize("kind", sheets.KINDS)
def test_a_sheet_is_handed_to_the_browser(page: CallPage, kind: str) -> None:
    press(page, "offer")
    ((content, buffers),) = make(page, kind, customer="Beispiel GmbH", remark="Für den Termin")
    assert content["name"].endswith(f".{kind}")
    assert content["type"] == sheets.KINDS[kind]
    assert buffers[0][:4] in (b"%PDF", b"PK\x03\x04", b"<!do")
    assert not page.sheet.error
    assert "made" in page.sheet.status


def test_a_name_that_is_too_long_is_said_beside_the_field_and_nothing_is_made(page: CallPage) -> None:
    press(page, "offer")
    assert make(page, "pdf", customer="x" * 500) == []
    assert "500 characters" in page.sheet.error
    page.speak("de")
    assert make(page, "pdf", remark="x" * 10_000) == []
    assert "Das Feld „Bemerkung“ hat 10.000 Zeichen" in page.sheet.error
    assert make(page, "exe") == []
    assert page.messages.sentences


def test_the_offer_lists_parts_with_reasons_and_prices(page: CallPage) -> None:
    page.form.hear("edit", {"price_per_card": "9000"})
    press(page, "offer")
    said = text(page.live["parts"].html)
    assert "36,000 EUR" in said  # four cards at 9,000
    assert "Sum of the priced lines: 36,000 EUR." in said


def test_a_link_with_more_people_than_can_be_counted_opens(page: CallPage) -> None:
    query = "v=1&staff=10000000&share=1&rph=1000&secs=3600"
    assert "more than is counted here" in text(
        CallPage(query).live["call_need"].html + CallPage(query).live["notes"].html
    )
    page.form.hear(
        "edit", {"staff": "10000000", "active_share": "1", "requests_per_hour": "1000", "seconds_per_request": "3600"}
    )
    assert "staff=10000000" in page.address.query


def test_messages_that_make_no_sense_change_nothing(page: CallPage) -> None:
    for widget in (page.steps_bar, page.starts, page.goals, page.keep, page.sheet, page.board):
        nonsense = ({}, {"kind": "go", "step": "nowhere"}, {"kind": "take", "key": ""}, {"kind": "show"}, {"kind": 7})
        for content in nonsense:
            widget._receive(widget, content, [])
    assert page.step == "need"
    assert page.address.query == "v=1"


def test_a_move_stays_small_on_the_wire(page: CallPage) -> None:
    before = {name: figure.chart.seq for name, figure in page.figures.items()}
    page.form.hear("edit", {"staff": "500"})
    moved = [name for name, figure in page.figures.items() if figure.chart.seq != before[name]]
    assert set(moved) <= {"call_need", "call_peak"}, "only the step that is shown is drawn"


def test_pages_of_an_input_are_pages_or_steps_of_the_call() -> None:
    named = {page for spec in inputs().values() for page in spec.pages}
    assert named <= {*PAGES, *(f"call.{step}" for step in call_report.NAMES)}
