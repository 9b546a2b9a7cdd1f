"""How far published runs lie from the estimate: a pessimistic, a typical and an optimistic speed.

The operations leave out the engine's own work in a step (scheduler, sampling): one time for each step, fitted to the
runs of one request, where it shows most. What is left over is the band: a tenth of the runs were slower than its low
end, a tenth faster than its high end. Source: aiconfigurator-core.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from statistics import median, quantiles

from sizing.base.dataclass import dataclass
from sizing.speed.accuracy import ComparedSpeed, accuracy
from sizing.speed.curve import Curve, Point

KINDS = {"vllm": ("decode", "user"), "trtllm": ("offline", "server")}
"""Kinds of published results that an engine has."""
_TENTHS = 10


@dataclass(frozen=True)
class Band:
    """Speeds that published runs had against the estimate.

    step_ms: work of the engine that the operations leave out of each step. [ms]   low, high: of what is left. [-]
    count, sources: runs behind it, and publishers' series that they come from. [-]
    same: they are of the engine asked for; else another engine's stand in.
    """

    step_ms: float
    low: float
    high: float
    count: int
    sources: int
    same: bool

    def speeds(self, point: Point) -> tuple[float, float, float]:
        """One conversation at a ``point``, counted with ``step_ms``: pessimistic, typical, optimistic. [tokens/s]"""
        typical = point.each_tokens_s
        most = point.limit_each_tokens_s or float("inf")
        return typical * min(1.0, self.low), typical, min(most, typical * max(1.0, self.high))

    def holds(self, curve: Curve, floor_tokens_s: float) -> int:
        """Conversations of a ``curve`` that keep ``floor_tokens_s`` at the pessimistic end. [-], [tokens/s]

        On a straight line between the points that were worked out; no step is asked for again.
        """
        copies, slowest_ms = curve.layout.copies, 1000 / floor_tokens_s
        below: tuple[float, float] | None = None
        for point in curve.points:
            between = 1000 / self.speeds(point)[0]
            if between > slowest_ms:
                if below is None:
                    return 0
                count, its = below
                at = (slowest_ms - its) / (between - its)
                return int((count + at * (point.conversations - count)) // copies * copies)
            below = point.conversations, between
        return curve.last.conversations


def step_ms(runs: Iterable[ComparedSpeed]) -> float:
    """What a step takes beyond its operations, by the ``runs`` of one request with an empty context. [ms]"""
    alone = [run for run in runs if run.result.concurrency == 1 and not run.result.context_tokens]
    return max(0.0, median(1000 / run.result.value - 1000 / run.estimate for run in alone)) if alone else 0.0


def ratio(run: ComparedSpeed, step_ms: float) -> float:
    """Published speed of a ``run`` against the estimate with ``step_ms`` in each step. [-], [ms]"""
    requests = 1 if run.kind == "user" else run.result.concurrency
    if requests is None:
        return 1 / run.ratio
    return run.result.value / (1000 * requests / (1000 * requests / run.estimate + step_ms))


def series(run: ComparedSpeed) -> tuple[str, str]:
    """A publisher's series of one model, which is left out or taken in as a whole."""
    return run.result.suite, run.result.family


def made(runs: tuple[ComparedSpeed, ...], *, same: bool = True) -> Band:
    """The band of some ``runs``; two at least."""
    step = step_ms(runs)
    cuts = quantiles([ratio(run, step) for run in runs], n=_TENTHS)
    return Band(step, cuts[0], cuts[-1], len(runs), len({series(run) for run in runs}), same)


@functools.cache
def band(engine: str) -> Band:
    """The band of an ``engine``; vLLM's where no result of it was published."""
    kinds = KINDS.get(engine, KINDS["vllm"])
    return made(tuple(run for run in accuracy().compared if run.kind in kinds), same=engine in KINDS)


def inside_when_left_out(engine: str) -> tuple[int, int]:
    """Runs of an ``engine`` inside the band that the other series make of theirs, and all of them. [-], [-]"""
    runs = [run for run in accuracy().compared if run.kind in KINDS[engine]]
    inside = 0
    for name in {series(run) for run in runs}:
        others = made(tuple(run for run in runs if series(run) != name))
        own = [ratio(run, others.step_ms) for run in runs if series(run) == name]
        inside += sum(min(1.0, others.low) <= each <= max(1.0, others.high) for each in own)
    return inside, len(runs)
