"""Chassis: which server takes the cards at a cap, and the reason where one does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol

from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.temperature import Temperature
from sizing.catalogue import servers
from sizing.catalogue.servers import Server
from sizing.site import supplies

Verdict = Literal["fits", "conditional", "unknown", "stopped"]
_ORDER = {"fits": 0, "conditional": 1, "unknown": 2, "stopped": 3}

FORM_SOURCE = "doc-en"


class CardFacts(Protocol):
    """What of a card decides the chassis. cooling: "passive" without a fan, "active" with its own, "liquid".

    board: the baseboard it sits on as a module, "" for a card in slots.
    """

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def cooling(self) -> str: ...
    @property
    def board(self) -> str: ...


def edition_notes(cooling: str, air: str) -> tuple[Note, ...]:
    """Whether a card's cooling and a chassis' air belong together.

    A card without a fan needs air pushed through it from front to back; a card with its own fan starves in a chassis
    whose cards stand side by side in that stream. Source: doc-en.
    """
    if cooling == "passive" and air != "front-to-back":
        return (Note("stop", "passive_without_chassis_air", FORM_SOURCE),)
    if cooling == "active" and air == "front-to-back":
        return (Note("stop", "active_in_dense_chassis", FORM_SOURCE),)
    return ()


@dataclass(frozen=True)
class Judged:
    """One server for the wanted cards.

    inlet_limit: warmest inlet at the height of the site, None where no source states one.
    verdict: "fits"; "conditional" where its maker attaches conditions or sources differ; "unknown" where no source says
    what it takes, how warm its air may be or which supplies it has; "stopped" with the reason in the notes.
    takes: how many cards it takes at the cap, None where not known. [-]
    """

    server: Server
    inlet_limit: Temperature | None
    verdict: Verdict
    takes: int | None
    notes: tuple[Note, ...]

    @property
    def takes_them(self) -> bool:
        """It takes the cards by its maker's own count, whatever else is not known of it."""
        return self.verdict != "stopped" and self.takes is not None

    @property
    def reasons(self) -> tuple[Note, ...]:
        """The notes that stop it."""
        return tuple(note for note in self.notes if note.level == "stop")


def takes(server: Server, cap_w: float) -> int | None:
    """How many of its cards a server takes at ``cap_w`` [W]; None where no source states it. [-]

    What it takes at a higher cap, it takes at a lower one.
    """
    stated = [count for limit_w, count in server.cards_at if cap_w <= limit_w]
    return max(stated) if stated else None


def judge(
    server: Server,
    card: CardFacts,
    cards: int,
    cap_w: float,
    *,
    server_w: float | None = None,
    volts: float = 230.0,
    inlet: Temperature | None = None,
    altitude_m: float = 0.0,
    sockets_min: int = 1,
    processor_w: float | None = None,
) -> Judged:
    """One server for ``cards`` of a ``card`` at ``cap_w`` [W].

    server_w: draw to check its supplies with, None to leave them out. [W]   volts: at an outlet. [V]
    inlet, altitude_m: of the site [m].   sockets_min: that the host rule asks for.   processor_w: rating of one. [W]
    """
    checks.count("cards", cards, 1, 64)
    checks.number("power_cap_w", cap_w, 1, 5_000, "W")
    fitting = takes(server, cap_w) if card.id in server.cards else None
    apart = edition_notes(card.cooling, server.air)
    if card.board != server.board:
        key = "module_needs_baseboard" if card.board else "chassis_takes_modules"
        apart = (Note("stop", key, values={"card": card.name}),)
    found: list[Note] = [*apart]
    at = At(card.id, cards, cap_w, inlet, volts)
    if not apart:
        found += _count(server, card, cards, cap_w, fitting)
    found += _host(server, sockets_min, processor_w)
    found += _inlet(server, cards, cap_w, inlet, altitude_m)
    if server_w is not None:
        found += _supplies(server, server_w, volts)
    if not apart and card.id in server.cards:
        found += [Note("hint", f"chassis.condition.{key}", server.source) for key in _here(server.conditions, at)]
        found += [Note("warn", f"chassis.conflict.{key}", server.source) for key in server.conflicts]
    found += [Note("hint", f"chassis.remark.{key}", server.source) for key in _here(server.remarks, at)]
    limit_c = inlet_limit_c(server, altitude_m)
    limit = None if limit_c is None else Temperature.from_c(limit_c)
    return Judged(server, limit, _verdict(fitting, found), fitting, tuple(found))


@dataclass(frozen=True)
class At:
    """What is wanted of a chassis, as far as a condition or a remark depends on it. [W], [V]"""

    card: str
    cards: int
    cap_w: float
    inlet: Temperature | None
    volts: float

    def warmer(self, than_c: float) -> bool:
        """The inlet is warmer than ``than_c``. [°C]"""
        return self.inlet is not None and self.inlet.c > than_c


APPLIES: Mapping[str, Callable[[At], bool]] = {
    "slot_capped_450": lambda at: at.cards > 2,
    "one_supply_nearly_full": lambda at: at.cards >= 4 and at.cap_w >= 450,
    "optional_fan_kit": lambda at: at.cards >= 8 and at.cap_w > 450,
    "extended_40c": lambda at: at.warmer(35),
    "fan_fault_30c": lambda at: at.warmer(30),
    "ilo_cap": lambda at: at.cap_w < 600,
    "low_line": lambda at: at.volts <= supplies.LOW_LINE_V,
    "active_side_by_side": lambda at: at.card == "rtx-pro-6000-workstation" and at.cards > 1 and at.cap_w > 400,
}
"""To what a condition or a remark applies, by its key; one that is not listed applies to every card of its server."""


def _here(keys: Iterable[str], at: At) -> list[str]:
    return [key for key in keys if key not in APPLIES or APPLIES[key](at)]


NOT_KNOWN = ("chassis_inlet_not_found", "chassis_inlet_for_more_cards", "chassis_supplies_not_found")
"""Notes that leave open whether it fits, and say what to ask."""


def _verdict(fitting: int | None, found: list[Note]) -> Verdict:
    levels = {note.level for note in found}
    if "stop" in levels:
        return "stopped"
    if fitting is None or any(note.key in NOT_KNOWN for note in found):
        return "unknown"
    conditional = "warn" in levels or any(note.key.startswith("chassis.condition.") for note in found)
    return "conditional" if conditional else "fits"


def _count(server: Server, card: CardFacts, cards: int, cap_w: float, fitting: int | None) -> list[Note]:
    values = {"cards": cards, "cap_w": cap_w, "card": card.name}
    if card.id not in server.cards:
        key = "chassis_other_card" if server.cards else "chassis_support_not_found"
        return [Note("hint", key, server.source, values)]
    if fitting is None:
        if server.cards_any_cap is None:
            return [Note("hint", "chassis_support_not_found", server.source, values)]
        largest = {**values, "takes": server.cards_any_cap}
        if cards > server.cards_any_cap:
            return [Note("stop", "chassis_takes_fewer_at_any_cap", server.source, largest)]
        return [Note("warn", "chassis_cap_not_stated", server.source, largest)]
    notes = []
    if cards > fitting:
        key = "chassis_takes_fewer" if fitting else "chassis_takes_none"
        notes.append(Note("stop", key, server.source, {**values, "takes": fitting}))
        lower = [(limit_w, count) for limit_w, count in server.cards_at if count >= cards]
        if lower:
            notes.append(Note("hint", "chassis_takes_at_cap", server.source, {**values, "lower_w": max(lower)[0]}))
    elif server.card_counts and cards not in server.card_counts:
        counts = ", ".join(str(count) for count in server.card_counts)
        notes.append(Note("stop", "chassis_counts", server.source, {**values, "counts": counts}))
    return notes


def _host(server: Server, sockets_min: int, processor_w: float | None) -> list[Note]:
    notes = []
    if server.sockets is not None and server.sockets < sockets_min:
        values = {"sockets": server.sockets, "needed": sockets_min}
        notes.append(Note("warn", "chassis_too_few_sockets", "nvidia-certified-guide", values))
    if processor_w is not None and server.processor_w_max is not None and processor_w > server.processor_w_max:
        values_w = {"processor_w": processor_w, "max_w": server.processor_w_max}
        notes.append(Note("stop", "chassis_processor_too_hot", server.source, values_w))
    return notes


def inlet_limit_c(server: Server, altitude_m: float = 0.0) -> float | None:
    """Warmest inlet a server's maker allows at ``altitude_m`` [m]; None where no source states it. [°C]"""
    if server.inlet_max_c is None:
        return None
    if server.inlet_derate_m_per_k is None:
        return server.inlet_max_c
    return server.inlet_max_c - max(0.0, altitude_m) / server.inlet_derate_m_per_k


def _inlet(server: Server, cards: int, cap_w: float, inlet: Temperature | None, altitude_m: float) -> list[Note]:
    if inlet is None:
        return []
    limit_c = inlet_limit_c(server, altitude_m)
    if limit_c is None:
        return [Note("hint", "chassis_inlet_not_found", server.source, {"cards": cards, "cap_w": cap_w})]
    if inlet.c > limit_c:
        values = {"inlet_c": inlet.c, "limit_c": limit_c, "cards": server.inlet_at_cards}
        if server.inlet_at_cards is not None and cards < server.inlet_at_cards:
            return [Note("warn", "chassis_inlet_for_more_cards", server.source, values)]
        return [Note("stop", "chassis_inlet_too_warm", server.source, values)]
    return []


def _supplies(server: Server, server_w: float, volts: float) -> list[Note]:
    if server.supply_w is None or server.supply_count is None:
        return [Note("hint", "chassis_supplies_not_found", server.source, {"load_w": server_w})]
    rated_w = supplies.rating_at(volts, server.supply_w, server.supply_low_line_w)
    arranged = supplies.split(server.supply_count, rated_w, min(2, server.supply_count))
    return [note for note in supplies.redundancy(server_w, arranged, server.source) if note.level != "hint"]


def listed(card: CardFacts, cards: int, cap_w: float, **site: Any) -> tuple[Judged, ...]:
    """Every server of the catalogue for ``cards`` of a ``card`` at ``cap_w`` [W], what fits first.

    site: what `judge` asks beside.
    """
    return order(judge(servers.server(id), card, cards, cap_w, **site) for id in servers.server_ids())


def order(judged: Iterable[Judged]) -> tuple[Judged, ...]:
    """What fits first, then what takes the cards for all that is known, then the lowest chassis, then the name."""

    def rank(one: Judged) -> tuple[int, bool, int, str]:
        return _ORDER[one.verdict], not one.takes_them, one.server.height_u or 99, one.server.name.lower()

    return tuple(sorted(judged, key=rank))
