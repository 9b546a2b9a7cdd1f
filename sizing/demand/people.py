"""From people to running requests. Open browsers are not running requests; a measured peak beats every estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizing.errors import SizingError
from sizing.notes import Note
from sizing.working import Given, Step

LITTLE = "little-1961"


@dataclass(frozen=True, slots=True)
class Demand:
    """Requests that run at the same moment.

    mean: by Little's law, arrivals a second times seconds a request. [-]
    peak: what is not exceeded in the stated share of moments, or what a gateway measured. [-]
    measured: the peak was measured.
    """

    mean: float
    peak: int
    measured: bool
    notes: tuple[Note, ...]
    working: tuple[Step, ...]


def running(
    *,
    staff: int,
    active_share: float,
    requests_per_hour: float,
    seconds_per_request: float,
    percentile: float,
    measured_peak: int = 0,
) -> Demand:
    """Mean and peak of the requests that run at once.

    staff: people who could use the service. [-]   active_share: of them in the busiest hour. [-]
    requests_per_hour: of one active person. [1/h]   seconds_per_request: from the first token in to the last one out. [s]
    percentile: share of moments in which the peak is not exceeded, below 1. [-]
    measured_peak: running requests that a gateway counted at its busiest; 0 where none was. [-]
    Requests arrive independently of each other, so that those running at a moment follow a Poisson law whatever the
    spread of their length (an M/G/infinity queue). Source: little-1961.

    >>> running(staff=500, active_share=0.2, requests_per_hour=6, seconds_per_request=30, percentile=0.99).peak
    11
    """
    if not 0 < percentile < 1:
        raise SizingError("percentile_out_of_range", input="peak_percentile", value=percentile)
    arrivals_per_s = staff * active_share * requests_per_hour / 3600
    mean = arrivals_per_s * seconds_per_request
    estimated = poisson_percentile(mean, percentile)
    peak = measured_peak or estimated
    steps = (
        Step(
            "arrivals_per_s",
            "staff * active_share * requests_per_hour / 3600",
            (
                Given("staff", staff, "people", "input"),
                Given("active_share", active_share, "", "input"),
                Given("requests_per_hour", requests_per_hour, "1/h", "input"),
            ),
            arrivals_per_s,
            "1/s",
            LITTLE,
        ),
        Step(
            "mean_running",
            "arrivals_per_s * seconds_per_request",
            (
                Given("arrivals_per_s", arrivals_per_s, "1/s", "step"),
                Given("seconds_per_request", seconds_per_request, "s", "input"),
            ),
            mean,
            "requests",
            LITTLE,
        ),
    )
    notes = [Note("hint", "browsers_are_not_requests", "doc-de", {"staff": staff, "mean": mean})]
    if measured_peak:
        notes.append(Note("hint", "measured_peak_counts", "doc-de", {"measured": measured_peak, "estimated": estimated}))
    return Demand(mean, peak, bool(measured_peak), tuple(notes), steps)


def poisson_percentile(mean: float, percentile: float) -> int:
    """The smallest n that a Poisson count of this mean does not exceed with probability ``percentile``.

    >>> poisson_percentile(5.0, 0.95)
    9
    """
    if mean < 0 or not math.isfinite(mean) or mean > 1_000_000:
        raise SizingError("mean_out_of_range", input="staff", value=mean)
    count, log_term = 0, -mean
    total = math.exp(log_term)
    if mean > 700:  # exp(-mean) is 0 in floating point; the sum starts where its terms count
        count = max(0, int(mean - 12 * math.sqrt(mean)))
        log_term = -mean + count * math.log(mean) - math.lgamma(count + 1)
        total = math.exp(log_term)
    while total < percentile:
        count += 1
        log_term += math.log(mean) - math.log(count)
        total += math.exp(log_term)
    return count
