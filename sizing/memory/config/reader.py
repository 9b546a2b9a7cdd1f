"""Reads a config.json as the Hub has it, from its fields alone, and refuses what it does not know."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.architecture import Architecture, Layer, LeftOut, Weighed, distinct
from sizing.memory.caches import FullAttention, SlidingWindow
from sizing.memory.config.attention import attention, attention_heads, mtp_count, mtp_layers
from sizing.memory.config.class_defaults import READS_TARGET, SILENT_WINDOW
from sizing.memory.config.declared import (
    cache_precision,
    encoders_left_out,
    max_context_tokens,
    quantization,
    text_part,
    without_exceptions,
)
from sizing.memory.config.fields import EXPERTS, FULL, NONE, PARALLEL, STATE, TOKENS_MAX, Fields, show
from sizing.memory.config.known_keys import refuse_unknown, refuse_unread
from sizing.memory.config.layers import check_lengths, pattern
from sizing.memory.config.model_types import known, pooled, turned_both_ways
from sizing.memory.config.other_files import name_other_file, no_object
from sizing.memory.config.states import declared, state
from sizing.memory.config.whole import Reading, whole
from sizing.memory.terms import Cache

_CHUNKS = ("mamba_chunk_size", "chunk_size")
# No model comes near these; a config beyond them is wrong. [bytes/token], [bytes]
_PER_TOKEN_MAX = 1 << 26
_FIXED_MAX = 1 << 36
_PASSES_MAX = 64


def read_config(config: Mapping[str, Any], hf_quant_config: Mapping[str, Any] | None = None) -> Architecture:
    """What a model's config.json says about its cache.

    config: the file as a dict.   hf_quant_config: hf_quant_config.json as a dict, where the repository has one.
    Raises SizingError, with the key's name, for what is missing, contradictory or unknown. Source: model-configs,
    vllm-kv-rules, and transformers-config for what classes assume where a config is silent.
    """
    if not isinstance(config, Mapping):
        raise no_object(config)
    if hf_quant_config is not None and not isinstance(hf_quant_config, Mapping):
        raise SizingError("config_not_object", input="hf_quant_config.json", value=show(hf_quant_config))
    top = Fields(config)
    name_other_file(config)
    text = text_part(top)
    reading, mtp = _read(text, top)
    if text is not top and any(layer.caches for layer in distinct(reading.layers)):
        refuse_unknown(top, text, outside=True)
    kv_dtype, unread = cache_precision(top, text, hf_quant_config)
    if any(cache.kind == "compressed" for layer in distinct(reading.layers) for cache in layer.caches):
        kv_dtype = kv_dtype or "fp8"  # the only record that the engine has for it
    packed = without_exceptions(quantization(top, text, hf_quant_config))
    architecture = Architecture(
        layers=reading.layers,
        attention_heads=reading.heads,
        declared_kv_dtype=kv_dtype,
        max_context_tokens=max_context_tokens(text),
        mtp_layers=mtp,
        left_out=(
            *_mark(top, text),
            *reading.left_out,
            *unread,
            *_left_out(text, reading, mtp),
            *encoders_left_out(top),
            *((LeftOut("weights_at_least", packed[:40]),) if packed else ()),
        ),
        declared_state_dtype=declared(text),
        hidden_size=text.optional_count("hidden_size", "n_embd", "d_model"),
        vocab_size=text.optional_count("vocab_size", "padded_vocab_size", high=1 << 26),
        bidirectional_images=text.get("use_bidirectional_attention") == "vision",
        model_type=text.model_type,
        state_chunk_tokens=next((n for key in _CHUNKS if (n := text.optional_count(key, high=1 << 16))), None),
        weigh=functools.partial(_weigh, top, text, reading, hf_quant_config),
        moe=any(text.table.get(key) not in (None, 0, False) for key in EXPERTS),
        read_from=(config, hf_quant_config),
    )
    return _sane(architecture)


def _mark(top: Fields, text: Fields) -> tuple[LeftOut, ...]:
    """What a reading rests on: a type that no release serves, a class for embeddings, a class's defaults."""
    marks: tuple[LeftOut, ...] = (
        () if known(top, text) else (LeftOut("type_unknown", (text.model_type or top.model_type)[:60]),)
    )
    if served := pooled(top, text):
        marks = (*marks, LeftOut("pooled", served[:60]))
    return (*marks, LeftOut("class_defaults", ", ".join(text.assumed))) if text.assumed else marks


def _read(fields: Fields, top: Fields) -> tuple[Reading, tuple[Layer, ...]]:
    if top.model_type in READS_TARGET:
        return Reading(
            (Layer(),) * fields.layer_count, attention_heads(fields), left_out=(LeftOut("target_cache"),)
        ), ()
    found = whole(fields, turned_both_ways(top, fields) or top.get("is_causal") is False)
    if found is not None:
        if any(layer.caches for layer in found.layers):
            refuse_unknown(fields, top)
            refuse_unread(fields)
        return found, (found.mtp_layer,) * mtp_count(fields)
    refuse_unknown(fields, top)
    kinds = pattern(fields)
    check_lengths(fields, len(kinds), mtp_count(fields))
    recurrent = (state(fields),) if {STATE, PARALLEL} & set(kinds) else ()
    attends = attention(fields) if set(kinds) - {STATE, NONE} else None
    again = _passes(fields)
    made: dict[tuple[str, int], tuple[object, Layer]] = {}  # layers of one make are one object
    layers: list[Layer] = []
    for index, kind in enumerate(kinds):
        own = attends(index, FULL if kind == PARALLEL else kind) if attends and kind not in (STATE, NONE) else ()
        if (same := made.get((kind, id(own)))) is None:
            caches = again(own + (recurrent if kind in (STATE, PARALLEL) else ()))
            same = made[kind, id(own)] = (own, Layer(caches))
        layers.append(same[1])
    mtp = mtp_layers(fields, attends)
    heads = attention_heads(fields) if attends else 0
    refuse_unread(fields)
    return Reading(tuple(layers), heads, kinds=kinds, recurrent=recurrent[0] if recurrent else None), mtp


def _passes(fields: Fields) -> Callable[[tuple[Cache, ...]], tuple[Cache, ...]]:
    """What a layer keeps when each token passes it more than once."""
    steps = fields.optional_count("total_ut_steps", high=_PASSES_MAX) or 1
    loops = fields.optional_count("loop_num", high=_PASSES_MAX) or 1
    if loops == 1:
        return lambda own: own * steps  # a cache for each step (Ouro)
    window = fields.count("loop_window_size", high=TOKENS_MAX)

    def loop(own: tuple[Cache, ...]) -> tuple[Cache, ...]:
        """The first pass attends to everything, the others to a window of their own (IQuest-Coder-Loop)."""
        if any(not isinstance(cache, FullAttention) for cache in own):
            raise fields.contradiction("loop_num", "loop_window_size")
        more = tuple(SlidingWindow(c.kv_heads, c.k_dim, c.v_dim, window) for c in own if isinstance(c, FullAttention))
        return (own + more * (loops - 1)) * steps

    return loop


def _weigh(top: Fields, text: Fields, reading: Reading, hf_quant_config: Mapping[str, Any] | None) -> Weighed | None:
    if reading.kinds is None:
        return None
    from sizing.memory.config.weights import weight_bytes  # most checkpoints state their size

    return weight_bytes(top, text, reading.kinds, reading.recurrent, hf_quant_config)


def _left_out(fields: Fields, reading: Reading, mtp: tuple[Layer, ...]) -> tuple[LeftOut, ...]:
    """What the cache figures assume or do not hold, for a person to know."""
    parts: list[LeftOut] = []
    caches = {cache for layer in distinct(reading.layers) for cache in layer.caches}
    if any(cache.kind in ("deltanet", "kda", "mamba1", "mamba2") for cache in caches) and declared(fields) is None:
        parts.append(LeftOut("state_precision", "mamba_ssm_dtype"))
    silent = "sliding_window" not in fields.table and "layer_types" not in fields.table
    if silent and fields.model_type in SILENT_WINDOW and caches:
        parts.append(LeftOut("window_not_stated", f"sliding_window ({SILENT_WINDOW[fields.model_type]:,})"))
    if any(layer.caches for layer in mtp):
        parts.append(LeftOut("mtp_cache", str(len(mtp))))
    return tuple(parts)


def _sane(architecture: Architecture) -> Architecture:
    terms = architecture.terms("bf16")[0]
    per_token = terms.growing_bytes_per_token + sum(rate for rate, _ in terms.windows)
    if per_token > _PER_TOKEN_MAX or terms.fixed_bytes > _FIXED_MAX:
        raise SizingError("config_absurd", input="config.json", per_token=per_token, fixed=terms.fixed_bytes)
    return architecture
