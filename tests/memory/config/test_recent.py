"""Models of late 2026 and configs that leave much to their class, each with its cache bytes worked out by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from sizing.base.errors import SizingError
from sizing.memory import vllm
from sizing.memory.config.reader import read_config

from .conftest import COLLECTION

RECENT = COLLECTION.parent / "configs_2026-12"
LLAMA: dict[str, Any] = {"hidden_size": 2048, "num_attention_heads": 16, "num_hidden_layers": 4}
KEYS_AND_VALUES = 2  # of 2 bytes each
PAIR = KEYS_AND_VALUES * 2


def _read(table: dict[str, Any]) -> tuple[float, float, int]:
    found = read_config(table)
    return found.growing_bytes_per_token, found.windowed_bytes_per_token, found.fixed_bytes


def test_the_whole_files() -> None:
    if not RECENT.exists():
        pytest.skip("the collection is not at hand")
    with (RECENT / "EXPECTED.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        found = _read(json.loads(Path(RECENT / row["file"]).read_text()))
        names = ("growing_bytes_per_token_16bit", "windowed_bytes_per_token_16bit", "fixed_bytes_per_sequence")
        assert found == tuple(float(row[name]) for name in names), row["hf_id"]


def test_each_step_of_a_looped_model_keeps_a_cache() -> None:
    """Ouro: vLLM makes one attention object a layer and step, each with keys and values of its own."""
    table = LLAMA | {"model_type": "ouro", "total_ut_steps": 3}
    assert _read(table) == (3 * 4 * 16 * 128 * PAIR, 0, 0)


def test_passes_after_the_first_see_a_window() -> None:
    table = LLAMA | {"model_type": "iquestloopcoder", "loop_num": 3, "loop_window_size": 64}
    assert _read(table) == (4 * 16 * 128 * PAIR, 2 * 4 * 16 * 128 * PAIR, 0)


@pytest.mark.parametrize("unread", [{"ssm_multipliers": [0.5] * 5}, {"full_attn_mod": 1}])
def test_keys_that_do_nothing_to_the_cache(unread: dict[str, Any]) -> None:
    for model_type in ("falcon", "phi3", "llama"):
        assert _read(LLAMA | {"model_type": model_type} | unread)[0] == 4 * 16 * 128 * PAIR


def test_a_window_as_long_as_the_positions_is_none() -> None:
    table = LLAMA | {"model_type": "phi3", "max_position_embeddings": 131_072}
    assert _read(table | {"sliding_window": 262_144}) == (4 * 16 * 128 * PAIR, 0, 0)
    assert _read(table | {"sliding_window": 2_047})[1] == 4 * 16 * 128 * PAIR


def test_parallel_states_without_their_width() -> None:
    """Falcon-H1: 3 heads of 64, 128 states, one group, 4 taps, 16 bit; expand times width is not that of its heads."""
    states = {"mamba_n_heads": 3, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4}
    state = 3 * 64 * 128 * 2 + 3 * (3 * 64 + 2 * 128) * 2
    table = LLAMA | states | {"model_type": "falcon_h1", "mamba_expand": 2, "num_key_value_heads": 16}
    assert _read(table) == (4 * 16 * 128 * PAIR, 0, 4 * state)


@pytest.mark.parametrize("name", ["LlamaBidirectionalModel", "LlamaBidirectionalForSequenceClassification"])
def test_classes_that_the_engine_turns_both_ways_keep_nothing(name: str) -> None:
    """vllm/model_executor/models/config.py (0.33.0) sets is_causal to false for them."""
    assert _read(LLAMA | {"model_type": "llama_bidirec", "architectures": [name]}) == (0, 0, 0)
    assert _read(LLAMA | {"model_type": "llama", "is_causal": False}) == (0, 0, 0)


@pytest.mark.parametrize("turned", [{"architectures": ["LlamaNemotronVLModel"]}, {"is_causal": False}])
def test_what_turns_a_language_model_may_stand_beside_it(turned: dict[str, Any]) -> None:
    table = {"model_type": "llama_nemotron_vl", "llm_config": LLAMA | {"model_type": "llama"}, "vision_config": {}}
    assert _read(table)[0] == 4 * 16 * 128 * PAIR
    assert _read(table | turned) == (0, 0, 0)


# What classes take for what a part leaves out, as transformers 5.24 declares it.
LEFT_TO_THE_CLASS: dict[str, tuple[dict[str, Any], float]] = {
    # Llama: 32 layers, 32 heads of 4,096 / 32.
    "llava": ({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32_064}}, 32 * 4096 * PAIR),
    "llava without a part": ({"model_type": "llava", "vision_config": {}}, 32 * 4096 * PAIR),
    # Qwen2: 32 layers, 32 KV heads of 4,096 / 32; a window that its switch leaves off.
    "qwen2_audio": (
        {"model_type": "qwen2_audio", "text_config": {"model_type": "qwen2", "max_position_embeddings": 8192}},
        32 * 4096 * PAIR,
    ),
    # Qwen2.5-Omni: 28 layers, 4 KV heads of 3,584 / 28.
    "qwen2_5_omni": (
        {"model_type": "qwen2_5_omni", "thinker_config": {"text_config": {"model_type": "qwen2_5_omni_text"}}},
        28 * 4 * 128 * PAIR,
    ),
    # MiniMax-M3: 60 layers, 4 KV heads of 128; an indexer only where the config says so.
    "minimax_m3_vl": (
        {"model_type": "minimax_m3_vl", "text_config": {"model_type": "minimax_m3_vl_text"}},
        60 * 4 * 128 * PAIR,
    ),
}


@pytest.mark.parametrize("name", LEFT_TO_THE_CLASS)
def test_what_a_part_leaves_to_its_class(name: str) -> None:
    table, growing = LEFT_TO_THE_CLASS[name]
    found = read_config(table)
    assert found.growing_bytes_per_token == growing
    assert "num_hidden_layers" in next(part.detail for part in found.left_out if part.key == "class_defaults")


def test_voxtral_slides_in_every_layer() -> None:
    """26 layers, 8 KV heads of 128 by the class's default, a window of 8,192."""
    text = {"model_type": "voxtral_realtime_text", "hidden_size": 3072, "num_hidden_layers": 26, "head_dim": 128}
    table = {
        "model_type": "voxtral_realtime",
        "text_config": text | {"num_attention_heads": 32, "sliding_window": 8192},
    }
    assert _read(table) == (0, 26 * 8 * 128 * PAIR, 0)


def test_minimax_m3_as_transformers_writes_it() -> None:
    """Two of four layers pick blocks by index keys of 128 values in 16 bit."""
    layers = ["full_attention", "full_attention", "minimax_m3_sparse", "minimax_m3_sparse"]
    text = LLAMA | {
        "model_type": "minimax_m3_vl_text",
        "num_key_value_heads": 4,
        "index_head_dim": 128,
        "head_dim": 128,
    }
    table = {"model_type": "minimax_m3_vl", "text_config": text | {"layer_types": layers}}
    assert _read(table)[0] == 4 * 4 * 128 * PAIR + 2 * 128 * 2


ENCODER: dict[str, Any] = LLAMA | {"vocab_size": 32_000, "intermediate_size": 8192}


@pytest.mark.parametrize(
    "table",
    [
        ENCODER | {"model_type": "eurobert", "architectures": ["EuroBertForMaskedLM"]},
        ENCODER | {"model_type": "novel", "auto_map": {"AutoModelForMaskedLM": "modeling.Novel"}},
        {"model_type": "siglip", "text_config": LLAMA | {"model_type": "siglip_text_model"}, "vision_config": {}},
    ],
    ids=["masked words by class", "masked words by automatic class", "an engine's encoder"],
)
def test_encoders_keep_nothing(table: dict[str, Any]) -> None:
    """Every token is read at once, so that nothing is kept for a next one."""
    assert _read(table) == (0, 0, 0)


def test_a_model_that_also_continues_a_text_is_no_encoder() -> None:
    both = {"AutoModelForMaskedLM": "m.A", "AutoModelForCausalLM": "m.B"}
    assert _read(ENCODER | {"model_type": "novel", "auto_map": both})[0] == 4 * 16 * 128 * PAIR


def test_a_model_for_embeddings_is_named_as_such() -> None:
    """vLLM gives the text part of CLIP the attention of decoders, in a class that it serves for embeddings alone."""
    text = LLAMA | {"model_type": "clip_text_model"}
    found = read_config(
        {"model_type": "clip", "architectures": ["CLIPModel"], "text_config": text, "vision_config": {}}
    )
    assert "pooled" in [part.key for part in found.left_out]
    plain = read_config(LLAMA | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]})
    assert "pooled" not in [part.key for part in plain.left_out]


@pytest.mark.parametrize(
    "more",
    [
        {"model_type": "vit", "patch_size": 16, "image_size": 224},
        {"model_type": "clip_vision_model", "patch_size": 14, "num_channels": 3},
        {"model_type": "wav2vec2", "vocab_size": 32, "conv_dim": [512, 512], "conv_stride": [5, 2]},
    ],
)
def test_a_tower_alone_is_named(more: dict[str, Any]) -> None:
    with pytest.raises(SizingError, match="encoder of images or sound"):
        read_config(LLAMA | more)


@pytest.mark.parametrize("shared", [None, 0, 4])
@pytest.mark.parametrize("kind", ["gemma4_assistant", "gemma4_unified_assistant"])
def test_a_draft_that_reads_its_targets_cache_keeps_none(kind: str, shared: int | None) -> None:
    """Every layer has queries only, whatever its text part says of sharing; a start with it prints the same tokens."""
    text = LLAMA | {"model_type": "gemma4_text", "head_dim": 128, "vocab_size": 32_000}
    if shared is not None:
        text = text | {"num_kv_shared_layers": shared}
    draft = read_config({"model_type": kind, "backbone_hidden_size": 4096, "text_config": text})
    assert draft.growing_bytes_per_token == 0
    assert [part.key for part in draft.left_out][-1:] == ["target_cache"]
    target = read_config(LLAMA | {"model_type": "llama", "vocab_size": 32_000})
    alone, drafting = (
        vllm.startup(target, available_kv_gib=8, max_model_len=4096, draft=each, speculative_tokens=tokens)
        for each, tokens in ((None, 0), (draft, 4))
    )
    assert drafting.kv_tokens == alone.kv_tokens
