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
    # The NVFP4 build has the same cache, and its weights leave this much on a card of 96 GB.
    sized = _sized(
        checkpoint="nvidia/Qwen3.6-35B-A3B-NVFP4",
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
    assert "engine_not_in_a_log" not in _notes(_sized(engine_version="0.19.1"))


def test_attention_data_parallel_splits_the_experts_and_keeps_a_cache_on_each_card() -> None:
    # DeepSeek-V3: 58 layers of 256 routed experts of 3 x 7168 x 2048 in FP8 with a 4-byte scale for each 128 x 128.
    experts = 58 * 256 * 3 * 7168 * 2048 * (1 + 4 / 128**2)
    sized = _sized(
        checkpoint="deepseek-ai/DeepSeek-V3",
        card="b200",
        power_cap_w=1000,
        cards=8,
        kv_dtype="bf16",
        context_tokens=32768,
        attention_dp=8,
    )
    files = 688_586_727_753
    # Multi-token prediction brings a 59th layer of experts, which the checkpoint holds as well.
    share = experts * 59 / 58 / files
    layout = next(layout for layout in sized.layouts if layout.attention_dp == 8)
    assert layout.weights_gib_per_card == pytest.approx(files / 2**30 * (1 - share + share / 8), rel=0.002)
    # 61 layers of 576 values in 16 bit are 70,272 bytes a token, whole on each of the eight cards.
    free_gib = sized.usable_gib_per_card - layout.weights_gib_per_card
    assert layout.conversations == 8 * int(free_gib / (32768 * 70_272 / 2**30))
    with pytest.raises(sizing.SizingError, match="routed experts"):
        _sized(attention_dp=4)


def test_decode_context_parallel_shares_what_tp_would_replicate() -> None:
    inputs = {"checkpoint": "moonshotai/Kimi-K2.5", "cards": 8, "card": "b200", "power_cap_w": 1000, "kv_dtype": "bf16"}
    plain, shared = (_sized(**inputs, dcp=dcp).layout(copies=1, tp=8) for dcp in (1, 8))
    assert shared.dcp == 8
    assert plain.kv_gib_per_card_per_conversation == pytest.approx(8 * shared.kv_gib_per_card_per_conversation)
    # Eight KV heads over four cards have nothing to share, and windows refuse it.
    assert _sized(cards=4, dcp=2).layout(copies=1, tp=4).dcp == 1
    assert _sized(checkpoint="openai/gpt-oss-120b", cards=8, dcp=2).layout(copies=1, tp=8).dcp == 1


def test_speculation_adds_the_cache_and_the_weights_of_what_drafts() -> None:
    plain = _sized(checkpoint="Qwen/Qwen3.8-27B", kv_dtype="bf16", context_tokens=32768, cards=1)
    own = _sized(**{**plain.scenario.as_dict(), "speculative_tokens": 3})
    # One prediction layer of full attention (4 heads x 256, keys and values, 2 bytes), and for each drafted token the
    # state of 48 DeltaNet layers once more: 48 x 128 x 128 x 4 bytes and a convolution's tail of 3 x 10,240 x 2 bytes.
    added = (32768 * 4 * 256 * 2 * 2 + 3 * 48 * (48 * 128 * 128 * 4 + 3 * 10_240 * 2)) / 2**30
    assert own.kv_gib_per_conversation == pytest.approx(plain.kv_gib_per_conversation + added)
    assert own.weights_gib == plain.weights_gib
    drafted = _sized(cards=4, speculative_tokens=3, draft_model="meta-llama/Meta-Llama-3.1-8B")
    # Llama 3.1 8B: 16,060,522,496 bytes of weights over four cards, 32 layers x 8 x 128 x 2 bytes in FP8 a token.
    layout = drafted.layout(copies=1, tp=4)
    assert layout.weights_gib_per_card == pytest.approx((72.7e9 + 16_060_522_496) / 4 / 2**30)
    assert drafted.kv_gib_per_conversation == pytest.approx(1.25 + 8192 * 32 * 8 * 128 * 2 / 2**30)
    with pytest.raises(sizing.SizingError, match="no prediction layers"):
        _sized(speculative_tokens=2)
    with pytest.raises(sizing.SizingError) as unknown:
        _sized(speculative_tokens=2, draft_model="nobody/nothing")
    assert unknown.value.input == "draft_model"


def test_a_log_of_another_set_up_does_not_make_a_model_fit() -> None:
    # DeepSeek-V3.2, 690 GB: no log's figure makes it fit on a card of 95 GiB.
    sized = _sized(checkpoint="deepseek-ai/DeepSeek-V3.2", cards=4, memory_rule="measured", measured_kv_gib=60)
    assert not sized.fits
    assert "another set-up" in sized.best.reason
    assert sized.usable_gib_per_card > 0


@pytest.mark.parametrize("checkpoint", ["moonshotai/Kimi-K2-Instruct", "openai/gpt-oss-120b", "Qwen/Qwen3.8-27B"])
@pytest.mark.parametrize("rule", ["engine", "measured"])
def test_under_the_engines_rules_every_step_recomputes_and_every_bar_adds_up(checkpoint: str, rule: str) -> None:
    sized = _sized(checkpoint=checkpoint, cards=4, memory_rule=rule, measured_kv_gib=20, max_num_seqs=32)
    for step in sized.working:
        assert step.recompute() == pytest.approx(step.result, rel=1e-9, abs=1e-9), step
    for layout in sized.layouts:
        parts = sized.card_memory(layout)
        if parts.overflow_gib == 0:
            total = parts.weights_gib + parts.cache_used_gib + parts.cache_free_gib
            assert total + parts.reserve_gib + parts.driver_gib == pytest.approx(95.6, abs=0.01)


def test_a_pipeline_that_no_release_starts_is_refused() -> None:
    # Whisper's class has no stages, and the last layers of Gemma 4 E2B read a cache of an earlier stage.
    for checkpoint in ("openai/whisper-large-v3", "google/gemma-4-E2B-it"):
        sized = _sized(checkpoint=checkpoint, cards=2, kv_dtype="bf16", context_tokens=448)
        assert 2 in {refused.pp for refused in sized.refused_layouts}
        assert all(layout.pp == 1 for layout in sized.layouts)


def test_sweep_follows_context_parallel_and_drafts() -> None:
    lists = {"checkpoints": ["moonshotai/Kimi-K2.5"], "cards": ["b200"], "card_counts": [8], "kv_dtypes": ["bf16"]}
    inputs = {"checkpoint": "moonshotai/Kimi-K2.5", "card": "b200", "cards": 8, "kv_dtype": "bf16"}
    table = sizing.sweep(**lists, dcp=8)
    assert table["conversations"].iloc[0] == _sized(**inputs, dcp=8).best.conversations
    drafted = sizing.sweep(checkpoints=["Qwen/Qwen3.8-27B"], cards=["b200"], card_counts=[1], speculative_tokens=2)
    alone = _sized(checkpoint="Qwen/Qwen3.8-27B", card="b200", cards=1, kv_dtype="auto", speculative_tokens=2)
    assert drafted["conversations"].iloc[0] == alone.best.conversations
    with pytest.raises(sizing.SizingError, match="attention data parallel"):
        sizing.sweep(**lists, attention_dp=8)
