"""Layers for multi-token prediction: how many, and what each holds when speculative decoding runs."""

from __future__ import annotations

from sizing.memory.architecture import Layer
from sizing.memory.config.attention import Attention
from sizing.memory.config.fields import LAYER_COUNT, LAYERS_MAX, Fields
from sizing.memory.config.kinds import FULL, SLIDING

MTP_MAX = 64
_ATTENDS = {"attention": FULL, "full_attention": FULL, "sliding_attention": SLIDING, "*": FULL}


def mtp_count(fields: Fields) -> int:
    """Modules for multi-token prediction that the checkpoint holds. [-]"""
    if fields.has("num_mtp_modules") and not fields.has("num_nextn_predict_layers"):
        each = fields.optional_count("mtp_transformer_layers", low=0, high=MTP_MAX)
        return fields.count("num_mtp_modules", low=0, high=MTP_MAX) * (1 if each is None else each)
    names = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
    return fields.optional_count(*names, low=0, high=MTP_MAX) or 0


def mtp_layers(fields: Fields, attends: Attention | None) -> tuple[Layer, ...]:
    """The layers of all modules; one full layer each where the config does not list them."""
    count = mtp_count(fields)
    if attends is None or not count:
        return (Layer(),) * count
    index = fields.layer_count if fields.which(*LAYER_COUNT) else LAYERS_MAX
    layers = tuple(Layer(attends(index, kind)) if kind else Layer() for kind in _kinds(fields))
    return layers if fields.has("mtp_layer_types") or _padded(fields) else layers * count


def _padded(fields: Fields) -> bool:
    types = fields.get("layer_types") if fields.has("attention_other_setting") else None
    return isinstance(types, list) and len(types) > fields.layer_count


def _kinds(fields: Fields) -> list[str]:
    """Kind of each layer of one module (of all modules where the list names them all); "" keeps nothing."""
    if fields.has("mtp_layer_types"):
        words: tuple[str, ...] = fields.words("mtp_layer_types")
    elif fields.has("mtp_layers_block_type"):
        words = fields.words("mtp_layers_block_type")
    elif letters := fields.text("mtp_hybrid_override_pattern"):
        words = tuple(letters[:MTP_MAX])
    elif _padded(fields):
        words = fields.words("layer_types")[fields.layer_count :]
    else:
        return [SLIDING if fields.has("hybrid_layer_pattern") else FULL]
    return [_ATTENDS.get(word, "") for word in words[:MTP_MAX]]
