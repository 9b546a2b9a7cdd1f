"""The checkpoints hold what their sources state, in a form that the config reader takes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError

# Every published checkpoint for which a size was found, collected on 2026-11-30 apart from the data files.
FACTS = list(csv.DictReader((Path(__file__).parent / "checkpoint_facts.csv").read_text(encoding="utf-8").splitlines()))

FORMATS = {
    "fp8 block": "fp8",
    "fp4 experts + fp8": "fp4",
    "mxfp4 experts + bf16": "mxfp4",
    "int4 experts + bf16": "int4",
}


@pytest.mark.parametrize("row", FACTS, ids=lambda row: row["id"])
def test_a_checkpoint_is_the_collected_one(row: dict[str, str]) -> None:
    found = catalogue.checkpoint(row["id"])
    assert found.weight_bytes is not None
    assert found.weight_bytes.value == int(row["weight_bytes"])
    assert found.weight_format == FORMATS.get(row["stored_as"], row["stored_as"])
    assert found.config_source.completeness == row["completeness"]
    for name in ("params_total", "params_active"):
        figure = getattr(found, name)
        assert (figure.value if figure else None) == (int(row[name]) if row[name] else None)


@pytest.mark.parametrize(
    ("id", "printed_gb"),
    [
        ("nvidia/Llama-3.3-70B-Instruct-FP8", 72.7),
        ("nvidia/Llama-3.3-70B-Instruct-NVFP4", 42.7),
        ("deepseek-ai/DeepSeek-V4-Flash-0731", 167),
        ("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", 417),
        ("deepseek-ai/DeepSeek-V3.2", 690),
        ("zai-org/GLM-5.3-FP8", 756),
    ],
)
def test_sizes_of_the_documents(id: str, printed_gb: float) -> None:
    """The German document prints them in GB, most without decimals; other sources agree within its rounding."""
    found = catalogue.checkpoint(id).weight_bytes
    assert found is not None
    digits = 1 if isinstance(printed_gb, float) else 0
    assert found.value / 1e9 == pytest.approx(printed_gb, abs=0.51 * 10**-digits)


@pytest.mark.parametrize("id", ["nvidia/Llama-3.3-70B-Instruct-FP8", "nvidia/Llama-3.3-70B-Instruct-NVFP4"])
def test_a_sibling_that_stands_in_is_said(id: str) -> None:
    """Their own config was not found, and no KV precision is declared: FP8 weights do not imply an FP8 cache."""
    found = catalogue.checkpoint(id)
    assert found.config_source.completeness == "defaults"
    assert "stands in" in found.config_source.reason
    assert found.hf_quant_config is None
    assert "quantization_config" not in found.config
    assert found.config == catalogue.checkpoint("meta-llama/Llama-3.3-70B-Instruct").config


def test_layers_of_the_documents() -> None:
    """gpt-oss-120b: full context in 18 of 36 layers; Qwen3.8-27B: in 16 of 64."""
    layer_types = catalogue.checkpoint("openai/gpt-oss-120b").config["layer_types"]
    assert (len(layer_types), layer_types.count("full_attention")) == (36, 18)
    text = catalogue.checkpoint("Qwen/Qwen3.8-27B").config["text_config"]
    assert (text["num_hidden_layers"], text["num_hidden_layers"] // text["full_attention_interval"]) == (64, 16)


def test_the_architecture_is_that_of_the_config() -> None:
    """gpt-oss-120b: 18 full layers x 2 (key and value) x 8 heads x 64 x 2 bytes = 36 KiB a token."""
    checkpoint = catalogue.checkpoint("openai/gpt-oss-120b")
    assert checkpoint.architecture.growing_bytes_per_token == 18 * 2 * 8 * 64 * 2 == 36 * 1024
    assert checkpoint.architecture is checkpoint.architecture


def test_a_config_without_its_layers_gives_no_figure() -> None:
    """The pattern of its layers was not found, so that its cache is refused, not guessed."""
    with pytest.raises(SizingError, match="hybrid_override_pattern"):
        _ = catalogue.checkpoint("nvidia/NVIDIA-Nemotron-Nano-9B-v2").architecture


def test_null_is_not_absent() -> None:
    """Mistral 7B v0.3 switches its window off with null; without the key its class has a window of 4,096."""
    config = catalogue.checkpoint("mistralai/Mistral-7B-Instruct-v0.3").config
    assert "sliding_window" in config
    assert config["sliding_window"] is None
    assert catalogue.checkpoint("google/gemma-4-E2B-it").config["text_config"]["num_experts"] is None


def test_a_size_that_counts_a_second_copy_is_kept_as_a_conflict() -> None:
    found = catalogue.checkpoint("openai/gpt-oss-120b").weight_bytes
    assert found is not None
    # 121.54 GiB: a catalogue that adds up every .safetensors file of the repository
    assert [other.value for other in found.others] == [pytest.approx(121.54 * 2**30, rel=1e-6)]


def test_names_tell_checkpoints_apart() -> None:
    names = [catalogue.checkpoint(id).name for id in catalogue.checkpoint_ids()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("id", catalogue.checkpoint_ids())
def test_a_checkpoint_is_consistent(id: str) -> None:
    """Between half a byte and four bytes and a bit for each parameter; a list of layers as long as the model says."""
    found = catalogue.checkpoint(id)
    if found.config_source.completeness != "yes":
        assert found.config_source.reason
    if found.weight_bytes and found.params_total:
        assert 0.5 < found.weight_bytes.value / found.params_total.value < 4.1
    text = found.config.get("text_config", found.config)
    for key in ("layer_types", "indexer_types", "mlp_layer_types"):
        if key in text:
            assert len(text[key]) == text["num_hidden_layers"]
