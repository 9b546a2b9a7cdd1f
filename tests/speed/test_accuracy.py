"""The estimate against published results: which can be answered, how far off it is, and that physics bounds it."""

from __future__ import annotations

import pytest

from sizing.catalogue.results import published
from sizing.speed.accuracy import KINDS, accuracy, summary
from sizing.speed.comparing import compare
from tests.speed.conftest import needs_kernels


def test_every_result_is_answered_or_has_a_reason() -> None:
    found = accuracy()
    assert len(found.compared) + sum(found.unanswered.values()) == len(published()) == 500


@needs_kernels
def test_the_file_is_what_the_operations_say() -> None:
    """data/estimates.csv worked out again, every fifth result and all whose card or engine differs from the last."""
    kept = {each.result.id: each for each in accuracy().compared}
    seen: set[tuple[object, ...]] = set()
    for number, row in enumerate(published()):
        kind = row.suite, row.family, row.card, row.case
        if number % 5 and kind in seen:
            continue
        seen.add(kind)
        again = compare(row)
        if isinstance(again, str):
            assert row.id not in kept
        else:
            assert kept[row.id].estimate == pytest.approx(again.estimate, rel=1e-3)
            assert kept[row.id].kind == again.kind


def test_more_than_a_quarter_is_answered_and_caps_are_counted_apart() -> None:
    found = accuracy()
    assert len(found.compared) >= 140
    assert len(found.caps) >= 114
    assert not {each.result.id for each in found.compared} & {pair.second.id for pair, _ in found.caps}
    near = sum(abs(share - pair.ratio) <= 0.1 * pair.ratio for pair, share in found.caps)
    assert found.caps_near == near >= 0.75 * len(found.caps)


def test_mlperf_offline_is_near_but_for_two_models_that_are_shown() -> None:
    """Dense models within a quarter nearly always; the two with experts are too fast, and counted."""
    part = accuracy().of_kind("offline")
    dense = [each for each in part if each.result.family.startswith("llama")]
    assert sum(each.near for each in dense) >= 0.9 * len(dense)
    assert min(each.ratio for each in part if each not in dense) > 1.5


def test_the_gap_to_the_two_figures_of_this_very_server() -> None:
    """StorageReview: 8.00 and 47.54 tokens/s a user at 32 users on four cards; the estimate is 1.5 to 2.5 times it."""
    found = {each.result.id: each for each in accuracy().of_kind("user")}
    assert {id: each.result.value for id, each in found.items()} == {
        "storagereview-001": 8.0,
        "storagereview-002": 47.54,
    }
    assert all(1.5 < each.ratio < 2.5 for each in found.values())


def test_the_answered_ones_state_their_load_or_are_a_benchmarks() -> None:
    for each in accuracy().compared:
        row = each.result
        assert each.kind in KINDS
        assert row.unit in ("tokens/s", "tokens/s per user")
        assert not row.speculative
        assert row.suite == "mlperf" or row.concurrency is not None
        assert row.power_cap_w is None or row.power_cap_w >= 600


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
    assert worst < 4.5
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
        ("mlperf-030", "kernels"),
        ("mlperf-066", "capped"),
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
