"""Precisions that a checkpoint declares for its cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.errors import SizingError
from sizing.memory.config.fields import Fields, show


def declared_kv_dtype(top: Fields, text: Fields, hf_quant_config: Mapping[str, Any] | None) -> str | None:
    """The KV precision that the checkpoint asks for, or None."""
    for fields in (top, text):
        if (quantization := fields.table_at("quantization_config")) is not None and (said := _said(quantization)):
            return said
    if hf_quant_config is not None:
        quantization = Fields(hf_quant_config, "hf_quant_config").table_at("quantization")
        return _said(quantization) if quantization is not None else None
    return None


def _said(quantization: Fields) -> str | None:
    algo = quantization.text("kv_cache_quant_algo")
    if algo is not None:
        if algo.upper() in ("FP8", "NVFP4"):
            return algo.lower()
        raise quantization.unknown_value("kv_cache_quant_algo", algo)
    if isinstance(word := quantization.get("kv_cache_scheme"), str):
        if word.upper() in ("FP8", "NVFP4"):
            return word.lower()
        raise quantization.unknown_value("kv_cache_scheme", word)
    scheme = quantization.table_at("kv_cache_scheme")
    if scheme is None:
        return None
    if scheme.get("num_bits") == 8 and scheme.get("type") == "float":
        return "fp8"
    raise SizingError(
        "config_unknown_value", input=quantization.path("kv_cache_scheme"), value=show(scheme.get("type"))
    )
