"""size(): layouts, notes and what a good engineer would say."""

from __future__ import annotations

from math import floor

import pytest

import sizing
from sizing.memory.layouts import splits

LLAMA = "nvidia/Llama-3.3-70B-Instruct-FP8"


def _sized(**inputs: object) -> sizing.Sizing:
    return sizing.size(sizing.Scenario(**inputs))  # type: ignore[arg-type]


def _keys(sized: sizing.Sizing, level: str | None = None) -> set[str]:
    return {note.key for note in sized.notes if level in (None, note.level)}


@pytest.mark.parametrize("cards", range(1, 9))
def test_layouts_and_refusals_are_every_factorisation(cards: int) -> None:
    # By hand: the number of ordered triples with a given product (OEIS A007425).
    triples = {1: 1, 2: 3, 3: 3, 4: 6, 5: 3, 6: 9, 7: 3, 8: 10}
    assert len(splits(cards)) == len(set(splits(cards))) == triples[cards]
    sized = _sized(cards=cards)
    found = {layout.name for layout in sized.layouts} | {(r.copies, r.tp, r.pp) for r in sized.refused_layouts}
    assert found == set(splits(cards))
    assert all(layout.copies * layout.tp * layout.pp == cards for layout in sized.layouts)


def test_tp_must_divide_the_heads_as_the_engine_demands() -> None:
    # 64 heads: not by 3. Phi-4 has 40 heads and 10 KV heads: 4 divides 40, but neither divides 10 nor is a multiple.
    assert {r.tp for r in _sized(cards=3).refused_layouts} == {3}
    phi = _sized(checkpoint="microsoft/phi-4", cards=4)
    assert {r.tp for r in phi.refused_layouts} == {4}
    assert "KV heads" in phi.refused_layouts[0].reason
    with pytest.raises(sizing.SizingError, match="no layout"):
        phi.layout(copies=1, tp=4)


def test_copies_never_share_a_conversation() -> None:
    # One card leaves 83.04 - 67.707 = 15.333 GiB, 12 conversations of 1.25 GiB; four cards 48 and not 49.
    assert _sized(cards=4).layout(copies=4).conversations == 4 * floor(15.333 / 1.25) == 48


def test_the_fullest_pipeline_stage_decides() -> None:
    # 80 layers over 3 stages are 27, 27 and 26 (vLLM gives a remainder to the stages before the last).
    layout = _sized(cards=3).layout(copies=1, pp=3)
    weights_gib = 72.7e9 / 2**30 * 27 / 80
    cache_gib = 1.25 * 27 / 80
    assert layout.weights_gib_per_card == pytest.approx(weights_gib)
    assert layout.kv_gib_per_card_per_conversation == pytest.approx(cache_gib)
    assert layout.conversations == floor((83.04 - weights_gib) / cache_gib)


def test_kv_heads_are_replicated_once_tp_exceeds_them() -> None:
    # Qwen3-235B-A22B has 4 KV heads, so that TP=8 keeps one on each card: a quarter of the cache, not an eighth.
    sized = _sized(checkpoint="Qwen/Qwen3-235B-A22B", cards=8, kv_dtype="bf16")
    layout = sized.layout(copies=1, tp=8)
    assert layout.kv_gib_per_card_per_conversation == pytest.approx(sized.kv_gib_per_conversation / 4)


def test_a_latent_cache_stands_whole_on_every_card_of_a_group() -> None:
    sized = _sized(checkpoint="deepseek-ai/DeepSeek-V3.2", cards=8)
    layout = sized.layout(copies=1, tp=8)
    assert layout.kv_gib_per_card_per_conversation == pytest.approx(sized.kv_gib_per_conversation)
    # A pipeline deals its layers out: 61 layers over 8 stages are at most 8 on one card.
    assert sized.layout(copies=1, pp=8).kv_gib_per_card_per_conversation == pytest.approx(
        sized.kv_gib_per_conversation * 8 / 61
    )


def test_the_parts_of_a_card_add_up_to_what_the_driver_reports() -> None:
    sized = _sized()
    for layout in sized.layouts:
        parts = sized.card_memory(layout)
        total = parts.weights_gib + parts.cache_used_gib + parts.cache_free_gib + parts.reserve_gib + parts.driver_gib
        assert total == pytest.approx(95.6)
        assert parts.overflow_gib == 0


def test_what_does_not_fit_says_what_would() -> None:
    sized = _sized(checkpoint="meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", cards=4)
    assert not sized.fits
    assert _keys(sized, "stop") >= {"weights_do_not_fit"}
    # GLM-5.3 in FP8: 756 GB are 704.1 GiB, eight cards offer 664.3.
    huge = sizing.answer(sizing.Scenario(checkpoint="zai-org/GLM-5.3-FP8", cards=8))
    assert "cards" not in {cure.name for cure in huge.cures}


def test_weights_that_fit_without_room_for_a_conversation() -> None:
    # One card leaves 15.33 GiB; 131,072 tokens take 20 GiB in FP8 and 40 in 16 bit.
    sized = _sized(cards=1, context_tokens=131072)
    assert "no_conversation_fits" in _keys(sized, "stop")
    assert {layout.conversations for layout in sized.variant(context_tokens=65536).layouts} == {1}
    assert "one conversation needs 20.00 GiB" in sized.layout().reason


@pytest.mark.parametrize(
    ("inputs", "level", "key"),
    [
        ({"context_tokens": 200_000}, "stop", "context_beyond_model"),
        ({"power_cap_w": 250}, "stop", "cap_below_minimum"),
        ({"power_cap_w": 700}, "stop", "cap_above_maximum"),
        ({"power_cap_w": 600}, "hint", "cable_decides_mode"),
        ({"power_cap_w": 600}, "stop", "circuit_exceeded"),
        ({}, "warn", "tp_without_all_reduce"),
        ({}, "hint", "fp8_cache_is_asked_for"),
        ({}, "hint", "count_running_requests"),
        ({"cards": 3}, "hint", "tp_dead_end"),
        ({"kv_dtype": "nvfp4"}, "warn", "nvfp4_cache"),
        ({"checkpoint": "BAAI/bge-m3"}, "hint", "no_cache"),
        ({"card": "mi300x", "power_cap_w": 750}, "warn", "memory_derived"),
    ],
    ids=str,
)
def test_notes(inputs: dict[str, object], level: str, key: str) -> None:
    assert key in _keys(_sized(**inputs), level)


@pytest.mark.parametrize(
    ("inputs", "key"),
    [
        ({"cards": 2}, "tp_without_all_reduce"),
        ({"card": "h200-nvl"}, "tp_without_all_reduce"),
        ({"kv_dtype": "bf16"}, "fp8_cache_is_asked_for"),
        ({"power_cap_w": 450}, "circuit_exceeded"),
        ({"context_tokens": 131072}, "context_beyond_model"),
    ],
    ids=str,
)
def test_notes_that_are_not_called_for(inputs: dict[str, object], key: str) -> None:
    assert key not in _keys(_sized(**inputs))


def test_the_cap_that_brings_the_server_under_the_circuit() -> None:
    # (2,944 / 1.15 - 560) / 4 = 500 W a card.
    note = next(note for note in _sized().notes if note.key == "cap_without_margin")
    assert note.values["cap_w"] == 500
    assert _sized(power_cap_w=500).circuit.fits


def test_a_model_without_a_cache_has_no_limit_by_memory() -> None:
    sized = _sized(checkpoint="BAAI/bge-m3", cards=1)
    assert sized.fits
    assert sized.layout().conversations is None


def test_a_latent_cache_refuses_nvfp4() -> None:
    with pytest.raises(sizing.SizingError, match="NVFP4") as caught:
        _sized(checkpoint="deepseek-ai/DeepSeek-V3", kv_dtype="nvfp4")
    assert caught.value.input == "kv_dtype"


def test_notes_come_most_serious_first_with_known_sources() -> None:
    levels = [note.level for note in _sized(context_tokens=200_000).notes]
    assert levels == sorted(levels, key=["stop", "warn", "hint"].index)
