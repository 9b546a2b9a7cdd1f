"""The precision that a checkpoint declares for its cache, where the engine looks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.memory.architecture import LeftOut
from sizing.memory.config.fields import Fields

_WORDS = {"fp8": "fp8", "fp8_e4m3": "fp8", "nvfp4": "nvfp4"}


def quantization(top: Fields, text: Fields, hf_quant_config: Mapping[str, Any] | None) -> Fields | None:
    """The section that says how weights and cache are quantised; config.json comes before hf_quant_config.json."""
    for fields in (top, text):
        for name in ("quantization_config", "compression_config"):
            if (section := fields.table_at(name)) is not None:
                return section
    if hf_quant_config is None:
        return None
    return Fields(hf_quant_config, "hf_quant_config").table_at("quantization")


def cache_precision(
    top: Fields, text: Fields, hf_quant_config: Mapping[str, Any] | None
) -> tuple[str | None, tuple[LeftOut, ...]]:
    """The KV precision that the engine takes from the checkpoint, and what it overlooks.

    The engine reads a section in config.json and only without one hf_quant_config.json; a wish that stands where
    it does not look is named, not followed. Source: vllm-kv-rules.
    """
    section = quantization(top, text, hf_quant_config)
    said = _wish(section) if section is not None else None
    followed = said if section is None or _engine_reads(section, hf_quant_config) else None
    others: list[str | None] = [said] if said and not followed else []
    if hf_quant_config is not None:
        inner = Fields(hf_quant_config, "hf_quant_config").table_at("quantization")
        others.append(_wish(inner) if inner is not None else None)
    overlooked = next((wish for wish in others if wish and not followed), None)
    return followed, (LeftOut("kv_precision_unread", overlooked.upper()),) if overlooked else ()


def _engine_reads(section: Fields, hf_quant_config: Mapping[str, Any] | None) -> bool:
    """A wish in words counts only for a section that names its method, or a file that names its producer."""
    if section.has("quant_method"):
        return True
    alone = hf_quant_config if section.where.startswith("hf_quant_config") else None
    producer = (alone or {}).get("producer")
    return isinstance(producer, Mapping) and producer.get("name") == "modelopt"


def _wish(section: Fields) -> str | None:
    if isinstance(section.get("quantization"), Mapping):
        inner = section.table_at("quantization")
        if inner is not None and (said := _wish(inner)):
            return said
    for name in ("kv_cache_scheme", "kv_cache_quant_algo"):
        value = section.get(name)
        if value is None:
            continue
        if isinstance(value, str):
            if value.lower() not in _WORDS:
                raise section.unknown_value(name, value)
            return _WORDS[value.lower()]
        scheme = section.table_at(name)
        if scheme is None:
            continue
        bits, kind = scheme.get("num_bits"), scheme.get("type")
        if bits in (4, 8) and kind == "float" and isinstance(bits, int):
            return "fp8" if bits == 8 else "nvfp4"
        raise section.unknown_value(name, kind)
    return None
