"""The longest context a config allows, as the engine derives it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from sizing.memory.architecture import LeftOut
from sizing.memory.config.class_defaults import CONTEXT_INCLUDES_SCALING
from sizing.memory.config.fields import LAYER_COUNT, TOKENS_MAX, Fields
from sizing.memory.config.model_types import defaults

_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
)
# Scalings that are not yet in the number of positions. The others state the stretched number.
_STRETCHING = ("linear", "dynamic")
_FACTOR_MAX = 10_000


def max_context_tokens(fields: Fields) -> int | None:
    """Tokens that the positions reach, stretched where the scaling says so; None where the config is silent."""
    stated = fields.optional_count("model_max_length", high=TOKENS_MAX)
    if stated is None:
        found = [tokens for key in _KEYS if (tokens := fields.optional_count(key, high=TOKENS_MAX))]
        if not found:
            return None
        stated = min(found)
    if fields.model_type in CONTEXT_INCLUDES_SCALING:
        return stated
    return min(int(stated * _stretch(fields)), TOKENS_MAX)


def _stretch(fields: Fields) -> float:
    for name in ("rope_scaling", "rope_parameters"):
        table = fields.get(name)
        if isinstance(table, dict):
            kind = table.get("rope_type", table.get("type"))
            factor: Any = table.get("factor")
            plain = isinstance(factor, (int, float)) and not isinstance(factor, bool)
            if kind in _STRETCHING and plain and 1 <= factor <= _FACTOR_MAX:
                return float(factor)
    return 1.0


# Where in a config the language model stands.

# Where a multimodal config keeps its language model.
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
# Encoders whose own caches and activations are not in the figures.
_ENCODERS = ("vision_config", "audio_config", "sound_config", "video_config", "visual_config", "vision_tower_config")
_DEPTH_MAX = 2
# What a flat copy beside the nested part must not contradict.
_TWICE = ("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "kv_lora_rank")


def text_part(top: Fields, depth: int = 0) -> Fields:
    """The object that describes the language model: a nested one, or the whole config."""
    parts = [(name, part) for name in _TEXT_PARTS if (part := top.table_at(name)) is not None]
    if not parts:
        return _by_class(top)
    name, part = parts[0]
    if len(parts) > 1:
        raise top.contradiction(name, parts[1][0])
    for key in _TWICE:
        if top.has(key) and part.has(key) and top.optional_count(key, low=0) != part.optional_count(key, low=0):
            raise top.contradiction(key, f"{name}.{key}")
    if not any(part.has(inner) for inner in _TEXT_PARTS):
        if "model_type" not in part.table and (named := defaults(top.model_type).get("text_config")):
            part = Fields({"model_type": named, **part.table}, part.where)
        return completed(part)
    if depth >= _DEPTH_MAX:
        raise top.unknown_value(name, part.table)
    return text_part(part, depth + 1)


def _by_class(top: Fields) -> Fields:
    """The language model of a config that leaves all of it to its class; else the whole config."""
    if any(name in top.table for name in (*LAYER_COUNT, "num_attention_heads", "hidden_size")):
        return top
    part = defaults(top.model_type).get("text_config")
    return completed(Fields({"model_type": part}, "text_config")) if part else top


def completed(part: Fields) -> Fields:
    """A part that leaves its layers to its class, with what the class takes for them.

    Classes write a part of a config as its differences from their defaults; nobody leaves out layers by oversight.
    """
    if any(name in part.table for name in LAYER_COUNT):
        return part
    filled = {
        key: value for key, value in defaults(part.model_type).items() if key not in part.table and key != "text_config"
    }
    if "num_hidden_layers" not in filled:
        return part
    whole = Fields({**part.table, **filled}, part.where)
    whole.assumed = tuple(sorted(filled))
    return whole


def encoders_left_out(top: Fields) -> tuple[LeftOut, ...]:
    """Towers for images and sound that the cache figures do not hold."""
    return tuple(LeftOut("encoder_cache", name) for name in _ENCODERS if top.has(name))


# The precision that a checkpoint declares for its cache, where the engine looks for it.

_WORDS = {"fp8": "fp8", "fp8_e4m3": "fp8", "nvfp4": "nvfp4"}


def quantization(top: Fields, text: Fields, hf_quant_config: Mapping[str, Any] | None) -> Fields | None:
    """The section that says how weights and cache are quantised; config.json comes before hf_quant_config.json."""
    for fields in (top, text):
        for name in ("quantization_config", "compression_config"):
            if (section := fields.table_at(name)) is not None:
                return section
    return beside(hf_quant_config)


def beside(hf_quant_config: Mapping[str, Any] | None) -> Fields | None:
    """The section of hf_quant_config.json."""
    return None if hf_quant_config is None else Fields(hf_quant_config, "hf_quant_config").table_at("quantization")


EXCEPTIONS = ("modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers")


def without_exceptions(section: Fields | None) -> str:
    """The one 4-bit format that a section names for every matrix, with no list of what is left unpacked; else ""."""
    inner = section.table_at("quantization") if section is not None else None
    section = inner or section
    word = section.text("quant_algo") if section is not None else None
    if section is None or not word or "FP4" not in word.upper() or section.has("quantized_layers"):
        return ""
    return "" if any(section.has(name) for name in EXCEPTIONS) else word


# What a section on quantisation holds under its names; what stands in quantized_layers is many, and read with weights.
_GROUP_MAX = 1 << 16
_KIND_OF = {
    **dict.fromkeys(("bits", "num_bits", "group_size"), "whole"),
    **dict.fromkeys(("desc_act", "zero_point", "symmetric", "sym"), "flag"),
    **dict.fromkeys(
        ("quant_method", "quant_algo", "moe_quant_algo", "format", "strategy", "type", "scale_fmt"), "text"
    ),
    **dict.fromkeys((*EXCEPTIONS, "targets"), "list"),
    **dict.fromkeys(("weight_block_size", "block_structure"), "wholes"),
    **dict.fromkeys(("config_groups", "weights", "input_activations", "output_activations", "quantization"), "object"),
    "quantized_layers": "shallow",
}
_GROUPS_MAX = 64


def check_types(section: Fields, depth: int = 0) -> None:
    """Raise SizingError for the first value of a section on quantisation that is not of its kind."""
    for name, value in list(section.table.items())[:_GROUPS_MAX]:
        kind = _KIND_OF.get(name)
        if kind is None or value is None:
            continue
        if kind == "whole":
            section.count(name, low=-1, high=_GROUP_MAX)
        elif kind == "flag":
            section.flag(name)
        elif kind == "text":
            section.text(name)
        elif kind == "wholes":
            section.counts(name, longest=8, high=1 << 20)
        elif kind == "list":
            section.items(name, longest=sys.maxsize)
        else:
            inner = section.table_at(name)
            if inner is not None and kind == "object" and depth < _DEPTH_MAX:
                check_types(inner, depth + 1)
                if name == "config_groups":
                    for group in list(inner.table)[:_GROUPS_MAX]:
                        if isinstance(group, str) and (part := inner.table_at(group)) is not None:
                            check_types(part, depth + 1)


def cache_precision(
    top: Fields, text: Fields, hf_quant_config: Mapping[str, Any] | None
) -> tuple[str | None, tuple[LeftOut, ...]]:
    """The KV precision that the engine takes from the checkpoint, and what it overlooks.

    The engine reads a section in config.json and only without one hf_quant_config.json; a wish that stands where
    it does not look is named, not followed. Source: vllm-kv-rules.
    """
    section = quantization(top, text, hf_quant_config)
    for each in (section, beside(hf_quant_config)):
        if each is not None:
            check_types(each)
    said = _wish(section) if section is not None else None
    followed = said if section is None or _engine_reads(section, hf_quant_config) else None
    others: list[str | None] = [said] if said and not followed else []
    if hf_quant_config is not None:
        inner = beside(hf_quant_config)
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
