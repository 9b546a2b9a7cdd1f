"""Where in a config the language model stands."""

from __future__ import annotations

from sizing.memory.architecture import LeftOut
from sizing.memory.config.fields import Fields

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
        return top
    name, part = parts[0]
    if len(parts) > 1:
        raise top.contradiction(name, parts[1][0])
    for key in _TWICE:
        if top.has(key) and part.has(key) and top.optional_count(key, low=0) != part.optional_count(key, low=0):
            raise top.contradiction(key, f"{name}.{key}")
    if not any(part.has(inner) for inner in _TEXT_PARTS):
        return part
    if depth >= _DEPTH_MAX:
        raise top.unknown_value(name, part.table)
    return text_part(part, depth + 1)


def encoders_left_out(top: Fields) -> tuple[LeftOut, ...]:
    """Towers for images and sound that the cache figures do not hold."""
    return tuple(LeftOut("encoder_cache", name) for name in _ENCODERS if top.has(name))
