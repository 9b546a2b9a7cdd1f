"""What makes it fit: the smallest change to the wish, found by the same exact solver.

Every service may stay as it is or be changed in one way; each way has a price, from a setting that costs little to a
copy fewer, and the sum of prices is made as small as it goes. Beside it stands the number of cards that would need no
change at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.catalogue.slices import slice_profiles
from sizing.sharing.board import Engine
from sizing.sharing.needs import Need, need, room
from sizing.sharing.placement import Placement, place, problem_of
from sizing.sharing.plan import Plan, Service
from sizing.site import power, supplies
from sizing.site.supplies import Case

LARGEST_SERVER_CARDS = 8
SHORTEST_CONTEXT_TOKENS = 1024
# Prices of changes, which rank them: a setting, less isolation, fewer or shorter conversations, a copy fewer.
FP8_CACHE = 10
WEAKER = {"whole": (("slice", 20), ("share", 25)), "slice": (("share", 20),), "share": ()}
FEWER_CONVERSATIONS = ((3, 4, 35), (1, 2, 40), (1, 4, 45))
SHORTER_CONTEXT = ((2, 41), (4, 46), (8, 51))
ONE_COPY_LESS = 55


@dataclass(frozen=True, slots=True)
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
    hopeless: services that no number of these cards in a server holds as they are, with the reasons.
    """

    edits: tuple[Change, ...]
    plan: Plan
    left_out: tuple[int, ...]
    cards: int | None
    hopeless: tuple[tuple[int, tuple[Note, ...]], ...]


def changes(placement: Placement) -> Changes:
    """The smallest change that makes a placement fit, or as much of it as can."""
    from sizing.sharing import solver

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
    present = {spot.service for spot in solver.solve(problem).spots}
    chosen: list[Service] = []
    left_out = []
    for number, (group, kept) in enumerate(zip(groups, tried, strict=True)):
        taken = [place for place, each in enumerate(group) if each in present]
        chosen.append(kept[taken[0]][0] if taken else plan.services[number])
        if not taken:
            left_out.append(number)
    nearest = plan.replace(services=tuple(chosen))
    if not left_out:
        nearest = _refine(plan, nearest)
    return Changes(
        edits=tuple(_edits(plan, nearest)),
        plan=nearest,
        left_out=tuple(left_out),
        cards=_cards(plan),
        hopeless=tuple(_hopeless(placement)),
    )


def fits(plan: Plan) -> bool:
    """Whether every service of a plan has a place."""
    from sizing.sharing import solver

    offered, profiles = room(plan.scenario), slice_profiles(catalogue.card(plan.scenario.card))
    needs = [need(service, offered, profiles, plan.scenario.cards) for service in plan.services]
    if not all(each.options for each in needs):
        return False
    return solver.solve(problem_of(plan, needs, aim="count")).values["placed"] == len(needs)


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


def _refine(plan: Plan, nearest: Plan) -> Plan:
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
        good, bad = (middle, bad) if fits(at(middle)) else (good, middle)
    return at(good) if good * step > edit.after else nearest


def _cards(plan: Plan) -> int | None:
    """Cards of one server from which on nothing has to change."""
    for cards in range(plan.scenario.cards + 1, LARGEST_SERVER_CARDS + 1):
        if fits(plan.replace(cards=cards)):
            return cards
    return None


def _hopeless(placement: Placement) -> Iterator[tuple[int, tuple[Note, ...]]]:
    for number, service in enumerate(placement.plan.services):
        if placement.needs[number].options:
            continue
        largest = need(service, placement.room, placement.profiles, LARGEST_SERVER_CARDS)
        if not largest.options:
            yield number, largest.refused


def nearest(placement: Placement) -> Placement:
    """The placement of the nearest plan that fits; the same where the plan itself does."""
    return placement if placement.fits else place(changes(placement).plan)


# What is left, service by service, when a card, a feed or a server is lost, and how many copies would cover it.

FEEDS = {"ab": 2, "one": 1}


@dataclass(frozen=True, slots=True)
class Left:
    """One service after a loss. copies: still running. [-]   conversations: that they hold, None without a cache."""

    copies: int
    conversations: int | None


@dataclass(frozen=True)
class Loss:
    """One thing lost. number: of the card or server, from 0.   left: of every service, () where it is not placed."""

    number: int
    left: tuple[Left, ...]

    @property
    def stopped(self) -> tuple[int, ...]:
        """Services of which no copy runs any more."""
        return tuple(number for number, left in enumerate(self.left) if left.copies == 0)


@dataclass(frozen=True)
class Failures:
    """What a placement survives.

    cards, servers: the loss of each.   worst: of each service, what the worst single card leaves.
    feed: the supplies without the fuller of two feeds, None where all hang on one; server_w: what they carry. [W]
    feed_cap_w: the highest power cap at which they do, None where none does. [W]
    spare_copies: copies of each service with which the wanted conversations survive any one card (N+1), as long as
    each stands on cards of its own.
    """

    cards: tuple[Loss, ...]
    servers: tuple[Loss, ...]
    worst: tuple[Left, ...]
    feed: Case | None
    server_w: float
    feed_cap_w: float | None
    spare_copies: tuple[int, ...]


def failures(placement: Placement) -> Failures:
    """What is left of each service after each single loss."""
    scenario = placement.plan.scenario
    by_card = tuple(
        _loss(placement, card.number, lambda engine, card=card: card.number in engine.cards)  # type: ignore[misc]
        for card in placement.cards
        if card.mode != "free"
    )
    by_server = tuple(
        _loss(placement, server, lambda engine, server=server: engine.server == server)  # type: ignore[misc]
        for server in range(placement.plan.servers)
    )
    processor_w = catalogue.processor(scenario.processor).tdp_w.value

    def rated_w(cap_w: float) -> float:
        return power.rated_w(scenario.cards, cap_w, scenario.processors, processor_w)

    # What was measured at the wall replaces the estimate, and at other caps counts as the share that it implies.
    measured_w, own_rated_w = scenario.measured_full_w, rated_w(scenario.power_cap_w)
    rest_share = measured_w / own_rated_w - 1 if measured_w else scenario.rest_share

    def load_w(cap_w: float) -> float:
        return power.server_w(rated_w(cap_w), rest_share)

    server_w = measured_w or load_w(scenario.power_cap_w)
    arrangement = supplies.split(scenario.supplies, scenario.supply_w, min(FEEDS[scenario.feeds], scenario.supplies))
    feed = next((case for case in supplies.cases(server_w, arrangement) if case.name == "one_feed_lost"), None)
    return Failures(
        cards=by_card,
        servers=by_server,
        worst=tuple(
            min(
                (loss.left[number] for loss in by_card),
                key=lambda left: left.conversations if left.conversations is not None else left.copies,
                default=Left(0, None),
            )
            for number in range(len(placement.needs))
        ),
        feed=feed,
        server_w=server_w,
        feed_cap_w=_cap(placement, feed.available_w, load_w) if feed else None,
        spare_copies=tuple(_spare(placement, number) for number in range(len(placement.needs))),
    )


def _loss(placement: Placement, number: int, lost: Callable[[Engine], bool]) -> Loss:
    left = []
    for service, each in enumerate(placement.needs):
        running = [engine for engine in placement.engines_of(service) if not lost(engine)]
        held = sum(engine.conversations or 0 for engine in running) if each.kv_kib else None
        left.append(Left(len(running), held))
    return Loss(number, tuple(left))


def _cap(placement: Placement, available_w: float, load_w: Callable[[float], float]) -> float | None:
    """The highest cap in whole watts, within what the card accepts, whose server the supplies carry. [W]"""
    card = placement.card
    lowest = card.power_min_w.value if card.power_min_w else card.power_max_w.value
    fitting = [
        cap
        for cap in range(int(lowest), int(placement.plan.scenario.power_cap_w) + 1)
        if load_w(cap) <= available_w * (1 + 1e-9)
    ]
    return float(max(fitting)) if fitting else None


def _spare(placement: Placement, number: int) -> int:
    """Copies that hold what is wanted, and one more. Without a wish each service keeps what it has now."""
    service = placement.needs[number].service
    engines = placement.engines_of(number)
    smallest = min((engine.conversations or 0 for engine in engines), default=0)
    if service.conversations and smallest:
        return -(-service.conversations // smallest) + 1
    return service.copies + 1
