"""What the reader refuses, and the key that it names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.memory.config.reader import read_config

from .conftest import CASES as CASES_OF_MODELS
from .conftest import config

LLAMA = "meta-llama/Meta-Llama-3.1-8B"
GEMMA = "google/gemma-4-31B-it"
QWEN = "Qwen/Qwen3.5-35B-A3B"
GLM = "zai-org/GLM-5.3"
V4 = "deepseek-ai/DeepSeek-V4-Flash"
V3 = "deepseek-ai/DeepSeek-V3"
NEMOTRON = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
OSS = "openai/gpt-oss-20b"
DELETE = object()
# A type and a class that no engine's release serves.
NOVEL: dict[str, Any] = {"model_type": "novel", "architectures": ["NovelForCausalLM"]}
NOVEL_TEXT: dict[str, Any] = {"text_config.model_type": "novel_text"}

Change = dict[str, Any]
# (model, changes, name of the error, key that the error names)
CASES: list[tuple[str, Change, str, str]] = [
    # missing
    (LLAMA, {"num_hidden_layers": DELETE}, "config_key_missing", "num_hidden_layers"),
    (LLAMA, {"num_attention_heads": None}, "config_key_missing", "num_attention_heads"),
    (LLAMA, {"hidden_size": None}, "config_key_missing", "hidden_size"),
    (OSS, {"sliding_window": None, "layer_types": ["sliding_attention"] * 24}, "config_key_missing", "sliding_window"),
    (V3, {"qk_rope_head_dim": None}, "config_key_missing", "qk_rope_head_dim"),
    (QWEN, {"text_config.linear_conv_kernel_dim": None}, "config_key_missing", "text_config.linear_conv_kernel_dim"),
    (NEMOTRON, {"n_groups": DELETE}, "config_key_missing", "n_groups"),
    (LLAMA, {"model_type": "novel", "sliding_window": 4096}, "config_key_missing", "layer_types"),
    (LLAMA, {"layer_types": ["deepseek_sparse_attention"] * 32}, "config_key_missing", "index_head_dim"),
    (LLAMA, {"model_type": "qwen3_next"}, "config_key_missing", "layer_types"),
    (LLAMA, {"linear_num_heads": 32, "linear_head_dim": 128}, "config_key_missing", "layer_types"),
    # no whole number in bounds
    (LLAMA, {"num_hidden_layers": 0}, "config_not_whole", "num_hidden_layers"),
    (LLAMA, {"num_hidden_layers": 2_001}, "config_not_whole", "num_hidden_layers"),
    (LLAMA, {"num_hidden_layers": True}, "config_not_whole", "num_hidden_layers"),
    (LLAMA, {"num_hidden_layers": "32"}, "config_not_whole", "num_hidden_layers"),
    (LLAMA, {"num_attention_heads": -8}, "config_not_whole", "num_attention_heads"),
    (LLAMA, {"head_dim": 128.0}, "config_not_whole", "head_dim"),
    (LLAMA, {"head_dim": float("nan")}, "config_not_whole", "head_dim"),
    (LLAMA, {"num_key_value_heads": 10**400}, "config_not_whole", "num_key_value_heads"),
    (LLAMA, {"num_key_value_heads": [8]}, "config_not_whole", "num_key_value_heads"),
    (LLAMA, {"max_position_embeddings": -1}, "config_not_whole", "max_position_embeddings"),
    (GEMMA, {"text_config.sliding_window": float("inf")}, "config_not_whole", "text_config.sliding_window"),
    (GEMMA, {"text_config.num_kv_shared_layers": 60}, "config_not_whole", "text_config.num_kv_shared_layers"),
    # lists that do not go with the layers
    (OSS, {"layer_types": ["full_attention"] * 23}, "config_list_length", "layer_types"),
    (OSS, {"layer_types": ["full_attention"] * 25}, "config_list_length", "layer_types"),
    (GLM, {"indexer_types": ["full"] * 74}, "config_list_length", "indexer_types"),
    (V4, {"compress_ratios": [4] * 42}, "config_list_length", "compress_ratios"),
    (
        NEMOTRON,
        {"num_hidden_layers": 52, "hybrid_override_pattern": "M*"},
        "config_list_length",
        "hybrid_override_pattern",
    ),
    (GLM, {"mlp_layer_types": ["dense"] * 3 + ["sparse"] * 71}, "config_list_length", "mlp_layer_types"),
    # words that we do not know
    (OSS, {"layer_types": ["full_attention", "novel_attention"] * 12}, "config_unknown_value", "layer_types"),
    (GLM, {"indexer_types": ["full", "half"] * 39}, "config_unknown_value", "indexer_types"),
    (V4, {"compress_ratios": [0, 8] + [4] * 42}, "config_unknown_value", "compress_ratios"),
    (QWEN, {"text_config.mamba_ssm_dtype": "float8"}, "config_unknown_value", "text_config.mamba_ssm_dtype"),
    (LLAMA, {"is_encoder_decoder": True}, "config_unknown_value", "is_encoder_decoder"),
    # keys that contradict each other
    (LLAMA, {"num_key_value_heads": 7}, "config_contradiction", "num_attention_heads"),
    (LLAMA, {"hidden_size": 4097, "head_dim": None}, "config_contradiction", "hidden_size"),
    (LLAMA, {"n_layer": 31}, "config_contradiction", "num_hidden_layers"),
    (LLAMA, {"n_layer": [[]] * 9}, "config_contradiction", "num_hidden_layers"),
    (OSS, {"sliding_window_size": 256}, "config_contradiction", "sliding_window"),
    (V4, {"kv_lora_rank": 512}, "config_contradiction", "compress_ratios"),
    (GLM, {"qk_nope_head_dim": 192, "qk_head_dim": 255}, "config_contradiction", "qk_head_dim"),
    (GLM, {"index_topk_freq": 2}, "config_contradiction", "indexer_types"),
    (V3, {"layer_types": ["sliding_attention"] * 61, "sliding_window": 128}, "config_contradiction", "kv_lora_rank"),
    (
        QWEN,
        {"text_config.full_attention_interval": 4, "text_config.layer_types": ["full_attention"] * 40},
        "config_contradiction",
        "text_config.layer_types",
    ),
    (QWEN, {"num_hidden_layers": 41}, "config_contradiction", "num_hidden_layers"),
    # geometry that nobody here knows, wherever it stands, of a type that no release serves
    (LLAMA, NOVEL | {"kv_groups_per_stage": 4}, "config_key_unknown", "kv_groups_per_stage"),
    (LLAMA, NOVEL | {"attention_sink_tokens": 64}, "config_key_unknown", "attention_sink_tokens"),
    (LLAMA, NOVEL | {"recurrent_gate_layers": [1, 2]}, "config_key_unknown", "recurrent_gate_layers"),
    (LLAMA, NOVEL | {"latent_pool": {"size": 8}}, "config_key_unknown", "latent_pool"),
    (LLAMA, NOVEL | {"kv_compression": 0.25}, "config_key_unknown", "kv_compression"),
    (LLAMA, NOVEL | {"window_schedule": "linear"}, "config_key_unknown", "window_schedule"),
    (LLAMA, NOVEL | {"share_kv_across_layers": True}, "config_key_unknown", "share_kv_across_layers"),
    (QWEN, NOVEL | NOVEL_TEXT | {"attention_novelty": 3}, "config_key_unknown", "attention_novelty"),
    (QWEN, NOVEL | NOVEL_TEXT | {"text_config.state_novelty": 3}, "config_key_unknown", "text_config.state_novelty"),
    (LLAMA, NOVEL | {"reuse_depth": 4}, "config_key_unknown", "reuse_depth"),
    (LLAMA, NOVEL | {"times_round": [1, 2, 3]}, "config_key_unknown", "times_round"),
    # what the class of a known type reads and could change the cache
    (LLAMA, {"model_type": "hrm_text", "H_cycles": 2}, "config_key_unknown", "H_cycles"),
    (LLAMA, {"model_type": "minicpm", "mixer_types": ["minicpm4"] * 32}, "config_key_unknown", "mixer_types"),
    (V3, {"kv_source_layer_ids": [0] * 61}, "config_key_unknown", "kv_source_layer_ids"),
    (LLAMA, {"num_loops": 2}, "config_key_unknown", "num_loops"),
    # null in place of what the class cannot do without
    (LLAMA, {"model_type": "nemotron-nas", "num_key_value_heads": None}, "config_key_missing", "block_configs"),
    (V3, {"kv_lora_rank": None}, "config_key_missing", "kv_lora_rank"),
    (V4, {"compress_ratios": None}, "config_key_missing", "compress_ratios"),
    (LLAMA, {"loop_num": 2}, "config_key_missing", "loop_window_size"),
    # geometry that belongs to another family
    (
        LLAMA,
        {"global_head_dim": 512, "kv_lora_rank": 512, "qk_rope_head_dim": 64},
        "config_key_unread",
        "global_head_dim",
    ),
    (LLAMA, {"index_head_dim": 128}, "config_key_unread", "index_head_dim"),
    (LLAMA, {"linear_num_value_heads": 32}, "config_key_missing", "layer_types"),
    (LLAMA, {"local_attention": 128}, "config_key_unread", "local_attention"),
    (LLAMA, NOVEL | {"loop_passes": 2}, "config_key_unknown", "loop_passes"),
    # more than any model takes
    (
        LLAMA,
        {"num_hidden_layers": 2_000, "num_key_value_heads": 16_384, "num_attention_heads": 16_384, "head_dim": 8192},
        "config_absurd",
        "config.json",
    ),
    (LLAMA, {f"key_{number}": 1 for number in range(3_000)}, "config_too_many_keys", "config.json"),
]


def _changed(model: str, changes: Change) -> dict[str, Any]:
    table = config(model)
    for path, value in changes.items():
        *outer, last = path.split(".")
        inner = table
        for name in outer:
            inner = inner[name]
        if value is DELETE:
            inner.pop(last, None)
        else:
            inner[last] = value
    return table


@pytest.mark.parametrize(("model", "changes", "error", "key"), CASES)
def test_refusal_names_the_key(model: str, changes: Change, error: str, key: str) -> None:
    with pytest.raises(SizingError) as refused:
        read_config(_changed(model, changes))
    assert (refused.value.key, refused.value.input) == (error, key)
    assert key in str(refused.value)


@pytest.mark.parametrize("table", [None, [], "config", 3, float("nan")])
def test_not_an_object(table: Any) -> None:
    with pytest.raises(SizingError) as refused:
        read_config(table)
    assert refused.value.key == "config_not_object"


@pytest.mark.parametrize("part", ["text_config", "quantization_config"])
def test_a_part_that_is_no_object(part: str) -> None:
    with pytest.raises(SizingError) as refused:
        read_config(config(LLAMA) | {part: [1]})
    assert refused.value.input == part


def test_nothing_is_not_a_model() -> None:
    with pytest.raises(SizingError) as refused:
        read_config({})
    assert refused.value.input == "num_hidden_layers"


@pytest.mark.parametrize(
    "harmless",
    [
        {"attention_dropout": 0.1},
        {"attn_implementation": "flash_attention_2"},
        {"kv_cache_novelty": None},
        {"kv_cache_novelty": False},
        {"window_novelty": []},
        {"head_novelty": 0},
        {"moe_latent_size": 1024},
        {"use_mla": False, "kv_lora_rank": 512, "qk_rope_head_dim": 64},
        {"sliding_window_size": -1},
        {"vision_attention_heads": 16},
        {"rope_scaling": {"type": "yarn", "factor": 4.0}},
        {"time_step_limit": json.loads("[0.0, Infinity]")},
    ],
)
def test_keys_that_say_nothing_about_the_cache_pass(harmless: dict[str, Any]) -> None:
    assert read_config(config(LLAMA) | harmless).growing_bytes_per_token == 131_072
    assert read_config(config(LLAMA) | {"model_type": "novel"} | harmless).growing_bytes_per_token == 131_072


@pytest.mark.parametrize("key", ["share_kv_across_layers", "kv_groups_per_stage", "H_cycles", "loop_passes"])
def test_a_key_that_the_class_of_a_known_type_never_reads_is_read_over(key: str) -> None:
    """vllm/model_executor/models/llama.py (0.33.0) names none of these keys."""
    read = read_config(config(LLAMA) | {key: 4})
    assert read.growing_bytes_per_token == 131_072
    assert not [part for part in read.left_out if part.key == "type_unknown"]


def test_a_type_that_no_release_serves_is_marked() -> None:
    marked = [part for part in read_config(_changed(LLAMA, NOVEL)).left_out if part.key == "type_unknown"]
    assert [part.detail for part in marked] == ["novel"]


# What each library writes into a file of this kind, and no model into its config.json.
OTHER_FILES: list[tuple[Any, str, str]] = [
    ({"peft_type": "LORA", "r": 16, "base_model_name_or_path": "org/base"}, "config_is_adapter_of", "org/base"),
    ({"peft_type": "LORA", "r": 16}, "config_is_adapter", ""),
    ({"_class_name": "FluxPipeline", "_diffusers_version": "0.30.0", "vae": ["a", "b"]}, "config_is_pipeline", ""),
    ({"_class_name": "Transformer2D", "_diffusers_version": "0.30.0", "num_layers": 19}, "config_is_pipeline", ""),
    ({"metadata": {"total_size": 5}, "weight_map": {"a": "b"}}, "config_is_index", ""),
    ({"general.architecture": "llama", "llama.block_count": 32}, "config_is_gguf", ""),
    ({"tokenizer_class": "LlamaTokenizer", "model_max_length": 8192}, "config_is_tokenizer", ""),
    ({"image_processor_type": "CLIPImageProcessor", "size": {"height": 336}}, "config_is_processor", ""),
    ({"do_sample": True, "temperature": 0.6, "eos_token_id": 2}, "config_is_generation", ""),
    ({"max_seq_length": 512, "do_lower_case": False}, "config_is_sentences", ""),
    (
        [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}],
        "config_is_sentences",
        "",
    ),
    ({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "config_is_quantization", ""),
    ({"base_model": "org/base"}, "config_is_pointer", "org/base"),
    ({"model_type": "llama", "_name_or_path": "org/base"}, "config_is_pointer", "org/base"),
]


@pytest.mark.parametrize(("table", "error", "names"), OTHER_FILES)
def test_a_file_of_another_kind_is_named_as_what_it_is(table: Any, error: str, names: str) -> None:
    with pytest.raises(SizingError) as refused:
        read_config(table)
    assert refused.value.key == error
    assert names in refused.value.fix()
    assert refused.value.what("de")


def test_leftover_geometry_of_states_passes_where_a_list_says_that_no_layer_keeps_one() -> None:
    """A dense Granite 4 carries the keys of its hybrid sisters, and forty layers that all attend."""
    table = {
        "model_type": "granitemoehybrid",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 40,
        "layer_types": ["attention"] * 40,
        "mamba_d_state": 128,
        "mamba_d_conv": 4,
        "mamba_expand": 2,
        "mamba_n_heads": 128,
    }
    assert read_config(table).growing_bytes_per_token == 40 * 2 * 8 * 128 * 2
    assert read_config(table).fixed_bytes == 0


def test_every_remark_has_its_sentence() -> None:
    for case in CASES_OF_MODELS.values():
        try:
            parts = read_config(case["config"], case.get("hf_quant_config")).left_out
        except SizingError:
            continue
        for part in parts:
            assert texts.say(f"left_out.{part.key}", "en", detail=part.detail)
