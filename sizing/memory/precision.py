"""Precisions of the KV cache and what one element takes."""

from __future__ import annotations

from typing import Literal

KvDtype = Literal["bf16", "fp8", "nvfp4"]
KV_DTYPES: tuple[str, ...] = ("auto", "bf16", "fp8", "nvfp4")

# nvfp4: half a byte a value and one FP8 scale for each 16 values (source: vllm-kv-rules, page bytes per layer).
ELEMENT_BYTES: dict[str, float] = {"bf16": 2.0, "fp8": 1.0, "nvfp4": 0.5 + 1 / 16}
