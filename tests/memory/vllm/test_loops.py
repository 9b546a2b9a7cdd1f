"""Caches that several passes or an index of blocks add to a layer, as the engine's classes make them.

Read from the model classes of the wheels 0.28.0 and 0.33.0 (source: vllm-source).
"""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import BlockIndexer, FullAttention, SlidingWindow, SparseIndexer

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


@pytest.mark.parametrize("key", [BlockIndexer(128, ratio=4), SparseIndexer(128, ratio=4)])
def test_keys_that_stand_for_several_tokens_are_not_guessed(key: BlockIndexer | SparseIndexer) -> None:
    """Beside them the engine keeps a ring of raw keys, dealt out by a layout that no log has shown."""
    with pytest.raises(SizingError, match="not known here"):
        start((Layer((FullAttention(4, 128, 128), key)),) * 8)
