"""What each layout of a sizing may be promised for, and which of them is recommended; see `sizing.answers.answer`.

The promise of a layout is the smallest of its known limits: memory by the rule chosen, what the engine runs, and how
many keep the speed asked for. Among layouts that meet the need the one with the most conversations is recommended;
within a tenth of it, the one with more copies, since less is lost with a card and fewer sums go over PCIe.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sizing.answers import need
from sizing.answers.need import Asked
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.texts import Word, say
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.speed import Speed
from sizing.speed.curve import Curve, Point

LIMITS = ("memory", "engine_prints", "engine_runs", "speed")
BINDING = ("memory", "engine_runs", "speed")
"""Limits that a promise keeps; what the engine prints is shown beside them."""
NEAR = 0.9
"""Layouts with at least this share of the most conversations count as level, and more copies decide. [-]"""
SHORT_PIPELINE = 2
"""Stages of a pipeline that are recommended while anything else fits. [-]"""


@dataclass(frozen=True)
class Promise:
    """What one layout of one server may be promised for.

    conversations: the smallest known limit; None where nothing limits it. [-]
    limits: by LIMITS, each for all copies; None where nothing is known or nothing limits. [-]
    starts: the engine's release starts it; None where its rules do not cover card or model.
    curve: its speed; None where nothing is known of it.   need: what is asked for, at its own speed.
    """

    layout: Layout
    conversations: int | None
    limits: Mapping[str, int | None]
    starts: bool | None
    curve: Curve | None
    need: Asked

    @property
    def limited_by(self) -> str:
        """The smallest limit: "memory", "engine" or "speed"; "need" where there is none."""
        known = {name: self.limits[name] for name in BINDING if self.limits[name] is not None}
        if not known:
            return "need"
        return min(known, key=lambda name: known[name] or 0).removesuffix("_runs")

    @property
    def holds(self) -> bool:
        """It starts as far as is known, and at least one conversation has room."""
        rooms = (self.limits["memory"], self.limits["engine_runs"])
        return self.layout.fits and self.starts is not False and 0 not in rooms

    @property
    def alone_tokens_s(self) -> float:
        """Speed of one conversation alone; 0 where nothing is known. [tokens/s]"""
        return self.curve.alone_tokens_s if self.curve else 0.0

    @property
    def point(self) -> Point | None:
        """Its speed at the number that may be promised, or alone where not one keeps the speed asked for."""
        if self.curve is None:
            return None
        count = self.conversations or 1
        return next((each for each in self.curve.points if each.conversations >= count), self.curve.last)

    def held_by(self, servers: int) -> int | None:
        """What so many equal servers are promised for; None where nothing limits it. [-]"""
        return None if self.conversations is None else self.conversations * servers


@dataclass(frozen=True)
class Other(Shown, facts=("layout", "conversations", "limits", "gains", "loses")):
    """Another layout beside the recommended one: its promise, and in sentences what it gains and loses against it."""

    promise: Promise
    gained: tuple[Word, ...]
    lost: tuple[Word, ...]

    @property
    def layout(self) -> Layout:
        """The layout."""
        return self.promise.layout

    @property
    def conversations(self) -> int | None:
        """What it may be promised for. [-]"""
        return self.promise.conversations

    @property
    def limits(self) -> Mapping[str, int | None]:
        """Its limits by name. [-]"""
        return self.promise.limits

    @property
    def gains(self) -> tuple[str, ...]:
        """What it gains, in English."""
        return tuple(said(word) for word in self.gained)

    @property
    def loses(self) -> tuple[str, ...]:
        """What it loses, in English."""
        return tuple(said(word) for word in self.lost)


def promises(sized: Sizing, speeds: Speed, *, pending: bool) -> list[Promise]:
    """What each layout may be promised for. pending: speeds do not count yet."""
    return [_promise(sized, layout, speeds, pending) for layout in sized.layouts]


def _promise(sized: Sizing, layout: Layout, speeds: Speed, pending: bool) -> Promise:
    verdict = sized.verdict_of(layout)
    curve = next((each for each in speeds.curves if each.layout == layout), None)
    beyond = layout.reason_key == "measured_beyond_card"  # the log is of another set-up: what it had says nothing here
    limits = {
        "memory": layout.conversations,
        "engine_prints": verdict.conversations if verdict and not beyond else None,
        "engine_runs": verdict.runs if verdict and not beyond else None,
        "speed": None if curve is None or pending else curve.holds,
    }
    least = min((each for name in BINDING if (each := limits[name]) is not None), default=None)
    asked = need.of(sized.scenario, curve, pending=pending)
    starts = None if verdict is None else verdict.starts
    return Promise(layout, least, MappingProxyType(limits), starts, curve, asked)


def recommended(found: list[Promise], scenario: Scenario) -> tuple[Promise, str]:
    """The layout recommended and the key of its reason; the nearest one where none holds a conversation."""
    open_to = [each for each in found if each.holds]
    if not open_to:
        return max(found, key=lambda each: _nearness(each.layout)), "none"
    brief = [each for each in open_to if each.layout.pp <= SHORT_PIPELINE]
    open_to = brief or open_to
    if len(open_to) == 1:
        return open_to[0], "pipeline" if not brief else "only"
    # A physical limit promises more than any layout keeps: it does not outrank a speed that was measured.
    open_to = [each for each in open_to if each.curve and not each.curve.bound_only] or open_to
    met = [each for each in open_to if each.need.met_by(each.held_by(scenario.servers))]
    among = met or open_to
    if all(each.conversations == 0 for each in among):  # not one keeps the speed asked for: the fastest
        return max(among, key=lambda each: (each.alone_tokens_s, each.layout.copies)), "slow"
    most = max(among, key=_most)
    level = [each for each in among if _level(each, most)]
    chosen = max(level, key=lambda each: (each.layout.copies, *_most(each)))
    return chosen, "most" if chosen.layout.copies == most.layout.copies else "copies"


def _most(each: Promise) -> tuple[float, int, int]:
    """Rank by promise; where two are level the one with more copies, then the shorter pipeline."""
    return (float("inf") if each.conversations is None else each.conversations), each.layout.copies, -each.layout.pp


def _level(each: Promise, most: Promise) -> bool:
    if most.conversations is None or each.conversations is None:
        return each.conversations is None
    return each.conversations >= NEAR * most.conversations


def _nearness(layout: Layout) -> tuple[float, int]:
    """How much of what it would keep on a card the card holds: the fewest copies and least missing first."""
    return layout.free_gib_per_card - layout.weights_gib_per_card, -layout.copies


def beside(other: Promise, chosen: Promise, linked: bool) -> Other:
    """What another layout gains and loses against the one recommended."""
    gained: list[Word] = []
    lost: list[Word] = []
    mine, its = chosen.layout, other.layout
    if other.starts is False:
        lost.append(Word("answer.loses.refused"))
    elif not other.holds:
        lost.append(Word("answer.loses.holds_none"))
    else:
        for has, lacks, names in ((other, chosen, gained), (chosen, other, lost)):
            if lacks.conversations is not None and (has.conversations or 0) > lacks.conversations:
                more = (has.conversations or 0) - lacks.conversations
                names.append(Word(f"answer.{'gains' if names is gained else 'loses'}.promise", (("more", more),)))
        memory = other.limits["memory"], chosen.limits["memory"]
        if None not in memory and (memory[0] or 0) > (memory[1] or 0):
            gained.append(Word("answer.gains.memory", (("memory", memory[0]),)))
        if other.alone_tokens_s > 1.1 * chosen.alone_tokens_s > 0:
            gained.append(Word("answer.gains.alone", (("each", other.alone_tokens_s),)))
    if its.copies > mine.copies:
        gained.append(Word("answer.gains.copies", (("copies", its.copies),)))
    elif its.copies < mine.copies:
        lost.append(Word(f"answer.loses.{'one_copy' if its.copies == 1 else 'copies'}", (("copies", its.copies),)))
    if its.tp > max(SHORT_PIPELINE, mine.tp) and not linked:
        lost.append(Word("answer.loses.all_reduce", (("tp", its.tp),)))
    if its.pp > SHORT_PIPELINE:
        lost.append(Word("answer.loses.pipeline", (("pp", its.pp),)))
    return Other(other, tuple(gained), tuple(lost))


def said(word: Word, language: str = "en") -> str:
    """A text that stands as its key and values."""
    return say(word.key, language, **dict(word.values))
