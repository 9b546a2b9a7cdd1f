"""What vLLM prints for one layout, by hand where it can be."""

from __future__ import annotations

import json

import pytest

import sizing
from sizing.answers import engine_cases
from sizing.base.errors import SizingError
from sizing.models import bring
from tests.memory.config.conftest import config


def test_the_planning_rule_by_hand() -> None:
    # Llama 3.3 70B FP8, one copy over four cards: 83.04 GiB less a quarter of 72.7e9 B is 66.1132 GiB a card. A card
    # keeps 80 layers x 2 heads x (128 + 128) x 1 B = 40,960 B a token, 655,360 B a block of 16: 108,319 blocks,
    # 1,733,104 tokens, and 211.56 requests of 8,192.
    sized = sizing.size(sizing.Scenario(cards=4, context_tokens=8192, kv_dtype="fp8"))
    found = engine_cases.cases(sized, sized.layout(copies=1, tp=4))
    assert tuple(case.name for case in found.cases) == engine_cases.NAMES
    planning = found.cases[-1]
    assert planning.available_gib == pytest.approx(66.1132, abs=1e-4)
    assert (planning.startup.num_blocks, planning.startup.block_size) == (108_319, 16)
    assert planning.startup.kv_tokens == 1_733_104
    assert planning.startup.max_concurrency == pytest.approx(211.56, abs=0.005)
    assert planning.request_gib == found.rule_request_gib == pytest.approx(8192 * 40_960 / 2**30)


def test_the_band_is_in_order_and_its_working_recomputes() -> None:
    sized = sizing.size(sizing.Scenario(cards=4, context_tokens=32_768, kv_dtype="fp8"))
    found = engine_cases.cases(sized, sized.best)
    left = {case.name: case.available_gib for case in found.cases}
    assert left["pessimistic"] < left["typical"] < left["optimistic"]
    assert found.budget is not None
    assert left["typical"] == found.budget.typical_gib
    for step in found.working:
        assert step.recompute() == pytest.approx(step.result, rel=1e-6), step.name


def test_the_scenarios_engine_settings_count() -> None:
    scenario = sizing.Scenario(cards=4, context_tokens=32_768, kv_dtype="fp8")
    half = sizing.size(scenario.replace(utilization=0.5))
    whole = sizing.size(scenario)
    small, large = (engine_cases.cases(each, each.layout(copies=1, tp=4)).main.available_gib for each in (half, whole))
    # (0.92 - 0.5) of what CUDA sees of a card
    assert large - small == pytest.approx(0.42 * 94.97, abs=0.1)


def test_without_widths_the_planning_rule_stands_alone_and_says_why() -> None:
    without = {key: value for key, value in config("meta-llama/Meta-Llama-3.1-8B").items() if key != "vocab_size"}
    model = bring.from_text(json.dumps(without), weights="16").checkpoint
    sized = sizing.size(sizing.Scenario(kv_dtype="bf16"), checkpoint=model)
    found = engine_cases.cases(sized, sized.best)
    assert [case.name for case in found.cases] == ["planning"]
    assert found.budget_error is not None
    assert found.budget_error.key == "widths_unknown"


def test_another_makers_card_is_a_sentence() -> None:
    sized = sizing.size(sizing.Scenario(card="mi300x", power_cap_w=750))
    with pytest.raises(SizingError) as refused:
        engine_cases.cases(sized, sized.best)
    assert refused.value.key == "engine_card_unknown"


def test_weights_beyond_the_card_are_a_refusal_and_no_figure() -> None:
    sized = sizing.size(sizing.Scenario(checkpoint="deepseek-ai/DeepSeek-V3", cards=1))
    found = engine_cases.cases(sized, sized.best)
    assert all(not case.startup.starts for case in found.cases)
    assert found.main.available_gib < 0
    assert found.main.startup.reason
