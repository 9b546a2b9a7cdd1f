"""What a server draws: cards at their cap, processors at their rating, and the rest as a share on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sizing.base import checks
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.working import Given, Step
from sizing.catalogue.site_facts import PowerFacts

if TYPE_CHECKING:
    from sizing.catalogue import Card


SOURCE = "doc-de"


def rated_w(cards: int, cap_w: float, processors: int, processor_w: float) -> float:
    """Cards at their cap plus processors at their rating. [W]

    cards, processors: how many. cap_w: of one card [W]. processor_w: rating of one processor [W].
    A negative, unbounded or missing figure is a SizingError. Source: doc-de.

    >>> rated_w(4, 600, 2, 280)
    2960.0
    """
    checks.count("cards", cards, 0, 1024)
    checks.number("power_cap_w", cap_w, 0, 5_000, "W")
    checks.count("processors", processors, 0, 64)
    checks.number("processor_w", processor_w, 0, 2_000, "W")
    return float(cards * cap_w + processors * processor_w)


def server_w(rated_w: float, rest_share: float) -> float:
    """What the whole server draws from the wall. [W]

    rated_w: cards and processors [W]. rest_share: everything else as a share of it; a measurement replaces it.
    Source: doc-de.

    >>> server_w(2960, 0.15)
    3404.0
    """
    checks.number("rated_w", rated_w, 0, 10_000_000, "W")
    checks.number("rest_share", rest_share, -0.99, 10_000)
    return rated_w * (1 + rest_share)


@dataclass(frozen=True, slots=True)
class Draw:
    """Power of one server with its working.

    cards_w, processors_w, rest_w: the parts [W]. rated_w: cards and processors [W]. server_w: all of it [W].
    low_w, high_w: the band of public wall measurements [W]; both equal server_w where it was measured.
    measured: the figure was measured on the server itself.
    """

    cards_w: float
    processors_w: float
    rest_w: float
    rated_w: float
    server_w: float
    low_w: float
    high_w: float
    measured: bool
    notes: tuple[Note, ...]
    working: tuple[Step, ...]

    @property
    def parts_w(self) -> tuple[float, float, float]:
        """Cards, processors and rest, which add up to server_w. [W]

        Where less was measured than cards and processors are rated for, the two shrink alike and the rest is nothing.
        """
        if self.rest_w >= 0:
            return self.cards_w, self.processors_w, self.rest_w
        share = self.server_w / self.rated_w if self.rated_w else 0.0
        return self.cards_w * share, self.processors_w * share, 0.0


def draw(
    cards: int,
    cap_w: float,
    processors: int,
    processor_w: float,
    rest_share: float,
    measured_w: float | None = None,
    processor_source: str = "input",
) -> Draw:
    """Power of one server from its parts, or from ``measured_w`` [W], which replaces the estimated sum.

    cap_w: of one card [W]. processor_w: rating of one processor [W]. rest_share: see server_w.
    Sources: doc-de; the band: server-gear-4090, talos-argocd-1845.
    """
    rated = rated_w(cards, cap_w, processors, processor_w)
    from sizing.catalogue.site_facts import power_facts  # read only where the working is asked for

    facts = power_facts()
    steps = [
        Step(
            "rated_w",
            "cards * cap_w + processors * processor_w",
            (
                Given("cards", cards, "", "input"),
                Given("cap_w", cap_w, "W", "input"),
                Given("processors", processors, "", "input"),
                Given("processor_w", processor_w, "W", processor_source),
            ),
            rated,
            "W",
            SOURCE,
        )
    ]
    if measured_w is not None:
        whole = low = high = checks.number("measured_w", measured_w, 1, 10_000_000, "W")
        values = {
            "measured_w": whole,
            "rated_w": rated,
            "low": facts.wall_share_low.value,
            "high": facts.wall_share_high.value,
        }
        notes: tuple[Note, ...] = (Note("hint", "server_measured", values=values),)
        if not rated * facts.wall_share_low.value <= whole <= rated * facts.wall_share_high.value:
            notes += (Note("warn", "measured_outside_band", facts.wall_share_high.source, values),)
        steps.append(Step("server_w", "measured_w", (Given("measured_w", whole, "W", "input"),), whole, "W", "input"))
    else:
        whole = server_w(rated, rest_share)
        low, high = rated * facts.wall_share_low.value, rated * facts.wall_share_high.value
        notes = (
            Note("hint", "server_w_assumed", SOURCE, {"share": rest_share, "server_w": whole}),
            Note("hint", "server_w_band", facts.wall_share_high.source, {"low_w": low, "high_w": high}),
        )
        steps.append(
            Step(
                "server_w",
                "rated_w * (1 + rest_share)",
                (Given("rated_w", rated, "W", "step"), Given("rest_share", rest_share, "", "input")),
                whole,
                "W",
                SOURCE,
            )
        )
    return Draw(
        cards_w=float(cards * cap_w),
        processors_w=float(processors * processor_w),
        rest_w=whole - rated,
        rated_w=rated,
        server_w=whole,
        low_w=low,
        high_w=high,
        measured=measured_w is not None,
        notes=notes,
        working=tuple(steps),
    )


def cap_notes(cap_w: float, minimum_w: float | None, maximum_w: float | None, source: str) -> tuple[Note, ...]:
    """Whether a card accepts this cap. [W]

    minimum_w, maximum_w: the card's own limits [W], None where they are not known. source: where they come from.
    """
    checks.number("power_cap_w", cap_w, 0, 5_000, "W")
    if minimum_w is not None and cap_w < minimum_w:
        return (Note("stop", "cap_below_minimum", source, {"cap_w": cap_w, "minimum_w": minimum_w}),)
    if maximum_w is not None and cap_w > maximum_w:
        return (Note("stop", "cap_above_maximum", source, {"cap_w": cap_w, "maximum_w": maximum_w}),)
    return ()


def card_cap_notes(card: Card, cap_w: float) -> tuple[Note, ...]:
    """Whether a card of the catalogue accepts this cap. [W]"""
    lowest, highest = card.power_min_w, card.power_max_w
    below = lowest is not None and cap_w < lowest.value
    source = lowest.source if lowest is not None and below else highest.source
    return cap_notes(cap_w, lowest.value if lowest else None, highest.value, source)


def mode_notes(cap_w: float, mode_maxima_w: tuple[float, ...], source: str) -> tuple[Note, ...]:
    """What the cable decides: which power mode a cap needs on a card with several modes. [W]

    mode_maxima_w: default limit of each mode [W]. A card with one mode has nothing to decide.
    """
    enough = sorted(maximum for maximum in mode_maxima_w if maximum >= cap_w)
    if len(mode_maxima_w) < 2 or not enough:
        return ()
    return (Note("hint", "cable_decides_mode", source, {"mode_w": enough[0], "cap_w": cap_w}),)


# Power modes: which cable a cap needs, and the commands and the unit file that set it.

UNIT_PATH = "/etc/systemd/system/gpu-power-cap.service"
SMI = "/usr/bin/nvidia-smi"


@dataclass(frozen=True, slots=True)
class Commands:
    """How to set a cap. now: commands for a running system.   check: a command that shows what holds.

    unit_path, unit_file: a systemd unit that sets it at each start.   enable: command that turns the unit on.
    """

    now: tuple[str, ...]
    check: str
    unit_path: str
    unit_file: str
    enable: str


def commands(cap_w: float, cards: int | Sequence[int]) -> Commands:
    """Commands and unit file for a cap [W] on that many cards, or on the cards of these indexes.

    >>> commands(450, 2).now[1]
    'nvidia-smi -i 0 -pl 450'
    """
    checks.number("power_cap_w", cap_w, 1, 5_000, "W")
    if isinstance(cards, int):
        indexes: Sequence[int] = range(checks.count("cards", cards, 1, 64))
    else:
        indexes = [checks.count("card_index", index, 0, 63) for index in cards]
        if not indexes or len(set(indexes)) != len(indexes):
            raise SizingError("card_indexes", input="card_index", value=", ".join(str(index) for index in indexes))
    lines = ("-pm 1", *(f"-i {index} -pl {cap_w:g}" for index in indexes))
    listed = ",".join(str(index) for index in indexes)
    fields = "index,name,power.limit,power.min_limit,power.max_limit,power.default_limit"
    unit = "\n".join(
        (
            "[Unit]",
            f"Description=Power cap of {cap_w:g} W on GPU {listed}",
            "After=nvidia-persistenced.service",
            "",
            "[Service]",
            "Type=oneshot",
            "RemainAfterExit=yes",
            *(f"ExecStart={SMI} {line}" for line in lines),
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        )
    )
    return Commands(
        now=tuple(f"nvidia-smi {line}" for line in lines),
        check=f"nvidia-smi --query-gpu={fields} --format=csv",
        unit_path=UNIT_PATH,
        unit_file=unit,
        enable="systemctl daemon-reload && systemctl enable --now gpu-power-cap.service",
    )


def notes(
    cap_w: float, mode_maxima_w: tuple[float, ...], minimum_w: float | None, maximum_w: float | None, source: str
) -> tuple[Note, ...]:
    """What to say about a cap: the card's limits, the cable, and what makes a cap last. [W]"""
    found = [
        *cap_notes(cap_w, minimum_w, maximum_w, source),
        *mode_notes(cap_w, mode_maxima_w, source),
    ]
    if not any(note.level == "stop" for note in found):
        found.append(Note("hint", "cap_is_lost", "nvml-limit", {"cap_w": cap_w}))
        found.append(Note("hint", "cap_out_of_band", source))
    return tuple(found)


# Three figures for a server's draw: idle, typical decode, full load, each marked as measured, published or assumed.

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
        (cap_w, "published", SOURCE),
    )
    hosts = (facts.host_idle_share.value * processor_w, processor_w, processor_w)
    names: tuple[Literal["idle", "typical", "full"], ...] = ("idle", "typical", "full")
    found: list[Draws] = []
    for name, (card_w, basis, source), host_w, wall_w in zip(names, known, hosts, measured_w, strict=True):
        one = min(card_w, cap_w)
        rated = rated_w(cards, one, processors, host_w)
        if wall_w is None:
            found.append(Draws(name, one, basis, source, host_w, server_w(rated, rest_share), "assumed"))
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
