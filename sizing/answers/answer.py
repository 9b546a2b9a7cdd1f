"""answer(scenario): what may be promised. One layout, its number, the limit that sets it, and why."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from sizing import catalogue
from sizing.answers import promise as promising
from sizing.answers.promise import Other, Promise, said
from sizing.answers.size import Sizing, size
from sizing.answers.wording import beyond_model
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.drawn import Drawn
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.site.plan import SitePlan
from sizing.speed import Speed, loaded, speed
from sizing.speed.band import band
from sizing.speed.curve import request

Verdict = Literal["enough", "on_the_edge", "not_enough", "does_not_fit", "not_known"]
LACKING = ("on_the_edge", "not_enough", "does_not_fit")
"""Verdicts that want a cure."""

MOST_CURES = 3
FLAGS = {
    "max_num_seqs": "max_num_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "block_size": "block_size",
    "utilization": "utilization",
    "version": "engine_version",
}
"""Settings of the engine that cost nothing but batch, share or release, and the scenario's inputs for them."""


@dataclass(frozen=True)
class Cure:
    """One change of the scenario that makes the answer enough. name, value: of the input that changes.

    answer: of the changed scenario.   cards: that it takes besides, where the change alone is too little; else 0. [-]
    """

    name: str
    value: Any
    answer: Answer
    cards: int = 0

    @property
    def note(self) -> Note:
        """The change as a sentence, with what may then be promised."""
        held = self.answer.promised
        key = "answer.count.at_most" if self.answer.at_most else "unit.integer"
        shown: object = Word("answer.cure.no_limit") if held is None else Word(key, (("value", held),))
        value = self.value
        if self.name in ("card", "checkpoint"):
            value = (self.answer.sizing.card if self.name == "card" else self.answer.sizing.checkpoint).name
        values = {"value": value, "conversations": shown, "cards": self.cards}
        return Note("hint", f"answer.cure.{self.name}{'_cards' if self.cards else ''}", values=values)


@dataclass(frozen=True)
class Answer(
    Drawn,
    Shown,
    facts=("scenario", "conversations", "limited_by", "verdict", "layout", "why", "limits"),
    lists=("others", "notes"),
):
    """What a presales engineer may say of one scenario.

    sizing: memory, engine and power; its `best` is the layout recommended.
    promise: of that layout, or of the nearest where no layout holds a conversation.
    others: every other layout.   reason: why this layout, as a text of whatever language.
    speed: of every layout; its curves rest on the physical limit alone while measured operations load.
    pending: measured operations are still loading, so that speed does not count yet.
    """

    sizing: Sizing
    speed: Speed
    promise: Promise
    others: tuple[Other, ...]
    reason: Word
    pending: bool

    @property
    def scenario(self) -> Scenario:
        """What was asked."""
        return self.sizing.scenario

    @property
    def fits(self) -> bool:
        """A layout holds a conversation and is not refused, and the model reaches as far as the context asked for."""
        return self.promise.holds and not beyond_model(self.sizing)

    @property
    def layout(self) -> Layout | None:
        """The layout recommended; None where none holds a conversation."""
        return self.promise.layout if self.fits else None

    @property
    def conversations(self) -> int | None:
        """The number that may be promised of one server; None where nothing limits it. [-]"""
        return self.promise.conversations if self.fits else 0

    @property
    def limits(self) -> Mapping[str, int | None]:
        """Every limit of the layout recommended. [-]"""
        return self.promise.limits

    @property
    def limited_by(self) -> str:
        """What sets the number: "memory", "engine", "speed" or "need"."""
        return self.promise.limited_by

    @property
    def why(self) -> str:
        """The reason, in English."""
        return said(self.reason)

    @property
    def bound_only(self) -> bool:
        """No speed was measured for the layout: at most the physical limit counts, which no server reaches."""
        return self.promise.curve is None or self.promise.curve.bound_only

    @property
    def at_most(self) -> bool:
        """The number is an upper bound and no promise: speed was not measured, or is still being worked out."""
        return self.pending or self.bound_only

    @property
    def needed(self) -> int:
        """Conversations that are asked for at once, on all servers; 0 where nothing is asked for. [-]"""
        return self.promise.need.conversations

    @property
    def promised(self) -> int | None:
        """What all servers together may be promised for; None where nothing limits it. [-]"""
        return self.promise.held_by(self.scenario.servers) if self.fits else 0

    @property
    def left(self) -> int | None:
        """The same with one server lost. [-]"""
        return self.promise.held_by(self.scenario.servers - 1) if self.fits else 0

    @property
    def survives(self) -> bool | None:
        """What is asked for is promised with one server lost; None where that is not asked for."""
        if self.scenario.survive_failure != "yes" or not self.needed:
            return None
        left = self.left if self.scenario.servers > 1 else 0
        return left is None or left >= self.needed

    @functools.cached_property
    def certain(self) -> int | None:
        """What may be promised where the engine leaves least for the cache, by what logs of it say. [-]"""
        verdict = self.sizing.verdict_of(self.promise.layout)
        if not self.fits or verdict is None or verdict.budget is None:
            return self.conversations
        runs, held = verdict.runs_with(verdict.budget.pessimistic_gib), self.conversations
        return held if runs is None else runs if held is None else min(runs, held)

    @property
    def on_the_edge(self) -> bool:
        """What logs leave for the cache reaches from too little to enough: for the need, or for any conversation."""
        least = None if self.certain is None else self.certain * self.scenario.servers
        return least is not None and least < max(1, self.needed) and bool(self.conversations)

    @property
    def verdict(self) -> Verdict:
        """Against the need: "enough", "on_the_edge", "not_enough", "does_not_fit", or "not_known" without a need."""
        if not self.fits:
            return "does_not_fit"
        if self.certain == 0 and self.conversations and self.scenario.workload != "several":
            return "on_the_edge"
        if not self.needed or self.scenario.workload == "several":
            return "not_known"
        enough = (self.promised is None or self.promised >= self.needed) and self.survives is not False
        return "not_enough" if not enough else "on_the_edge" if self.on_the_edge else "enough"

    @property
    def site(self) -> SitePlan:
        """The site of the servers: power, connection, air."""
        return self.sizing.site

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a good engineer would say aloud, and what would cure an answer that is not enough."""
        cured = tuple(each.note for each in self.cures)
        if not self.fits and not cured:
            cured = (Note("hint", "answer.cure.none"),)
        return (*self.sizing.notes, *self.slow_end, *cured)

    @property
    def slow_end(self) -> tuple[Note, ...]:
        """What would be promised where the server is as slow as the slowest published runs; where speed sets it."""
        curve = self.promise.curve
        if not self.fits or curve is None or self.at_most or self.limited_by != "speed" or not self.conversations:
            return ()
        kept = band(self.scenario.engine).holds(curve, self.scenario.floor_tokens_s)
        return (Note("hint", "answer.slow_end", "aiconfigurator-core", {"conversations": kept}),)

    @property
    def notes_at_hand(self) -> tuple[Note, ...]:
        """The notes without what would still have to be tried: trying may take a second or two."""
        return (*self.sizing.notes, *self.slow_end) if self.untried else self.notes

    @property
    def untried(self) -> bool:
        """What would cure it was not tried yet."""
        return self.verdict in LACKING and "cures" not in self.__dict__

    @functools.cached_property
    def cures(self) -> tuple[Cure, ...]:
        """Single changes that make it enough, those that cost least first; none where it is enough. Each was tried."""
        return tuple(_cures(self)) if self.verdict in LACKING else ()

    def variant(self, **changes: Any) -> Answer:
        """The answer of the same scenario with other values."""
        model = self.sizing.checkpoint if "checkpoint" not in changes else None
        return answer(self.scenario.replace(**changes), checkpoint=model, measured=not self.pending)


def answer(
    scenario: Scenario, *, checkpoint: catalogue.Checkpoint | None = None, measured: bool | None = None
) -> Answer:
    """What may be promised of a scenario.

    checkpoint: stands in for ``scenario.checkpoint``, as for `sizing.size`.
    measured: False leaves speed out while measured operations are not loaded; they take a second or two, once.
    SizingError as `sizing.size`.

    >>> found = answer(Scenario(cards=4, context_tokens=8192, kv_dtype="fp8"))
    >>> found.layout.name, found.limits["memory"]
    ((2, 2, 1), 156)
    """
    sized = size(scenario, checkpoint=checkpoint)
    pending = measured is False and not loaded(sized)
    return _answered(sized, speed(sized, measured=not pending), pending)


def _answered(sized: Sizing, speeds: Speed, pending: bool) -> Answer:
    promises = promising.promises(sized, speeds, pending=pending)
    chosen, key = promising.recommended(promises, sized.scenario)
    told = sized.answered(chosen.layout)
    link = sized.card.link
    others = tuple(promising.beside(each, chosen, link is not None) for each in promises if each is not chosen)
    most = max((each.conversations or 0 for each in promises if each.holds), default=0)
    values = {"conversations": chosen.conversations or 0, "most": most, "copies": chosen.layout.copies}
    reason = Word(f"answer.why.{key}", tuple(values.items()))
    return Answer(told, dataclasses.replace(speeds, sizing=told), chosen, others, reason, pending)


def _cures(found: Answer) -> Iterator[Cure]:
    """The first value of each input that cures it, until there are enough to choose from."""
    told = 0
    for name, values in _tries(found):
        for value in values:
            cure = _tried(found, name, value)
            if cure is not None:
                yield cure
                told += 1
                break
        if told == MOST_CURES:
            return
    if not found.fits and not told:
        yield from _pairs(found)


def _pairs(found: Answer) -> Iterator[Cure]:
    """Another card or lighter weights together with more cards, where no single change brings the model in."""
    counts = range(found.scenario.cards + 1, int(inputs()["cards"].max or found.scenario.cards) + 1)
    for name, values in (("checkpoint", _lighter(found.sizing.checkpoint)), ("card", _larger(found.sizing.card))):
        tries = ((value, cards) for value in values for cards in counts)
        cured = (_tried(found, name, value, cards) for value, cards in tries)
        yield from itertools.islice((each for each in cured if each is not None), MOST_CURES - 1)


def _tried(found: Answer, name: str, value: Any, cards: int = 0) -> Cure | None:
    """The change with its answer where that is enough. Memory and engine are asked first, since speed takes longer."""
    try:
        changed = found.scenario.replace(**{name: value}, **({"cards": cards} if cards else {}))
        model = found.sizing.checkpoint if name != "checkpoint" else None
        sized = size(changed, checkpoint=model)
        silent = Speed(sized, request(changed), (), 0, ())
        if not _answered(sized, silent, pending=True).fits:
            return None
        pending = found.pending and not loaded(sized)
        answered = _answered(sized, speed(sized, measured=not pending), pending)
    except SizingError:
        return None  # an input that does not go with the rest
    wanted = ("enough",) if found.needed else ("enough", "not_known")
    practical = answered.layout is not None and answered.layout.pp <= promising.SHORT_PIPELINE
    return Cure(name, value, answered, cards) if practical and answered.verdict in wanted else None


def _tries(found: Answer) -> Iterator[tuple[str, Iterable[Any]]]:
    """Inputs and the values to try, the nearest first: flags of the engine before cards."""
    scenario, sizing = found.scenario, found.sizing
    for layout in (found.promise.layout, *sizing.layouts):  # the nearest first
        verdict = sizing.verdict_of(layout)
        if verdict is not None and not verdict.starts and layout.free_gib_per_card > 0:
            told = [each for each in verdict.remedies if each.setting in FLAGS]
            flags = [(FLAGS[each.setting], _milder(each.setting, each.value)) for each in told]
            yield from flags
            if flags:
                break
    yield "checkpoint", _lighter(sizing.checkpoint)
    if sizing.kv_dtype == "bf16":
        yield "kv_dtype", ["fp8"]
    yield "cards", range(scenario.cards + 1, int(inputs()["cards"].max or scenario.cards) + 1)
    if found.fits and found.conversations:
        spare = 1 if scenario.survive_failure == "yes" else 0
        yield "servers_offered", [math.ceil(found.needed / found.conversations) + spare]
    shorter = [int(stop) for stop in inputs()["context_tokens"].stops if stop < scenario.context_tokens]
    yield "context_tokens", reversed(shorter)
    yield "card", _larger(sizing.card)


def _milder(setting: str, value: Any) -> list[Any]:
    """What just starts, and below it powers of two: the first may stand on the edge of what logs leave."""
    if not setting.startswith("max_num"):
        return [value]
    return [value, *(1 << power for power in range((int(value) - 1).bit_length() - 1, 3, -1))]


def _lighter(model: catalogue.Checkpoint) -> list[str]:
    """Checkpoints of the same model with smaller files, the largest first."""
    if model.weight_bytes is None:
        return []
    others = [catalogue.checkpoint(each) for each in catalogue.checkpoint_ids()]
    formats = {each.weight_format for each in others}

    def bare(name: str) -> list[str]:
        return [word for word in name.replace("-", " ").lower().split() if word not in formats]

    same = [
        each
        for each in others
        if bare(each.name) == bare(model.name)
        and each.weight_bytes is not None
        and each.weight_bytes.value < model.weight_bytes.value
    ]
    return [each.id for each in sorted(same, key=lambda each: -each.weight_bytes.value if each.weight_bytes else 0)]


def _larger(card: catalogue.Card) -> list[str]:
    """Cards of the same maker with more memory, the smallest first."""
    others = [catalogue.card(each) for each in catalogue.card_ids()]
    more = [each for each in others if each.memory_gb.value > card.memory_gb.value and each.vendor == card.vendor]
    return [each.id for each in sorted(more, key=lambda each: each.memory_gb.value)]
