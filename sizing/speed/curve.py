"""Speed against the number of running conversations, for one layout, up to the count that its memory holds.

A decoding step serves every conversation of a copy once. Between two tokens of one conversation lies a step, and the
share of the others' prompts that were worked through meanwhile: every other conversation brings one prompt for each
answer. With pipeline stages a copy's conversations go through in as many groups as there are stages. Steps behind the
figures: ``steps``. Source: aiconfigurator-core.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from sizing.base.units import ceil_div
from sizing.base.working import Given, Step
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.speed.limit import Limit
from sizing.speed.operations import Gap, Kernels

# What one request asks of the engine: how its context is made up.


@dataclass(frozen=True, slots=True)
class Request:
    """A conversation that holds its full context: history in the cache, then new tokens, then the answer. [tokens]

    cut: the new tokens or the answer are longer than the context, and are counted as far as it reaches.
    """

    history_tokens: int
    prompt_tokens: int
    answer_tokens: int
    cut: bool

    @property
    def mean_context_tokens(self) -> int:
        """What a decoding step finds in the cache on average: all but half of the answer. [tokens]"""
        return self.history_tokens + self.prompt_tokens + self.answer_tokens // 2


def request(scenario: Scenario) -> Request:
    """The request of a scenario.

    >>> request(Scenario(context_tokens=8192, prompt_tokens=2048, answer_tokens=512)).history_tokens
    5632
    """
    context = scenario.context_tokens
    prompt = min(scenario.prompt_tokens, max(1, context - 1))
    answer = min(scenario.answer_tokens, max(1, context - prompt))
    cut = prompt < scenario.prompt_tokens or answer < scenario.answer_tokens
    return Request(max(0, context - prompt - answer), prompt, answer, cut)


MEASURED, INTERPOLATED, LIMIT_ONLY = "measured", "interpolated", "limit"
MEASURED_SHARE = 0.9
SOURCE = "aiconfigurator-core"


@dataclass(frozen=True, slots=True)
class Point:
    """One number of running conversations.

    conversations: of all copies; per_copy: of the fullest one. [-]
    step_ms, prefill_ms: a decoding step; one prompt on its own. [ms]   between_ms: between two tokens of one
    conversation. [ms]   each_tokens_s: one conversation while it answers. total_tokens_s: all together. [tokens/s]
    ttft_ms: to the first token while the others run. [ms]   lifetime_s: from a request's first work to its end. [s]
    limit_each_tokens_s, limit_total_tokens_s: what physics
    allows, None where it is not known. [tokens/s]
    at_limit: the estimate was faster than physics allows and was put back to it.
    """

    conversations: int
    per_copy: int
    step_ms: float
    prefill_ms: float
    between_ms: float
    each_tokens_s: float
    total_tokens_s: float
    ttft_ms: float
    lifetime_s: float
    limit_each_tokens_s: float | None
    limit_total_tokens_s: float | None
    at_limit: bool


@dataclass(frozen=True)
class Curve:
    """The speed of one layout.

    points: from one conversation to the last that fits, by rising number. Empty where nothing is known.
    label: MEASURED, INTERPOLATED or LIMIT_ONLY.   measured_share: of a step's time that comes from tables of measured
    kernels, at one conversation and at the last. [-]   gap: why there are no measured kernels, or None.
    holds: conversations that keep the floor; ends: "memory", "speed", "slow" (not even one does), "engine".
    """

    layout: Layout
    points: tuple[Point, ...]
    label: str
    measured_share: float
    gap: Gap | None
    limit: Limit | None
    holds: int
    ends: str

    @property
    def by_engine(self) -> bool:
        """The curve ends at the number of requests the engine runs at once, before the cache is full."""
        most = self.layout.conversations
        return most is None or self.last.conversations < most

    @property
    def one(self) -> Point:
        """One conversation alone."""
        return self.points[0]

    @property
    def last(self) -> Point:
        """As many as fit."""
        return self.points[-1]

    @property
    def knee(self) -> Point | None:
        """The last point at the floor or above it."""
        return next((point for point in reversed(self.points) if point.conversations <= self.holds), None)

    def waiting(self, clients: int) -> tuple[float, float]:
        """Time to the first token of the first and of the last of ``clients`` beyond the cache. [s], [s]"""
        leave_per_s = self.last.conversations / self.last.lifetime_s
        first_token = self.last.ttft_ms / 1000
        return first_token + min(1, clients) / leave_per_s, first_token + clients / leave_per_s


class Line:
    """Computes the points of one layout."""

    def __init__(
        self, layout: Layout, request: Request, kernels: Kernels | Gap, limit: Limit | None, running_max: int
    ) -> None:
        self.layout, self.request, self.limit = layout, request, limit
        self.kernels = None if isinstance(kernels, Gap) else kernels
        self.gap = kernels if isinstance(kernels, Gap) else None
        by_memory = layout.conversations_per_copy
        self.running_max = running_max
        self.most = running_max if by_memory is None else min(by_memory, running_max)
        self.by_engine = by_memory is None or by_memory > running_max
        self._prefill_ms, self._prefill_bound = self._slower(*self._prefill())

    def _prefill(self) -> tuple[float, float]:
        asked = self.request
        bound = self.limit.prefill(asked.prompt_tokens).ms if self.limit else 0.0
        if self.kernels:
            return self.kernels.prefill_ms(asked.prompt_tokens, asked.history_tokens), bound
        return self.limit.prefill(asked.prompt_tokens, spread=True).ms if self.limit else 0.0, bound

    def _step(self, group: int, context: int) -> float:
        """A decoding step by the kernels; without them the limit, with experts as a batch picks them."""
        if self.kernels:
            return self.kernels.decode_ms(group, context)
        return self.limit.decode(group, context, spread=True).ms if self.limit else 0.0

    @staticmethod
    def _slower(found: float, bound: float) -> tuple[float, bool]:
        return max(found, bound), 0 < found < bound

    def counts(self) -> list[int]:
        """Numbers of one copy worth computing: closer where they are few."""
        found, number = [1], 1
        while number < self.most:
            number += max(1, number // 3)
            found.append(min(number, self.most))
        return found

    def points(self, counts: Sequence[int]) -> list[Point]:
        """The points of rising counts. A step never gets faster by more conversations: tables have noise."""
        found: list[Point] = []
        slowest = 0.0
        for per_copy in counts:
            group, context = ceil_div(per_copy, self.layout.pp), self.request.mean_context_tokens
            bound = self.limit.decode(group, context).ms if self.limit else 0.0
            step, at_limit = self._slower(self._step(group, context), bound)
            slowest = step = max(step, slowest)
            found.append(self._point(per_copy, step, bound, at_limit or self._prefill_bound))
        return found

    def alone(self, first: Point) -> list[Point]:
        """One conversation where there are several copies: as fast as one on each of them."""
        copies = self.layout.copies
        if copies == 1:
            return []
        limit = first.limit_total_tokens_s
        return [
            dataclasses.replace(
                first,
                conversations=1,
                total_tokens_s=first.total_tokens_s / copies,
                limit_total_tokens_s=limit / copies if limit else None,
            )
        ]

    def _point(self, per_copy: int, step: float, bound: float, at_limit: bool) -> Point:
        layout, answer, prefill = self.layout, self.request.answer_tokens, self._prefill_ms
        between = step + (per_copy - 1) * prefill / layout.pp / answer
        count = per_copy * layout.copies
        lifetime = (prefill + answer * between) / 1000
        return Point(
            conversations=count,
            per_copy=per_copy,
            step_ms=step,
            prefill_ms=prefill,
            between_ms=between,
            each_tokens_s=1000 / between,
            total_tokens_s=count * answer / lifetime,
            lifetime_s=lifetime,
            ttft_ms=prefill + (step if per_copy > 1 else 0.0),
            limit_each_tokens_s=1000 / bound if bound else None,
            limit_total_tokens_s=1000 * count / bound if bound else None,
            at_limit=at_limit,
        )


def curve(line: Line, floor_tokens_s: float) -> Curve | None:
    """The curve of one layout with the point where the floor ends on it; None where nothing is known."""
    if line.most < 1 or (line.kernels is None and line.limit is None):
        return None
    try:
        counts = line.counts()
        holds = _holds(line, counts, floor_tokens_s)
        points = line.points(sorted({*counts, *([holds] if holds else [])}))
        share = _measured_share(line)
    except Exception as error:  # a table that ends before the cache does: the library's own error, whatever it is
        if line.kernels is None:
            raise
        gap = Gap("table_end", {}, f"{type(error).__name__}: {error}")
        return curve(Line(line.layout, line.request, gap, line.limit, line.running_max), floor_tokens_s)
    held = max((p.per_copy for p in points if p.each_tokens_s >= floor_tokens_s), default=0)
    ends = "slow" if not held else "speed" if held < line.most else "engine" if line.by_engine else "memory"
    label = LIMIT_ONLY if line.kernels is None else MEASURED if share >= MEASURED_SHARE else INTERPOLATED
    return Curve(
        layout=line.layout,
        points=(*line.alone(points[0]), *points),
        label=label,
        measured_share=share,
        gap=line.gap,
        limit=line.limit,
        holds=held * line.layout.copies,
        ends=ends,
    )


def _holds(line: Line, counts: list[int], floor: float) -> int:
    """The largest number of one copy that keeps the floor, 0 for none."""
    points = line.points(counts)
    above = [point.per_copy for point in points if point.each_tokens_s >= floor]
    if not above or above[-1] == line.most:
        return above[-1] if above else 0
    low, high = above[-1], next(count for count in counts if count > above[-1])
    before = [count for count in counts if count <= low]
    while high - low > 1:
        middle = (low + high) // 2
        if line.points([*before, middle])[-1].each_tokens_s >= floor:
            low = middle
        else:
            high = middle
    return low


def _measured_share(line: Line) -> float:
    if line.kernels is None:
        return 0.0
    shares = []
    for per_copy in {1, line.most}:
        parts = line.kernels.parts(ceil_div(per_copy, line.layout.pp), line.request.mean_context_tokens)
        total = sum(part.ms for part in parts)
        shares.append(sum(part.ms for part in parts if part.measured) / total if total else 0.0)
    return min(shares)


def steps(found: Curve, point: Point, request: Request) -> tuple[Step, ...]:
    """From a step of the kernels to tokens a second, for one point."""
    source = SOURCE if found.label != LIMIT_ONLY else "hardware-notes"
    layout = found.layout
    between = Step(
        "between_ms",
        "step_ms + (conversations_per_copy - 1) * prefill_ms / pp / answer_tokens",
        (
            Given("step_ms", point.step_ms, "ms", source),
            Given("conversations_per_copy", point.per_copy, "", "step"),
            Given("prefill_ms", point.prefill_ms, "ms", source),
            Given("pp", layout.pp, "", "input"),
            Given("answer_tokens", request.answer_tokens, "tokens", "input"),
        ),
        point.between_ms,
        "ms",
        source,
    )
    taken = Given("between_ms", point.between_ms, "ms", "step")
    each = Step("each_tokens_s", "1000 / between_ms", (taken,), point.each_tokens_s, "tokens/s", source)
    total = Step(
        "total_tokens_s",
        "1000 * conversations * answer_tokens / (prefill_ms + answer_tokens * between_ms)",
        (
            Given("conversations", point.conversations, "", "step"),
            Given("answer_tokens", request.answer_tokens, "tokens", "input"),
            Given("prefill_ms", point.prefill_ms, "ms", source),
            taken,
        ),
        point.total_tokens_s,
        "tokens/s",
        source,
    )
    if found.limit is None:
        return between, each, total
    group = ceil_div(point.per_copy, layout.pp)
    return between, each, total, found.limit.step(group, request.mean_context_tokens)
