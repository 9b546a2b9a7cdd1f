"""Weight bytes from the config against the sizes of published checkpoints."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from sizing.memory.config.reader import read_config
from sizing.memory.config.weights.parts import UntoldError
from sizing.memory.config.weights.scheme import MXFP4, NVFP4, Patterns, fp8_block, integer_groups, matches

from .conftest import CASES, config, rows, whole

ROWS = rows("weight_bytes.csv")
PLAIN = [row for row in ROWS if not row["remark"]]
FP8_BLOCKS = {"quant_method": "fp8", "weight_block_size": [128, 128]}
# Files that lost a part on the way to us, with that part put back as the publishers have it.
RESTORED: dict[str, dict[str, Any]] = {
    "deepseek-ai/DeepSeek-V3.1": {"of": "deepseek-ai/DeepSeek-V3"},
    "moonshotai/Kimi-K2.6": {"of": "moonshotai/Kimi-K2.5"},
    "nvidia/Llama-3.3-70B-Instruct-FP8": {
        "of": "meta-llama/Llama-3.3-70B-Instruct",
        "hf_quant_config": {"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}},
    },
    "nvidia/Llama-3.3-70B-Instruct-NVFP4": {
        "of": "meta-llama/Llama-3.3-70B-Instruct",
        "hf_quant_config": {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}},
    },
    "Qwen/Qwen3.8-27B": {"of": "Qwen/Qwen3.6-27B"},
    "Qwen/Qwen3.8-27B-FP8": {"of": "Qwen/Qwen3.6-27B", "quantization_config": FP8_BLOCKS},
}


def _error(estimate: int | None, row: dict[str, str]) -> float:
    assert estimate is not None
    return estimate / int(row["checkpoint_bytes"]) - 1


def _estimate(hf_id: str) -> int | None:
    if (restored := RESTORED.get(hf_id)) is not None:
        table = _full(restored["of"])
        if "quantization_config" in restored:
            table["quantization_config"] = restored["quantization_config"]
        return read_config(table, restored.get("hf_quant_config")).weight_bytes_estimate
    return read_config(_full(hf_id)).weight_bytes_estimate


def _full(hf_id: str) -> dict[str, Any]:
    """The config with everything that decides the weights; models of one shape share a row of the cases."""
    return config(hf_id)


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row["hf_id"])
def test_error_of_each_model(row: dict[str, str]) -> None:
    # Sizes given to 0.01 GiB, or with the files' headers, differ from the tensors by that much; all others are exact.
    assert abs(_error(_estimate(row["hf_id"]), row)) < 6e-4


def test_median_and_worst_error() -> None:
    errors = [abs(_error(_estimate(row["hf_id"]), row)) for row in PLAIN]
    assert len(errors) == 38
    assert statistics.median(errors) < 1e-5
    assert max(errors) < 6e-4


@pytest.mark.parametrize("row", [row for row in ROWS if row["hf_id"] in RESTORED], ids=lambda row: row["hf_id"])
def test_files_with_their_lost_part(row: dict[str, str]) -> None:
    assert abs(_error(_estimate(row["hf_id"]), row)) < 1e-3


def test_files_that_do_not_say_enough_give_no_estimate() -> None:
    for hf_id in ("mistralai/Mistral-Large-3-675B-Instruct-2512", "Qwen/Qwen3.8-27B", "google/gemma-4-E2B-it"):
        assert read_config(config(hf_id)).weight_bytes_estimate is None, hf_id


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row["hf_id"])
def test_the_whole_file_says_the_same(row: dict[str, str]) -> None:
    files = whole(row["hf_id"])
    if files is None:
        pytest.skip("the collection of whole configs is not at hand")
    assert read_config(*files).weight_bytes_estimate == _estimate(row["hf_id"])


def test_small_model_by_hand() -> None:
    table = {
        "model_type": "llama",
        "torch_dtype": "bfloat16",
        "hidden_size": 64,
        "intermediate_size": 192,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 1000,
        "tie_word_embeddings": True,
    }
    attention = 64 * 64 + 2 * (2 * 16) * 64 + 64 * 64
    by_hand = 1000 * 64 + 64 + 2 * (attention + 3 * 64 * 192 + 2 * 64)
    assert read_config(table).weight_bytes_estimate == 2 * by_hand
    assert read_config(table | {"tie_word_embeddings": False}).weight_bytes_estimate == 2 * (by_hand + 1000 * 64)


def test_experts_by_hand() -> None:
    table = {
        "model_type": "qwen3_moe",
        "dtype": "bfloat16",
        "hidden_size": 128,
        "moe_intermediate_size": 128,
        "intermediate_size": 256,
        "num_experts": 8,
        "num_hidden_layers": 4,
        "mlp_only_layers": [1],
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 32,
        "vocab_size": 1024,
        "quantization_config": FP8_BLOCKS | {"modules_to_not_convert": ["lm_head", "model.layers.0.self_attn"]},
    }
    embeddings = 2 * 2 * 1024 * 128 + 2 * 128
    small = (2 * 128 + 2 * 32) * 2  # norms of the layer, of queries and keys
    matrix = 128 * 128
    fp8 = matrix + 4
    attention = 4 * fp8
    # A matrix of 256 x 128 has two blocks, each with a scale of 4 bytes.
    dense = 3 * (2 * matrix + 2 * 4)
    sparse = 8 * 3 * fp8 + 8 * 128 * 2
    layers = 4 * small + (4 * matrix * 2) + 3 * attention + 3 * sparse + dense
    assert read_config(table).weight_bytes_estimate == embeddings + layers


def test_bytes_of_the_formats() -> None:
    assert fp8_block(128, 128).bytes(256, 130) == 256 * 130 + 2 * 2 * 4
    assert NVFP4.bytes(64, 64) == 64 * 64 / 2 + 64 * 4 + 8
    assert MXFP4.bytes(64, 64) == 64 * 64 / 2 + 64 * 2
    assert integer_groups(4, 32, zeros=False).bytes(64, 64) == 64 * 64 / 2 + 64 * 2 * 2
    assert integer_groups(4, 128, zeros=True).bytes(64, 256) == 64 * 256 / 2 + 64 * 2 * (2 + 0.5)


def test_mixed_precision_follows_its_list() -> None:
    table = {
        "model_type": "llama",
        "dtype": "bfloat16",
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "vocab_size": 64,
        "quantization_config": {
            "quant_algo": "MIXED_PRECISION",
            "quant_method": "modelopt",
            "quantized_layers": {
                "model.layers.0.mlp.gate_proj": {"quant_algo": "NVFP4", "group_size": 16},
                "model.layers.1.self_attn.q_proj": {"quant_algo": "FP8"},
                "lm_head": {"quant_algo": "NVFP4"},
            },
        },
    }
    matrix = 64 * 64
    nvfp4 = matrix / 2 + matrix / 16 + 8
    fp8 = matrix + 8
    plain = matrix * 2
    # Embedding and last norm, output matrix, seven matrices and two norms a layer.
    by_hand = plain + 128 + nvfp4 + (nvfp4 + 6 * plain + 256) + (fp8 + 6 * plain + 256)
    assert read_config(table).weight_bytes_estimate == by_hand


@pytest.mark.parametrize(
    ("pattern", "layer", "name", "hit"),
    [
        ("model.layers.3.self_attn*", 3, "attn.q_proj", True),
        ("model.layers.3.self_attn*", 2, "attn.q_proj", False),
        ("model.layers.1*", 12, "ffn.up_proj", True),
        ("model.layers.1.*", 12, "ffn.up_proj", False),
        ("backbone.layers.4.mixer.in_proj", 4, "linear.in_proj", True),
        ("gate", 0, "ffn.gate_proj", False),
        ("*.mlp.shared_expert.*", 0, "ffn.shared.up_proj", True),
        (r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", 0, "ffn.down_proj", True),
        (r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", 0, "ffn.experts.down_proj", False),
        ("re:.*attn.*(wq_b|wo_a)$", 0, "attn.indexer.wq_b", True),
        ("model.layers.*.self_attn", 7, "attn.k_proj", True),
    ],
)
def test_names_of_modules(pattern: str, layer: int, name: str, hit: bool) -> None:
    patterns = Patterns([pattern])
    assert patterns.hits(patterns.of_layer(layer), (f"layers.{layer}.",), name) is hit


@pytest.mark.parametrize("pattern", ["re:(a+)+$", "re:[ab]{2,}", "model.layers.0.mlp.experts.3.up_proj", 7])
def test_patterns_that_are_not_understood_are_not_guessed(pattern: object) -> None:
    with pytest.raises(UntoldError):
        Patterns([pattern])


def test_matching_takes_time_in_proportion() -> None:
    assert not matches("*a" * 40 + "b", "a" * 20_000)
    assert matches("x*y*z", "x__y__z")


def test_an_unknown_method_gives_no_estimate() -> None:
    table = config("meta-llama/Meta-Llama-3.1-8B") | {"quantization_config": {"quant_method": "novel"}}
    read = read_config(table)
    assert read.weight_bytes_estimate is None
    assert read.growing_bytes_per_token == 131_072


def test_cases_cover_every_size_that_can_be_told() -> None:
    assert {row["hf_id"] for row in PLAIN} <= set(CASES)


def test_prediction_modules_that_a_packer_copies_stay_in_the_models_precision() -> None:
    """One layer and one module of its make, 16 x 16 matrices: the module weighs what it weighs unpacked."""
    table: dict[str, Any] = {
        "model_type": "glm4_moe", "hidden_size": 16, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 16,
        "num_hidden_layers": 1, "intermediate_size": 16, "vocab_size": 8, "torch_dtype": "bfloat16",
    }  # fmt: skip
    packed = {
        "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}
    }

    def weighs(change: dict[str, Any]) -> int:
        estimate = read_config(table | change).weight_bytes_estimate
        assert estimate is not None
        return estimate

    module = weighs({"num_nextn_predict_layers": 1}) - weighs({})
    assert weighs(packed | {"num_nextn_predict_layers": 1}) - weighs(packed) == module


def test_one_format_for_all_without_exceptions_is_a_lower_bound() -> None:
    table = config("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")
    for section, marked in (
        ({"quant_algo": "NVFP4"}, True),
        ({"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}, False),
        ({"quant_algo": "FP8"}, False),
    ):
        found = read_config(table, {"producer": {"name": "modelopt"}, "quantization": section})
        assert any(part.key == "weights_at_least" for part in found.left_out) is marked
