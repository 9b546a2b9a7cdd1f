"""compare(comparison): every platform with the same figures, and the best of each row."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from sizing import catalogue
from sizing.answers.answer import Answer, answer
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.catalogue import listing
from sizing.catalogue.listing import Entry, Listing
from sizing.catalogue.slices import slice_profiles
from sizing.demand import cost
from sizing.site.connection import Connection

PRICES = ("card_price", "server_price")
_FILE = listing.read_file("platforms.toml", "platforms")


@dataclass(frozen=True, kw_only=True)
class Platform(Entry):
    """One platform. Bounds and defaults stand in data/platforms.toml.

    card: id of the catalogue.   cards: in each server. [-]   servers: alike. [-]
    power_cap_w: of a card, 0 for its own default. [W]
    card_price: of one card, None for the newest public quote in the currency of the comparison, if there is one.
    server_price: of one server without cards, None where it is not known.

    >>> Platform(card="h200-nvl", cards=2).to_text()
    'h200-nvl~2~1~0~~'
    >>> Platform.from_text("h200-nvl~2").cards
    2
    """

    WHAT = "platform"
    INPUTS = listing.in_group(_FILE, "platform")
    OPEN = PRICES

    card: str = "rtx-pro-6000-server"
    cards: int = 4
    servers: int = 1
    power_cap_w: float = 0.0
    card_price: float | None = None
    server_price: float | None = None

    @property
    def cap_w(self) -> float:
        """Power cap that counts: the one given, or the card's own default. [W]"""
        return self.power_cap_w or catalogue.card(self.card).power_default_w.value


@dataclass(frozen=True, kw_only=True)
class Comparison(Listing):
    """Up to four platforms for one model.

    scenario: model, context, precision, memory rule and site. Its card, cards and cap count for nothing here.
    currency: of every price.   measure: what a price is divided by: "conversation", "usable_gib", "nominal_gb".
    varied: number of the platform whose price the break-even chart varies, from 1. [-]
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Comparison(currency="EUR").to_query()
    'v=1&cv=1&cur=EUR'
    """

    WHAT = "comparison"
    ENTRY = Platform
    ENTRIES = "platforms"
    MOST = 4
    VERSION_PARAMETER = "cv"
    ENTRY_PARAMETER = "rig"
    INPUTS = listing.in_group(_FILE, "price")
    PRESETS = _FILE["preset"]

    platforms: tuple[Platform, ...] = dataclasses.field(default_factory=lambda: Comparison.preset_entries())
    currency: str = "USD"
    measure: str = "conversation"
    varied: int = 2


@dataclass(frozen=True)
class ComparedPlatform:
    """One platform with its figures; those of several servers are sums.

    answer: what one of its servers may be promised for.   costs: to buy.
    """

    platform: Platform
    answer: Answer
    costs: cost.Cost

    @property
    def sizing(self) -> Sizing:
        """Memory, engine and power of one of its servers."""
        return self.answer.sizing

    @property
    def card(self) -> catalogue.Card:
        """The card of the catalogue."""
        return self.sizing.card

    @property
    def all_cards(self) -> int:
        """Cards of all servers. [-]"""
        return self.platform.cards * self.platform.servers

    @property
    def nominal_gb(self) -> float:
        """Memory as the product's name counts it. [GB]"""
        return self.card.memory_gb.value * self.all_cards

    @property
    def usable_gib(self) -> float:
        """Memory for weights and cache by the memory rule. [GiB]"""
        return self.sizing.usable_gib * self.platform.servers

    @property
    def pool_cards(self) -> int:
        """Cards that a direct link joins into one pool; 1 where each card stands alone. [-]"""
        link = self.card.link
        return min(self.platform.cards, link.largest_group or 1) if link else 1

    @property
    def pool_gb(self) -> float:
        """Memory of the largest pool. [GB]"""
        return self.card.memory_gb.value * self.pool_cards

    @property
    def one_pool(self) -> bool:
        """All memory of a server is one pool."""
        return self.platform.servers == 1 and self.pool_cards == self.platform.cards

    @property
    def slices(self) -> int:
        """MIG slices of the smallest size. [-]"""
        return max((profile.count for profile in slice_profiles(self.card)), default=0) * self.all_cards

    @property
    def holds(self) -> bool:
        """The model runs on it with the context asked for: weights and a conversation fit, within the model's end."""
        longest = self.sizing.architecture.max_context_tokens
        return self.answer.fits and (longest is None or self.sizing.scenario.context_tokens <= longest)

    @property
    def conversations(self) -> int | None:
        """What all servers may be promised for; None where nothing limits it. [-]"""
        return self.answer.promised

    @property
    def left_without_server(self) -> int | None:
        """Conversations that are left when one server is lost. [-]"""
        if self.conversations is None:
            return None
        return self.conversations * (self.platform.servers - 1) // self.platform.servers

    @property
    def power_w(self) -> float:
        """From the wall. [W]"""
        return self.sizing.server_w * self.platform.servers

    @property
    def connection(self) -> Connection:
        """One server on the scenario's connection."""
        return self.sizing.site.of_servers(1).connection

    @property
    def cfm(self) -> float:
        """Air that carries the heat away. [CFM]"""
        return self.sizing.cfm * self.platform.servers

    @functools.cached_property
    def height_u(self) -> int | None:
        """Of the lowest rack server in the catalogue that takes the cards, times the servers; None where none does."""
        heights = [
            judged.server.height_u
            for judged in self.sizing.site.chassis
            if judged.takes_them and judged.server.form == "rack" and judged.server.height_u
        ]
        return min(heights) * self.platform.servers if heights else None

    @property
    def site_kwh(self) -> float:
        """Energy of a year, cooling and distribution included. [kWh]"""
        return self.sizing.site.energy.site_kwh * self.platform.servers

    @property
    def energy_eur(self) -> float:
        """What that costs at the scenario's price. [EUR a year]"""
        return self.sizing.site.energy.cost * self.platform.servers

    def amount(self, measure: str) -> float | None:
        """What a price is divided by: "conversation", "usable_gib", "nominal_gb", "kw"; None where it has no limit."""
        return {
            "conversation": self.conversations,
            "usable_gib": self.usable_gib,
            "nominal_gb": self.nominal_gb,
            "kw": self.power_w / 1000,
        }[measure]

    def price_per(self, measure: str) -> float | None:
        """Price to buy of one unit; None where the price or the amount is not known."""
        return cost.per(self.costs.total, self.amount(measure))


@dataclass(frozen=True)
class ComparedRow:
    """One row of the comparison. better: "more", "less", or "" where neither is better as such.

    best: number of the platform that wins it, -1 where none does alone or a value is not known. A platform that cannot
    hold the model wins nothing, and where one alone can it wins only what it holds. With upper bounds beside numbers
    that may be promised nobody wins what rests on them.
    """

    name: str
    values: tuple[float | None, ...]
    better: str
    best: int


PROMISED = ("conversations", "left_without_server", "per_conversation")
"""Rows that rest on the number that may be promised."""

Read = Callable[[ComparedPlatform], float | None]
ROWS: tuple[tuple[str, str, Read], ...] = (
    ("nominal_gb", "more", lambda each: each.nominal_gb),
    ("usable_gib", "more", lambda each: each.usable_gib),
    ("pool_gb", "more", lambda each: each.pool_gb),
    ("slices", "more", lambda each: each.slices),
    ("conversations", "more", lambda each: each.conversations),
    ("left_without_server", "more", lambda each: each.left_without_server),
    ("power_w", "less", lambda each: each.power_w),
    ("cfm", "less", lambda each: each.cfm),
    ("height_u", "less", lambda each: each.height_u),
    ("site_kwh", "less", lambda each: each.site_kwh),
    ("energy_eur", "less", lambda each: each.energy_eur),
    ("total", "less", lambda each: each.costs.total),
    ("per_nominal_gb", "less", lambda each: each.price_per("nominal_gb")),
    ("per_usable_gib", "less", lambda each: each.price_per("usable_gib")),
    ("per_conversation", "less", lambda each: each.price_per("conversation")),
    ("per_kw", "", lambda each: each.price_per("kw")),
)


@dataclass(frozen=True)
class Turn:
    """Where the ranking between the varied platform and another one turns.

    others: numbers of the platforms at this price.   per_unit: what a unit costs there.
    card_price: of the varied platform's card, below which it is the cheaper one; None where it never is.
    """

    others: tuple[int, ...]
    per_unit: float
    card_price: float | None


@dataclass(frozen=True)
class SideBySide:
    """All platforms of a comparison. with_servers: the prices hold the servers; else cards alone are compared."""

    comparison: Comparison
    platforms: tuple[ComparedPlatform, ...]
    with_servers: bool

    @functools.cached_property
    def rows(self) -> tuple[ComparedRow, ...]:
        """Every row with the platform that wins it."""
        return tuple(
            _row(name, "" if self.mixed and name in PROMISED else better, read, self.platforms)
            for name, better, read in ROWS
        )

    def row(self, name: str) -> ComparedRow:
        """One row by its name."""
        return next(row for row in self.rows if row.name == name)

    @property
    def pending(self) -> bool:
        """Speed is left out of a platform, since measured operations are not loaded."""
        return any(each.answer.pending for each in self.platforms)

    @functools.cached_property
    def ranked(self) -> tuple[int, ...]:
        """Numbers of the platforms whose conversations can be ranked: upper bounds only where there is nothing else."""
        holding = [number for number, each in enumerate(self.platforms) if each.holds]
        return tuple(number for number in holding if not self.platforms[number].answer.at_most) or tuple(holding)

    @functools.cached_property
    def mixed(self) -> bool:
        """Some numbers may be promised and others are upper bounds, so that nobody can be said to win."""
        return len({each.answer.at_most for each in self.platforms if each.holds}) > 1

    @property
    def without_price(self) -> tuple[int, ...]:
        """Numbers of the platforms whose price is not known."""
        return tuple(number for number, each in enumerate(self.platforms) if each.costs.total is None)

    @property
    def varied(self) -> int:
        """Number of the platform whose price varies, from 0."""
        return min(self.comparison.varied, len(self.platforms)) - 1

    @functools.cached_property
    def line(self) -> cost.PriceLine | None:
        """Price per unit of the varied platform against the price of its card; None where it offers no units."""
        each = self.platforms[self.varied]
        amount = each.amount(self.comparison.measure)
        if not amount or not each.holds:
            return None
        return cost.line(each.platform.cards, each.platform.servers, each.costs.server_price, amount)

    @functools.cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Where the ranking turns against each known price per unit."""
        if self.line is None:
            return ()
        levels: dict[float, list[int]] = {}
        for number, each in enumerate(self.platforms):
            per_unit = each.price_per(self.comparison.measure)
            if number != self.varied and per_unit is not None and each.holds:
                level = next((known for known in levels if _level(known, per_unit)), per_unit)
                levels.setdefault(level, []).append(number)
        return tuple(
            Turn(tuple(others), per_unit, cost.turning_price(self.line, per_unit))
            for per_unit, others in levels.items()
        )


def compare(comparison: Comparison, *, measured: bool | None = None) -> SideBySide:
    """Every platform of a comparison. measured: as for `sizing.answer`.

    SizingError: an unknown card, or a model that cannot be sized.
    """
    whole = all(platform.server_price is not None for platform in comparison.platforms)
    found = []
    for platform in comparison.platforms:
        card = catalogue.card(platform.card)
        rig = {"card": platform.card, "cards": platform.cards, "power_cap_w": platform.cap_w}
        scenario = comparison.scenario.replace(**rig, servers_offered=platform.servers)
        answered = answer(scenario, measured=measured)
        server_price = platform.server_price if whole else None
        costs = cost.cost(
            card, platform.cards, platform.servers, comparison.currency, platform.card_price, server_price
        )
        found.append(ComparedPlatform(platform, answered, costs))
    return SideBySide(comparison, tuple(found), whole)


def _row(
    name: str, better: str, read: Callable[[ComparedPlatform], float | None], platforms: tuple[ComparedPlatform, ...]
) -> ComparedRow:
    values = tuple(read(each) for each in platforms)
    rivals = {number: values[number] for number, each in enumerate(platforms) if each.holds}
    known = {number: value for number, value in rivals.items() if value is not None}
    best = -1
    # With a value missing nobody can be said to win, and whoever stands alone wins nothing but what was asked for.
    if better and len(known) == len(rivals) and (len(known) > 1 or (name == "conversations" and len(values) > 1)):
        top = max(known.values(), default=0) if better == "more" else min(known.values())
        winners = [number for number, value in known.items() if _level(value, top)]
        best = winners[0] if len(winners) == 1 else -1
    return ComparedRow(name, values, better, best)


def _level(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
