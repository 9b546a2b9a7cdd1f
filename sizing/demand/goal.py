"""Goal-seek: backwards from what is wanted to cards, servers, cache precision and cap, and what each gives up."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Literal, get_args

from sizing.answers.answer import Answer
from sizing.answers.size import Sizing
from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
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
