"""The KV precision that a checkpoint asks for, where the engine looks for it."""

from __future__ import annotations

from typing import Any

import pytest

from sizing.base.errors import SizingError
from sizing.memory.config.reader import read_config

from .conftest import config

LLAMA = "meta-llama/Meta-Llama-3.1-8B"
FP8 = {"dynamic": False, "num_bits": 8, "type": "float"}


def _declared(section: dict[str, Any] | None, hf_quant_config: dict[str, Any] | None = None) -> str | None:
    table = config(LLAMA)
    table.pop("quantization_config", None)
    if section is not None:
        table["quantization_config"] = section
    return read_config(table, hf_quant_config).declared_kv_dtype


@pytest.mark.parametrize(
    ("section", "declared"),
    [
        (None, None),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, None),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_scheme": FP8}, "fp8"),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}, "fp8"),
        ({"quant_method": "modelopt", "quantization": {"kv_cache_quant_algo": "FP8"}}, "fp8"),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": {**FP8, "strategy": "tensor"}}, "fp8"),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": None}, None),
        ({"quant_method": "modelopt", "kv_cache_scheme": {"num_bits": 4, "type": "float"}}, "nvfp4"),
    ],
)
def test_in_config_json(section: dict[str, Any] | None, declared: str | None) -> None:
    assert _declared(section) == declared


def test_in_hf_quant_config_alone() -> None:
    section = {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}
    assert _declared(None, {"producer": {"name": "modelopt"}, "quantization": section}) == "fp8"
    assert _declared(None, {"producer": {"name": "modelopt"}, "quantization": {"kv_cache_quant_algo": None}}) is None
    # Without its producer the engine does not take the file for what it is.
    assert _declared(None, {"quantization": section}) is None


def test_a_section_in_config_json_comes_first() -> None:
    """The engine then leaves hf_quant_config.json unread; what it asks for is named, not followed."""
    table = config(LLAMA) | {"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8"}}
    architecture = read_config(table, {"quantization": {"kv_cache_quant_algo": "FP8"}})
    assert architecture.declared_kv_dtype is None
    assert [part.key for part in architecture.left_out] == ["kv_precision_unread"]


def test_a_section_without_method_is_not_followed() -> None:
    table = config(LLAMA) | {"quantization_config": {"quant_algo": "FP8", "kv_cache_scheme": "FP8"}}
    architecture = read_config(table)
    assert architecture.declared_kv_dtype is None
    assert [(part.key, part.detail) for part in architecture.left_out] == [("kv_precision_unread", "FP8")]


@pytest.mark.parametrize("scheme", ["INT3", {"num_bits": 3, "type": "int"}, {"num_bits": [8], "type": "float"}])
def test_an_unknown_precision_is_refused(scheme: object) -> None:
    with pytest.raises(SizingError):
        _declared({"quant_method": "modelopt", "kv_cache_scheme": scheme})


def test_auto_follows_the_checkpoint() -> None:
    plain = config(LLAMA)
    asking = plain | {"quantization_config": {"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}}
    assert read_config(plain).kv_bytes(1000, "auto") == 1000 * 131_072
    assert read_config(asking).kv_bytes(1000, "auto") == 1000 * 131_072 // 2


def test_compressed_records_exist_in_fp8_only() -> None:
    assert read_config(config("deepseek-ai/DeepSeek-V4-Flash")).declared_kv_dtype == "fp8"


def test_precision_of_the_state() -> None:
    qwen = config("Qwen/Qwen3.5-35B-A3B")
    assert read_config(qwen).declared_state_dtype == "float32"
    qwen["text_config"]["mamba_ssm_dtype"] = "bfloat16"
    half = read_config(qwen)
    # 30 layers: 32 heads of 128 x 128 in 2 bytes, and 3 columns of 2 x 16 x 128 + 32 x 128 channels in 2 bytes.
    assert half.fixed_bytes == 30 * (32 * 128 * 128 * 2 + 3 * (2 * 16 * 128 + 32 * 128) * 2)
    assert half.declared_state_dtype == "bfloat16"


@pytest.mark.parametrize(
    ("place", "value", "key"),
    [
        (("config_groups", "group_0", "weights", "group_size"), "128", "config_not_whole"),
        (("config_groups", "group_0", "weights", "group_size"), [128], "config_not_whole"),
        (("config_groups", "group_0", "weights", "group_size"), 1.5, "config_not_whole"),
        (("config_groups", "group_0", "weights", "num_bits"), True, "config_not_whole"),
        (("config_groups", "group_0", "weights", "type"), ["int"], "config_not_text"),
        (("config_groups", "group_0", "weights", "symmetric"), "yes", "config_not_flag"),
        (("config_groups", "group_0", "targets"), "Linear", "config_not_list"),
        (("config_groups", "group_0"), [1], "config_not_object"),
        (("quant_method",), {"a": 1}, "config_not_text"),
        (("ignore",), 3, "config_not_list"),
        (("weight_block_size",), [128, "128"], "config_not_whole"),
        (("quantized_layers",), [1], "config_not_object"),
    ],
)
@pytest.mark.parametrize("file", ["config", "hf_quant_config"])
def test_every_value_on_quantisation_is_of_its_kind(place: tuple[str, ...], value: Any, key: str, file: str) -> None:
    weights = {"num_bits": 4, "group_size": 32, "strategy": "group", "type": "int", "symmetric": True}
    section: dict[str, Any] = {"quant_method": "x", "config_groups": {"group_0": {"weights": weights}}, "ignore": []}
    inner = section
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    inside = {"quantization_config": section} if file == "config" else {}
    with pytest.raises(SizingError) as refused:
        read_config(config(LLAMA) | inside, None if inside else {"quantization": section})
    assert refused.value.key == key
    assert place[-1] in refused.value.input
