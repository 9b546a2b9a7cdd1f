"""Three figures for a server's draw: idle, typical decode, full load, each marked as measured, published or assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sizing.catalogue.site_facts import PowerFacts
from sizing.notes import Note
from sizing.site import checks, power

Basis = Literal["measured", "published", "assumed"]


@dataclass(frozen=True, slots=True)
class Draws:
    """The server in one state. name: "idle" (weights in memory, no request), "typical" (decode) or "full".

    card_w, processor_w: of one. [W]   card_basis: of card_w.   card_source: of card_w.
    server_w: the whole server. [W]   basis: of server_w; an estimate for the rest of the server makes it "assumed".
    """

    name: Literal["idle", "typical", "full"]
    card_w: float
    card_basis: Basis
    card_source: str
    processor_w: float
    server_w: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class States:
    """The three figures and what to say about them."""

    idle: Draws
    typical: Draws
    full: Draws
    notes: tuple[Note, ...]


def states(
    facts: PowerFacts,
    card_id: str,
    cards: int,
    cap_w: float,
    processors: int,
    processor_w: float,
    rest_share: float,
    measured_w: tuple[float | None, float | None, float | None] = (None, None, None),
) -> States:
    """The three figures for a server of ``cards`` cards at a cap [W] and processors of a rating [W].

    measured_w: what was measured at the wall for idle, typical and full, None where nothing was. [W]
    In decode the processors are taken at their rating, which errs high.
    """
    checks.number("power_cap_w", cap_w, 1, 5_000, "W")
    load = facts.load_of(card_id)
    resident = load.resident_w if load else None
    decode = load.decode_w if load else None
    idle_share, decode_share = facts.other_resident_share, facts.other_decode_share
    known: tuple[tuple[float, Basis, str], ...] = (
        (resident.value, "published", resident.source)
        if resident
        else (idle_share.value * cap_w, "assumed", idle_share.source),
        (decode.value, "published", decode.source)
        if decode
        else (decode_share.value * cap_w, "assumed", decode_share.source),
        (cap_w, "published", power.SOURCE),
    )
    hosts = (facts.host_idle_share.value * processor_w, processor_w, processor_w)
    names: tuple[Literal["idle", "typical", "full"], ...] = ("idle", "typical", "full")
    found: list[Draws] = []
    for name, (card_w, basis, source), host_w, wall_w in zip(names, known, hosts, measured_w, strict=True):
        one = min(card_w, cap_w)
        rated = power.rated_w(cards, one, processors, host_w)
        if wall_w is None:
            found.append(Draws(name, one, basis, source, host_w, power.server_w(rated, rest_share), "assumed"))
        else:
            checks.number(f"measured_{name}_w", wall_w, 1, 10_000_000, "W")
            found.append(Draws(name, one, basis, source, host_w, wall_w, "measured"))
    idle, typical, full = found
    return States(idle, typical, full, tuple(_notes(facts, card_id, idle, typical, full)))


def _notes(facts: PowerFacts, card_id: str, idle: Draws, typical: Draws, full: Draws) -> list[Note]:
    notes = [Note("hint", "host_idle_assumed", facts.host_idle_share.source, {"share": facts.host_idle_share.value})]
    for state in (idle, typical):
        if state.card_basis == "assumed":
            notes.append(Note("hint", f"{state.name}_assumed", state.card_source, {"card_w": state.card_w}))
    load = facts.load_of(card_id)
    if load and load.peak_w:
        notes.append(Note("hint", "peak_seen", load.peak_w.source, {"peak_w": load.peak_w.value}))
    if not idle.server_w <= typical.server_w <= full.server_w:
        notes.append(Note("warn", "states_out_of_order"))
    return notes
