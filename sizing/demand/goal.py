"""What the search backwards is asked, what it finds, and what each proposal misses, gains and gives up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal, get_args

from sizing.answers.answer import Answer
from sizing.answers.size import Sizing
from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Level, Note
from sizing.base.texts import Word, unit_word
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.site.circuits import SOURCE as CIRCUITS
from sizing.site.connection import Limit

Aim = Literal["fewest_cards", "least_power", "least_space", "lowest_price", "most_conversations", "longest_context"]
AIMS: tuple[Aim, ...] = get_args(Aim)
MOVED = ("cards", "kv_dtype", "power_cap_w")
ANSWERS = 3
MOST_SERVERS = 16
ENDLESS = 10**12
"""Stands for "no limit" where counts are compared."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is wanted, and what may not change.

    scenario: everything that is not asked for: model, card, memory rule, connection, feeds, supplies, server height.
    aim: what the answers are ranked by.
    conversations: that must run at once, over all servers; 0 to ask for no number. [-] From people: `Demand.peak`.
    context_tokens: of each; 0 for the scenario's. [tokens] With the aim "longest_context" the least that is accepted.
    connections: of the scenario's kind that there are; 0 for any number. [-] Each may feed several servers.
    connection_binds: False leaves power and connection out.
    budget, price_per_card, price_per_server: in one currency, whatever it is; 0 for none. A server without its cards.
    rack_u: free height; 0 for any. [U]   servers: the most that are accepted. [-]
    survive_failure: what is wanted must hold with one server lost.
    fixed: what stays as in the scenario, of "cards", "kv_dtype", "power_cap_w".
    """

    scenario: Scenario = field(default_factory=Scenario)
    aim: Aim = "fewest_cards"
    conversations: int = 0
    context_tokens: int = 0
    connections: int = 0
    connection_binds: bool = True
    budget: float = 0.0
    price_per_card: float = 0.0
    price_per_server: float = 0.0
    rack_u: int = 0
    servers: int = 4
    survive_failure: bool = False
    fixed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        checks.count("conversations", self.conversations, 0, 10_000_000)
        checks.count("connections", self.connections, 0, 1000)
        checks.count("rack_u", self.rack_u, 0, 1000)
        checks.count("servers", self.servers, 1, MOST_SERVERS)
        for name in ("budget", "price_per_card", "price_per_server"):
            checks.number(name, getattr(self, name), 0, 1e12)
        if self.context_tokens:
            inputs()["context_tokens"].check(self.context_tokens)
        if self.aim not in AIMS:
            raise SizingError("goal_unknown_aim", input="aim", value=self.aim, known=", ".join(AIMS))
        if unknown := sorted(self.fixed - set(MOVED)):
            raise SizingError("goal_unknown_fixed", input="fixed", value=unknown[0], known=", ".join(MOVED))
        if (self.budget or self.aim == "lowest_price") and not self.price_per_card:
            raise SizingError("goal_budget_needs_price", input="price_per_card")
        if self.survive_failure and self.servers < 2:
            raise SizingError("goal_survive_needs_servers", input="servers")

    @property
    def asked_context_tokens(self) -> int:
        """The context that each conversation must be able to hold. [tokens]"""
        return self.context_tokens or self.scenario.context_tokens


@dataclass(frozen=True)
class Miss:
    """A wish that an answer does not meet.

    by: how far it is off, the part that is missing or too much, from 0 to 1; 1 more where the model does not fit. [-]
    """

    key: str
    by: float
    note: Note


@dataclass(frozen=True)
class Proposal:
    """One server, or several of one kind, that would do.

    scenario: of one of its servers, ready to be sized.   layout: the best one there.
    kv_dtype: cache precision.   conversations: over all servers, None where memory sets no limit. [-]
    after_failure: with one server lost. [-]   server_w: of one server. [W]
    connections: of the scenario's kind; 0 where none of them carries a server. [-]
    price: None without prices.   rack_u: [U]
    misses: wishes it does not meet, empty for an answer.   gains, gives_up: what to say beside it.
    """

    scenario: Scenario
    servers: int
    layout: Layout
    kv_dtype: str
    context_tokens: int
    conversations: int | None
    after_failure: int | None
    server_w: float
    connections: int
    price: float | None
    rack_u: int
    misses: tuple[Miss, ...]
    gains: tuple[Note, ...]
    gives_up: tuple[Note, ...]

    @property
    def cards(self) -> int:
        """Cards of all servers."""
        return self.servers * self.scenario.cards

    @property
    def power_w(self) -> float:
        """All servers. [W]"""
        return self.servers * self.server_w

    @property
    def cap_w(self) -> float:
        """Power cap of a card. [W]"""
        return self.scenario.power_cap_w


@dataclass(frozen=True)
class Proposals:
    """Up to three answers, the best first; where there is none, the nearest, whose misses say why.

    looked_at: how many servers were tried. notes: what was taken for granted.
    """

    goal: Goal
    answers: tuple[Proposal, ...]
    nearest: Proposal | None
    looked_at: int
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Powered:
    """A server with some cards at one cap: its draw [W], how many of it a connection takes, and what it lacks."""

    cap_w: float
    server_w: float
    per_connection: int
    passed: Limit | None


@dataclass(frozen=True)
class ServerKind:
    """One kind of answer, before it is written out. per_server: conversations, ENDLESS without a limit."""

    cards: int
    servers: int
    answer: Answer
    context_tokens: int
    per_server: int
    powered: Powered
    misses: tuple[Miss, ...]
    gives_up: frozenset[str]

    @property
    def sizing(self) -> Sizing:
        return self.answer.sizing

    @property
    def layout(self) -> Layout:
        return self.answer.promise.layout

    @property
    def total(self) -> int:
        return min(ENDLESS, self.servers * self.per_server)

    @property
    def connections(self) -> int:
        per = self.powered.per_connection
        return math.ceil(self.servers / per) if per else 0


# What a kind of server misses, gains and gives up against a goal, as keys for the search and as notes for people.


RULES = "vllm-kv-rules"


def price(goal: Goal, kind: ServerKind) -> float | None:
    """Cards and servers in the goal's currency, None without a price."""
    if not goal.price_per_card:
        return None
    return kind.servers * (kind.cards * goal.price_per_card + goal.price_per_server)


def misses(goal: Goal, kind: ServerKind) -> Iterator[Miss]:
    """Every wish that the kind does not meet."""
    need, left = max(1, goal.conversations), (kind.servers - 1) * kind.per_server
    longest = kind.sizing.architecture.max_context_tokens
    if longest is not None and kind.context_tokens > longest:
        values = {"longest": longest, "context_tokens": kind.context_tokens}
        yield _miss("context", 1 - longest / kind.context_tokens, values)
    if not kind.answer.fits:
        yield _miss("memory", 1 + _shortage(kind), {"context_tokens": kind.context_tokens})
    elif kind.total < need:
        yield _miss("conversations", 1 - kind.total / need, {"have": kind.total, "need": need})
    elif goal.survive_failure and left < need:
        yield _miss("after_failure", 1 - left / need, {"have": left, "need": need})
    yield from _site(goal, kind)
    cost = price(goal, kind)
    if goal.budget and cost is not None and cost > goal.budget:
        yield _miss("budget", 1 - goal.budget / cost, {"have": cost, "need": goal.budget})
    height = kind.servers * goal.scenario.server_u
    if goal.rack_u and height > goal.rack_u:
        yield _miss("rack_units", 1 - goal.rack_u / height, {"have": height, "need": goal.rack_u})


def _site(goal: Goal, kind: ServerKind) -> Iterator[Miss]:
    if not goal.connection_binds:
        return
    powered = kind.powered
    if powered.passed is not None:
        limit = powered.passed
        values = {"load": limit.load, "limit": limit.limit, "unit": unit_word(limit.unit), "cap_w": powered.cap_w}
        yield _miss("connection", 1 - 1 / limit.used, {**values, "circuit": kind.sizing.circuit.name})
    elif goal.connections and kind.connections > goal.connections:
        off = 1 - goal.connections / kind.connections
        yield _miss("connections", off, {"have": kind.connections, "need": goal.connections})


def _miss(key: str, by: float, values: Mapping[str, object]) -> Miss:
    return Miss(key, by, Note("stop", f"goal.missed.{key}", "", values))


def _shortage(kind: ServerKind) -> float:
    """How far the roomiest layout is from the model and one conversation, as a share of the memory there is."""
    usable = kind.sizing.usable_gib_per_card
    needs = (each.weights_gib_per_card + each.kv_gib_per_card_per_conversation for each in kind.sizing.layouts)
    return max(0.0, 1 - usable / min(needs))


def gives_up(goal: Goal, kind: ServerKind) -> Iterator[str]:
    """What one gives up with it, as keys."""
    card, layout, need = kind.sizing.card, kind.layout, max(1, goal.conversations)
    if kind.powered.cap_w < card.power_max_w.value:
        yield "cap_lowered"
    if kind.sizing.kv_dtype != "bf16" and kind.sizing.architecture.declared_kv_dtype != kind.sizing.kv_dtype:
        yield f"{kind.sizing.kv_dtype}_cache"
    if (kind.servers - 1) * kind.per_server < need:
        yield "no_spare_server"
    if layout.copies * kind.servers == 1:
        yield "single_copy"
    if layout.tp > 2 and card.link is None:
        yield "tp_over_pcie"
    if layout.pp > 1:
        yield "pipeline"
    if kind.connections > 1:
        yield "more_connections"


_LEVELS = {"single_copy": "warn", "nvfp4_cache": "warn"}
_ORDER = ("fp8_cache", "nvfp4_cache", "cap_lowered", "single_copy", "no_spare_server", "tp_over_pcie", "pipeline")
_SOURCES = {
    "fp8_cache": "memory-budget",
    "nvfp4_cache": "field-reports",
    "cap_lowered": "doc-de",
    "single_copy": "doc-de",
    "no_spare_server": "doc-de",
    "tp_over_pcie": "doc-de",
    "pipeline": RULES,
}


def say_gives_up(kind: ServerKind) -> Iterator[Note]:
    """The same as notes, what costs most first."""
    values = {
        "cap_w": kind.powered.cap_w,
        "highest_w": kind.sizing.card.power_max_w.value,
        "tp": kind.layout.tp,
        "pp": kind.layout.pp,
        "connections": kind.connections,
    }
    for key in (*_ORDER, "more_connections"):
        if key in kind.gives_up:
            level = "warn" if key in _LEVELS else "hint"
            yield Note(level, f"goal.gives_up.{key}", _SOURCES.get(key, ""), values)  # type: ignore[arg-type]


def gains(goal: Goal, kind: ServerKind, sizing: Sizing) -> Iterator[Note]:
    """What speaks for it."""
    need = goal.conversations
    if goal.connection_binds and kind.powered.per_connection:
        together = min(kind.servers, kind.powered.per_connection)
        watts = {"cap_w": kind.powered.cap_w, "load_w": together * kind.powered.server_w}
        circuit = {"circuit": sizing.circuit.name, "planned_w": sizing.circuit.planned_w}
        tight = sizing.circuit.connection.verdict == "no_margin"
        level: Level = "warn" if tight else "hint"
        key = "fits_connection_no_margin" if tight else "fits_connection"
        yield Note(level, f"goal.gains.{key}", CIRCUITS, {**watts, **circuit})
    if "no_spare_server" not in kind.gives_up:
        rest = kind.servers - 1
        left = Word("goal.servers.one") if rest == 1 else Word("goal.servers.left", (("count", rest),))
        after = rest * kind.per_server
        key = "survives_failure" if kind.per_server < ENDLESS else "survives_failure_no_limit"
        yield Note("hint", f"goal.gains.{key}", "doc-de", {"after": after, "left": left})
    if kind.sizing.kv_dtype == "bf16":
        yield Note("hint", "goal.gains.sixteen_bit_cache")
    if need and need < kind.total < ENDLESS:
        spare = {"conversations": kind.total, "spare": kind.total - need}
        yield Note("hint", "goal.gains.headroom", "", spare)
    apart = [
        each
        for each in sizing.layouts
        if each.copies > sizing.best.copies and each.fits and (each.conversations or 0) * kind.servers >= need
    ]
    if apart:
        most = max(apart, key=lambda each: (each.copies, each.conversations or 0))
        held = (most.conversations or 0) * kind.servers
        copies = most.copies * kind.servers
        yield Note("hint", "goal.gains.more_copies", "doc-de", {"copies": copies, "conversations": held})
