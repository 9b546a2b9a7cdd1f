"""What a server draws: cards at their cap, processors at their rating, and the rest as a share on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.working import Step, derive
from sizing.catalogue.records import Card
from sizing.catalogue.site_facts import PowerFacts, power_facts

SOURCE = "doc-de"


def rated(cards: int, cap_w: float, processors: int, processor_w: float, source: str = "input") -> Step:
    """Cards at their cap plus processors at their rating. [W]

    cards, processors: how many. cap_w: of one card [W]. processor_w: rating of one processor [W], source: of it.
    A negative, unbounded or missing figure is a SizingError. Source: doc-de.

    >>> rated(4, 600, 2, 280).result
    2960.0
    """
    checks.count("cards", cards, 0, 1024)
    checks.number("power_cap_w", cap_w, 0, 5_000, "W")
    checks.count("processors", processors, 0, 64)
    checks.number("processor_w", processor_w, 0, 2_000, "W")
    return derive(
        "rated_w",
        "cards * cap_w + processors * processor_w",
        "W",
        SOURCE,
        cards=(cards, "", "input"),
        cap_w=(cap_w, "W", "input"),
        processors=(processors, "", "input"),
        processor_w=(processor_w, "W", source),
    )


@dataclass(frozen=True)
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

    cards, processors: how many. cap_w: of one card [W]. processor_w: rating of one [W], processor_source: of it.
    rest_share: everything else as a share of the two; a measurement replaces it.
    Sources: doc-de; the band: server-gear-4090, talos-argocd-1845.
    """
    facts = power_facts()
    low, high = facts.wall_share_low.value, facts.wall_share_high.value
    parts = rated(cards, cap_w, processors, processor_w, processor_source)
    rated_w = parts.result
    if measured_w is not None:
        checks.number("measured_w", measured_w, 1, 10_000_000, "W")
        server = derive("server_w", "measured_w", "W", "input", measured_w=(measured_w, "W", "input"))
        values = {"measured_w": measured_w, "rated_w": rated_w, "low": low, "high": high}
        notes: tuple[Note, ...] = (Note("hint", "server_measured", values=values),)
        if not rated_w * low <= measured_w <= rated_w * high:
            notes += (Note("warn", "measured_outside_band", facts.wall_share_high.source, values),)
    else:
        checks.number("rest_share", rest_share, -0.99, 10_000)
        share = (rest_share, "", "input")
        server = derive("server_w", "rated_w * (1 + rest_share)", "W", SOURCE, rated_w=parts, rest_share=share)
        band = {"low_w": rated_w * low, "high_w": rated_w * high}
        notes = (
            Note("hint", "server_w_assumed", SOURCE, {"share": rest_share, "server_w": server.result}),
            Note("hint", "server_w_band", facts.wall_share_high.source, band),
        )
    return Draw(
        cards_w=float(cards * cap_w),
        processors_w=float(processors * processor_w),
        rest_w=server.result - rated_w,
        rated_w=rated_w,
        server_w=server.result,
        low_w=rated_w * low if measured_w is None else server.result,
        high_w=rated_w * high if measured_w is None else server.result,
        measured=measured_w is not None,
        notes=notes,
        working=(parts, server),
    )


def cap_notes(card: Card, cap_w: float) -> tuple[Note, ...]:
    """Whether a card accepts a cap of ``cap_w``. [W]"""
    checks.number("power_cap_w", cap_w, 0, 5_000, "W")
    lowest, highest = card.power_min_w, card.power_max_w
    if lowest is not None and cap_w < lowest.value:
        return (Note("stop", "cap_below_minimum", lowest.source, {"cap_w": cap_w, "minimum_w": lowest.value}),)
    if cap_w > highest.value:
        return (Note("stop", "cap_above_maximum", highest.source, {"cap_w": cap_w, "maximum_w": highest.value}),)
    return ()


def mode_notes(card: Card, cap_w: float) -> tuple[Note, ...]:
    """What the cable decides: which power mode ``cap_w`` [W] needs on a card with several."""
    enough = sorted(mode.value for mode in card.power_modes_w if mode.value >= cap_w)
    if len(card.power_modes_w) < 2 or not enough:
        return ()
    source = card.power_modes_w[0].source
    return (Note("hint", "cable_decides_mode", source, {"mode_w": enough[0], "cap_w": cap_w}),)


# Power modes: which cable a cap needs, and the commands and the unit file that set it.

UNIT_PATH = "/etc/systemd/system/gpu-power-cap.service"
SMI = "/usr/bin/nvidia-smi"


@dataclass(frozen=True)
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
    """Commands and unit file for a cap of ``cap_w`` [W] on that many cards, or on the cards of these indexes.

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


def notes(card: Card, cap_w: float) -> tuple[Note, ...]:
    """What to say about a cap of ``cap_w`` [W]: the card's limits, the cable, and what makes it last."""
    refused = cap_notes(card, cap_w)
    lasting = (
        Note("hint", "cap_is_lost", "nvml-limit", {"cap_w": cap_w}),
        Note("hint", "cap_out_of_band", card.power_max_w.source),
    )
    return (*refused, *mode_notes(card, cap_w), *(() if refused else lasting))


# Three figures for a server's draw: idle, typical decode, full load, each marked as measured, published or assumed.

Basis = Literal["measured", "published", "assumed"]


@dataclass(frozen=True)
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
    working: Step


@dataclass(frozen=True)
class PowerStates:
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
) -> PowerStates:
    """The three figures for a server of ``cards`` cards at ``cap_w`` [W] and processors of ``processor_w`` [W].

    facts: what is published on the card with ``card_id``.   rest_share: see draw. [-]
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
        if wall_w is None:
            step = derive(
                f"state_{name}_w",
                "(cards * card_w + processors * processor_w) * (1 + rest_share)",
                "W",
                SOURCE,
                cards=(cards, "", "input"),
                card_w=(one, "W", source),
                processors=(processors, "", "input"),
                processor_w=(host_w, "W", facts.host_idle_share.source),
                rest_share=(rest_share, "", "input"),
            )
        else:
            checks.number(f"measured_{name}_w", wall_w, 1, 10_000_000, "W")
            step = derive(f"state_{name}_w", "measured_w", "W", "input", measured_w=(wall_w, "W", "input"))
        server_basis: Basis = "assumed" if wall_w is None else "measured"
        found.append(Draws(name, one, basis, source, host_w, step.result, server_basis, step))
    idle, typical, full = found
    return PowerStates(idle, typical, full, tuple(_notes(facts, card_id, idle, typical, full)))


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
