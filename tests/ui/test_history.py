"""Back and forward through what was tried, without a browser."""

from __future__ import annotations

import pytest

from sizing.catalogue.scenario import Scenario
from sizing.ui.pages.compare import ComparePage
from sizing.ui.pages.shared_server import SharedServerPage
from sizing.ui.pages.sizing import SizingPage
from sizing.ui.state import MOST, ONE_MOVE_S, History, Memory, Moment


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def moment(pending: dict[str, str] | None = None, **changes: object) -> Moment:
    return (Memory((Scenario(**changes), None), pending or {}),)


def test_one_goes_back_and_forward_through_moves() -> None:
    clock = Clock()
    history = History(clock)
    first, second, third = moment(), moment(cards=2), moment(cards=2, context_tokens=4096)
    for number, each in enumerate((first, second, third)):
        clock.now = 10.0 * number
        history.note(each)
    assert history.behind() == {"context_tokens"}
    assert history.back() == second
    assert (history.behind(), history.ahead()) == ({"cards"}, {"context_tokens"})
    assert history.back() == first
    assert history.back() is None
    assert (history.forward(), history.forward(), history.forward()) == (second, third, None)


def test_a_drag_is_one_move_and_another_input_another() -> None:
    clock = Clock()
    history = History(clock)
    history.note(moment())
    for number, context_tokens in enumerate((1024, 2048, 4096)):
        clock.now = number * ONE_MOVE_S / 4
        history.note(moment(context_tokens=context_tokens))
    history.note(moment(context_tokens=4096, cards=2))
    assert history.back() == moment(context_tokens=4096)
    assert history.back() == moment()


def test_a_slow_second_move_of_the_same_input_is_a_move() -> None:
    clock = Clock()
    history = History(clock)
    history.note(moment())
    history.note(moment(cards=2))
    clock.now = ONE_MOVE_S * 1.5
    history.note(moment(cards=3))
    assert history.back() == moment(cards=2)


def test_what_follows_an_undone_move_is_forgotten_by_another_one() -> None:
    clock = Clock()
    history = History(clock)
    for number, cards in enumerate((4, 2, 1)):
        clock.now = 10.0 * number
        history.note(moment(cards=cards))
    history.back()
    clock.now = 100.0
    history.note(moment(cards=8))
    assert history.ahead() is None
    assert history.back() == moment(cards=2)


def test_text_that_could_not_be_used_is_a_move_too() -> None:
    history = History(Clock())
    history.note(moment())
    history.note(moment({"cards": "four"}))
    assert history.behind() == {"cards"}


def test_a_long_session_keeps_the_newest_moves() -> None:
    clock = Clock()
    history = History(clock)
    for number in range(2 * MOST):
        clock.now = 10.0 * number
        history.note(moment(context_tokens=1000 + number))
    moves = 0
    while history.back():
        moves += 1
    assert moves == MOST


def test_a_page_takes_back_its_last_change_and_says_which() -> None:
    page = SizingPage("")
    assert page.tools.back is None
    page.form.hear("edit", {"cards": "2"})
    page.form.hear("edit", {"context_tokens": "lots"})
    assert page.tools.back == "Context length"
    page.tools._receive(page.tools, {"kind": "back"}, [])
    assert page.form.values["context_tokens"]["error"] == ""
    assert page.tools.back == "Number of cards"
    page.tools._receive(page.tools, {"kind": "back"}, [])
    assert page.address.query == "v=1"
    assert "32 conversations" in page.answer.html
    page.tools._receive(page.tools, {"kind": "forward"}, [])
    assert page.address.query == "v=1&n=2"


def test_services_and_platforms_are_taken_back_as_well() -> None:
    shared = SharedServerPage("")
    before = shared.address.query
    shared.rows.hear("ask", {"kind": "add"})
    assert shared.address.query != before
    shared.tools._receive(shared.tools, {"kind": "back"}, [])
    assert shared.address.query == before
    compare = ComparePage("")
    before = compare.address.query
    compare.rows.hear("ask", {"kind": "add"})
    assert compare.address.query != before
    compare.tools._receive(compare.tools, {"kind": "back"}, [])
    assert compare.address.query == before


@pytest.mark.parametrize("kind", ["back", "forward"])
def test_without_a_move_nothing_happens(kind: str) -> None:
    page = SizingPage("n=2")
    page.tools._receive(page.tools, {"kind": kind}, [])
    assert page.address.query == "v=1&n=2"
    assert not page.messages.sentences
