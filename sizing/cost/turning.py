"""Where a ranking turns: the price of a card at which two platforms cost the same per unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """Price per unit of a platform against the price of its card: slope x card price + base.

    slope: cards per unit.   base: everything but the cards, per unit.
    """

    slope: float
    base: float

    def at(self, card_price: float) -> float:
        """Price per unit."""
        return self.slope * card_price + self.base


def line(cards: int, servers: int, server_price: float | None, amount: float) -> Line:
    """The line of a platform of ``servers`` with ``cards`` cards each, for ``amount`` units of what it offers."""
    return Line(cards * servers / amount, (server_price or 0.0) * servers / amount)


def turning_price(own: Line, other_per_unit: float) -> float | None:
    """Price of a card below which a platform is the cheaper one; None where it is dearer even with cards for nothing.

    >>> turning_price(line(2, 1, None, 282), 64_000 / 384)
    23500.0
    """
    price = (other_per_unit - own.base) / own.slope
    return price if price >= 0 else None
