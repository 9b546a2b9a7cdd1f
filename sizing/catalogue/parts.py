"""The parts of a Scenario, made from data/inputs.toml.

Type checkers and editors read parts.pyi instead, which ``make inputs`` writes from the same table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue.values import Values


class ServerPart(Values, part="server"):
    """The server: its model, cards, memory rule and engine."""

    def defaults(self) -> Mapping[str, Any]:
        """What each input is where nobody set it, the power cap the chosen card's own. [its unit]"""
        return {**self.DEFAULTS, "power_cap_w": default_cap_w(self.card)}

    def _take(self, changes: dict[str, Any]) -> None:
        # A cap that nobody set is that of whichever card is chosen.
        if "card" in changes and "power_cap_w" not in changes and self.power_cap_w == default_cap_w(self.card):
            changes = {**changes, "power_cap_w": default_cap_w(changes["card"])}
        super()._take(changes)


class SitePart(Values, part="site"):
    """Where it stands: connection, supplies, room, rack, hours and what was measured there."""


class NeedPart(Values, part="need"):
    """What is asked for: people, lengths, speed and the goal of a search."""


class OfferPart(Values, part="offer"):
    """What is offered: how many servers, at which prices."""


class ResultFilters(Values, part="evidence"):
    """Which published results the evidence page shows; in no Scenario."""


def default_cap_w(card: Any) -> float:
    """Power cap of a card where nobody sets one: the card's own default. [W]

    For an id that stands for no card it is the table's: the id is refused where it is used.
    """
    known = isinstance(card, str) and (catalogue.is_own(card) or card in catalogue.card_ids())
    try:
        return float(catalogue.card(card).power_default_w.value if known else ServerPart.DEFAULTS["power_cap_w"])
    except SizingError:  # one's own that cannot be read
        return float(ServerPart.DEFAULTS["power_cap_w"])
