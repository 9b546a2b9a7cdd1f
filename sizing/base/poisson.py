"""Counts of things that come independently of each other: the Poisson law."""

from __future__ import annotations

import math

from sizing.base.errors import SizingError

LARGEST_MEAN = 1_000_000
_SPREADS = 40  # standard deviations beyond which a term is below every rounding


def share_within(count: float, mean: float) -> float:
    """Share of moments in which no more than ``count`` of a Poisson count with this mean are there. [-]

    The twin of a spreadsheet's POISSON(count, mean, TRUE).

    >>> round(share_within(8, 5), 4), round(share_within(9, 5), 4)
    (0.9319, 0.9682)
    """
    if not 0 <= mean <= LARGEST_MEAN:
        raise SizingError("mean_out_of_range", input="mean_running", value=mean, most=LARGEST_MEAN)
    last = math.floor(count)
    if last < 0:
        return 0.0
    if mean == 0:
        return 1.0
    first = max(0, int(mean - _SPREADS * math.sqrt(mean)))
    last = min(last, int(mean + _SPREADS * math.sqrt(mean) + _SPREADS))
    log_mean = math.log(mean)
    return min(1.0, math.fsum(math.exp(n * log_mean - mean - math.lgamma(n + 1)) for n in range(first, last + 1)))


def percentile(mean: float, share: float) -> int:
    """The smallest count that is not exceeded in this share of moments. share: above 0 and at most 0.9999. [-]

    >>> percentile(5, 0.95)
    9
    """
    low, high = -1, int(mean + 10 * math.sqrt(mean) + 20)
    while high - low > 1:
        middle = (low + high) // 2
        if share_within(middle, mean) >= share:
            high = middle
        else:
            low = middle
    return high


def chances(mean: float, most: int = 160) -> tuple[tuple[int, float], ...]:
    """Counts around the mean, each with the share of moments in which exactly so many are there. [-]

    most: of counts; where the range is wider, every second, third, ... one.

    >>> [(count, round(share, 3)) for count, share in chances(1)]
    [(0, 0.368), (1, 0.368), (2, 0.184), (3, 0.061), (4, 0.015), (5, 0.003), (6, 0.001)]
    """
    if not mean:
        return ((0, 1.0),)
    first, last = percentile(mean, 0.0001) if mean > 10 else 0, percentile(mean, 0.9999)
    step = max(1, math.ceil((last - first + 1) / most))
    log_mean = math.log(mean)
    return tuple(
        (count, math.exp(count * log_mean - mean - math.lgamma(count + 1))) for count in range(first, last + 1, step)
    )
