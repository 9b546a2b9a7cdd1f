"""Conversations of different lengths, and the three counts that are often taken for one another."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sizing.answers.size import Sizing
from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.base.working import Step, derive
from sizing.memory.layouts import Layout

MOST_TOKENS = 16_777_216
MOST_CLASSES = 400


@dataclass(frozen=True)
class LengthClass:
    """One kind of request. share: of all requests, in any unit, since shares are divided by their sum.

    prompt_tokens: what it brings, history and all. answer_tokens: what it writes. [tokens]
    """

    name: str | Word
    share: float
    prompt_tokens: float
    answer_tokens: float

    @property
    def final_tokens(self) -> float:
        """What it holds when it ends. [tokens]"""
        return self.prompt_tokens + self.answer_tokens

    @property
    def resident_tokens(self) -> float:
        """What it holds on average while it writes, since the answer grows from nothing. [tokens]"""
        return self.prompt_tokens + self.answer_tokens / 2


@dataclass(frozen=True)
class Mix:
    """A few classes of requests.

    Requests of a class run in proportion to share x answer_tokens: while one writes, it runs, and all write at about
    the same speed. The means are over what runs at a moment, not over what comes in.
    """

    classes: tuple[LengthClass, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.classes) <= MOST_CLASSES:
            raise SizingError("mix_classes", input="mix", count=len(self.classes), most=MOST_CLASSES)
        for one in self.classes:
            checks.number("share", one.share, 0, 1e9)
            checks.number("prompt_tokens", one.prompt_tokens, 0, MOST_TOKENS, "tokens")
            checks.number("answer_tokens", one.answer_tokens, 1, MOST_TOKENS, "tokens")
        if not sum(one.share for one in self.classes):
            raise SizingError("mix_empty", input="mix")

    @property
    def running_weights(self) -> tuple[float, ...]:
        """Each class's part of the requests that run at a moment. [-]"""
        run = [one.share * one.answer_tokens for one in self.classes]
        return tuple(part / math.fsum(run) for part in run)

    @property
    def request_weights(self) -> tuple[float, ...]:
        """Each class's part of the requests that come in. [-]"""
        whole = math.fsum(one.share for one in self.classes)
        return tuple(one.share / whole for one in self.classes)

    @property
    def mean_final_tokens(self) -> float:
        """What the running ones hold when they end, on average. [tokens]"""
        return _mean(self.running_weights, (one.final_tokens for one in self.classes))

    @property
    def mean_resident_tokens(self) -> float:
        """What the running ones hold at a moment, on average. [tokens]"""
        return _mean(self.running_weights, (one.resident_tokens for one in self.classes))

    @property
    def longest_tokens(self) -> float:
        """Final length of the longest class that occurs. [tokens]"""
        return max(one.final_tokens for one in self.classes if one.share)


def _mean(weights: Iterable[float], values: Iterable[float]) -> float:
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True))


@dataclass(frozen=True)
class Counts:
    """Three answers to "how many at once?" for one layout, None where memory sets no limit. [-]

    at_full_context: every conversation holds the scenario's context. What may be promised.
    at_mean_final_length: every one holds what they hold when they end, on average. What may be planned on when the
    engine never has to take a conversation out of the cache again.
    at_mean_resident_length: every one holds what they hold at a moment, on average. What a quiet gateway shows; beyond
    it the engine throws conversations out and computes them again.
    context_tokens, mean_final_tokens, mean_resident_tokens: the lengths, rounded up. [tokens]
    """

    layout: Layout
    at_full_context: int | None
    at_mean_final_length: int | None
    at_mean_resident_length: int | None
    context_tokens: int
    mean_final_tokens: int
    mean_resident_tokens: int
    notes: tuple[Note, ...]
    working: tuple[Step, ...]


def counts(sizing: Sizing, mix: Mix, layout: Layout | None = None) -> Counts:
    """The three counts of a layout, None for the sizing's best one.

    A length is counted at the cache of that length. Where layers keep a window or a state, the cache of the mean length
    is no less than the mean cache, so that the counts stay on the safe side.

    SizingError where a class is longer than the scenario's context: the engine would refuse it.
    """
    context = sizing.scenario.context_tokens
    if mix.longest_tokens > context:
        values = {"longest": math.ceil(mix.longest_tokens), "context_tokens": context}
        raise SizingError("mix_longer_than_context", input="context_tokens", **values)
    chosen = layout or sizing.best
    final, resident = _up(mix.mean_final_tokens), _up(mix.mean_resident_tokens)
    full, at_final, at_resident = (
        sizing.conversations_at(chosen, tokens) if chosen.fits else 0 for tokens in (context, final, resident)
    )
    return Counts(
        layout=chosen,
        at_full_context=full,
        at_mean_final_length=at_final,
        at_mean_resident_length=at_resident,
        context_tokens=context,
        mean_final_tokens=final,
        mean_resident_tokens=resident,
        notes=tuple(_notes(mix, full, at_final, at_resident, final)),
        working=(*_lengths(mix), *_steps(sizing, chosen, context, final, resident)),
    )


def _notes(mix: Mix, full: int | None, at_final: int | None, at_resident: int | None, final: int) -> Iterable[Note]:
    if full is None or at_final is None or at_resident is None:
        yield Note("hint", "no_cache")
        return
    values = {"full": full, "final": at_final, "resident": at_resident}
    yield Note("hint", "three_counts", "doc-de", values)
    if at_resident > at_final:
        yield Note("warn", "resident_count_is_no_plan", "", values)
    run, come = mix.running_weights, mix.request_weights
    number = max(range(len(run)), key=lambda each: run[each] - come[each])
    if mix.classes[number].name and run[number] - come[number] > 0.1:
        shares = {"name": mix.classes[number].name, "run": run[number], "come": come[number]}
        yield Note("hint", "long_answers_run_longer", "little-1961", shares)
    if mix.longest_tokens > 2 * final:
        longest = {"longest": math.ceil(mix.longest_tokens), "final": final}
        yield Note("hint", "longest_far_above_mean", "", longest)


def _lengths(mix: Mix) -> tuple[Step, ...]:
    """The two mean lengths, class by class; more than a few are shown as their sums."""
    if len(mix.classes) > 6:
        return ()
    given: dict[str, tuple[float, str, str]] = {}
    for n, one in enumerate(mix.classes, 1):
        given[f"share_{n}"] = (one.share, "", "input")
        given[f"prompt_tokens_{n}"] = (one.prompt_tokens, "tokens", "input")
        given[f"answer_tokens_{n}"] = (one.answer_tokens, "tokens", "input")
    numbers = range(1, len(mix.classes) + 1)
    run = " + ".join(f"share_{n} * answer_tokens_{n}" for n in numbers)

    def mean(name: str, answer: str) -> Step:
        parts = (f"share_{n} * answer_tokens_{n} * (prompt_tokens_{n} + answer_tokens_{n}{answer})" for n in numbers)
        return derive(name, f"ceil(({' + '.join(parts)}) / ({run}) - 0.000001)", "tokens", "little-1961", **given)

    return mean("mean_final_tokens", ""), mean("mean_resident_tokens", " / 2")


def _up(tokens: float) -> int:
    return math.ceil(tokens - 1e-6)


def _steps(sizing: Sizing, layout: Layout, *lengths: int) -> Iterable[Step]:
    """A count at each length, from the cache of that length on the layout's fullest card."""
    if sizing.by_engine or not layout.fits or layout.conversations is None:
        return
    place = sizing.layouts.index(layout)
    for name, tokens in zip(("full_context", "mean_final_length", "mean_resident_length"), lengths, strict=True):
        at = sizing.variant(context_tokens=tokens).layouts[place]
        if at.conversations is None or not at.kv_gib_per_card_per_conversation:
            continue
        kv = f"kv_gib_per_card_at_{name}"
        yield derive(
            f"conversations_at_{name}",
            f"copies * floor(free_gib_per_card / {kv})",
            "conversations",
            "doc-de",
            copies=(layout.copies, "", "input"),
            free_gib_per_card=(at.free_gib_per_card, "GiB", "step"),
            **{kv: (at.kv_gib_per_card_per_conversation, "GiB", "step")},
        )
