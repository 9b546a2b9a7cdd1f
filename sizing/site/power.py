"""What a server draws: cards at their cap, processors at their rating, and the rest as a share on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.notes import Note
from sizing.site import checks
from sizing.working import Given, Step

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
