"""Steps: each recomputes to its result, and nothing but arithmetic is ever evaluated."""

from __future__ import annotations

import pytest

import sizing
from sizing import catalogue
from sizing.base.working import Given, Step


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"checkpoint": "openai/gpt-oss-120b", "context_tokens": 32768, "kv_dtype": "bf16"},
        {"checkpoint": "Qwen/Qwen3.8-27B", "cards": 3},
        {"checkpoint": "deepseek-ai/DeepSeek-V3.2", "cards": 8},
        {"checkpoint": "deepseek-ai/DeepSeek-V4-Flash-0731", "cards": 4},
        {"checkpoint": "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "cards": 8},
        {"checkpoint": "google/gemma-3-27b-it", "cards": 1, "kv_dtype": "nvfp4"},
        {"card": "mi300x", "circuit": "eu-3ph-32a", "power_cap_w": 750},
        {"memory_rule": "custom", "memory_share": 0.85, "memory_reserve_gib": 4},
        {"checkpoint": "Qwen/Qwen3.8-27B", "speculative_tokens": 2},
        {"cards": 4, "speculative_tokens": 3, "draft_model": "meta-llama/Meta-Llama-3.1-8B"},
        {"checkpoint": "deepseek-ai/DeepSeek-V3", "card": "b200", "cards": 8, "attention_dp": 8, "kv_dtype": "bf16"},
        {"checkpoint": "moonshotai/Kimi-K2.5", "card": "b200", "cards": 8, "dcp": 8, "kv_dtype": "bf16"},
        {"memory_rule": "engine", "checkpoint": "openai/gpt-oss-120b"},
        {"cards": 5, "checkpoint": "meta-llama/Meta-Llama-3.1-8B"},
    ],
    ids=str,
)
def test_every_step_recomputes_and_has_a_title_and_sources(changes: dict[str, object]) -> None:
    sized = sizing.size(sizing.Scenario(**changes))  # type: ignore[arg-type]
    assert sized.working
    for step in sized.working:
        assert step.recompute() == pytest.approx(step.result, rel=1e-9, abs=1e-9), step
        assert step.title
        for source in (step.source, *(given.source for given in step.given)):
            if source not in ("input", "step"):
                assert catalogue.source(source).read_on


def test_steps_lead_to_the_figures_of_the_sizing() -> None:
    sized = sizing.size(sizing.Scenario())
    results = {step.name: step.result for step in sized.working}
    assert results["usable_gib_per_card"] == sized.usable_gib_per_card
    assert results["conversations"] == sized.best.conversations
    assert results["server_w"] == sized.server_w
    assert results["planned_w"] == sized.circuit.planned_w
    assert results["cfm"] == sized.cfm


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "a.b", "[1][0]", "lambda: 1", "open('x')", "a if a else a", "'x'", "a @ a"]
)
def test_only_arithmetic_is_evaluated(expression: str) -> None:
    step = Step("x", expression, (Given("a", 1, "", "input"),), 0, "", "doc-de")
    with pytest.raises((ValueError, TypeError)):
        step.recompute()


def test_a_formula_reads_as_a_person_writes_it() -> None:
    step = Step("x", "a * 2 ** 30 - b / 2", (), 0, "", "doc-de")
    assert step.formula == "a × 2^30 − b ÷ 2"
