"""Facts on passing sums: each has words, a date and a source; the measured all-reduces are taken as they are."""

from __future__ import annotations

from math import sqrt

import pytest

import sizing
from sizing.speed.interconnect import advice, all_reduce_us, facts


def test_every_fact_has_words() -> None:
    for fact in facts():
        assert len(fact.say()) > 30
        assert fact.date
    assert {fact.flag for fact in facts() if "PCIE_IPC" in fact.flag} == {"VLLM_ALLREDUCE_USE_FLASHINFER_PCIE_IPC=1"}


def test_advice_speaks_of_the_splits_there_are() -> None:
    four = advice(sizing.size(sizing.Scenario(cards=4)).layouts)
    assert {"pair", "group", "pipeline", "any", "mig"} == {fact.applies for fact in four}
    two = advice(sizing.size(sizing.Scenario(cards=2)).layouts)
    assert "group" not in {fact.applies for fact in two}
    assert advice(sizing.size(sizing.Scenario(cards=1)).layouts) == ()


def test_an_all_reduce_between_two_measured_sizes() -> None:
    # 1 KB: 6.1 and 13.5 µs; 64 KB: 11.8 and 71.2 µs. 8 KB is halfway on the logarithm: the geometric mean.
    fast, slow = all_reduce_us(8192, 4) or (0, 0)
    assert fast == pytest.approx(sqrt(6.1 * 11.8))
    assert slow == pytest.approx(sqrt(13.5 * 71.2))
    # 1 MB: NCCL is the faster one
    assert all_reduce_us(1048576, 4) == pytest.approx((85.2, 95.6))


def test_nothing_is_said_of_sizes_and_groups_that_no_one_measured() -> None:
    assert all_reduce_us(512, 4) is None
    assert all_reduce_us(2**21, 4) is None
    assert all_reduce_us(8192, 8) is None
