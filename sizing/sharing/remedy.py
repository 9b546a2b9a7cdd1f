"""What makes it fit: the smallest change to the wish, found by the same exact solver.

Every service may stay as it is or be changed in one way; each way has a price, from a setting that costs little to a
copy fewer, and the sum of prices is made as small as it goes. Beside it stands the number of cards that would need no
change at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.catalogue.slices import slice_profiles
from sizing.sharing import solver
from sizing.sharing.needs import Need, need, room
from sizing.sharing.placement import Placement, problem_of
from sizing.sharing.plan import Plan, Service

TIME_LIMIT_S = 0.8
"""For the whole search, which asks the solver up to twenty times."""
LARGEST_SERVER_CARDS = 8
SHORTEST_CONTEXT_TOKENS = 1024
# Prices of changes, which rank them: a setting, less isolation, fewer or shorter conversations, a copy fewer.
FP8_CACHE = 10
WEAKER = {"whole": (("slice", 20), ("share", 25)), "slice": (("share", 20),), "share": ()}
FEWER_CONVERSATIONS = ((3, 4, 35), (1, 2, 40), (1, 4, 45))
SHORTER_CONTEXT = ((2, 41), (4, 46), (8, 51))
ONE_COPY_LESS = 55


@dataclass(frozen=True)
class Change:
    """One field of one service. service: number from 0."""

    service: int
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Changes:
    """What would make a plan fit.

    edits: the smallest change, () where none helps.   plan: with it; the nearest possible one where some services
    still have to be left out.   left_out: numbers of those.   cards: of one server that would need no change, or None.
    in_time: the search was not ended by its time limit, so that no smaller change does.
    """

    edits: tuple[Change, ...]
    plan: Plan
    left_out: tuple[int, ...]
    cards: int | None
    in_time: bool


def changes(placement: Placement) -> Changes:
    """The smallest change that makes a placement fit, or as much of it as can."""
    plan = placement.plan
    tried: list[list[tuple[Service, int]]] = []
    needs: list[Need] = []
    costs: list[int] = []
    groups: list[tuple[int, ...]] = []
    for service in plan.services:
        kept: list[tuple[Service, int]] = []
        known: list[tuple[object, ...]] = []
        for variant, cost in ((service, 0), *_variants(service)):
            try:
                each = need(variant, placement.room, placement.profiles, plan.scenario.cards)
            except SizingError:
                continue  # a precision that this cache cannot have is no way out
            demand = _demand(each)
            if kept and (not each.options or demand in known):
                continue
            known.append(demand)
            kept.append((variant, cost))
            needs.append(each)
            costs.append(cost)
        groups.append(tuple(range(len(needs) - len(kept), len(needs))))
        tried.append(kept)
    problem = problem_of(plan, needs, aim="fewest_changes", variants=tuple(groups), costs=tuple(costs))
    until = time.monotonic() + TIME_LIMIT_S
    solution = solver.solve(problem, until)
    present = {spot.service for spot in solution.spots}
    chosen: list[Service] = []
    left_out = []
    for number, (group, kept) in enumerate(zip(groups, tried, strict=True)):
        taken = [place for place, each in enumerate(group) if each in present]
        chosen.append(kept[taken[0]][0] if taken else plan.services[number])
        if not taken:
            left_out.append(number)
    nearest = plan.replace(services=tuple(chosen))
    if not left_out:
        nearest = _refine(plan, nearest, until)
    cards = _cards(plan, until)
    return Changes(
        edits=tuple(_edits(plan, nearest)),
        plan=nearest,
        left_out=tuple(left_out),
        cards=cards,
        in_time=solution.proved and time.monotonic() < until,
    )


def fits(plan: Plan, until: float) -> bool:
    """Whether every service of a plan has a place. until: time.monotonic() from which on none is found any more. [s]"""
    if time.monotonic() >= until:
        return False
    offered, profiles = room(plan.scenario), slice_profiles(catalogue.card(plan.scenario.card))
    needs = [need(service, offered, profiles, plan.scenario.cards) for service in plan.services]
    if not all(each.options for each in needs):
        return False
    return solver.solve(problem_of(plan, needs, aim="count"), until).values["placed"] == len(needs)


def _variants(service: Service) -> Iterator[tuple[Service, int]]:
    if service.kv_dtype in ("auto", "bf16"):
        yield service.replace(kv_dtype="fp8"), FP8_CACHE
    for isolation, cost in WEAKER[service.isolation]:
        yield service.replace(isolation=isolation), cost
    if service.conversations:
        for part, whole, cost in FEWER_CONVERSATIONS:
            fewer = service.conversations * part // whole
            if fewer:
                yield service.replace(conversations=fewer), cost
    for divisor, cost in SHORTER_CONTEXT:
        if service.context_tokens // divisor >= SHORTEST_CONTEXT_TOKENS:
            yield service.replace(context_tokens=service.context_tokens // divisor), cost
    if service.copies > 1:
        yield service.replace(copies=service.copies - 1), ONE_COPY_LESS


def _demand(each: Need) -> tuple[object, ...]:
    """What of a service's options decides where it fits: copies, cards, slices and the share."""
    return (
        each.service.copies,
        frozenset((option.kind, option.cards, option.profile) for option in each.options),
        min((option.need_kib for option in each.of_kind("share")), default=None),
    )


def _edits(before: Plan, after: Plan) -> Iterator[Change]:
    for number, (old, new) in enumerate(zip(before.services, after.services, strict=True)):
        for field, value in old.as_dict().items():
            if value != getattr(new, field):
                yield Change(number, field, value, getattr(new, field))


def _refine(plan: Plan, nearest: Plan, until: float) -> Plan:
    """A single change of a number is made no larger than it has to be, by halving the interval."""
    edits = list(_edits(plan, nearest))
    if len(edits) != 1 or edits[0].field not in ("conversations", "context_tokens"):
        return nearest
    edit = edits[0]
    # Context lengths are tried in steps that a person would choose.
    step = SHORTEST_CONTEXT_TOKENS if edit.field == "context_tokens" else 1
    good, bad = edit.after // step, -(-edit.before // step)

    def at(value: int) -> Plan:
        changed = plan.services[edit.service].replace(**{edit.field: value * step})
        return plan.with_entry(edit.service, changed)

    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(at(middle), until) else (good, middle)
    return at(good) if good * step > edit.after else nearest


def _cards(plan: Plan, until: float) -> int | None:
    """Cards of one server from which on nothing has to change."""
    for cards in range(plan.scenario.cards + 1, LARGEST_SERVER_CARDS + 1):
        if fits(plan.replace(cards=cards), until):
            return cards
    return None
