"""What it costs: public quotes, price per unit of what a platform offers, and where a ranking turns."""

from __future__ import annotations

from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.base.working import Step, derive
from sizing.catalogue.loader import default
from sizing.catalogue.records import Card, Price

# Prices: what is known of them, and what they make per unit. Nothing is converted between currencies.

CURRENCIES = ("USD", "EUR")
LOWEST_LIKELY = 100
"""No card and no server in the catalogue costs so little; whoever types less most likely meant thousands."""


@dataclass(frozen=True)
class Cost(Shown, facts=("currency", "card_price", "cards_total", "server_price", "total")):
    """What one platform costs to buy, in one currency; None where a price is not known.

    card_price: of one card.   quoted: the public quote that stands in for it, None where it was given.
    cards_total: of all cards.   server_price: of one server without cards, None where it was not given.
    total: cards and servers, or the cards alone where no server's price was given.
    """

    currency: str
    card_price: float | None
    quoted: Price | None
    cards_total: float | None
    server_price: float | None
    total: float | None

    @property
    def whole(self) -> bool:
        """The total holds the servers, too."""
        return self.total is not None and self.server_price is not None


def quote(card: Card, currency: str, kind: str = "new") -> Price | None:
    """The newest public quote of one kind for a card in a currency, the lowest of its day; None where there is none.

    kind: "new", "list", "used" or "rental"; only new stands in for a price, so that like is compared with like.
    """
    if currency not in CURRENCIES:
        raise SizingError("currency_unknown", input="currency", value=str(currency)[:20], known=", ".join(CURRENCIES))
    found = [each for each in default().prices(card.id) if (each.currency, each.kind) == (currency, kind)]
    newest = max((each.date for each in found), default="")
    return min((each for each in found if each.date == newest), key=lambda each: each.net, default=None)


def vat(price: Price) -> Word:
    """What a price without VAT is known to be: a quote may not say whether tax is inside."""
    percent = price.vat_percent
    key = "unknown" if percent is None else "taken_out" if percent else "none"
    return Word(f"price.vat.{key}", (("percent", percent or 0.0),))


def gigabytes(currency: str, kind: str = "new") -> tuple[tuple[Card, Price], ...]:
    """Every card that has a quote of a kind, the cheapest per nominal gigabyte first."""
    cards = [(each, quote(each, currency, kind)) for each in map(default().card, default().card_ids())]
    quoted = [(each, price) for each, price in cards if price is not None]
    return tuple(sorted(quoted, key=lambda pair: pair[1].net / pair[0].memory_gb.value))


def cost(
    card: Card, cards: int, servers: int, currency: str, card_price: float | None, server_price: float | None
) -> Cost:
    """What ``servers`` with ``cards`` cards each cost.

    card_price: of one card, None for the newest public quote of a new one, without VAT where it is known.
    server_price: of one server without cards, or None.

    >>> from sizing import catalogue
    >>> cost(catalogue.card("rtx-pro-6000-server"), 4, 1, "USD", 12_000, 20_000).total
    68000
    """
    quoted = quote(card, currency) if card_price is None else None
    known = quoted.net if quoted else card_price
    cards_total = None if known is None else known * cards * servers
    total = None if cards_total is None else cards_total + (server_price or 0.0) * servers
    return Cost(currency, known, quoted, cards_total, server_price, total)


def per(total: float | None, amount: float | None) -> float | None:
    """Price of one unit; None where the price or the amount is not known, or there is none of it.

    >>> per(64_000, 384)
    166.7
    """
    return total / amount if total is not None and amount else None


def low_price(name: str, price: float | None) -> tuple[Note, ...]:
    """A warning where a price is so low that it looks like thousands whose separator was read as a decimal sign.

    name: of the input, whose label the note uses.
    """
    if not price or price >= LOWEST_LIKELY:
        return ()
    return (
        Note(
            "warn", "price_low", "", {"label": Word(f"input.{name}.label"), "price": price, "thousands": price * 1000}
        ),
    )


def step(name: str, total: float, amount: float, unit: str, currency: str, source: str) -> Step:
    """The division behind a price of one unit."""
    return derive(
        f"price_{name}",
        "total / amount",
        f"{currency}/{unit}",
        "input",
        total=(total, currency, "input"),
        amount=(amount, unit, source),
    )


# Where a ranking turns: the price of a card at which two platforms cost the same per unit.


@dataclass(frozen=True)
class PriceLine:
    """Price per unit of a platform against the price of its card: slope x card price + base.

    slope: cards per unit.   base: everything but the cards, per unit.
    """

    slope: float
    base: float

    def at(self, card_price: float) -> float:
        """Price per unit."""
        return self.slope * card_price + self.base


def line(cards: int, servers: int, server_price: float | None, amount: float) -> PriceLine:
    """The line of a platform of ``servers`` with ``cards`` cards each, for ``amount`` units of what it offers."""
    return PriceLine(cards * servers / amount, (server_price or 0.0) * servers / amount)


def turning_price(own: PriceLine, other_per_unit: float) -> float | None:
    """Price of a card below which a platform is the cheaper one; None where it is dearer even with cards for nothing.

    >>> turning_price(line(2, 1, None, 282), 64_000 / 384)
    23500.0
    """
    price = (other_per_unit - own.base) / own.slope
    return price if price >= 0 else None
