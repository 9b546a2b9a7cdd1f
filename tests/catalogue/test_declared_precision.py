"""Checkpoints that ask for an FP8 cache: the engine's own code resolves "auto" to FP8 for each of them."""

from __future__ import annotations

import pytest

from sizing import catalogue

# kv_cache_quant_algo FP8 in hf_quant_config.json by the producer "modelopt", read 2026-11-30; for Qwen3-235B the
# engine's own functions gave fp8_e4m3 under "auto".
ASK_FOR_FP8 = (
    "nvidia/Qwen3-235B-A22B-NVFP4",
    "nvidia/Llama-3.1-70B-Instruct-FP8",
    "nvidia/DeepSeek-V3.1-NVFP4",
    "nvidia/DeepSeek-V3.2-NVFP4",
    "nvidia/GLM-5-NVFP4",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4",
    "nvidia/Qwen3.6-27B-NVFP4",
    "nvidia/DeepSeek-V4-Flash-NVFP4",
)


@pytest.mark.parametrize("checkpoint", ASK_FOR_FP8)
def test_auto_means_fp8_where_the_checkpoint_asks_for_it(checkpoint: str) -> None:
    architecture = catalogue.checkpoint(checkpoint).architecture
    assert architecture.resolve_kv_dtype("auto") == "fp8"
    assert "kv_precision_unread" not in {part.key for part in architecture.left_out}


def test_fp8_weights_alone_do_not_ask_for_an_fp8_cache() -> None:
    for checkpoint in ("nvidia/Llama-3.3-70B-Instruct-FP8", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3.8-27B-FP8"):
        assert catalogue.checkpoint(checkpoint).architecture.resolve_kv_dtype("auto") == "bf16"


# By hand from the files' own sections on quantisation, read whole: bytes of the same files' weights.
@pytest.mark.parametrize(
    ("checkpoint", "weight_bytes"),
    [
        ("nvidia/Qwen3.6-27B-NVFP4", 21_921_428_072),
        ("nvidia/Qwen3.6-35B-A3B-NVFP4", 23_407_580_856),
        ("nvidia/DeepSeek-V4-Flash-NVFP4", 168_282_305_056),
    ],
)
def test_a_shortened_section_gives_what_the_whole_file_gives(checkpoint: str, weight_bytes: int) -> None:
    estimate = catalogue.checkpoint(checkpoint).architecture.weight_bytes_estimate
    assert estimate == pytest.approx(weight_bytes, rel=0.002)
