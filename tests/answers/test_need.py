"""People to running requests: by hand, against a printed Poisson table, and at the edges."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from sizing import SizingError
from sizing.answers.need import running, seconds, settled_seconds
from sizing.base import poisson

DEFAULTS: dict[str, Any] = {
    "staff": 500,
    "active_share": 0.2,
    "requests_per_hour": 6,
    "seconds_per_request": 30,
    "peak_percentile": 0.95,
}

# Rows of a printed table of the cumulative Poisson distribution: mean, count, share to four digits.
TABLE = (
    (0.5, 0, 0.6065),
    (0.5, 3, 0.9982),
    (1, 2, 0.9197),
    (2, 3, 0.8571),
    (3, 6, 0.9665),
    (4, 7, 0.9489),
    (4.5, 9, 0.9829),
    (5, 8, 0.9319),
    (5, 9, 0.9682),
    (5, 15, 0.9999),
)


@pytest.mark.parametrize(("mean", "count", "share"), TABLE)
def test_shares_are_those_of_the_printed_table(mean: float, count: int, share: float) -> None:
    assert round(poisson.share_within(count, mean), 4) == share


@pytest.mark.parametrize(
    ("mean", "share", "count"), [(5, 0.95, 9), (5, 0.93, 8), (4, 0.95, 8), (2, 0.99, 6), (0, 0.99, 0)]
)
def test_percentiles_follow_from_the_table(mean: float, share: float, count: int) -> None:
    assert poisson.percentile(mean, share) == count


@pytest.mark.parametrize("mean", [0.01, 0.7, 12.3, 699.0, 701.0, 5_000.0, 250_000.0, 1_000_000.0])
def test_a_percentile_is_the_smallest_count_and_near_the_normal_law(mean: float) -> None:
    count = poisson.percentile(mean, 0.99)
    assert poisson.share_within(count, mean) >= 0.99 > poisson.share_within(count - 1, mean)
    if mean > 600:  # the 99 % point of the normal law lies 2.3263 standard deviations above the mean
        assert count == pytest.approx(mean + 2.3263 * math.sqrt(mean), abs=2)


def test_the_mean_is_littles_law() -> None:
    """500 x 0.2 = 100 active people, 6 requests an hour each: 600 an hour, 1 in 6 s; at 30 s each 5 run at a moment."""
    demand = running(**DEFAULTS)
    assert demand.arrivals_per_s == pytest.approx(1 / 6)
    assert demand.mean == pytest.approx(5)
    assert demand.peak == demand.estimated_peak == 9  # the table above: 0.9319 at 8, 0.9682 at 9
    assert not demand.measured


def test_simulated_arrivals_agree() -> None:
    """An independent check: random arrivals in an hour, each running for a random time, counted at random moments."""
    chance = random.Random(7)
    demand = running(**{**DEFAULTS, "seconds_per_request": 60})  # a mean of 10
    span = 400_000.0
    starts, at = [], 0.0
    while at < span:
        at += chance.expovariate(demand.arrivals_per_s)
        starts.append((at, at + chance.choice([20.0, 60.0, 100.0])))  # 60 s on average, not exponential
    events = sorted([(start, 1) for start, _ in starts] + [(end, -1) for _, end in starts])
    held: dict[int, float] = {}
    count, last = 0, 0.0
    for moment, change in events:
        held[count] = held.get(count, 0.0) + moment - last
        count, last = count + change, moment
    total = sum(held.values())
    assert sum(count * time for count, time in held.items()) / total == pytest.approx(demand.mean, rel=0.02)
    within = sum(time for count, time in held.items() if count <= demand.peak) / total
    assert within == pytest.approx(poisson.share_within(demand.peak, demand.mean), abs=0.01)


def test_a_measured_peak_beats_the_estimate() -> None:
    demand = running(**DEFAULTS, measured_peak=23)
    assert (demand.peak, demand.estimated_peak, demand.measured) == (23, 9, True)
    assert "23" in demand.notes[0].text
    assert "9" in demand.notes[0].text
    low = running(**{**DEFAULTS, "staff": 50_000}, measured_peak=2)
    assert low.peak == 2
    assert [note.level for note in low.notes][1] == "warn"


def test_it_says_that_browsers_are_not_requests() -> None:
    text = running(**DEFAULTS).notes[0].text
    assert "500" in text
    assert "5.0" in text
    assert "browser" in text


def test_every_step_recomputes() -> None:
    for step in running(**DEFAULTS).working:
        assert step.recompute() == pytest.approx(step.result)
        assert step.title
    below, within = (step.result for step in reversed(running(**DEFAULTS).working[-2:]))
    assert below < 0.95 <= within


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("staff", 0),
        ("staff", 1.5),
        ("staff", True),
        ("active_share", 1.1),
        ("active_share", math.nan),
        ("requests_per_hour", -1),
        ("seconds_per_request", math.inf),
        ("seconds_per_request", 1e9),
        ("peak_percentile", 1.0),
        ("peak_percentile", 0.0),
        ("measured_peak", -1),
        ("staff", 10_000_000_000),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(name: str, value: Any) -> None:
    with pytest.raises(SizingError) as caught:
        running(**{**DEFAULTS, name: value})
    assert caught.value.input == name
    assert caught.value.fix()


def test_more_than_it_counts_is_refused() -> None:
    with pytest.raises(SizingError) as caught:
        running(staff=10_000_000, active_share=1, requests_per_hour=3600, seconds_per_request=60, peak_percentile=0.9)
    assert caught.value.key == "mean_out_of_range"


def test_seconds_of_a_request() -> None:
    found, step = seconds(2, 400, 20)
    assert found == 22  # 2 s of waiting, 400 / 20 = 20 s of writing
    assert step.recompute() == 22


def test_speed_and_load_settle() -> None:
    """At 0.5 requests a second, each 10 s + 1 s for every one running: n = 0.5 (10 + n) has n = 10, 20 s each."""
    assert settled_seconds(0.5, lambda count: 10 + count, 100) == (20, 10)
    assert settled_seconds(1.0, lambda count: 10 + count, 100) is None  # n = 10 + n has no answer
    assert settled_seconds(0.5, lambda count: 10 + count, 9) is None
