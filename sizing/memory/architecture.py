"""Architecture: what a config.json says about the cache, layer by layer.

Made by ``sizing.memory.config.read_config``; everything that sizes memory starts from it.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.numbers import is_whole
from sizing.memory.terms import ALSO, KV_DTYPES, Cache, Terms


@dataclass(frozen=True)
class Layer:
    """One layer and the caches it owns; none where it has no attention or uses another layer's cache.

    caches: one entry for most layers, two for latent attention with an indexer or a parallel Mamba.
    """

    caches: tuple[Cache, ...] = ()


def distinct(layers: tuple[Layer, ...]) -> Collection[Layer]:
    """The layers that are objects of their own: readers make layers of one make once."""
    return dict(zip(map(id, layers), layers, strict=True)).values()


@dataclass(frozen=True)
class LayerGroup(Shown, facts=("count", "kind", "caches")):
    """Layers with the same caches, for a map of the model.

    kind: kinds of cache joined by "+" ("full", "latent+indexer"), "none" where the layers keep nothing.
    count: how many layers. [-]
    """

    kind: str
    count: int
    caches: tuple[Cache, ...]

    def __str__(self) -> str:
        return f"{self.count} {self.kind}"


@dataclass(frozen=True)
class LeftOut(Shown, facts=("key", "detail")):
    """A part of a checkpoint that the figures do not hold.

    key: names the sentence ``left_out.<key>``.   detail: the config keys or the size it is about.
    """

    key: str
    detail: str = ""


@dataclass(frozen=True)
class Weighed:
    """Weights as a config implies them. total: of the checkpoint.   experts: of its routed experts. [bytes]"""

    total: int
    experts: int


@dataclass(frozen=True)
class Architecture(
    Shown,
    facts=(
        "model_type",
        "groups",
        "attention_heads",
        "model_dtype",
        "declared_kv_dtype",
        "max_context_tokens",
        "growing_bytes_per_token",
        "windowed_bytes_per_token",
        "fixed_bytes",
        "weight_bytes_estimate",
    ),
    lists=("groups", "left_out"),
):
    """Cache geometry of one model.

    layers: every layer in the order of the model.
    attention_heads: query heads, which TP must divide; 0 where the model has none. [-]
    model_dtype: precision of an undeclared KV cache. "bf16" also stands for fp16.
    declared_kv_dtype: precision the checkpoint asks for ("fp8"), or None.
    max_context_tokens: longest context by the config, None where it does not say. [tokens]
    mtp_layers: layers for multi-token prediction, which hold a cache only when speculative decoding runs.
    left_out: parts that these figures do not hold.
    declared_state_dtype: precision that the config names for a recurrent state ("float32"), None where it is silent.
    hidden_size, vocab_size: width of the model and of its output, None where the config does not say. [-]
    bidirectional_images: tokens of one image attend to each other both ways.
    model_type: the config's own word for its class, which engines look up their defaults by; "" where it has none.
    moe: layers with experts.
    state_chunk_tokens: tokens that a Mamba kernel takes at a time, None where the config does not say. [tokens]
    weigh: estimates the weights, where that is asked for.
    read_from: the config and the quantisation's that it was read from.
    """

    layers: tuple[Layer, ...]
    attention_heads: int = 0
    model_dtype: str = "bf16"
    declared_kv_dtype: str | None = None
    max_context_tokens: int | None = None
    mtp_layers: tuple[Layer, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    declared_state_dtype: str | None = None
    hidden_size: int | None = None
    vocab_size: int | None = None
    bidirectional_images: bool = False
    model_type: str = ""
    moe: bool = False
    state_chunk_tokens: int | None = None
    weigh: Callable[[], Weighed | None] | None = field(default=None, repr=False, compare=False)
    read_from: tuple[Mapping[str, Any], Mapping[str, Any] | None] | None = field(
        default=None, repr=False, compare=False
    )

    @functools.cached_property
    def _weighed(self) -> Weighed | None:
        return self.weigh() if self.weigh else None

    @property
    def weight_bytes_estimate(self) -> int | None:
        """Weights as the config implies them, None where it cannot be told. [bytes]"""
        return self._weighed.total if self._weighed else None

    @property
    def expert_weight_share(self) -> float | None:
        """Part of them that is routed experts, which expert parallelism splits; None likewise. [-]"""
        return self._weighed.experts / self._weighed.total if self._weighed else None

    @property
    def groups(self) -> tuple[LayerGroup, ...]:
        """Layers with the same caches together, in order of first appearance."""
        counts: dict[tuple[Cache, ...], int] = {}
        for layer in self.layers:
            counts[layer.caches] = counts.get(layer.caches, 0) + 1
        return tuple(
            LayerGroup("+".join(cache.kind for cache in caches) or "none", count, caches)
            for caches, count in counts.items()
        )

    @functools.cached_property
    def _caches(self) -> frozenset[Cache]:
        return frozenset(cache for layer in self.layers for cache in layer.caches)

    @functools.cached_property
    def _memo(self) -> dict[tuple[str, int, int], tuple[Terms, ...]]:
        return {}

    @functools.cached_property
    def derived(self) -> dict[Any, Any]:
        """Where other parts keep what they work out from this model, so that it is worked out once."""
        return {}

    def resolve_kv_dtype(self, kv_dtype: str) -> str:
        """The precision that a choice means: "auto" is what the checkpoint declares, else the model's own."""
        kv_dtype = ALSO.get(kv_dtype, kv_dtype)
        if kv_dtype not in KV_DTYPES:
            raise SizingError("kv_dtype_unknown", input="kv_dtype", value=kv_dtype, known=", ".join(KV_DTYPES))
        return (self.declared_kv_dtype or self.model_dtype) if kv_dtype == "auto" else kv_dtype

    def stages(self, pp: int) -> tuple[range, ...]:
        """Layers of each pipeline stage. A remainder goes one each to the stages before the last (as vLLM does)."""
        count = len(self.layers)
        if not 1 <= pp <= count:
            raise SizingError("pp_out_of_range", input="pp", value=pp, layers=count)
        sizes = [count // pp] * pp
        for back in range(2, count % pp + 2):
            sizes[-back] += 1
        ends = [sum(sizes[: i + 1]) for i in range(pp)]
        return tuple(range(end - size, end) for size, end in zip(sizes, ends, strict=True))

    def terms(self, kv_dtype: str = "auto", tp: int = 1, pp: int = 1) -> tuple[Terms, ...]:
        """What one conversation takes on one card of each pipeline stage."""
        key = (self.resolve_kv_dtype(kv_dtype), tp, pp)
        if key not in self._memo:
            self._memo[key] = tuple(self._stage_terms(stage, key[0], tp) for stage in self.stages(pp))
        return self._memo[key]

    def _stage_terms(self, stage: range, kv_dtype: str, tp: int) -> Terms:
        layers = self.layers[stage.start : stage.stop]
        alike = Counter(map(id, layers))
        counts: dict[Cache, int] = {}
        for layer in distinct(layers):
            for cache in layer.caches:
                counts[cache] = counts.get(cache, 0) + alike[id(layer)]
        total = Terms()
        for cache, count in counts.items():
            total += cache.terms(kv_dtype, tp).times(count)
        return total

    def kv_bytes(self, context_tokens: int, kv_dtype: str = "bf16", tp: int = 1, pp: int = 1) -> int:
        """Cache of one conversation on the fullest card. [bytes]

        context_tokens: tokens that the conversation holds. [tokens]
        tp, pp: cards a layer is split over, and stages the layers are dealt to. [-]
        """
        for name, value, low in (("context_tokens", context_tokens, 0), ("tp", tp, 1), ("pp", pp, 1)):
            if not is_whole(value) or value < low:
                raise SizingError("not_a_count", input=name, value=value, low=low)
        if self.tp_obstacle(int(tp)):
            raise SizingError("tp_refused", input="tp", value=tp, heads=self.attention_heads)
        tokens = int(context_tokens)
        return max(math.ceil(terms.bytes(tokens)) for terms in self.terms(kv_dtype, int(tp), int(pp)))

    def tp_obstacle(self, tp: int) -> str:
        """Key of the reason (``reason.<key>``) why ``tp`` cards cannot split a copy, or "" where they can."""
        if tp == 1:
            return ""
        if self.attention_heads % tp:
            return "heads_not_divisible"
        for cache in self._caches:
            if obstacle := cache.tp_obstacle(tp):
                return obstacle
        return ""

    @property
    def growing_bytes_per_token(self) -> float:
        """Growth for each token at the model's own precision, 16 bit for nearly all. [bytes/token]"""
        return self.terms(self.model_dtype)[0].growing_bytes_per_token

    @property
    def windowed_bytes_per_token(self) -> float:
        """Growth for each token inside the windows, at the model's own precision. [bytes/token]"""
        return math.fsum(rate for rate, _ in self.terms(self.model_dtype)[0].windows)

    @property
    def fixed_bytes(self) -> int:
        """What a conversation takes whatever its context, at the model's own precision. [bytes]"""
        return self.terms(self.model_dtype)[0].fixed_bytes


# What speculative decoding adds to a copy: the cache of the layers that draft, and a draft model's weights.


@dataclass(frozen=True)
class Speculation:
    """The layers that draft. They stand on the last stage of a pipeline.

    layers: the model's own prediction layers, or those of a draft model.
    weights_bytes: of a draft model; the model's own prediction layers are part of its checkpoint. [bytes]
    states: layers whose recurrent state the engine keeps once more for each drafted token, to step back to.
    """

    layers: tuple[Layer, ...] = ()
    weights_bytes: float = 0.0
    states: tuple[Layer, ...] = ()

    def terms(self, kv_dtype: str, tp: int) -> Terms:
        """Cache of one conversation in these layers, on one card of a group of ``tp``."""
        total = Terms()
        for layer in self.layers:
            for cache in layer.caches:
                total += cache.terms(kv_dtype, tp)
        return total + self._more_states(kv_dtype, tp)

    def _more_states(self, kv_dtype: str, tp: int) -> Terms:
        total = Terms()
        for layer in self.states:
            for cache in layer.caches:
                total += Terms(fixed_bytes=cache.terms(kv_dtype, tp).fixed_bytes)
        return total


NONE = Speculation()


def speculation(architecture: Architecture, tokens: int, draft: Architecture | None, draft_bytes: float) -> Speculation:
    """What drafting ``tokens`` at a time adds; nothing where none are drafted.

    draft, draft_bytes: a draft model and its weights; without one the model's own prediction layers draft.
    SizingError where the model has none.
    """
    if not tokens:
        return NONE
    recurrent = tuple(layer for layer in architecture.layers if any(cache.is_state for cache in layer.caches))
    states = tuple(Layer(tuple(cache for cache in layer.caches if cache.is_state)) for layer in recurrent) * tokens
    if draft is not None:
        return Speculation(draft.layers, draft_bytes, states)
    if not architecture.mtp_layers:
        raise SizingError("no_prediction_layers", input="speculative_tokens", value=tokens)
    return Speculation(architecture.mtp_layers, states=states)
