"""Platforms side by side: each some servers alike with some cards, for one model, and what they cost."""

from __future__ import annotations

import dataclasses

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.catalogue import listing
from sizing.catalogue.listing import Entry, Listing

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
