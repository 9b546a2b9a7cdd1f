"""Published results: every row is read strictly, the filters cover them, and pairs differ in one thing."""

from __future__ import annotations

from collections import Counter

import pytest

from sizing.catalogue.inputs import every_input
from sizing.catalogue.results import cap_pairs, chosen, published, speculative_pairs


def test_all_500_results_are_there() -> None:
    assert len(published()) == 500
    assert Counter(row.suite for row in published()) == {
        "wattage": 252,
        "mlperf": 191,
        "rtx6kpro": 46,
        "ecency": 4,
        "storagereview": 3,
        "ovidiudan": 2,
        "helix": 1,
        "cloudrift": 1,
    }


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("result_suite", "suite"),
        ("result_model", "family"),
        ("result_card", "card"),
        ("result_scenario", "case"),
    ],
)
def test_the_filters_offer_what_there_is(name: str, field: str) -> None:
    assert set(every_input()[name].choices) == {"all"} | {getattr(row, field) for row in published()}


def test_filters_together() -> None:
    rows = chosen("mlperf", "llama-2-70b", "rtx-pro-6000-server", "interactive")
    # ASUS, two boxes: 780 and 783 tokens/s a card
    assert sorted(round(row.per_card or 0) for row in rows) == [780, 783]
    assert len(chosen()) == 500


def test_per_card_is_our_division_and_not_for_rates_of_one_user() -> None:
    user = next(row for row in published() if row.suite == "storagereview" and row.concurrency == 32)
    assert user.per_card is None


def test_a_cap_pair_differs_in_the_cap_alone() -> None:
    pairs = [pair for pair in cap_pairs() if pair.first.suite == "mlperf"]
    for pair in pairs:
        assert (pair.first.power_cap_w, pair.second.power_cap_w) == (600, 450)
        assert pair.first.software_run == pair.second.software_run
        assert (pair.first.model, pair.first.scenario) == (pair.second.model, pair.second.scenario)
    # Mixtral Server: 13,846.09 on four cards at 450 W, 7,742.84 on two at 600 W; 8B Server: 23,227.2 and 11,899.72
    assert min(pair.ratio for pair in pairs) == pytest.approx(13846.09 / 4 / (7742.84 / 2))
    assert max(pair.ratio for pair in pairs) == pytest.approx(23227.2 / 4 / (11899.72 / 2))
    # 89 to 98 % by scenario
    assert [round(100 * f(pair.ratio for pair in pairs)) for f in (min, max)] == [89, 98]


def test_speculative_pairs() -> None:
    pairs = {(pair.first.context_tokens, pair.first.concurrency): pair.ratio for pair in speculative_pairs()}
    assert len(pairs) == 11
    assert pairs[0, 1] == pytest.approx(127 / 81)
    assert pairs[65536, 128] == pytest.approx(2183 / 1907)
