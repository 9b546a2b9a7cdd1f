"""Places are given in the order of asking, and none is given twice."""

from __future__ import annotations

import pytest

from sizing.serve import visits
from sizing.serve.visits import FORGOTTEN_S, MOST_WAITING, Places


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_whoever_asked_first_goes_in_first() -> None:
    taken, clock = 2, Clock()
    turns = Places(2, lambda: taken, clock)
    assert [turns.ask("a"), turns.ask("b"), turns.ask("c")] == [1, 2, 3]
    assert turns.ask("b") == 2  # asking again moves nobody
    taken = 1
    assert turns.ask("b") == 1  # the free place is a's
    assert turns.ask("new") == 3
    assert turns.ask("a") == 0
    taken = 2
    assert [turns.ask("b"), turns.ask("c"), turns.ask("new")] == [1, 2, 3]


def test_there_is_no_queue_while_there_are_places() -> None:
    turns = Places(3, lambda: 2, Clock())
    assert turns.ask("a") == 0
    assert turns.waiting == 0


def test_who_does_not_ask_again_loses_the_turn() -> None:
    clock = Clock()
    turns = Places(1, lambda: 1, clock)
    assert [turns.ask("gone"), turns.ask("here")] == [1, 2]
    clock.now = FORGOTTEN_S - 1
    assert turns.ask("here") == 2
    clock.now = FORGOTTEN_S + 1
    assert turns.ask("here") == 1


def test_a_flood_of_strangers_is_not_remembered_for_ever() -> None:
    turns = Places(1, lambda: 1, Clock())
    for k in range(MOST_WAITING + 50):
        turns.ask(f"stranger {k}")
    assert turns.waiting == MOST_WAITING
    assert turns.ask("one more") == MOST_WAITING + 1


def test_places_follow_memory_and_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "_memory_mib", lambda: visits.SERVER_MIB + 10 * visits.VISITOR_MIB)
    monkeypatch.setattr(visits, "_cores", lambda: 8.0)
    assert visits.places_of_this_machine() == 10
    monkeypatch.setattr(visits, "_memory_mib", lambda: 1_000_000)
    monkeypatch.setattr(visits, "_cores", lambda: 2.0)
    assert visits.places_of_this_machine() == 2 * visits.VISITORS_A_CORE
    monkeypatch.setattr(visits, "_memory_mib", lambda: 100)
    assert visits.places_of_this_machine() == 1
