"""The engine beside the planning rule: figures of real logs and of the engine's own code, through the contract."""

from __future__ import annotations

import pytest

import sizing


def _sized(**inputs: object) -> sizing.Sizing:
    return sizing.size(sizing.Scenario(**inputs))  # type: ignore[arg-type]


def _notes(sized: sizing.Sizing) -> dict[str, str]:
    return {note.key: note.level for note in sized.notes}


def test_as_measured_in_a_log() -> None:
    # djangodevreng/dgx-spark-benchmarks, 2026-05-05, vLLM 0.19.2rc1: Qwen3.6-35B-A3B, 131,072 tokens, one device:
    # "Available KV cache memory: 47.55 GiB", "GPU KV cache size: 623,040 tokens", "Maximum concurrency: 18.44x".
    sized = _sized(
        checkpoint="Qwen/Qwen3.6-35B-A3B",
        cards=1,
        context_tokens=131072,
        kv_dtype="auto",
        memory_rule="measured",
        measured_kv_gib=47.55,
        engine_version="0.19.1",
    )
    startup = sized.verdicts[0].startup
    assert startup.kv_tokens == 623_040
    assert startup.max_concurrency == pytest.approx(18.44, abs=0.005)
    assert sized.best.conversations == 18
    assert sized.best.free_gib_per_card == 47.55


def test_a_hybrid_model_with_too_few_state_blocks_does_not_start_by_default() -> None:
    sized = _sized(checkpoint="Qwen/Qwen3.8-27B", cards=1, context_tokens=32768, kv_dtype="auto", memory_rule="engine")
    assert not sized.fits
    stop = next(note for note in sized.notes if note.key == "engine_refuses")
    assert stop.level == "stop"
    blocks = sized.verdicts[0].startup.highest_max_num_seqs
    assert f"--max-num-seqs {blocks}" in stop.text
    # With the number that the note names it starts.
    assert _sized(**{**sized.scenario.as_dict(), "max_num_seqs": blocks}).fits


def test_the_sequence_limit_binds_and_is_named() -> None:
    sized = _sized(context_tokens=1024, max_num_seqs=64)
    assert all(verdict.conversations_per_copy == 64 for verdict in sized.verdicts if verdict.name == (1, 4, 1))
    assert _notes(sized)["sequences_bind"] == "warn"


def test_windows_hold_one_batch_up_to_0_25_and_two_from_0_26() -> None:
    # gpt-oss-120b: with less in flight the sliding layers keep less, so that the older release runs more at once.
    def count(version: str) -> float:
        found = _sized(checkpoint="openai/gpt-oss-120b", context_tokens=32768, kv_dtype="bf16", engine_version=version)
        startup = found.verdicts[0].startup
        assert startup.max_num_batched_tokens == 8192
        return startup.in_flight_tokens

    assert (count("0.25.1"), count("0.33.0")) == (8192, 16384)


def test_planning_and_engine_stand_side_by_side() -> None:
    sized = _sized()
    assert sized.best.conversations == 211
    assert {"engine_holds_fewer", "engine_holds_more"} & set(_notes(sized))
    assert len(sized.verdicts) == len(sized.layouts)
    # By the rule "engine" the layouts carry the engine's own counts.
    engine = sized.variant(memory_rule="engine")
    assert [layout.conversations for layout in engine.layouts] == [v.conversations for v in sized.verdicts]
    assert engine.conversations_at(engine.best, 8192) == engine.best.conversations


def test_a_card_adds_up_under_the_engines_rule() -> None:
    sized = _sized(memory_rule="engine")
    for layout in sized.layouts:
        parts = sized.card_memory(layout)
        total = parts.weights_gib + parts.cache_used_gib + parts.cache_free_gib + parts.reserve_gib + parts.driver_gib
        assert total == pytest.approx(95.6, abs=0.01)


def test_more_utilisation_never_holds_less() -> None:
    counts = [_sized(memory_rule="engine", utilization=share).best.conversations or 0 for share in (0.8, 0.9, 0.95)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_another_makers_card_has_no_engine_figures() -> None:
    sized = _sized(card="mi300x", power_cap_w=750)
    assert sized.verdicts == ()
    with pytest.raises(sizing.SizingError, match="planning rule"):
        sized.variant(memory_rule="engine")


def test_a_sweep_refuses_the_engines_rule() -> None:
    with pytest.raises(sizing.SizingError, match="planning rule"):
        sizing.sweep(checkpoints=["openai/gpt-oss-20b"], cards=["l40s"], memory_rule="engine")


def test_figures_of_hybrids_on_the_newest_release_are_marked_as_not_seen_in_a_log() -> None:
    assert "engine_not_in_a_log" in _notes(_sized(checkpoint="Qwen/Qwen3.8-27B", kv_dtype="auto"))
    assert "engine_not_in_a_log" not in _notes(_sized())
