"""SGLang's start by hand: shares, pools, slots, requests and refusals, each figure worked out beside its test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sizing import Scenario, SizingError, answer
from sizing.memory import sglang
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import (
    CompressedAttention,
    DeltaNetState,
    FullAttention,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.sglang.pools import Rank, pools
from sizing.memory.sglang.shares import Serving, default_share
from sizing.memory.starting import Launch
from sizing.memory.widths import Widths

LLAMA = Architecture((Layer((FullAttention(8, 128, 128),)),) * 32, attention_heads=32, max_context_tokens=8192)
TOKEN = 32 * 8 * 256 * 2  # layers x heads x (keys + values) x 2 bytes
GIB = 2**30


def started(architecture: Architecture = LLAMA, **changes: Any) -> sglang.SglangStart:
    return sglang.startup(
        architecture, **{"free_before_gib": 80.0, "free_after_gib": 64.0, "mem_fraction_static": 0.9, **changes}
    )


@pytest.mark.parametrize(
    ("board_mib", "version", "tp", "share"),
    [
        (81559, "0.5.18", 1, 0.830),  # 512 + 12,288 + 128 + 2 x 256 + 8 x 58 = 13,904 MiB of 81,559
        (81920, "0.5.9", 1, 0.836),  # the same without graphs of prefill: 13,440 of 81,920
        (16376, "0.5.6", 1, 0.772),  # 512 + 3,072 + 128 + 16 = 3,728 of 16,376
        (183359, "0.5.10", 1, 0.854),  # 512 + 24,576 + 128 + 1,024 + 464 = 26,704 of 183,359
        (24564, "0.5.18", 1, 0.833),  # 512 + 3,072 + 128 + 2 x 24 + 8 x 42 = 4,096 of 24,564
        (24564, "0.4.9", 1, 0.879),  # 2.8 + 0.1 GiB of 24,564 MiB
        (81559, "0.4.4", 1, 0.88),
        (81559, "0.4.4", 8, 0.81),
    ],
)
def test_the_share_is_the_release_s_own(board_mib: int, version: str, tp: int, share: float) -> None:
    """As printed by published logs, but for the last three and the first of 24 GiB, which are the code's."""
    assert default_share(Serving(board_mib, tp=tp), sglang.rules(version)) == pytest.approx(share, abs=0.0006)


def test_latent_models_have_one_reserve_for_graphs_of_prefill() -> None:
    """H100, TP8: 512 + 12,288 + 1,024 + 2 x 512 + 1,536 = 16,384 MiB of 81,559."""
    latent = default_share(Serving(81559, tp=8, latent=True), sglang.rules("0.5.23"))
    assert latent == pytest.approx(1 - 16384 / 81559, abs=0.0006)


def test_heads_that_the_ranks_do_not_divide_are_refused() -> None:
    assert not started(tp=3).starts
    assert "32 attention heads" in started(tp=3).reason


def test_tokens_are_what_the_share_leaves() -> None:
    """64 - 80 x 0.1 = 56 GiB; a token is 128 KiB: 458,752 tokens, or to a page of 64 the same."""
    found = started()
    assert found.kv_tokens == 56 * GIB // TOKEN == 458_752
    assert found.kv_gib == 56.0
    assert found.max_concurrency == 56  # requests of 8,192
    assert found.max_running_requests == 4096  # 458,752 / 8,192 x 512, at most 4,096
    assert started(tp=2).kv_tokens == 2 * 458_752
    assert started(tp=16).kv_tokens == 8 * 458_752  # replicated once there are more ranks than heads
    assert started(tp=4, attention_dp=4).kv_tokens == 458_752  # each rank has all heads
    assert started(pp=2).kv_tokens == 2 * 458_752
    assert started(kv_dtype="fp8").kv_tokens == 2 * 458_752
    assert started(kv_dtype="fp4").kv_tokens == int(458_752 * 32 / 9)  # half a byte and 1/16 for the scale
    assert started(page_size=100, chunked_prefill_size=8000).kv_tokens == 458_700


def test_sliding_layers_have_a_pool_of_their_own_where_the_engine_says_so() -> None:
    """10 full and 50 sliding layers of 2 KiB a token: 10 + 0.8 x 50 = 50 of them a token, 100 KiB."""
    layers = (Layer((FullAttention(4, 128, 128),)),) * 10 + (Layer((SlidingWindow(4, 128, 128, window=1024),)),) * 50
    two = Architecture(layers, model_type="gemma4_text", max_context_tokens=65536)
    found = started(two)
    assert found.kv_tokens == 56 * GIB // (50 * 2048)
    assert found.swa_tokens == int(found.kv_tokens * 0.8)
    one = started(Architecture(layers, model_type="gemma3_text", max_context_tokens=65536))
    assert one.kv_tokens == 56 * GIB // (60 * 2048)
    assert one.swa_tokens is None
    assert started(two, swa_full_tokens_ratio=0.1).kv_tokens == 56 * GIB // (15 * 2048)
    small = started(two, free_after_gib=8.01, version="0.5.17", swa_full_tokens_ratio=0.001)
    assert not small.starts
    assert "window 1,024" in small.reason


def test_layers_that_share_a_cache_are_charged() -> None:
    """Sliding, sliding, full repeat; three layers at the end use the caches of others and are charged all the same."""
    own = [Layer((SlidingWindow(1, 128, 128, window=512),))] * 2 + [Layer((FullAttention(1, 256, 256),))]
    model = Architecture((*own, *own, Layer(), Layer(), Layer()), model_type="gemma4_text")
    [held] = pools(model, Rank(1, 1, "bf16"), sglang.rules("0.5.23"))
    assert (held.full, held.swa) == (3 * 1024, 6 * 512)


def test_latent_records_and_the_indexer() -> None:
    latent = Architecture((Layer((LatentAttention(512, 64),)),) * 61)
    assert pools(latent, Rank(8, 1, "bf16"), sglang.rules("0.5.23"))[0].cell == 61 * 576 * 2  # whole on every rank
    picks, reuses = LatentAttention(512, 64, sparse=True), LatentAttention(512, 64, sparse=True)
    sparse = Architecture((Layer((picks, SparseIndexer(128))),) * 20 + (Layer((reuses,)),) * 40)

    def cell(version: str, **rank: Any) -> float:
        return pools(sparse, Rank(8, 1, "fp8", **rank), sglang.rules(version))[0].cell

    assert cell("0.5.18") == 60 * 656 + 20 * 132
    assert cell("0.5.17") == 60 * 656 + 60 * 132
    assert cell("0.5.3") == 60 * 656
    assert cell("0.5.18", raw_records=True) == 60 * 576 + 20 * 132


def test_a_compressed_cache_is_counted_as_printed() -> None:
    """DeepSeek V4 Flash on a page of 128, as two logs print it: 7,705.45 bytes a token."""
    layers = [Layer((CompressedAttention(512, 64, 128, 0),))] * 2
    layers += [Layer((CompressedAttention(512, 64, 128, 4, 128),))] * 21
    layers += [Layer((CompressedAttention(512, 64, 128, 128),))] * 20
    model = Architecture(tuple(layers))
    [held] = pools(model, Rank(4, 1, "fp8", page=128), sglang.rules("0.5.15"))
    assert held.cell == pytest.approx(7705.45, abs=0.01)
    [older] = pools(model, Rank(4, 1, "fp8", page=256), sglang.rules("0.5.12"))
    # slow states by token as well: 0.1 x 128 / 256 x 4,096 x 20, and half of the fast ones
    assert older.cell == pytest.approx(7705.45 - 672 + 4096, abs=0.01)
    # (8 + 1) x 128 + 129 rows, to a multiple of 128: 1,408 rows of 4,096 bytes in 20 layers, printed as 0.11
    assert held.fixed_bytes(8) / GIB == pytest.approx(0.107, abs=0.001)


def test_slots_of_state_take_their_share_first() -> None:
    """56 GiB x 0.9 / 1.9 for slots of 2 layers x (16 x 128 x 128 x 4 + 3 x 6,144 x 2) bytes, one of them spare."""
    state = DeltaNetState(k_heads=16, v_heads=16, k_dim=128, v_dim=128, conv_kernel=4)
    slot = 2 * (16 * 128 * 128 * 4 + 3 * (2 * 16 * 128 + 16 * 128) * 2)
    model = Architecture((Layer((state,)),) * 2 + (Layer((FullAttention(4, 128, 128),)),) * 2, max_context_tokens=32768)
    found = started(model)
    slots = int((56 * GIB * 0.9 / 1.9 - slot) // slot)
    assert found.state_slots == slots
    assert found.kv_tokens == int(56 * GIB - (slots + 1) * slot) // (2 * 4 * 256 * 2)
    assert found.max_running_requests == min(4096, slots // 3)
    assert started(model, version="0.5.14").state_slots == int(56 * GIB * 0.9 / 1.9 // slot)
    given = started(model, state_slots=30)
    assert (given.state_slots, given.max_running_requests) == (30, 10)
    assert not started(model, state_slots=2).starts
    halved = 2 * (16 * 128 * 128 * 2 + 3 * (2 * 16 * 128 + 16 * 128) * 2)
    assert started(model, state_dtype="bfloat16").state_slots == int((56 * GIB * 0.9 / 1.9 - halved) // halved)


def test_drafting_layers_are_counted_from_the_release_that_does() -> None:
    """One layer more on 32: tokens x 32 / 33; and 48 requests where nobody says otherwise."""
    found = started(speculative_tokens=4)
    assert found.kv_tokens == int(56 * GIB / (TOKEN * 33 / 32))
    assert found.max_running_requests == 48
    assert started(speculative_tokens=4, version="0.5.10").kv_tokens == 458_752


def test_a_refusal_names_the_least_share() -> None:
    """V4-Pro on eight H200: 138.1 GiB before, 12.25 after the weights: 1 - 12.25 / 138.1 = 0.9113."""
    found = started(free_before_gib=138.1, free_after_gib=12.25, mem_fraction_static=0.88)
    assert not found.starts
    assert found.kv_tokens is None
    assert "share" in found.reason
    assert found.refusal is not None
    assert found.refusal.values["least"] == 0.912  # rounded up
    assert found.refusal.flag == "--mem-fraction-static"


def test_what_is_not_given_is_assumed_and_said() -> None:
    found = sglang.startup(LLAMA, free_after_gib=64.0, board_mib=81559)
    assert found.assumed == ("mem_fraction_static", "free_before_gib")
    assert found.mem_fraction_static == pytest.approx(0.83, abs=0.001)


@pytest.mark.parametrize(
    "bad",
    [
        {"tp": 0}, {"tp": "2"}, {"tp": 3, "attention_dp": 2}, {"kv_dtype": "int3"}, {"kv_dtype": 8}, {"version": "0.3"},
        {"version": None}, {"mem_fraction_static": 1.5}, {"mem_fraction_static": "0.9"}, {"free_before_gib": -1},
        {"free_after_gib": float("nan")}, {"page_size": 0}, {"context_len": 0}, {"state_dtype": "int8"},
        {"state_slots": -1}, {"speculative_tokens": -1}, {"max_running_requests": 0}, {"board_mib": 0},
        {"swa_full_tokens_ratio": 0}, {"mem_fraction_static": None, "board_mib": None},
    ],
)  # fmt: skip
def test_bad_input_ends_in_a_sentence(bad: dict[str, Any]) -> None:
    with pytest.raises(SizingError):
        started(**bad)


def test_an_answer_stands_on_the_engine_chosen() -> None:
    """One engine's verdict is never another's: what vLLM refuses is no stop for SGLang."""
    asked = Scenario(checkpoint="nvidia/GLM-5.1-NVFP4", cards=8, kv_dtype="bf16", engine="sglang")
    found = answer(asked)
    assert found.fits
    assert not [note for note in found.notes if note.key == "engine_refuses"]
    assert any("SGLang 0.5.23" in note.text for note in found.notes)
    assert not any("vLLM 0" in note.text for note in found.notes)


def test_a_log_is_read_and_gives_what_was_left() -> None:
    log = sglang.read_log(
        "[2026-08-27 10:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3-30B-A3B-FP8', tp_size=1, "
        "mem_fraction_static=0.83, chunked_prefill_size=8192)\n"
        "[2026-08-27 10:00:09] Load weight begin. avail mem=78.48 GB\n"
        "[2026-08-27 10:00:59] Load weight end. type=Qwen3MoeForCausalLM, avail mem=49.33 GB, mem usage=29.15 GB.\n"
        "[2026-08-27 10:01:00] KV Cache is allocated. #tokens: 392920, K size: 17.99 GB, V size: 17.99 GB\n"
        "[2026-08-27 10:01:30] max_total_num_tokens=392920, chunked_prefill_size=8192, max_running_requests=4096, "
        "context_len=40960\n"
    )
    assert (log.engine, log.kv_tokens.value, log.max_model_len.value) == ("sglang", 392920, 40960)  # type: ignore[union-attr]
    assert log.poorest_gib == pytest.approx(49.33 - 78.48 * 0.17, abs=0.001)
    with pytest.raises(SizingError):
        sglang.read_log("nothing of the kind")


@pytest.mark.parametrize(
    ("kinds", "reserve_mib", "kept"),
    [
        # 512 + 1.5 x 8,192 + 128 + 2 x 256 = 13,440 MiB, and 8 for each of 58 graphs of prefill or 1,536 for latent
        ({}, 13_440 + 464, 1.0),
        ({"latent": True}, 13_440 + 1536, 1.0),
        ({"sees": True}, 13_440 + 464, 0.95),  # a model with images keeps 0.95 of the share
    ],
)
def test_an_answer_s_share_knows_the_kind_of_model(kinds: dict[str, bool], reserve_mib: int, kept: float) -> None:
    launch = sglang.completed(Launch("0.5.23", total_gib=79.18))
    widths = Widths(hidden_size=4096, vocab_size=128_256, layers=32, ffn_size=14_336, **kinds)
    found = sglang.budget(launch, widths=widths, weights_gib=15)
    board_mib = (79.18 + 0.55) * 1024
    share = round(1 - reserve_mib / board_mib, 3) * kept
    assert found.requested_gib == pytest.approx(share * (79.18 - 0.7), abs=0.05)
    reserve = 0.1 if kinds.get("sees") else 0.0
    assert found.typical_gib == pytest.approx(found.requested_gib - 15 - reserve)
    asked = sglang.budget(replace(launch, utilization=0.8), widths=widths, weights_gib=15)
    assert asked.requested_gib == pytest.approx(0.8 * (79.18 - 0.7))


def test_one_figure_says_what_is_gone_of_a_card_before_the_weights() -> None:
    """80 GiB by the driver are 79.45 by CUDA (0.55 between them); 0.7 go to contexts."""
    begun = sglang.startup(LLAMA, board_mib=80 * 1024, free_after_gib=60, mem_fraction_static=0.85)
    assert begun.free_before_gib == pytest.approx(80 - 0.55 - sglang.contexts_gib())
    assert begun.assumed == ("free_before_gib",)


@pytest.mark.parametrize(
    ("model_type", "version", "asked", "each"),
    [
        ("qwen3_5_moe_text", "0.5.13", {}, 3),  # "auto" is without buffers there
        ("qwen3_5_moe_text", "0.5.14", {}, 5),  # and with two from here on: batches overlap by default
        ("qwen3_5_moe_text", "0.5.23", {"mamba_strategy": "extra_buffer_lazy"}, 4),
        ("qwen3_5_moe_text", "0.5.23", {"mamba_strategy": "no_buffer"}, 3),
        ("qwen3_5_moe_text", "0.5.23", {"radix_cache": False}, 1),
        ("jamba", "0.5.23", {}, 3),  # a class that cannot have them
    ],
)
def test_slots_of_a_request_by_release_class_and_flag(
    model_type: str, version: str, asked: dict[str, Any], each: int
) -> None:
    """Read from the engine's arguments and pool configurator; a published log caps 1,000 slots to 200 requests."""
    begun = started(replace(HYBRID, model_type=model_type), version=version, state_slots=1000, **asked)
    assert begun.max_running_requests == 1000 // each


def test_a_strategy_that_there_is_not_names_those_there_are() -> None:
    with pytest.raises(SizingError, match="no_buffer, extra_buffer"):
        started(HYBRID, mamba_strategy="align")


HYBRID = Architecture(
    (Layer((DeltaNetState(16, 32, 128, 128, 4, 2, 4),)),) * 3 + (Layer((FullAttention(2, 256, 256),)),),
    attention_heads=16,
    max_context_tokens=8192,
)
