"""What a cap costs: ranges with their sources, never one curve."""

from __future__ import annotations

from typing import Any

import pytest

import sizing
from sizing.speed import caps, speed
from sizing.speed.band import band
from tests.speed.conftest import needs_kernels


def at(study: str, cap_w: float) -> caps.CapEffect:
    found = [effect for effect in caps.effects() if (effect.study, effect.cap_w) == (study, cap_w)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("study", "cap_w", "low", "high"),
    [
        # MLPerf: 89 to 98 % by scenario; StorageReview: 2-5 % short, 4-9 % long; GLM-4.5-Air FP8: 597.02 and
        # 620.04 of 625.55 tokens/s; MMBT: 1,034 of 1,351 and 62.6 of 72.1; gpu_burn: 124.2 of 157.5 Tflop/s at 500 W
        ("mlperf", 450, 0.894, 0.976),
        ("storagereview", 450, 0.91, 0.98),
        ("ecency", 300, 597.02 / 625.55, 597.02 / 625.55),
        ("ecency", 360, 620.04 / 625.55, 620.04 / 625.55),
        ("mmbt-32-users", 300, 1034 / 1351, 1034 / 1351),
        ("mmbt-1-user", 300, 62.6 / 72.1, 62.6 / 72.1),
        ("tensor-burn", 300, 124224 / 157543, 124224 / 157543),
        # MiniMax-M2.5 at 600 W: 90.89 alone and 1,557.83 at 64 requests, empty context; at 300 W 100 to 77 %
        ("wattage-short", 300, 0.77, 1.0),
    ],
)
def test_a_study_at_a_cap(study: str, cap_w: float, low: float, high: float) -> None:
    effect = at(study, cap_w)
    assert effect.low == pytest.approx(low, abs=0.005)
    assert effect.high == pytest.approx(high, abs=0.005)
    assert effect.source


def test_prefill_and_decode_of_the_300_w_card_stand_apart() -> None:
    kept = {effect.phase: effect.low for effect in caps.effects() if effect.study == "max-q-card"}
    assert kept == {"decode": 0.94, "prefill": 0.73}


def test_between_two_caps_both_are_shown_and_nothing_is_fitted() -> None:
    near = [effect for effect in caps.around(430) if effect.study == "mmbt-32-users"]
    assert [effect.cap_w for effect in near] == [400, 450]
    exact = [effect for effect in caps.around(450) if effect.study == "mmbt-32-users"]
    assert [effect.cap_w for effect in exact] == [450]


def test_no_cap_costs_nothing() -> None:
    assert caps.around(600) == ()
    assert caps.span(()) is None


def test_a_row_with_neither_range_nor_values_is_refused() -> None:
    from sizing.base.errors import SizingError
    from sizing.base.files import Place

    row = {
        "id": "x", "study": "s", "card": "c", "cards": "1", "model": "m", "workload": "w", "phase": "all",
        "cap_w": "450", "base_w": "600", "source": "doc-de", "read_on": "2026-11-30",
    }  # fmt: skip
    with pytest.raises(SizingError, match="kept_low"):
        caps.Stated.schema().read_row(row, Place("power_caps.csv", {"doc-de"}, "line 2"))


def test_a_cap_slows_the_curves_as_published() -> None:
    """MMBT at 350 W: 68.6 of 72.1 tokens/s for one user, 1,202 of 1,351 for 32; arithmetic between its caps."""
    found = caps.kept(350)
    assert found is not None
    assert found.answers(1) == pytest.approx(68.6 / 72.1, abs=0.001)
    assert found.answers(32) == found.answers(500) == pytest.approx(1202 / 1351, abs=0.001)
    between = caps.kept(325)
    assert between is not None
    assert between.alone == pytest.approx((68.6 + 62.6) / 2 / 72.1, abs=0.001)
    assert caps.kept(250) is None  # lower than it was run


@needs_kernels
def test_a_capped_server_is_slower_by_what_was_published() -> None:
    whole = speed(sizing.size(sizing.Scenario())).best
    capped = speed(sizing.size(sizing.Scenario(power_cap_w=350))).best
    assert whole is not None
    assert capped is not None
    own_ms = band("vllm").step_ms  # the engine's own work on the processor, which no card's cap slows
    ratio = (whole.one.step_ms - own_ms) / (capped.one.step_ms - own_ms)
    assert ratio == pytest.approx(68.6 / 72.1, abs=0.001)
    assert whole.one.prefill_ms / capped.one.prefill_ms < 0.9
    assert capped.holds < whole.holds


@needs_kernels
@pytest.mark.parametrize("inputs", [{}, {"card": "b200", "power_cap_w": 600}, {"power_cap_w": 250}])
def test_no_cap_another_chips_and_one_too_low_have_none(inputs: dict[str, Any]) -> None:
    assert speed(sizing.size(sizing.Scenario(**inputs))).best.line.kept is None  # type: ignore[union-attr]
