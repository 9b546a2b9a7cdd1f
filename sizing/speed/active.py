"""What one token needs of a model: the bytes of weights that must be read for it, and the parameters that work on it.

Lower bounds, since the physical limit rests on them: of the experts, those of one token only; no input embedding, of
which a token reads one row; no tower for images or sound; no module for multi-token prediction; of a cache that an
indexer picks from, nothing but what is read for certain. Source: model-configs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizing import catalogue
from sizing.errors import SizingError
from sizing.memory.architecture import Architecture
from sizing.memory.config import read_config
from sizing.memory.config.weights.feed_forward import EXPERTS
from sizing.memory.terms import Terms
from sizing.size import weights

_PICKED = ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k")
_BESIDE = ("vision_config", "audio_config", "sound_config", "num_nextn_predict_layers", "mtp_num_hidden_layers")
_TEXT = ("text_config", "llm_config", "language_config")
_FEED_FORWARD = ("intermediate_size", "ffn_dim", "n_inner", "decoder_ffn_dim", "block_configs")
_EMBEDDING_BYTES = 2
# Read whole at every step. A layer with an indexer reads what it picks, and a compressed cache reads a part.
_READ_WHOLE = ("full", "sliding", "chunked", "bounded", "cross", "latent")
_STATES = ("deltanet", "kda", "mamba1", "mamba2", "lightning")
_PICKERS = ("indexer", "block_indexer", "compressed")


@dataclass(frozen=True, slots=True)
class Active:
    """What one token needs.

    weight_bytes: read for it, of one copy. [bytes]   experts: picked for it and in a layer, None for a dense model.
    expert_bytes: of one expert in all layers, 0 where it is not known. [bytes]
    parameters: that multiply it, None where no source says. [-]
    how: "whole" all weights work on every token; "config" the share of the picked experts by the config;
    "parameters" by the publisher's count of active parameters.
    """

    weight_bytes: float
    experts: tuple[int, int] | None
    parameters: float | None
    how: str
    expert_bytes: float = 0.0

    def read_bytes(self, tokens: int) -> float:
        """Weights read for a batch whose tokens pick their experts evenly and apart from each other. [bytes]

        More than ``weight_bytes`` for a model with experts, and what to expect; yet no bound, since tokens may agree.
        """
        if self.experts is None:
            return self.weight_bytes
        picked, total = self.experts
        touched = total * (1 - (1 - picked / total) ** tokens)
        return self.weight_bytes + (touched - picked) * self.expert_bytes


def active(model: catalogue.Checkpoint) -> Active | None:
    """What one token needs of a model, None where neither config nor publisher tells. Kept with the model."""
    kept = model.architecture.derived
    if "active" not in kept:
        kept["active"] = _active(model)
    found: Active | None = kept["active"]
    return found


def _active(model: catalogue.Checkpoint) -> Active | None:
    try:
        whole, _ = weights(model)
    except SizingError:
        return None
    config: dict[str, Any] = {key: value for key, value in model.config.items() if key not in _BESIDE}
    nested = next((name for name in _TEXT if isinstance(config.get(name), Mapping)), None)
    text: dict[str, Any] = dict(config[nested]) if nested else config
    for key in _BESIDE:
        text.pop(key, None)
    experts = _experts(text)
    estimate = model.architecture.weight_bytes_estimate
    share, how = 1.0, "whole"
    if experts:
        name, _, picked = experts
        lean = _estimate({**config, nested: {**text, name: picked}} if nested else {**text, name: picked}, model)
        if lean and estimate and lean < estimate:
            share, how = lean / estimate, "config"
        elif model.params_active and model.params_total:
            share, how = model.params_active.value / model.params_total.value, "parameters"
        else:
            return None
    elif _thinned(model) and model.params_active and model.params_total:
        share, how = model.params_active.value / model.params_total.value, "parameters"
    elif model.architecture.moe or not any(key in text for key in _FEED_FORWARD):
        return None  # experts of an unknown number, or a config that is silent on the feed-forward part
    elif estimate and (lean := _estimate({**config, nested: text} if nested else text, model)):
        share = min(1.0, lean / estimate)
    vocabulary, width = model.architecture.vocab_size or 0, model.architecture.hidden_size or 0
    tied = text.get("tie_word_embeddings", config.get("tie_word_embeddings")) is True
    row = 0 if tied else vocabulary * width
    counted = model.params_active if experts or how == "parameters" else model.params_total
    return Active(
        weight_bytes=max(0.0, whole * share - row * _EMBEDDING_BYTES),
        experts=(experts[2], experts[1]) if experts else None,
        parameters=max(0.0, counted.value - row) if counted else None,
        how=how,
        expert_bytes=whole * (1 - share) / (experts[1] - experts[2]) if experts and experts[1] > experts[2] else 0.0,
    )


def _thinned(model: catalogue.Checkpoint) -> bool:
    """Fewer parameters work on a token than there are, whatever the config says of experts."""
    total, working = model.params_total, model.params_active
    return total is not None and working is not None and working.value < total.value * 0.9


def _experts(text: Mapping[str, Any]) -> tuple[str, int, int] | None:
    """Key of the number of experts, that number, and how many a token picks."""
    for name in EXPERTS:
        total = text.get(name)
        picked = next((text[key] for key in _PICKED if isinstance(text.get(key), int)), None)
        if isinstance(total, int) and total and picked and 0 < picked <= total:
            return name, total, picked
    return None


def _estimate(config: Mapping[str, Any], model: catalogue.Checkpoint) -> int | None:
    quantised = dict(model.hf_quant_config) if model.hf_quant_config is not None else None
    try:
        return read_config(config, quantised).weight_bytes_estimate
    except SizingError:
        return None


def cache_read(architecture: Architecture, kv_dtype: str, tp: int, pp: int) -> tuple[Terms, ...]:
    """What a step must read of one conversation's cache on one card of each pipeline stage."""
    key = ("cache_read", architecture.resolve_kv_dtype(kv_dtype), tp, pp)
    if key not in architecture.derived:
        architecture.derived[key] = tuple(_stage(architecture, stage, key[1], tp) for stage in architecture.stages(pp))
    found: tuple[Terms, ...] = architecture.derived[key]
    return found


def _stage(architecture: Architecture, stage: range, kv_dtype: str, tp: int) -> Terms:
    total = Terms()
    for index in stage:
        caches = architecture.layers[index].caches
        picks = any(cache.kind in _PICKERS for cache in caches)
        for cache in caches:
            if cache.kind in _STATES or (cache.kind in _READ_WHOLE and not picks):
                total += cache.terms(kv_dtype, tp)
    return total
