"""place(plan): every copy of every service on its cards, in its slice or with its share, card by card."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.catalogue.slices import SliceProfile, geometry, mixes, slice_profiles
from sizing.sharing import solver
from sizing.sharing.board import Board, CardUse, Engine
from sizing.sharing.needs import Need, Room, need, room
from sizing.sharing.plan import Plan


@dataclass(frozen=True)
class Placement:
    """The best placement of a plan.

    needs: of each service.   engines: of every service that is placed.   left_out: numbers of the others.
    proved: the solver has proved that no placement is better by the plan's aim.
    """

    plan: Plan
    card: catalogue.Card
    room: Room
    profiles: tuple[SliceProfile, ...]
    needs: tuple[Need, ...]
    cards: tuple[CardUse, ...]
    left_out: tuple[int, ...]
    proved: bool
    values: tuple[tuple[str, int], ...]

    @property
    def fits(self) -> bool:
        """Every service is placed."""
        return not self.left_out

    @functools.cached_property
    def engines(self) -> tuple[Engine, ...]:
        """Every engine once, service by service."""
        found = {(engine.service, engine.copy): engine for card in self.cards for engine in card.engines}
        return tuple(found[key] for key in sorted(found))

    def engines_of(self, service: int) -> tuple[Engine, ...]:
        """The copies of one service."""
        return tuple(engine for engine in self.engines if engine.service == service)

    def conversations(self, service: int) -> int | None:
        """What all copies of a service hold; None where its model keeps no cache. [-]"""
        if not self.needs[service].kv_kib:
            return None
        return sum(engine.conversations or 0 for engine in self.engines_of(service))

    @property
    def cards_used(self) -> int:
        """Cards with an engine on them. [-]"""
        return sum(card.mode != "free" for card in self.cards)

    @property
    def free_gib(self) -> float:
        """What other engines could still ask for. [GiB]"""
        return sum(card.free_gib for card in self.cards)

    @property
    def slots(self) -> int:
        """What a scheduler sees: cards, slices and shares. [-]"""
        return sum(card.slots for card in self.cards)

    @property
    def free_slots(self) -> int:
        """Slots that stand empty. [-]"""
        return sum(card.free_slots for card in self.cards)


def sockets(cards: int, processors: int) -> tuple[int, ...]:
    """Cards under each socket, filled in pairs so that a pair stays under one.

    >>> sockets(4, 2), sockets(6, 2), sockets(2, 2)
    ((2, 2), (4, 2), (2,))
    """
    each = -(-cards // processors)
    each += each % 2 if cards > 1 else 0
    return tuple(min(each, cards - start) for start in range(0, cards, each))


def place(plan: Plan) -> Placement:
    """The best placement by the plan's aim. SizingError where an input cannot be; what does not fit is left out.

    >>> place(Plan()).fits
    True
    """
    card = catalogue.card(plan.scenario.card)
    offered, profiles = room(plan.scenario), slice_profiles(card)
    needs = tuple(need(service, offered, profiles, plan.scenario.cards) for service in plan.services)
    if plan.aim == "most_conversations" and not needs[plan.favourite - 1].kv_kib:
        raise SizingError("favourite_no_cache", input="favourite", name=needs[plan.favourite - 1].name)
    favourite = plan.favourite - 1 if plan.aim == "most_conversations" else -1
    problem = problem_of(plan, needs, aim=plan.aim, favourite=favourite)
    solution = solver.solve(problem)
    present = {spot.service for spot in solution.spots}
    return Placement(
        plan=plan,
        card=card,
        room=offered,
        profiles=profiles,
        needs=needs,
        cards=Board(problem.sockets, plan, needs, offered, profiles, mixes(card.id)).fill(solution),
        left_out=tuple(number for number in range(len(needs)) if number not in present),
        proved=solution.proved,
        values=tuple(solution.values.items()),
    )


def problem_of(plan: Plan, needs: Sequence[Need], **more: Any) -> solver.Problem:
    """The plan's server with these needs, as the solver takes it. more: the rest of a solver.Problem."""
    card = catalogue.card(plan.scenario.card)
    return solver.Problem(
        needs=needs,
        room=room(plan.scenario),
        profiles=slice_profiles(card),
        mixes=mixes(card.id),
        geometry=geometry(card),
        sockets=sockets(plan.scenario.cards, plan.scenario.processors),
        servers=plan.servers,
        **more,
    )


# A card of a placement as a column: whose each part of its memory is, from the bottom up.


PARTS = ("weights", "cache", "left", "reserve", "untouched", "spare")
"""Weights, cache of the conversations that fit, what is left over, the engine's reserve; what no engine touches; what
is free for another engine."""
NOBODY = -1


@dataclass(frozen=True)
class Block:
    """A part of a card. base_gib: where it begins. [GiB]   size_gib: how much it is. [GiB]   service: or NOBODY."""

    part: str
    base_gib: float
    size_gib: float
    service: int


def blocks(placement: Placement, card: CardUse) -> Iterator[Block]:
    """Every block of a card, one on top of another. A slice's memory is its own, whatever the driver reports."""
    sizes = {profile.name: profile.memory_gib for profile in placement.profiles}
    top = 0.0
    for part, size, service in _sizes(placement, card, sizes):
        yield Block(part, top, size, service)
        top += size
    if top < placement.room.reported_gib:
        yield Block("untouched", top, placement.room.reported_gib - top, NOBODY)


def _sizes(placement: Placement, card: CardUse, sizes: dict[str, float]) -> Iterator[tuple[str, float, int]]:
    for engine in card.engines:
        own = engine_parts(engine)
        yield from ((part, size, engine.service) for part, size in own)
        if engine.kind == "slice":
            yield "untouched", sizes[engine.profile] - sum(size for _, size in own), engine.service
    yield from (("spare", sizes[name], NOBODY) for name in card.spare)
    if card.mode in ("free", "shared") and card.free_gib > 0:
        yield "spare", card.free_gib, NOBODY


def engine_parts(engine: Engine) -> tuple[tuple[str, float], ...]:
    """What an engine holds of one of its cards: part and size [GiB]."""
    found = (
        ("weights", engine.weights_gib),
        ("cache", engine.cache_gib),
        ("left", engine.left_gib),
        ("reserve", engine.reserve_gib),
    )
    return tuple((part, size) for part, size in found if size > 0)
