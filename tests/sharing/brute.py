"""The best placement by trying everything, for small problems: every copy on every place, cards told apart.

Written from the rules alone and not from the solver: it knows no counts, no symmetry and no dominated options.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """One way to run a copy: ("whole", cards), ("slice", profile), ("share", KiB), and the conversations it holds."""

    kind: str
    size: int
    conversations: int


@dataclass(frozen=True)
class Wish:
    """copies, all of them or none, each in any of its ways.   kv_kib: of one conversation more in a share."""

    copies: int
    ways: tuple[Way, ...]
    kv_kib: int = 0


@dataclass(frozen=True)
class Server:
    """sockets: cards under each.   limit_kib, visible_kib, context_kib: of a card that is shared.

    profiles: (memory units, compute units) of each slice.   units, compute: of one card.
    """

    sockets: tuple[int, ...]
    limit_kib: int
    visible_kib: int
    context_kib: int
    profiles: tuple[tuple[int, int], ...]
    units: int
    compute: int


# A card is (socket, mode, contents): contents are sorted slices, or sorted (service, KiB) of a shared card.
Card = tuple[int, str, tuple[tuple[int, int], ...]]
Board = tuple[Card, ...]


def boards(server: Server, wishes: Sequence[Wish]) -> Iterator[tuple[frozenset[int], Board, int, tuple[int, ...]]]:
    """Every reachable board: services placed, cards, isolation points, conversations of each service."""
    empty: Board = tuple((socket, "free", ()) for socket, count in enumerate(server.sockets) for _ in range(count))
    for chosen in itertools.chain.from_iterable(
        itertools.combinations(range(len(wishes)), size) for size in range(len(wishes) + 1)
    ):
        states = {(empty, 0, (0,) * len(wishes))}
        for service in chosen:
            for _ in range(wishes[service].copies):
                states = {after for state in states for after in _next(server, state, service, wishes[service])}
        for board, points, held in states:
            yield frozenset(chosen), board, points, held


State = tuple[Board, int, tuple[int, ...]]


def _next(server: Server, state: State, service: int, wish: Wish) -> Iterator[State]:
    board, points, held = state
    for way in wish.ways:
        more = tuple(count + (number == service) * way.conversations for number, count in enumerate(held))
        for after in _put(server, board, service, way):
            # Cards under one socket are alike: their order tells nothing.
            yield tuple(sorted(after)), points + {"whole": 2, "slice": 1, "share": 0}[way.kind], more


def _put(server: Server, board: Board, service: int, way: Way) -> Iterator[Board]:
    cards = list(board)
    if way.kind == "whole":
        free = [place for place, card in enumerate(cards) if card[1] == "free"]
        largest = max(server.sockets)
        for group in itertools.combinations(free, way.size):
            sockets = {cards[place][0] for place in group}
            if way.size <= largest and len(sockets) > 1:
                continue
            yield tuple((card[0], "whole", ()) if place in group else card for place, card in enumerate(cards))
        return
    for place, (socket, mode, contents) in enumerate(cards):
        if way.kind == "slice" and mode in ("free", "slices"):
            inside = tuple(sorted((*contents, (way.size, 0))))
            if _slices_fit(server, tuple(profile for profile, _ in inside)):
                yield (*cards[:place], (socket, "slices", inside), *cards[place + 1 :])
        if way.kind == "share" and mode in ("free", "shared") and service not in {each for each, _ in contents}:
            inside = tuple(sorted((*contents, (service, way.size))))
            asked = sum(kib for _, kib in inside)
            if asked <= server.limit_kib and asked + len(inside) * server.context_kib <= server.visible_kib:
                yield (*cards[:place], (socket, "shared", inside), *cards[place + 1 :])


@functools.cache
def _slices_fit(server: Server, inside: tuple[int, ...]) -> bool:
    """Tried out on the card's units: each slice starts at a multiple of its own size."""
    if sum(server.profiles[profile][1] for profile in inside) > server.compute:
        return False

    def fill(left: tuple[int, ...], taken: frozenset[int]) -> bool:
        if not left:
            return True
        size = server.profiles[left[0]][0]
        for start in range(0, server.units - size + 1, size):
            units = frozenset(range(start, start + size))
            if not units & taken and fill(left[1:], taken | units):
                return True
        return False

    return fill(tuple(sorted(inside, key=lambda profile: -server.profiles[profile][0])), frozenset())


def used(board: Board) -> int:
    """Cards with something on them."""
    return sum(mode != "free" for _, mode, _ in board)


def free_kib(server: Server, board: Board, unit_kib: int) -> int:
    """What is left: whole cards, the rest of shared ones, units of cut ones that no slice has."""
    total = 0
    for _, mode, contents in board:
        if mode == "free":
            total += server.limit_kib
        elif mode == "shared":
            total += server.limit_kib - sum(kib for _, kib in contents)
        elif mode == "slices":
            total += unit_kib * (server.units - sum(server.profiles[profile][0] for profile, _ in contents))
    return total


def most_conversations(server: Server, board: Board, held: int, service: int, kv_kib: int) -> int:
    """The favourite's conversations when it takes all that is left on the cards that it shares."""
    for _, mode, contents in board:
        if mode == "shared" and kv_kib and service in {each for each, _ in contents}:
            asked = sum(kib for _, kib in contents)
            room = min(server.limit_kib, server.visible_kib - len(contents) * server.context_kib) - asked
            held += room // kv_kib
    return held
