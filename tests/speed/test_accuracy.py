"""The estimate against published results: which can be answered, how far off it is, and that physics bounds it."""

from __future__ import annotations

import pytest

from sizing.catalogue.results import published
from sizing.speed.accuracy import accuracy, compare, summary
from tests.speed.conftest import needs_kernels

pytestmark = needs_kernels


def test_every_result_is_answered_or_has_a_reason() -> None:
    found = accuracy()
    assert len(found.compared) + sum(found.unanswered.values()) == len(published()) == 500


def test_the_answered_ones_state_their_load() -> None:
    for each in accuracy().compared:
        row = each.result
        assert row.unit == "tokens/s"
        assert not row.speculative
        assert row.concurrency is not None
        assert row.context_tokens is not None
        assert row.power_cap_w in (None, 600)


def test_where_everything_is_stated_the_error_is_small() -> None:
    """Nine runs of Qwen3.5-397B-A17B on four server cards: a published step is 0.79 to 1.27 of the estimate's."""
    exact = accuracy().part(assumed=False)
    assert len(exact) == 9
    assert {(each.result.family, each.result.card, each.result.tp) for each in exact} == {
        ("qwen3.5-397b", "rtx-pro-6000-server", 4)
    }
    middle, low, high, worst = summary(exact) or (0, 0, 0, 0)
    assert middle == pytest.approx(1.0, abs=0.15)
    assert low > 0.7
    assert high < 1.4
    assert worst < 1.4


def test_where_something_is_assumed_it_is_larger_and_shown() -> None:
    assumed = accuracy().part(assumed=True)
    middle, _, _, worst = summary(assumed) or (0, 0, 0, 0)
    assert len(assumed) >= 20
    assert 0.75 < middle < 1.35
    assert worst < 4
    assert max(each.factor for each in assumed) == worst


def test_neither_estimate_nor_published_exceeds_the_limit() -> None:
    """The limit is the server card's: its sibling with 12 % more bandwidth stays below it as well."""
    for each in accuracy().compared:
        assert each.limit is not None
        assert each.estimate <= each.limit
        assert each.result.value <= each.limit


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("mlperf-001", "load"),
        ("storagereview-001", "load"),
        ("storagereview-003", "unit"),
        ("helix-001", "speculative"),
        ("wattage-001", "capped"),
        ("cloudrift-001", "load"),
    ],
)
def test_why_a_result_is_not_answered(id: str, reason: str) -> None:
    assert compare(next(row for row in published() if row.id == id)) == reason


def test_without_the_library_nothing_is_compared(without_the_library: None) -> None:
    row = next(row for row in published() if row.id == "rtx6kpro-001")
    assert compare(row) == "library"
