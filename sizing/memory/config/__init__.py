"""Reads a config.json as the Hub has it, from its fields alone, and refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.errors import SizingError
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.config.attention import attention, attention_heads
from sizing.memory.config.fields import LAYERS_MAX, TOKENS_MAX, Fields, show
from sizing.memory.config.kinds import FULL, NONE, PARALLEL, STATE
from sizing.memory.config.patterns import pattern
from sizing.memory.config.precision import declared_kv_dtype
from sizing.memory.config.states import state
from sizing.memory.config.whole import whole

# Where a multimodal config keeps its language model.
_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
)


def read_config(config: Mapping[str, Any], hf_quant_config: Mapping[str, Any] | None = None) -> Architecture:
    """What a model's config.json says about its cache.

    config: the file as a dict.   hf_quant_config: hf_quant_config.json as a dict, where the repository has one.
    Raises SizingError, with the key's name, for what is missing, contradictory or unknown.
    """
    for name, table in (("config.json", config), ("hf_quant_config.json", hf_quant_config)):
        if table is not None and not isinstance(table, Mapping):
            raise SizingError("config_not_object", input=name, value=show(table))
    top = Fields(config)
    text = next((part for name in _TEXT_PARTS if (part := top.table_at(name)) is not None), top)
    layers, heads, mtp = _layers(text)
    return Architecture(
        layers=layers,
        attention_heads=heads,
        declared_kv_dtype=declared_kv_dtype(top, text, hf_quant_config),
        max_context_tokens=min(
            (n for key in _CONTEXT_KEYS if (n := text.optional_count(key, high=TOKENS_MAX))), default=None
        ),
        mtp_layers=mtp,
        declared_state_dtype=text.text("mamba_ssm_dtype") or text.text("mamba_ssm_cache_dtype"),
        hidden_size=text.optional_count("hidden_size", "n_embd", "d_model"),
        vocab_size=text.optional_count("vocab_size", high=1 << 26),
        bidirectional_images=text.get("use_bidirectional_attention") == "vision",
    )


def _layers(fields: Fields) -> tuple[tuple[Layer, ...], int, tuple[Layer, ...]]:
    if (found := whole(fields)) is not None:
        mtp = (found.mtp_layer,) * _mtp_count(fields) if found.mtp_layer else ()
        return found.layers, found.heads, mtp
    kinds = pattern(fields)
    keeps_state = {STATE, PARALLEL} & set(kinds)
    recurrent = (state(fields),) if keeps_state else ()
    attends = attention(fields) if set(kinds) - {STATE, NONE} else None
    layers: list[Layer] = []
    for index, kind in enumerate(kinds):
        own = attends(index, FULL if kind == PARALLEL else kind) if attends and kind not in (STATE, NONE) else ()
        layers.append(Layer(own + (recurrent if kind in (STATE, PARALLEL) else ())))
    mtp_layer = Layer(attends(len(kinds), FULL)) if attends else Layer()
    return tuple(layers), attention_heads(fields) if attends else 0, (mtp_layer,) * _mtp_count(fields)


def _mtp_count(fields: Fields) -> int:
    if fields.has("num_mtp_modules"):
        each = fields.optional_count("mtp_transformer_layers", low=0, high=LAYERS_MAX) or 1
        return fields.count("num_mtp_modules", low=0, high=LAYERS_MAX) * each
    names = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
    return fields.optional_count(*names, low=0, high=LAYERS_MAX) or 0
