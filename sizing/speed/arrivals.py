"""Requests that come at random: how long a first token takes, how fast answers then are, and when a queue has no end.

Arrivals by chance (Poisson) at each copy, served as engines do: whoever waits joins the next step while there is a
place, its prompt is worked through in that step, and every step gives each running request one token. A simulation
with a fixed seed, so that the same question has the same answer. Source: aiconfigurator-core.
"""

from __future__ import annotations

import bisect
import random
from collections import deque

from sizing.base.dataclass import dataclass
from sizing.speed.curve import Curve

PERCENTILES = (50, 90, 99)
_REQUESTS = 1500
_WARM_UP = 200
_SEED = 1


@dataclass(frozen=True)
class Waiting:
    """What is felt at a rate of arrivals, at PERCENTILES of the requests, the best first.

    first_token_s: from arrival to the first token. [s]   tokens_s: of an answer once it has begun. [tokens/s]
    """

    first_token_s: tuple[float, ...]
    tokens_s: tuple[float, ...]


SHARES = (0.5, 0.8, 0.95)
"""Loads that are shown, as shares of the rate that no queue survives. [-]"""


def most_per_s(curve: Curve) -> float:
    """Arrivals from which on the queue of a ``curve``'s layout grows without end: all places taken. [1/s]"""
    return curve.last.conversations / curve.last.lifetime_s


def waiting(curve: Curve, per_s: float) -> Waiting | None:
    """What ``per_s`` arrivals a second make of a ``curve``'s layout; None where the queue grows without end. [1/s]"""
    if not 0 < per_s < most_per_s(curve):
        return None
    counts = [point.per_copy for point in curve.points]
    steps = [point.step_ms / 1000 for point in curve.points]
    return simulate(
        per_s / curve.layout.copies,
        places=curve.line.most,
        prompt_s=curve.line.prefill_ms / 1000 / (curve.layout.pp * curve.layout.attention_dp),
        tokens=curve.line.request.answer_tokens,
        steps=(counts, steps),
    )


def loads(curve: Curve) -> tuple[tuple[float, Waiting], ...]:
    """What is felt at each of SHARES of the rate that a ``curve`` sustains; a tenth of a second or two. [-]"""
    found = ((share, waiting(curve, share * most_per_s(curve))) for share in SHARES)
    return tuple((share, one) for share, one in found if one is not None)


def simulate(
    per_s: float, *, places: int, prompt_s: float, tokens: int, steps: tuple[list[int], list[float]]
) -> Waiting:
    """One copy with ``per_s`` arrivals a second and ``places`` for running requests. [1/s], [-]

    prompt_s: one prompt. [s]   tokens: of an answer. [tokens]   steps: rising numbers of running requests, with the
    time of a step of each. [-], [s]
    """
    chance, now, arrival = random.Random(_SEED), 0.0, 0.0
    arrivals: deque[float] = deque()
    for _ in range(_REQUESTS):
        arrival += chance.expovariate(per_s)
        arrivals.append(arrival)
    running: deque[tuple[int, float]] = deque()  # the step that ends each, and when its first token came
    first_s, rates, number = [], [], 0
    while arrivals or running:
        if not running:
            now = max(now, arrivals[0])
        joined: list[float] = []
        while arrivals and arrivals[0] <= now and len(running) + len(joined) < places:
            joined.append(arrivals.popleft())
        at = min(bisect.bisect_left(steps[0], len(running) + len(joined)), len(steps[0]) - 1)
        now, number = now + len(joined) * prompt_s + steps[1][at], number + 1
        for came in joined:
            first_s.append(now - came)
            running.append((number + tokens - 1, now))
        while running and running[0][0] <= number:
            began = running.popleft()[1]
            if now <= arrival:  # what ends after the last arrival runs in an emptier server
                rates.append((tokens - 1) / (now - began) if now > began else 1 / steps[1][0])
    first, speeds = sorted(first_s[_WARM_UP:]), sorted(rates[_WARM_UP:], reverse=True)
    return Waiting(tuple(_at(first, each) for each in PERCENTILES), tuple(_at(speeds, each) for each in PERCENTILES))


def _at(values: list[float], percent: int) -> float:
    return values[min(len(values) - 1, len(values) * percent // 100)]
