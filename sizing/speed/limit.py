"""The physical limit: no step is faster than its bytes through the memory, its arithmetic, or its traffic on the slot.

The three may overlap, so the slowest of them is the bound, not their sum. Source: hardware-notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing import catalogue
from sizing.base import units
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.working import Step, derive
from sizing.catalogue.amounts import weights
from sizing.memory.architecture import Architecture
from sizing.memory.config.fields import EXPERTS
from sizing.memory.config.reader import read_config
from sizing.memory.terms import Terms
from sizing.speed.tables import tables

# What one token needs of a model: the bytes of weights that must be read for it, and the parameters that work on it.
# Lower bounds, since the physical limit rests on them: of the experts, those of one token only; no input embedding,
# of which a token reads one row; no tower for images or sound; no module for multi-token prediction; of a cache that
# an indexer picks from, nothing but what is read for certain. Source: model-configs.

_PICKED = ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k")
_BESIDE = ("vision_config", "audio_config", "sound_config", "num_nextn_predict_layers", "mtp_num_hidden_layers")
_TEXT = ("text_config", "llm_config", "language_config")
_FEED_FORWARD = ("intermediate_size", "ffn_dim", "n_inner", "decoder_ffn_dim", "block_configs")
_EMBEDDING_BYTES = 2


@dataclass(frozen=True)
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
        few = {**text, **{name: experts[1] for name in EXPERTS if text.get(name)}}  # some files count in two spellings
        lean = _estimate({**config, nested: few} if nested else few, model)
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
        experts=(experts[1], experts[0]) if experts else None,
        parameters=max(0.0, counted.value - row) if counted else None,
        how=how,
        expert_bytes=whole * (1 - share) / (experts[0] - experts[1]) if experts and experts[0] > experts[1] else 0.0,
    )


def _thinned(model: catalogue.Checkpoint) -> bool:
    """Fewer parameters work on a token than there are, whatever the config says of experts."""
    total, working = model.params_total, model.params_active
    return total is not None and working is not None and working.value < total.value * 0.9


def _experts(text: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many experts there are, and how many a token picks."""
    for name in EXPERTS:
        total = text.get(name)
        picked = next((text[key] for key in _PICKED if isinstance(text.get(key), int)), None)
        if isinstance(total, int) and total and picked and 0 < picked <= total:
            return total, picked
    return None


def _estimate(config: Mapping[str, Any], model: catalogue.Checkpoint) -> int | None:
    quantised = dict(model.hf_quant_config) if model.hf_quant_config is not None else None
    try:
        return read_config(config, quantised).weight_bytes_estimate
    except SizingError:
        return None


def cache_read(architecture: Architecture, kv_dtype: str, tp: int, pp: int) -> tuple[Terms, ...]:
    """What a step must read of one conversation's cache on one card of each pipeline stage.

    A layer with an indexer reads what it picks, and a compressed cache reads a part, so that neither counts.
    """
    key = ("cache_read", architecture.resolve_kv_dtype(kv_dtype), tp, pp)
    if key not in architecture.derived:
        architecture.derived[key] = tuple(_stage(architecture, stage, key[1], tp) for stage in architecture.stages(pp))
    found: tuple[Terms, ...] = architecture.derived[key]
    return found


def _stage(architecture: Architecture, stage: range, kv_dtype: str, tp: int) -> Terms:
    total = Terms()
    for index in stage:
        caches = architecture.layers[index].caches
        picks = any(cache.picks for cache in caches)
        for cache in caches:
            if cache.read_whole and (cache.is_state or not picks):
                total += cache.terms(kv_dtype, tp)
    return total


_ARITHMETIC = ("fp4", "fp8", "bf16")
# Sums of a token are passed in 16 bit, twice a layer: after attention and after the feed-forward part.
_SUM_BYTES = 2
_SUMS_PER_LAYER = 2
_FLOPS_PER_PARAMETER = 2
SOURCE = "hardware-notes"


@dataclass(frozen=True)
class Bound:
    """The parts of one bound, of which the largest counts. A part is 0 where nothing is known of it. [ms]"""

    memory_ms: float
    compute_ms: float
    link_ms: float

    @property
    def ms(self) -> float:
        """The bound. [ms]"""
        return max(self.memory_ms, self.compute_ms, self.link_ms)

    @property
    def by(self) -> str:
        """Which part it is: "memory", "compute" or "link"."""
        return max((("memory", self.memory_ms), ("compute", self.compute_ms), ("link", self.link_ms)), key=_second)[0]


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


@dataclass(frozen=True)
class PhysicalLimit:
    """The bounds of a model on a group of ``tp`` x ``pp`` cards.

    bandwidth_gb_s: of one card's memory. [GB/s]   tflops: the fastest arithmetic its weights can run in, None where
    no source states one. [TFLOPS]   link_gb_s: between cards, one direction. [GB/s]   link: "pcie" or the link's kind.
    """

    card: catalogue.Card
    architecture: Architecture
    needs: Active
    kv_dtype: str
    tp: int
    pp: int
    bandwidth_gb_s: float
    tflops: float | None
    link_gb_s: float | None
    link: str
    dcp: int = 1

    def decode(self, requests: int, context_tokens: int, *, spread: bool = False) -> Bound:
        """One decoding step of a batch; with stages, one pass of the batch through all of them. [ms]

        spread: the batch's tokens pick different experts, as they will; without it, the bound that always holds.
        """
        cache = sum(terms.bytes(context_tokens) for terms in cache_read(*self._cache))
        weights = self.needs.read_bytes(requests) if spread else self.needs.weight_bytes
        read = weights / self.tp + requests * cache / self.dcp
        return Bound(
            memory_ms=_ms(read, self.bandwidth_gb_s),
            compute_ms=self._compute_ms(requests) if self.pp == 1 else 0.0,
            link_ms=self._link_ms(requests),
        )

    def prefill(self, prompt_tokens: int, *, spread: bool = False) -> Bound:
        """One prompt worked through. The work of attention is left out, so long prompts take longer. [ms]"""
        weights = self.needs.read_bytes(prompt_tokens) if spread else self.needs.weight_bytes
        return Bound(
            memory_ms=_ms(weights / self.tp / self.pp, self.bandwidth_gb_s),
            compute_ms=self._compute_ms(prompt_tokens),
            link_ms=self._link_ms(prompt_tokens) / self.pp,
        )

    @property
    def _cache(self) -> tuple[Architecture, str, int, int]:
        return self.architecture, self.kv_dtype, self.tp, self.pp

    def _compute_ms(self, tokens: int) -> float:
        if not self.tflops or not self.needs.parameters:
            return 0.0
        work = _FLOPS_PER_PARAMETER * self.needs.parameters * tokens / (self.tp * self.pp)
        return work / (self.tflops * units.GB)  # a TFLOPS is 1e12 a second, or 1e9 a millisecond

    def _link_ms(self, tokens: int) -> float:
        if self.tp == 1 or not self.link_gb_s or not self.architecture.hidden_size:
            return 0.0
        sums = _SUMS_PER_LAYER * len(self.architecture.layers) * self.architecture.hidden_size * _SUM_BYTES
        return _ms(2 * (self.tp - 1) / self.tp * sums * tokens, self.link_gb_s)

    def step(self, requests: int, context_tokens: int) -> Step:
        """The memory's part of a decoding step, to be recomputed."""
        cache = sum(terms.bytes(context_tokens) for terms in cache_read(*self._cache))
        bandwidth = self.card.memory_bandwidth_gb_s
        return derive(
            "limit_decode_ms",
            "(active_weight_bytes / tp + conversations_per_copy * cache_bytes_per_card)"
            " / (bandwidth_gb_s * 10 ** 9) * 1000",
            "ms",
            SOURCE,
            active_weight_bytes=(self.needs.weight_bytes, "bytes", "model-configs"),
            tp=(self.tp, "", "input"),
            conversations_per_copy=(requests, "", "step"),
            cache_bytes_per_card=(cache, "bytes", "model-configs"),
            bandwidth_gb_s=(self.bandwidth_gb_s, "GB/s", bandwidth.source),
        )


def _ms(num_bytes: float, gb_s: float) -> float:
    return units.gb(num_bytes) / gb_s * 1000


def limit(
    card: catalogue.Card, model: catalogue.Checkpoint, *, kv_dtype: str, tp: int, pp: int, dcp: int = 1
) -> PhysicalLimit | None:
    """The limit of a model on ``tp`` x ``pp`` cards, None where nothing says what a token reads.

    dcp: cards of the TP group that share out a conversation's cache among them. [-]
    """
    needs = active(model)
    if needs is None:
        return None
    rate, kind = _link(card, tp)
    return PhysicalLimit(
        card=card,
        architecture=model.architecture,
        needs=needs,
        kv_dtype=kv_dtype,
        tp=tp,
        pp=pp,
        bandwidth_gb_s=card.memory_bandwidth_gb_s.value,
        tflops=_tflops(card, model.weight_format),
        link_gb_s=rate,
        link=kind,
        dcp=dcp,
    )


def _tflops(card: catalogue.Card, weight_format: str) -> float | None:
    """Dense arithmetic of the format, or of the next wider one that the card has."""
    named = tables().formats.get(weight_format)
    if named is None:
        return None
    wider = _ARITHMETIC[_ARITHMETIC.index(named.compute) :]
    for precision in wider:
        if (figure := getattr(card, f"{precision}_tflops")) is not None:
            return float(figure.value)
    return None


def _link(card: catalogue.Card, tp: int) -> tuple[float | None, str]:
    """One direction between the cards of a group [GB/s], and what it is."""
    link = card.link
    if link is not None and link.gb_s is not None and (link.largest_group is None or tp <= link.largest_group):
        return link.gb_s.value / 2, link.kind
    if card.pcie is None:
        return None, "pcie"
    rate = tables().pcie_gb_s.get(card.pcie.generation)
    lanes = card.pcie.lanes or tables().pcie_lanes
    return (None if rate is None else rate * lanes / tables().pcie_lanes), "pcie"


def other_bandwidths(card: catalogue.Card) -> tuple[tuple[float, str, str], ...]:
    """Conflicting figures for the card's memory bandwidth: value [GB/s], source, reason."""
    return tuple((each.value, each.source, each.reason) for each in card.memory_bandwidth_gb_s.others)
