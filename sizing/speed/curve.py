"""Speed against the number of running conversations, for one layout, up to the count that its memory holds.

A decoding step serves every conversation of a copy once. Between two tokens of one conversation lies a step, and the
share of the others' prompts that were worked through meanwhile: every other conversation brings one prompt for each
answer. With pipeline stages a copy's conversations go through in as many groups as there are stages. Steps behind the
figures: ``steps``. Ranks of attention work through prompts side by side, as stages do. Source: aiconfigurator-core.
"""

from __future__ import annotations

import dataclasses
import functools

from sizing.base.dataclass import dataclass
from sizing.base.units import ceil_div
from sizing.base.working import Step, derive
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.speed.caps import Kept
from sizing.speed.limit import PhysicalLimit
from sizing.speed.measured import Gap, Operations, Scaling
from sizing.speed.tables import tables

# What one request asks of the engine: how its context is made up.


@dataclass(frozen=True)
class SpeedRequest:
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


def request(scenario: Scenario) -> SpeedRequest:
    """The request of a scenario.

    >>> request(Scenario(context_tokens=8192, prompt_tokens=2048, answer_tokens=512)).history_tokens
    5632
    """
    context = scenario.context_tokens
    prompt = min(scenario.prompt_tokens, max(1, context - 1))
    answer = min(scenario.answer_tokens, max(1, context - prompt))
    cut = prompt < scenario.prompt_tokens or answer < scenario.answer_tokens
    return SpeedRequest(max(0, context - prompt - answer), prompt, answer, cut)


MEASURED, INTERPOLATED, SCALED, LIMIT_ONLY = "measured", "interpolated", "scaled", "limit"
MEASURED_SHARE = 0.9
SOURCE = "aiconfigurator-core"


@dataclass(frozen=True)
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


class LayoutLine:
    """Steps and prompts of one layout at any number of conversations of a copy.

    running_max: requests that a copy's engine runs at once. [-]   kept: what a power cap leaves, None without one.
    engine_ms: the engine's own work in a step, which measured operations leave out. [ms]
    """

    def __init__(
        self,
        layout: Layout,
        request: SpeedRequest,
        operations: Operations | Gap,
        limit: PhysicalLimit | None,
        running_max: int,
        kept: Kept | None = None,
        engine_ms: float = 0.0,
    ) -> None:
        self.layout, self.request, self.limit, self.running_max = layout, request, limit, running_max
        self.kept, self.engine_ms = kept, engine_ms
        self.operations = None if isinstance(operations, Gap) else operations
        self.gap = operations if isinstance(operations, Gap) else None
        by_memory = layout.conversations_per_copy
        self.most = running_max if by_memory is None else min(by_memory, running_max)
        self.by_engine = by_memory is None or by_memory > running_max
        self.prefill_ms, self._prefill_bound = self._slower(*self._prefill())

    def _prefill(self) -> tuple[float, float]:
        asked = self.request
        bound = self.limit.prefill(asked.prompt_tokens).ms if self.limit else 0.0
        if self.operations:
            found = self.operations.prefill_ms(asked.prompt_tokens, asked.history_tokens)
            return found / (self.kept.prompts if self.kept else 1.0), bound
        return self.limit.prefill(asked.prompt_tokens, spread=True).ms if self.limit else 0.0, bound

    @staticmethod
    def _slower(found: float, bound: float) -> tuple[float, bool]:
        return max(found, bound), 0 < found < bound

    def group(self, per_copy: int) -> int:
        """Of ``per_copy`` conversations those of one step: stages take turns, attention ranks have a share each. [-]"""
        return ceil_div(per_copy, self.layout.pp * self.layout.attention_dp)

    def step(self, per_copy: int) -> tuple[float, float, bool]:
        """A decoding step of ``per_copy`` conversations and its bound [ms], and whether the bound counts.

        Without measured operations it is the limit, with experts as a batch picks them.
        """
        group, context = self.group(per_copy), self.request.mean_context_tokens
        bound = self.limit.decode(group, context).ms if self.limit else 0.0
        if self.operations:
            found = self.operations.decode_ms(group, context) / (self.kept.answers(group) if self.kept else 1.0)
            found += self.engine_ms
        else:
            found = self.limit.decode(group, context, spread=True).ms if self.limit else 0.0
        step, at_limit = self._slower(found, bound)
        return step, bound, at_limit or self._prefill_bound

    def between_ms(self, per_copy: int, step_ms: float) -> float:
        """Between two tokens of one of ``per_copy``: ``step_ms``, and its share of the others' prompts. [ms]"""
        ranks = self.layout.pp * self.layout.attention_dp
        return step_ms + (per_copy - 1) * self.prefill_ms / ranks / self.request.answer_tokens

    def counts(self) -> list[int]:
        """Numbers of one copy worth computing: closer where they are few."""
        found, number = [1], 1
        while number < self.most:
            number += max(1, number // 3)
            found.append(min(number, self.most))
        return found

    def point(self, per_copy: int, step: float, bound: float, at_limit: bool) -> Point:
        """``per_copy`` conversations worked out, by ``step`` and its ``bound`` [ms]; at_limit: it counts."""
        layout, answer, prefill = self.layout, self.request.answer_tokens, self.prefill_ms
        between = self.between_ms(per_copy, step)
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


class Curve:
    """The speed of one layout.

    holds: conversations that keep the floor, in all copies. [-]
    ends: "memory", "speed", "slow" (not even one keeps it), "engine".   gap: why nothing was measured, or None.
    Raises what the library raises where its tables end before the cache does.
    """

    def __init__(self, line: LayoutLine, floor_tokens_s: float) -> None:
        self.line, self.layout, self.limit, self.gap = line, line.layout, line.limit, line.gap
        self._steps = self._grid()
        per_copy = self._last_above(1000 / floor_tokens_s)
        self.holds = per_copy * line.layout.copies
        full = "engine" if line.by_engine else "memory"
        self.ends = "slow" if not per_copy else "speed" if per_copy < line.most else full

    def _grid(self) -> dict[int, tuple[float, float, bool]]:
        """Steps by count. One never gets faster by more conversations: tables have noise."""
        found: dict[int, tuple[float, float, bool]] = {}
        slowest = 0.0
        for count in self.line.counts():
            step, bound, at_limit = self.line.step(count)
            slowest = max(step, slowest)
            found[count] = slowest, bound, at_limit
        return found

    def _last_above(self, most_ms: float) -> int:
        """The largest number of one copy with no more between two tokens, 0 for none; its step is kept. [ms]"""
        line, allowed = self.line, most_ms * (1 + 1e-12)
        above = [count for count, (step, _, _) in self._steps.items() if line.between_ms(count, step) <= allowed]
        if not above or above[-1] == line.most:
            return above[-1] if above else 0
        low, high = above[-1], next(count for count in self._steps if count > above[-1])
        slowest = self._steps[low][0]
        while high - low > 1:
            middle = (low + high) // 2
            step, bound, at_limit = line.step(middle)
            step = max(step, slowest)
            if line.between_ms(middle, step) <= allowed:
                low, slowest = middle, step
                self._steps[middle] = step, bound, at_limit
            else:
                high = middle
        return low

    @functools.cached_property
    def points(self) -> tuple[Point, ...]:
        """From one conversation to the last that fits, by rising number."""
        found = [self.line.point(count, *self._steps[count]) for count in sorted(self._steps)]
        copies = self.layout.copies
        if copies == 1:
            return tuple(found)
        first = found[0]  # one conversation where there are several copies: as fast as one on each of them
        limit = first.limit_total_tokens_s
        alone = dataclasses.replace(
            first,
            conversations=1,
            total_tokens_s=first.total_tokens_s / copies,
            limit_total_tokens_s=limit / copies if limit else None,
        )
        return (alone, *found)

    @functools.cached_property
    def measured_share(self) -> float:
        """Of a step's time, what comes from tables of measured operations: the smaller of one and the last. [-]"""
        if self.line.operations is None:
            return 0.0
        shares = []
        for per_copy in {1, self.line.most}:
            parts = self.line.operations.parts(self.line.group(per_copy), self.line.request.mean_context_tokens)
            total = sum(part.ms for part in parts)
            shares.append(sum(part.ms for part in parts if part.measured) / total if total else 0.0)
        return min(shares)

    @property
    def bound_only(self) -> bool:
        """Nothing was measured: the physical limit stands alone, which no layout reaches."""
        return self.line.operations is None

    @property
    def scaling(self) -> Scaling | None:
        """What the operations were scaled by, None where they were measured for this very card and cache."""
        return self.line.operations.scaling if self.line.operations else None

    @property
    def label(self) -> str:
        """MEASURED, INTERPOLATED (also beyond the longest context of the tables), SCALED or LIMIT_ONLY."""
        if self.bound_only:
            return LIMIT_ONLY
        if self.scaling is not None:
            return SCALED
        if self.line.request.mean_context_tokens > tables().library.context_end_tokens:
            return INTERPOLATED
        return MEASURED if self.measured_share >= MEASURED_SHARE else INTERPOLATED

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

    @functools.cached_property
    def alone_tokens_s(self) -> float:
        """Speed of one conversation alone. [tokens/s]"""
        return 1000 / self.line.between_ms(1, self._steps[1][0])

    def waiting(self, clients: int) -> tuple[float, float]:
        """Time to the first token of the first and of the last of ``clients`` beyond the cache. [s], [s]"""
        leave_per_s = self.last.conversations / self.last.lifetime_s
        first_token = self.last.ttft_ms / 1000
        return first_token + min(1, clients) / leave_per_s, first_token + clients / leave_per_s


def curve(line: LayoutLine, floor_tokens_s: float) -> Curve | None:
    """The curve of a ``line`` with the point where ``floor_tokens_s`` ends on it; None where nothing is known."""
    if line.most < 1 or (line.operations is None and line.limit is None):
        return None
    try:
        return Curve(line, floor_tokens_s)
    except Exception as error:  # a table that ends before the cache does: the library's own error, whatever it is
        if line.operations is None:
            raise
        gap = Gap("table_end", {}, f"{type(error).__name__}: {error}")
        return curve(LayoutLine(line.layout, line.request, gap, line.limit, line.running_max), floor_tokens_s)


def steps(found: Curve, point: Point, request: SpeedRequest) -> tuple[Step, ...]:
    """From a step of the operations to tokens a second, for one point."""
    source = SOURCE if found.label != LIMIT_ONLY else "hardware-notes"
    prefill, answer = (point.prefill_ms, "ms", source), (request.answer_tokens, "tokens", "input")
    step: Step | tuple[float, str, str] = (point.step_ms, "ms", source)
    if found.line.engine_ms and not point.at_limit:
        operations_ms = point.step_ms - found.line.engine_ms
        given = {"operations_ms": (operations_ms, "ms", source), "engine_ms": (found.line.engine_ms, "ms", source)}
        step = derive("step_ms", "operations_ms + engine_ms", "ms", source, **given)
    between = derive(
        "between_ms",
        "step_ms + (conversations_per_copy - 1) * prefill_ms / (pp * attention_dp) / answer_tokens",
        "ms",
        source,
        step_ms=step,
        conversations_per_copy=(point.per_copy, "", "step"),
        prefill_ms=prefill,
        pp=(found.layout.pp, "", "input"),
        attention_dp=(found.layout.attention_dp, "", "input"),
        answer_tokens=answer,
    )
    each = derive("each_tokens_s", "1000 / between_ms", "tokens/s", source, between_ms=between)
    total = derive(
        "total_tokens_s",
        "1000 * conversations * answer_tokens / (prefill_ms + answer_tokens * between_ms)",
        "tokens/s",
        source,
        conversations=(point.conversations, "", "step"),
        answer_tokens=answer,
        prefill_ms=prefill,
        between_ms=between,
    )
    bound = (
        ()
        if found.limit is None
        else (found.limit.step(found.line.group(point.per_copy), request.mean_context_tokens),)
    )
    return *((step,) if isinstance(step, Step) else ()), between, each, total, *bound
