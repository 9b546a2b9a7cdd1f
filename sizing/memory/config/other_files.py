"""Files that are no model's config.json but are taken for one: each is named as what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.config.fields import LAYER_COUNT, show

# (what it is, as in error.config_is_<kind>; keys of which one is enough). Source: the libraries that write them.
_CERTAIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("adapter", ("peft_type",)),
    ("pipeline", ("_diffusers_version",)),
    ("index", ("weight_map",)),
    ("gguf", ("general.architecture",)),
)
# The same, where nothing in the file describes layers.
_LIKELY: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("adapter", ("lora_alpha", "adapter_config")),
    ("pipeline", ("_class_name",)),
    ("tokenizer", ("tokenizer_class", "added_tokens_decoder", "added_tokens", "chat_template", "model_max_length")),
    ("processor", ("image_processor_type", "feature_extractor_type", "processor_class", "image_mean")),
    ("sentences", ("__version__", "similarity_fn_name", "pooling_mode_mean_tokens", "max_seq_length")),
    ("generation", ("do_sample", "temperature", "top_p", "max_new_tokens", "_from_model_config")),
    ("quantization", ("quantization", "producer", "quant_method")),
)
# Encoders of images or sound by themselves: what cuts their input up, in a file without words.
_TOWERS = (("patch_size", "image_size"), ("patch_size", "num_channels"), ("conv_dim", "conv_stride"))
_POINTERS = ("base_model_name_or_path", "base_model", "base_model_name", "model_name_or_path", "_name_or_path", "model")
_LAYERS = (*LAYER_COUNT, "text_config", "decoder_layers", "layer_types", "layers_block_type", "thinker_config")
_WIDTHS = ("hidden_size", "num_attention_heads", "d_model", "n_embd", "dim")
_NAME_MAX = 120


def name_other_file(config: Mapping[str, Any]) -> None:
    """Raise SizingError for a file of another kind, with whose config.json is needed where the file says so."""
    _raise(_CERTAIN, config)
    own_parts = any(isinstance(part, Mapping) and not part.keys().isdisjoint(_LAYERS) for part in config.values())
    words = "vocab_size" in config and "conv_dim" not in config
    if not own_parts and not words and any(all(key in config for key in keys) for keys in _TOWERS):
        raise SizingError("config_is_tower", input="config.json")
    if not config or any(key in config for key in (*_LAYERS, *_WIDTHS)):
        return
    if own_parts:
        return
    _raise(_LIKELY, config)
    if base := _base(config):
        raise SizingError("config_is_pointer", input="config.json", base=base)


def no_object(config: object) -> SizingError:
    """The error for what is no object at all: sentence-transformers keeps its modules in a list."""
    if isinstance(config, list) and config and all(isinstance(item, Mapping) and "type" in item for item in config):
        return SizingError("config_is_sentences", input="config.json")
    return SizingError("config_not_object", input="config.json", value=show(config))


def _raise(kinds: tuple[tuple[str, tuple[str, ...]], ...], config: Mapping[str, Any]) -> None:
    for kind, marks in kinds:
        if any(key in config for key in marks):
            base = _base(config)
            named = "adapter_of" if kind == "adapter" and base else kind
            raise SizingError(f"config_is_{named}", input="config.json", base=base)


def _base(config: Mapping[str, Any]) -> str:
    found = (config.get(name) for name in _POINTERS)
    return next((text[:_NAME_MAX] for text in found if isinstance(text, str) and text), "")
