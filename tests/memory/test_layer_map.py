"""The map of the layers: known models by hand, and every model's parts add up to its cache."""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.memory import layer_map
from sizing.memory.config.reader import read_config
from tests.memory.config.conftest import CASES, config


def _lanes(hf_id: str) -> dict[str, tuple[int, ...]]:
    return {lane.part: lane.layers for lane in layer_map.lanes(read_config(config(hf_id)))}


def test_every_sixth_layer_of_gemma_3_attends_to_everything() -> None:
    lanes = _lanes("google/gemma-3-27b-it")
    assert lanes["grows"] == tuple(range(6, 63, 6))
    assert len(lanes["windowed"]) == 52
    assert set(lanes) == {"grows", "windowed"}


def test_every_fourth_layer_of_qwen_3_8_has_attention_and_the_others_a_state() -> None:
    lanes = _lanes("Qwen/Qwen3.8-27B")
    assert lanes["grows"] == tuple(range(4, 65, 4))
    assert len(lanes["fixed"]) == 48


def test_an_encoder_keeps_nothing() -> None:
    assert set(_lanes("BAAI/bge-m3")) == {"none"}


def test_rows_by_hand() -> None:
    # Gemma 3 27B in 16 bit: 10 x 16 heads x (128 + 128) x 2 B = 81,920 B a token, and the same for 52 layers inside
    # the window of 1,024: 425,984 B a token, 436,207,616 B when it is full.
    sliding, full = layer_map.rows(read_config(config("google/gemma-3-27b-it")), "bf16", 32_768)
    assert (sliding.kinds, sliding.layers, sliding.part, sliding.window_tokens) == (("sliding",), 52, "windowed", 1024)
    assert (sliding.window_bytes_per_token, sliding.conversation_bytes) == (425_984, 436_207_616)
    assert (full.layers, full.growing_bytes_per_token) == (10, 81_920)
    assert full.conversation_bytes == 81_920 * 32_768


@pytest.mark.parametrize("hf_id", sorted(CASES))
def test_lanes_and_parts_of_every_model_add_up(hf_id: str) -> None:
    case = CASES[hf_id]
    try:
        architecture = read_config(case["config"], case.get("hf_quant_config"))
    except SizingError:
        pytest.skip("a file that is not whole, see the tests of the reader")
    layers = sorted(layer for lane in layer_map.lanes(architecture) for layer in lane.layers)
    assert layers == list(range(1, len(architecture.layers) + 1))
    for kv_dtype, context in (("bf16", 1_000), ("fp8", 40_000)):
        whole = architecture.kv_bytes(context, kv_dtype)
        assert sum(layer_map.parts_bytes(architecture, kv_dtype, context).values()) == pytest.approx(whole, abs=1)
        rows = layer_map.rows(architecture, kv_dtype, context)
        assert sum(row.conversation_bytes for row in rows) == pytest.approx(whole, abs=1)
        assert sum(row.layers for row in rows) == len(architecture.layers)
