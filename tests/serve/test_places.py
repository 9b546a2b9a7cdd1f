"""Places are given in the order of asking, and none is given twice."""

from __future__ import annotations

import pytest

from sizing.serve import visits
from sizing.serve.visits import FORGOTTEN_S, MOST_WAITING, MOST_WAITING_EACH, Places


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_whoever_asked_first_goes_in_first() -> None:
    taken, clock = 2, Clock()
    turns = Places(2, lambda: taken, clock=clock)
    assert [turns.ask("a"), turns.ask("b"), turns.ask("c")] == [1, 2, 3]
    assert turns.ask("b") == 2  # asking again moves nobody
    taken = 1
    assert turns.ask("b") == 1  # the free place is a's
    assert turns.ask("new") == 3
    assert turns.ask("a") == 0
    taken = 2
    assert [turns.ask("b"), turns.ask("c"), turns.ask("new")] == [1, 2, 3]


def test_there_is_no_queue_while_there_are_places() -> None:
    turns = Places(3, lambda: 2, clock=Clock())
    assert turns.ask("a") == 0
    assert turns.waiting == 0


def test_who_does_not_ask_again_loses_the_turn() -> None:
    clock = Clock()
    turns = Places(1, lambda: 1, clock=clock)
    assert [turns.ask("gone"), turns.ask("here")] == [1, 2]
    clock.now = FORGOTTEN_S - 1
    assert turns.ask("here") == 2
    clock.now = FORGOTTEN_S + 1
    assert turns.ask("here") == 1


def test_a_flood_of_strangers_is_not_remembered_for_ever() -> None:
    turns = Places(1, lambda: 1, clock=Clock())
    for k in range(MOST_WAITING + 50):
        turns.ask(f"stranger {k}", f"address {k // 10}")
    assert turns.waiting == MOST_WAITING


def test_one_address_does_not_fill_the_queue_nor_go_first() -> None:
    taken, clock = 1, Clock()
    turns = Places(1, lambda: taken, clock=clock)
    for k in range(500):
        turns.ask(f"bot {k}", "one")
    assert turns.waiting == MOST_WAITING_EACH
    assert turns.ask("a person", "another") == 2  # one of each address in turn
    assert turns.ask("an office mate", "another") == 4
    taken = 0
    assert turns.ask("bot 0", "one") == 0
    taken, clock.now = 1, 1.0
    assert turns.ask("a person", "another") in (1, 2)


def test_places_are_kept_from_a_client_whose_pages_no_browser_reaches() -> None:
    given = {"one": 0, "another": 0}
    turns = Places(80, lambda: sum(given.values()), given.__getitem__, clock=Clock())
    for k in range(1000):
        given["one"] += turns.ask(f"bot {k}", "one") == 0
    assert given["one"] == 20  # a quarter of all
    assert turns.ask("a person", "another") == 0


def test_places_follow_memory_and_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "_memory_mib", lambda: visits.SERVER_MIB + 10 * visits.VISITOR_MIB)
    monkeypatch.setattr(visits, "_cores", lambda: 8.0)
    assert visits.places_of_this_machine() == 10
    monkeypatch.setattr(visits, "_memory_mib", lambda: 1_000_000)
    monkeypatch.setattr(visits, "_cores", lambda: 2.0)
    assert visits.places_of_this_machine() == 2 * visits.VISITORS_A_CORE
    monkeypatch.setattr(visits, "_memory_mib", lambda: 100)
    assert visits.places_of_this_machine() == 1
