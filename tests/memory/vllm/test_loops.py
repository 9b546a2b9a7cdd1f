"""Caches that several passes or an index of blocks add to a layer, as the engine's classes make them.

Read from the model classes of the wheels 0.28.0 and 0.33.0 (source: vllm-source).
"""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import (
    BlockIndexer,
    FullAttention,
    KdaState,
    LatentAttention,
    SlidingWindow,
    SparseIndexer,
)

GIB = 2**30


def start(layers: tuple[Layer, ...], **changes: object) -> vllm.Startup:
    model = Architecture(layers, attention_heads=64)
    call = {"available_kv_gib": 40, "max_model_len": 32_768, "max_num_batched_tokens": 8192, **changes}
    return vllm.startup(model, **call)  # type: ignore[arg-type]


def test_each_step_of_a_loop_has_pages_of_its_own() -> None:
    """48 layers passed four times, 16 heads of 128: 192 pages of 16 x 16 x 256 x 2 bytes in one group."""
    started = start((Layer((FullAttention(16, 128, 128),) * 4),) * 48)
    assert started.bytes_per_block == 192 * 16 * 16 * 256 * 2
    assert started.request_blocks == (32_768 // 16,)


def test_a_later_pass_within_a_window_is_a_group_of_its_own() -> None:
    """80 full pages and 80 of a window of 64 tokens, which hold two batches in flight."""
    both = Layer((FullAttention(8, 128, 128), SlidingWindow(8, 128, 128, 64)))
    started = start((both,) * 80)
    assert started.bytes_per_block == 80 * 16 * 8 * 256 * 2
    assert sorted(started.request_blocks) == [-(-(63 + 2 * 8192) // 16) + 1, 2048]


@pytest.mark.parametrize(("kv_dtype", "element"), [("bf16", 2), ("fp8", 1)])
@pytest.mark.parametrize("tp", [1, 4])
def test_index_keys_that_pick_blocks_share_the_list_of_their_layer(kv_dtype: str, element: int, tp: int) -> None:
    """Blocks of 128 tokens: 60 layers with 4 heads of 128 split by TP, 57 with a key of 128 x 2 bytes on each card."""
    kept, key = FullAttention(4, 128, 128), BlockIndexer(128)
    started = start((Layer((kept,)),) * 3 + (Layer((kept, key)),) * 57, tp=tp, kv_dtype=kv_dtype)
    assert started.block_size == 128
    assert started.bytes_per_block == 128 * (60 * 4 // tp * 256 * element + 57 * 128 * 2)
    assert started.num_blocks == 40 * GIB // started.bytes_per_block
    assert started.request_blocks == (32_768 // 128,)


# 34 layers with states of 64 heads of 128 x 128, eleven with latent vectors of 512 and a key of 128 for four tokens.
STATES, LATENT = Layer((KdaState(64, 64, 128, 128, 4),)), Layer((LatentAttention(512, 0, True), SparseIndexer(128, 4)))
POOLED = ((STATES,) * 3 + (LATENT,)) * 11 + (STATES,)


def pooled(version: str, available_kv_gib: float, **changes: object) -> vllm.Startup:
    """On cards of Hopper, four of them, with a million tokens."""
    call = {"tp": 4, "compute_capability": (9, 0), "max_model_len": 1 << 20, "version": version, **changes}
    return start(POOLED, available_kv_gib=available_kv_gib, **call)


def test_keys_of_four_tokens_as_a_log_prints_them() -> None:
    """Published (vllm-project/recipes#906): 38.43 GiB hold 3,511,589 tokens, 3.35 times a million.

    A state of 16 x 128 x 128 x 4 bytes and its convolution fill nine times 128 tokens of 1,024 bytes: blocks of 1,152.
    One block is 11 x (1,152 x 1,024 + 1,152 / 4 x 132) bytes. A request takes 911 of them, two for each of four groups
    of states, and one for the rings of raw keys.
    """
    low, high = (pooled("0.30.0", 38.43 + shift) for shift in (-0.005, 0.005))
    assert low.block_size == 1152
    assert low.bytes_per_block == 11 * (1152 * 1024 + 1152 // 4 * 132)
    assert sorted(low.request_blocks) == [1, 2, 2, 2, 2, 911]
    assert (low.kv_tokens or 0) <= 3_511_589 <= (high.kv_tokens or 0)
    assert high.kv_tokens == 3_511_589


def test_the_working_ends_in_what_is_printed() -> None:
    started = pooled("0.33.0", 40)
    steps = {step.name: step.result for step in vllm.explain(started)}
    assert steps["vllm_blocks_ring"] == 1
    assert steps["vllm_kv_tokens"] == started.kv_tokens
    drafted = pooled("0.33.0", 40, speculative_tokens=3, draft=Architecture(()))
    # a pool of four and three tokens more want two pools; 2 x 4 x 2 x 128 x 2 bytes
    [ring] = [group for group in drafted.groups if group.family == "ring"]
    assert (ring.block_size, ring.specs[0].page_bytes) == (8, 4096)


def test_states_exported_from_inside_a_prefill_take_a_block_more_from_0_32() -> None:
    assert sorted(pooled("0.31.0", 40).request_blocks) == [1, 2, 2, 2, 2, 911]
    assert sorted(pooled("0.32.0", 40).request_blocks) == [1, 3, 3, 3, 3, 911]


@pytest.mark.parametrize(
    ("layers", "changes"),
    [
        ((Layer((FullAttention(4, 128, 128), BlockIndexer(128, ratio=4))),) * 8, {}),
        (POOLED, {"version": "0.28.0"}),  # the release has no such class
        (POOLED, {"kv_dtype": "fp8"}),  # no log has shown its records
    ],
)
def test_keys_of_several_tokens_are_not_guessed(layers: tuple[Layer, ...], changes: dict[str, object]) -> None:
    with pytest.raises(SizingError, match="not known here"):
        start(layers, compute_capability=(9, 0), **changes)
