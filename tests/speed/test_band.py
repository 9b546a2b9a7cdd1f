"""How published runs spread around the estimate: fitted on some, checked on others."""

from __future__ import annotations

import pytest

import sizing
from sizing.answers.speed_notes import notes
from sizing.speed import speed
from sizing.speed.accuracy import ComparedSpeed, accuracy
from sizing.speed.band import band, inside_when_left_out, made, ratio, step_ms
from tests.speed.conftest import needs_kernels


def runs(family: str) -> list[ComparedSpeed]:
    return [run for run in accuracy().of_kind("decode") if run.result.family == family]


def test_the_engines_own_work_is_the_same_in_two_publishers_series() -> None:
    """One request, empty context: Qwen3.5-397B 81.0 tokens/s on four cards, MiniMax-M2.5 90.9 on two, both vLLM."""
    one, other = step_ms(runs("qwen3.5-397b")), step_ms(runs("minimax-m2.5"))
    assert one == pytest.approx(other, abs=0.3)
    assert 2 < one < 3


@pytest.mark.parametrize(("fitted", "checked"), [("qwen3.5-397b", "minimax-m2.5"), ("minimax-m2.5", "qwen3.5-397b")])
def test_fitted_on_one_series_it_helps_the_other(fitted: str, checked: str) -> None:
    with_it = [abs(ratio(run, step_ms(runs(fitted))) - 1) <= 0.25 for run in runs(checked)]
    without = [abs(ratio(run, 0) - 1) <= 0.25 for run in runs(checked)]
    assert sum(with_it) >= sum(without)
    assert sum(with_it) >= 0.85 * len(with_it)


def test_a_series_left_out_lies_mostly_in_the_band_of_the_others() -> None:
    inside, count = inside_when_left_out("vllm")
    assert count == 35
    assert inside >= 0.7 * count


def test_the_ends_are_a_tenth_from_either_side() -> None:
    """By hand: 1.1, 1.2 ... 2.9 times as fast as published, no request alone; the tenths lie at 1.2 and 2.8."""
    row = runs("qwen3.5-397b")[1].result
    made_up = [ComparedSpeed(row, "decode", row.value / (1 + n / 10), None, False) for n in range(1, 20)]
    found = made(tuple(made_up))
    assert (found.step_ms, found.count, found.sources) == (0, 19, 1)
    assert (found.low, found.high) == (pytest.approx(1.2), pytest.approx(2.8))


@needs_kernels
def test_pessimistic_typical_optimistic_and_what_is_held_then() -> None:
    found = speed(sizing.size(sizing.Scenario()))
    best, kind = found.best, band("vllm")
    assert best is not None
    low, typical, high = kind.speeds(best.one)
    assert low < typical == best.one.each_tokens_s <= high  # what is counted is the typical run
    operations = best.line.operations
    assert operations is not None
    alone_ms = operations.decode_ms(1, best.line.request.mean_context_tokens)
    assert best.one.step_ms == pytest.approx(alone_ms + kind.step_ms)
    assert 0 < kind.holds(best, 20) < best.holds
    assert kind.holds(best, 20) % best.layout.copies == 0
    assert kind.holds(best, 0.001) == best.last.conversations
    assert kind.holds(best, 1000) == 0


@needs_kernels
@pytest.mark.parametrize(("engine", "key"), [("vllm", "band"), ("sglang", "band_other")])
def test_the_band_is_said_beside_the_estimate(engine: str, key: str) -> None:
    found = speed(sizing.size(sizing.Scenario(engine=engine)))
    note = next(note for note in notes(found) if note.key == f"speed_note.{key}")
    assert f"keep {found.floor_tokens_s:.0f} tokens/s" in note.text


@needs_kernels
@pytest.mark.parametrize(
    ("model", "published"), [("meta-llama/Llama-2-70b-hf", "8.00"), ("openai/gpt-oss-120b", "47.54")]
)
def test_the_gap_to_a_figure_of_this_very_server_is_said(model: str, published: str) -> None:
    found = speed(sizing.size(sizing.Scenario(checkpoint=model, context_tokens=4096, kv_dtype="auto")))
    assert any(published in note.text for note in notes(found) if note.key == "speed_note.published")
    elsewhere = speed(sizing.size(sizing.Scenario(checkpoint=model, context_tokens=4096, kv_dtype="auto", cards=8)))
    assert not [note for note in notes(elsewhere) if note.key == "speed_note.published"]
