"""Layers that hold two attention blocks each, around a shortcut to the experts (LongCat)."""

from __future__ import annotations

from sizing.memory.architecture import Layer
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.attention.latent import latent
from sizing.memory.config.fields import LAYERS_MAX, Fields
from sizing.memory.config.kinds import FULL
from sizing.memory.config.whole.reading import Reading


def shortcut_pairs(fields: Fields) -> Reading | None:
    """Two latent caches a layer; such configs count layers as num_layers and have experts that do nothing."""
    if not fields.has("zero_expert_num", "num_layers"):
        return None
    attends = latent(fields)
    if attends is None:
        raise fields.missing("kv_lora_rank")
    pairs = fields.count("num_layers", high=LAYERS_MAX // 2)
    blocks = fields.optional_count("num_hidden_layers", high=LAYERS_MAX) or 2 * pairs
    if blocks != 2 * pairs:
        raise fields.contradiction("num_hidden_layers", "num_layers")
    one = attends(0, FULL)
    return Reading((Layer(one + one),) * pairs, attention_heads(fields), Layer(one))
