"""Requests at random: against the queue of one place that Erlang solved, and by what must hold for any."""

from __future__ import annotations

import pytest

import sizing
from sizing.speed import speed
from sizing.speed.arrivals import most_per_s, simulate, waiting
from tests.speed.conftest import needs_kernels


def test_one_place_waits_as_erlang_has_it() -> None:
    """M/D/1 with a service of 1 s and half a request a second: half of them do not wait at all.

    P(wait <= t) = 0.5 (exp(t / 2) - (t - 1) / 2 exp((t - 1) / 2)) for t from 1 to 2: 0.9 at t = 1.52.
    """
    found = simulate(0.5, places=1, prompt_s=0.5, tokens=1, steps=([1], [0.5]))
    assert found.first_token_s[0] == pytest.approx(1.0, rel=0.02)
    assert found.first_token_s[1] == pytest.approx(2.52, rel=0.1)


def test_nobody_waits_where_requests_are_rare() -> None:
    found = simulate(0.001, places=8, prompt_s=0.2, tokens=101, steps=([1, 8], [0.01, 0.02]))
    assert found.first_token_s == pytest.approx((0.21, 0.21, 0.21))
    assert found.tokens_s == pytest.approx((100, 100, 100))


@needs_kernels
def test_the_queue_grows_without_end_from_the_rate_of_a_full_server_on() -> None:
    best = speed(sizing.size(sizing.Scenario())).best
    assert best is not None
    most = most_per_s(best)
    # every place taken, each for the life of a request
    assert most == pytest.approx(best.last.conversations / best.last.lifetime_s)
    assert waiting(best, most) is None
    calm, busy = waiting(best, 0.2 * most), waiting(best, 0.9 * most)
    assert calm is not None
    assert busy is not None
    for few, many in zip(calm.first_token_s, busy.first_token_s, strict=True):
        assert few < many
    assert list(busy.first_token_s) == sorted(busy.first_token_s)
    assert list(busy.tokens_s) == sorted(busy.tokens_s, reverse=True)
    assert waiting(best, 0.9 * most) == busy  # the same question has the same answer
