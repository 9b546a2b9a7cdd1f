"""The search behind goal-seek: memory and power are worked out once a number of cards, then put together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from sizing import catalogue
from sizing.answers.answer import Answer, answer
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand import cost
from sizing.demand import goal as goals
from sizing.demand.goal import ANSWERS, ENDLESS, Goal, Powered, Proposal, Proposals, ServerKind
from sizing.site import options
from sizing.site.plan import SitePlan

CARDS = tuple(int(count) for count in range(int(inputs()["cards"].min or 1), int(inputs()["cards"].max or 8) + 1))
PRECISIONS = ("bf16", "fp8", "nvfp4")  # the order in which an answer prefers them
NOT_MEASURED = {"measured_full_w": 0, "measured_typical_w": 0, "measured_idle_w": 0}


class Search:
    """One search over cards, precisions, servers and caps; power is worked out once for each of cards and cap."""

    def __init__(self, goal: Goal, measured: bool) -> None:
        self.goal, self.measured = goal, measured
        self.card = catalogue.card(goal.scenario.card)
        self.notes: list[Note] = []
        self._powers: dict[int, tuple[Powered, ...]] = {}
        fixed = set(goal.fixed)
        if goal.scenario.memory_rule == "measured":
            # A figure of a log holds for the very cards, layout and precision that were logged.
            fixed |= {"cards", "kv_dtype"}
            self.notes.append(Note("hint", "goal_measured_memory"))
        self.fixed = frozenset(fixed)
        self.notes += cost.low_price("card_price", goal.price_per_card)
        self.notes += cost.low_price("server_price", goal.price_per_server)
        self.base = SitePlan(goal.scenario, other_servers=1)
        if any(self.base.measured_w):
            self.notes.append(Note("hint", "goal_measured_power"))

    @property
    def measured_share(self) -> float:
        """Rest of the server as a share, as a measurement implies it, within what an input may be."""
        spec = inputs()["rest_share"]
        return min(max(self.base.rest_share, spec.min or 0.0), spec.max or 1.0)

    def scenario(self, cards: int, kv_dtype: str) -> Scenario:
        changes: dict[str, object] = {"cards": cards, "kv_dtype": kv_dtype}
        return self.goal.scenario.replace(**changes, context_tokens=self.goal.asked_context_tokens)

    def answers(self) -> Iterator[tuple[int, Answer]]:
        """The answer for every number of cards and cache precision that the model takes."""
        own = self.goal.scenario
        counts = (own.cards,) if "cards" in self.fixed else CARDS
        precisions: tuple[str, ...] = (own.kv_dtype,)
        if "kv_dtype" not in self.fixed:
            precisions = tuple(dict.fromkeys(("bf16", "fp8", own.kv_dtype)))
        first: SizingError | None = None
        sized = False
        for cards in counts:
            seen = set()
            for kv_dtype in precisions:
                try:
                    found = answer(self.scenario(cards, kv_dtype), measured=self.measured)
                except SizingError as error:
                    first = first or error
                    continue
                if found.sizing.kv_dtype not in seen:
                    seen.add(found.sizing.kv_dtype)
                    sized = True
                    yield cards, found
        if not sized and first is not None:
            raise first

    def powers(self, cards: int) -> tuple[Powered, ...]:
        """The server with so many cards at each cap that may be chosen, the highest first."""
        if cards not in self._powers:
            self._powers[cards] = self._powers_of(cards)
        return self._powers[cards]

    def _powers_of(self, cards: int) -> tuple[Powered, ...]:
        here, goal = self.base, self.goal
        if cards != here.scenario.cards or any(here.measured_w):
            share = self.measured_share
            scenario = here.scenario.replace(cards=cards, rest_share=share, **NOT_MEASURED)
            here = dataclasses.replace(here, scenario=scenario)
        if "power_cap_w" in self.fixed or (not goal.connection_binds and goal.aim != "least_power"):
            caps: tuple[float, ...] = (goal.scenario.power_cap_w,)
        else:
            caps = options.caps(self.card, goal.scenario.power_cap_w) or (goal.scenario.power_cap_w,)
        return tuple(self._powered(here.at_cap(cap_w)) for cap_w in reversed(caps))

    def _powered(self, here: SitePlan) -> Powered:
        server_w = here.draw.server_w
        if not self.goal.connection_binds:
            return Powered(here.cap_w, server_w, 0, None)
        per = here.servers_on_circuit
        passed = None if per else next((limit for limit in here.connection.limits if not limit.fits), None)
        return Powered(here.cap_w, server_w, per, passed)

    def power(self, cards: int, servers: int) -> Powered:
        """The highest cap with which the connections take the servers; the lowest where none does."""
        choices = self.powers(cards)
        if not self.goal.connection_binds:
            return choices[0]
        needed = math.ceil(servers / self.goal.connections) if self.goal.connections else 1
        return next((each for each in choices if each.per_connection >= needed), choices[-1])

    def kinds(self) -> Iterator[ServerKind]:
        """Every number of cards, precision and number of servers."""
        for cards, found in self.answers():
            held = Held(found, self.measured)
            for servers in range(1, self.goal.servers + 1):
                kind = self.kind(held, cards, servers, self.power(cards, servers))
                yield self.lowest(held, kind) if self.goal.aim == "least_power" else kind

    def kind(self, held: Held, cards: int, servers: int, powered: Powered) -> ServerKind:
        """One kind at a cap, judged against the goal. held: of ``cards`` in one of ``servers``.   powered: the cap."""
        context = self.goal.asked_context_tokens
        if self.goal.aim == "longest_context":
            context = held.longest(context, self.wanted(servers), powered.cap_w)
        here = held.at(context, powered.cap_w)
        draft = ServerKind(cards, servers, here, context, count(here), powered, (), frozenset())
        gives_up = frozenset(goals.gives_up(self.goal, draft))
        return dataclasses.replace(draft, misses=tuple(goals.misses(self.goal, draft)), gives_up=gives_up)

    def lowest(self, held: Held, kind: ServerKind) -> ServerKind:
        """The same at the lowest cap that still meets the goal: a lower one never holds more."""
        if kind.misses:
            return kind
        choices = [each for each in reversed(self.powers(kind.cards)) if each.cap_w <= kind.powered.cap_w]
        fails, meets = -1, len(choices) - 1
        while meets - fails > 1:
            middle = (fails + meets) // 2
            tried = self.kind(held, kind.cards, kind.servers, choices[middle])
            if tried.misses:
                fails = middle
            else:
                meets, kind = middle, tried
        return kind

    def wanted(self, servers: int) -> int:
        """Conversations that each server has to hold, so that the goal is met."""
        left = servers - 1 if self.goal.survive_failure else servers
        return max(1, math.ceil(self.goal.conversations / left)) if left else ENDLESS


class Held:
    """What one kind of server may be promised for at any context and cap."""

    def __init__(self, found: Answer, measured: bool) -> None:
        self.sizing, self.measured = found.sizing, measured
        self._at = {(found.scenario.context_tokens, found.scenario.power_cap_w): found}

    def at(self, context_tokens: int, cap_w: float) -> Answer:
        """The answer at ``context_tokens`` and ``cap_w``. [tokens], [W]"""
        key = context_tokens, cap_w
        if key not in self._at:
            scenario = self.sizing.scenario.replace(context_tokens=context_tokens, power_cap_w=cap_w)
            self._at[key] = answer(scenario, measured=self.measured)
        return self._at[key]

    def longest(self, least: int, wanted: int, cap_w: float) -> int:
        """The longest context of the stops, from ``least`` on, at which so many conversations fit; else ``least``."""
        top = self.sizing.architecture.max_context_tokens
        stops = {int(stop) for stop in inputs()["context_tokens"].stops} | ({top} if top else set())
        steps = [least, *sorted(stop for stop in stops if stop > least and (top is None or stop <= top))]
        fits, fails = 0, len(steps)
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if count(self.at(steps[middle], cap_w)) >= wanted:
                fits = middle
            else:
                fails = middle
        return steps[fits]


def count(found: Answer) -> int:
    """Conversations that one server may be promised for, ENDLESS where nothing limits them."""
    return ENDLESS if found.conversations is None else found.conversations


def rank(goal: Goal, kind: ServerKind) -> tuple[float, ...]:
    """What orders kinds: the aim first, then fewer cards and servers, less to give up, more conversations."""
    first = {
        "fewest_cards": kind.cards * kind.servers,
        "least_power": kind.servers * kind.powered.server_w,
        "least_space": kind.servers * goal.scenario.server_u,
        "lowest_price": goals.price(goal, kind) or 0.0,
        "most_conversations": -kind.total,
        "longest_context": -kind.context_tokens,
    }[goal.aim]
    precision = PRECISIONS.index(kind.sizing.kv_dtype)
    return first, kind.cards * kind.servers, kind.servers, len(kind.gives_up), -kind.total, precision


def chosen(ranked: list[ServerKind]) -> list[ServerKind]:
    """The best, then each time the best that keeps something which all before it give up, then the next best."""
    picked = ranked[:1]
    for _ in range(ANSWERS - 1):
        lost = frozenset.intersection(*(kind.gives_up for kind in picked)) if picked else frozenset()
        rest = [kind for kind in ranked if kind not in picked]
        keeping = [kind for kind in rest if not lost <= kind.gives_up]
        picked += (keeping or rest)[:1]
    return picked


def seek(goal: Goal, *, measured: bool = True) -> Proposals:
    """The best answers to a goal.

    Every number of cards and of servers, and every cache precision that the model takes; for each the cap that serves
    the aim and the layout that `sizing.answer` recommends. The first answer is the best by the aim. Each next one is
    the best of those that keep something which all before it give up; where nothing is left to keep, the next best.
    measured: False leaves speed out while measured operations are not loaded.

    SizingError as `sizing.size` for a scenario that cannot be sized at all.
    """
    at_work = Search(goal, measured)
    kinds = list(at_work.kinds())
    met = sorted((kind for kind in kinds if not kind.misses), key=lambda kind: rank(goal, kind))
    answers = tuple(_written(at_work, kind) for kind in chosen(met))
    nearest = None
    if not met:
        near = min(kinds, key=lambda kind: (round(sum(miss.by for miss in kind.misses), 9), rank(goal, kind)))
        nearest = _written(at_work, near)
    return Proposals(goal, answers, nearest, len(kinds), tuple(at_work.notes))


def _written(at_work: Search, kind: ServerKind) -> Proposal:
    """A kind as an answer, sized anew with every input it stands for."""
    goal, own = at_work.goal, at_work.goal.scenario
    per = kind.powered.per_connection
    changes: dict[str, object] = {
        "cards": kind.cards,
        "kv_dtype": kind.sizing.scenario.kv_dtype,
        "power_cap_w": kind.powered.cap_w,
        "context_tokens": kind.context_tokens,
        "servers_connected": min(kind.servers, per) if per else own.servers_connected,
    }
    moved = (kind.cards, kind.powered.cap_w) != (own.cards, own.power_cap_w)
    if moved and any(at_work.base.measured_w):
        changes |= {**NOT_MEASURED, "rest_share": at_work.measured_share}
    scenario = own.replace(**changes)
    found = answer(scenario, measured=at_work.measured)
    sizing, per_server = found.sizing, count(found)
    endless = per_server == ENDLESS
    return Proposal(
        scenario=scenario,
        servers=kind.servers,
        layout=sizing.best,
        kv_dtype=sizing.kv_dtype,
        context_tokens=kind.context_tokens,
        conversations=None if endless else per_server * kind.servers,
        after_failure=None if endless and kind.servers > 1 else per_server * (kind.servers - 1),
        server_w=kind.powered.server_w,
        connections=kind.connections,
        price=goals.price(goal, kind),
        rack_u=kind.servers * own.server_u,
        misses=kind.misses,
        gains=tuple(goals.gains(goal, kind, sizing)),
        gives_up=tuple(goals.say_gives_up(kind)),
    )
