"""Measured operations behind the small interface: bounded by physics, honest about gaps, quick once loaded."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import version
from typing import Any

import pytest

import sizing
from sizing import catalogue
from sizing.answers.speed_notes import notes
from sizing.speed import operations, speed
from sizing.speed.alone import alone
from sizing.speed.limit import limit
from sizing.speed.measured import Gap
from sizing.speed.tables import tables
from tests.speed.conftest import needs_kernels

CARD = catalogue.card("rtx-pro-6000-server")
SCENARIOS: list[dict[str, Any]] = [
    {},
    {"checkpoint": "openai/gpt-oss-120b", "context_tokens": 32768, "kv_dtype": "bf16", "cards": 2},
    {"checkpoint": "nvidia/Qwen3.5-397B-A17B-NVFP4", "cards": 8, "engine": "vllm"},
    {"checkpoint": "Qwen/Qwen3.8-27B-FP8", "context_tokens": 65536, "cards": 2},
    {"checkpoint": "Qwen/Qwen3-0.6B", "cards": 1, "context_tokens": 1024, "prompt_tokens": 512, "answer_tokens": 128},
    {"checkpoint": "meta-llama/Llama-3.3-70B-Instruct", "card": "h200-sxm", "cards": 4, "engine": "trtllm"},
    {"checkpoint": "deepseek-ai/DeepSeek-V4-Flash-0731", "kv_dtype": "auto"},
]


@pytest.fixture(params=SCENARIOS, ids=str)
def found(request: pytest.FixtureRequest) -> sizing.speed.Speed:  # type: ignore[name-defined]
    return speed(sizing.size(sizing.Scenario(**request.param)))


@needs_kernels
def test_the_estimate_never_exceeds_the_physical_limit(found: Any) -> None:
    assert found.curves
    for curve in found.curves:
        for point in curve.points:
            assert point.each_tokens_s <= point.limit_each_tokens_s * (1 + 1e-9)
            assert point.total_tokens_s <= point.limit_total_tokens_s * (1 + 1e-9)
            bound = curve.limit.prefill(found.request.prompt_tokens)
            assert point.ttft_ms >= bound.ms * (1 - 1e-9)


@needs_kernels
def test_kernels_themselves_stay_below_the_limit_of_this_card() -> None:
    """Not put back to it: the tables of the server card and the limit with 1,597 GB/s agree on who is faster."""
    for id in ("nvidia/Llama-3.3-70B-Instruct-FP8", "meta-llama/Meta-Llama-3.1-8B", "openai/gpt-oss-120b"):
        model = catalogue.checkpoint(id)
        for tp in (1, 2, 4):
            measured = operations.find(CARD, model, engine="vllm", kv_dtype="bf16", tp=tp, pp=1)
            bound = limit(CARD, model, kv_dtype="bf16", tp=tp, pp=1)
            assert not isinstance(measured, Gap)
            assert bound is not None
            for requests in (1, 8, 64, 256):
                assert measured.decode_ms(requests, 8192) >= bound.decode(requests, 8192).ms
            assert measured.prefill_ms(4096) >= bound.prefill(4096).ms


@needs_kernels
def test_more_conversations_never_raise_the_speed_of_one(found: Any) -> None:
    for curve in found.curves:
        rates = [point.each_tokens_s for point in curve.points]
        assert rates == sorted(rates, reverse=True)
        assert [point.conversations for point in curve.points] == sorted({p.conversations for p in curve.points})


def test_curves_end_where_the_cache_is_full(found: Any) -> None:
    for curve in found.curves:
        running = found.running_max * curve.layout.copies
        assert curve.last.conversations == min(curve.layout.conversations, running)
        assert curve.holds <= curve.last.conversations


@needs_kernels
def test_a_move_of_a_slider_is_quick() -> None:
    sized = [sizing.size(sizing.Scenario(context_tokens=8192 + 1024 * move)) for move in range(9)]
    speed(sized[0])  # loads the tables
    taken = []
    for each in sized[1:]:
        started = time.perf_counter()
        speed(each)
        taken.append(time.perf_counter() - started)
    assert min(taken) < 0.05  # the quickest of eight, since other tests share the machine


@pytest.mark.parametrize(
    ("inputs", "key"),
    [
        ({"card": "rtx-pro-5000", "cards": 8}, "card"),
        ({"card": "mi300x"}, "card"),
        ({"kv_dtype": "nvfp4"}, "cache"),
    ],
)
def test_a_gap_is_said_and_the_limit_stands_alone(inputs: dict[str, Any], key: str) -> None:
    found = speed(sizing.size(sizing.Scenario(**inputs)))
    assert found.gap is not None
    assert found.gap.key == key
    assert found.gap.say().startswith("No measured operations for")
    for curve in found.curves:
        assert curve.label == "limit"
        assert curve.one.each_tokens_s == pytest.approx(curve.one.limit_each_tokens_s)
    assert "speed_note.limit_only" in {note.key for note in notes(found)}


@needs_kernels
@pytest.mark.parametrize(
    ("checkpoint", "key"), [("ai21labs/AI21-Jamba-1.5-Mini", "class"), ("Qwen/Qwen3-32B-FP8", "kernels")]
)
def test_models_that_the_library_does_not_have(checkpoint: str, key: str) -> None:
    found = speed(sizing.size(sizing.Scenario(checkpoint=checkpoint)))
    assert found.gap is not None
    assert found.gap.key == key
    assert found.gap.detail
    assert found.gap.detail not in found.gap.say()


def test_without_the_extra_the_limit_stands_and_it_is_said(without_the_library: None) -> None:
    assert not operations.installed()
    found = speed(sizing.size(sizing.Scenario()))
    assert {curve.label for curve in found.curves} == {"limit"}
    assert found.gap is not None
    assert "aiconfigurator-core 0.12.0 is not installed" in found.gap.say()


def test_a_library_that_cannot_be_loaded_is_a_gap_too(
    monkeypatch: pytest.MonkeyPatch, without_the_library: None
) -> None:
    monkeypatch.setattr(operations, "installed", lambda: True)
    found = speed(sizing.size(sizing.Scenario()))
    assert found.gap is not None
    assert "cannot be loaded" in found.gap.say()


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = "import sys, sizing, sizing.speed, sizing.catalogue.results; print('aiconfigurator_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@needs_kernels
def test_the_version_is_the_one_the_data_speaks_of() -> None:
    assert version(tables().library.name) == tables().library.version


@needs_kernels
def test_the_flagship_by_the_tables_of_the_server_card() -> None:
    """One copy over four cards alone: between half the limit and the limit, as every dense model of this size."""
    found = speed(sizing.size(sizing.Scenario()))
    curve = found.curve((1, 4, 1))
    assert curve is not None
    assert curve.label == "measured"
    assert 0.5 < curve.one.each_tokens_s / curve.one.limit_each_tokens_s < 0.9


@needs_kernels
def test_one_user_as_a_range_with_its_two_causes() -> None:
    sized = sizing.size(sizing.Scenario())
    found = alone(sized, sized.layout(copies=1, tp=4))
    assert found is not None
    assert set(found.engines) == {"vllm", "sglang", "trtllm"}
    assert found.all_reduce is not None
    slow, fast = found.all_reduce
    assert found.low <= min(found.engines.values()) <= max(found.engines.values()) <= found.high
    assert slow < found.engines["vllm"] < fast
    assert alone(sized, sized.layout(copies=4)).all_reduce is None  # type: ignore[union-attr]


@needs_kernels
def test_every_checkpoint_has_an_answer_or_a_gap() -> None:
    """No model makes the library's own faults ours; most have measured operations."""
    answered = 0
    for id in catalogue.checkpoint_ids():
        model = catalogue.checkpoint(id)
        if model.config_source.missing:
            continue
        kv_dtype = model.architecture.resolve_kv_dtype("auto")
        measured = operations.find(CARD, model, engine="vllm", kv_dtype=kv_dtype, tp=2, pp=1)
        answered += not isinstance(measured, Gap)
    assert answered >= 40


def test_what_speculative_decoding_costs_in_cache() -> None:
    """Qwen3.8-27B: one module with full attention of 4 heads of 256, keys and values, 1 byte each in FP8."""
    found = speed(sizing.size(sizing.Scenario(checkpoint="Qwen/Qwen3.8-27B-FP8", context_tokens=8192, kv_dtype="fp8")))
    assert found.speculative_cache_gib == pytest.approx(4 * 256 * 2 * 8192 / 2**30)
    assert speed(sizing.size(sizing.Scenario())).speculative_cache_gib == 0
