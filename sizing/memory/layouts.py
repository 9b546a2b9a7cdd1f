"""Layouts: how N cards serve one model, and how many conversations each way holds.

copies x tensor parallel (TP) x pipeline parallel (PP) = cards. A copy holds the weights once, split over its
TP x PP cards; a conversation lives in one copy. The fullest card decides. Source: doc-de, vllm-kv-rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.units import bytes_from_gib, floor_count, gib
from sizing.memory import engines
from sizing.memory.architecture import NONE, Architecture, Speculation
from sizing.memory.terms import Terms


@dataclass(frozen=True)
class Layout(
    Shown,
    facts=(
        "copies",
        "tp",
        "pp",
        "conversations",
        "fits",
        "weights_gib_per_card",
        "kv_gib_per_card_per_conversation",
        "free_gib_per_card",
        "reason",
    ),
):
    """One way to lay a model over the cards, with what it holds.

    copies, tp, pp: copies of the model, cards a layer is split over, pipeline stages. [-]
    dcp, attention_dp: context-parallel and attention-data-parallel groups; 1 where unused. [-]
    weights_gib_per_card, free_gib_per_card: on the fullest card; free is what the weights leave for the cache. [GiB]
    kv_gib_per_card_per_conversation: on the fullest card. [GiB]
    conversations, conversations_per_copy: None where the model keeps no cache, so that memory sets no limit. [-]
    fits: the weights and at least one conversation.
    reason_key, reason_values: why it does not fit, as a text ``reason.<key>`` or a key with a dot; "" where it fits.
    """

    copies: int
    tp: int
    pp: int
    fits: bool
    conversations: int | None
    conversations_per_copy: int | None
    weights_gib_per_card: float
    kv_gib_per_card_per_conversation: float
    free_gib_per_card: float
    reason_key: str = ""
    reason_values: tuple[tuple[str, Any], ...] = ()
    dcp: int = 1
    attention_dp: int = 1

    @property
    def name(self) -> tuple[int, int, int]:
        """(copies, tp, pp), which names a layout."""
        return self.copies, self.tp, self.pp

    @property
    def reason(self) -> str:
        """Why it does not fit, in English, or ""."""
        return self.say_reason()

    def say_reason(self, language: str = "en") -> str:
        """Why it does not fit, or ""."""
        return _reason(self.reason_key, self.reason_values, language) if self.reason_key else ""


def _reason(key: str, values: tuple[tuple[str, Any], ...], language: str) -> str:
    return texts.say(key if "." in key else f"reason.{key}", language, **dict(values))


@dataclass(frozen=True)
class RefusedLayout:
    """A split that the engine would not start, with the reason as a text ``reason.<key>``."""

    copies: int
    tp: int
    pp: int
    reason_key: str
    reason_values: tuple[tuple[str, float], ...] = ()

    @property
    def reason(self) -> str:
        """Why it is refused, in English."""
        return self.say_reason()

    def say_reason(self, language: str = "en") -> str:
        """Why it is refused."""
        return _reason(self.reason_key, self.reason_values, language)


@dataclass(frozen=True)
class Stage:
    """One card of a pipeline stage.

    weight_share: of the checkpoint. [-]   terms: of a conversation on it.
    extra_bytes: weights of a draft model. [bytes]
    """

    weight_share: float
    terms: Terms
    extra_bytes: float = 0.0


def splits(cards: int) -> tuple[tuple[int, int, int], ...]:
    """Every (copies, tp, pp) whose product is ``cards``: most copies first, then TP before PP."""
    found = [
        (cards // (tp * pp), tp, pp)
        for tp in range(1, cards + 1)
        for pp in range(1, cards + 1)
        if cards % (tp * pp) == 0
    ]
    return tuple(sorted(found, key=lambda split: (-split[0], split[2])))


def obstacle(
    architecture: Architecture, tp: int, pp: int, engine: str
) -> tuple[str, tuple[tuple[str, float], ...]] | None:
    """Why a copy cannot be split this way: key and values of a text, ``reason.<key>`` or one with a dot, or None.

    engine: whose rules for pipeline stages count, as far as they are known.
    """
    if key := architecture.tp_obstacle(tp):
        return key, (("tp", tp), ("heads", architecture.attention_heads))
    if pp > len(architecture.layers):
        return "more_stages_than_layers", (("pp", pp), ("layers", len(architecture.layers)))
    known = pp > 1 and engine in engines.names()
    if known and (refusal := engines.engine(engine).stages_refusal(architecture, pp)):
        return refusal.words["reason"].key, (("pp", pp),)
    return None


def stages(
    architecture: Architecture, kv_dtype: str, tp: int, pp: int, dcp: int = 1, speculation: Speculation = NONE
) -> tuple[Stage, ...]:
    """One card of each pipeline stage. Weights are dealt by layers, since those of a model weigh about the same.

    dcp: cards of the TP group that share a conversation's tokens instead of each keeping all of them. [-]
    speculation: what drafting adds to the last stage.
    """
    layers = len(architecture.layers)
    shares = (len(stage) / layers / tp for stage in architecture.stages(pp))
    terms = list(architecture.terms(kv_dtype, tp, pp))
    if speculation.layers:
        terms[-1] += speculation.terms(kv_dtype, tp)
    if dcp > 1:
        terms = [replace(each, growing_bytes_per_token=each.growing_bytes_per_token / dcp) for each in terms]
    found = [Stage(share, each) for share, each in zip(shares, terms, strict=True)]
    if speculation.weights_bytes:
        found[-1] = replace(found[-1], extra_bytes=speculation.weights_bytes / tp)
    return tuple(found)


def context_parallel(architecture: Architecture, tp: int, dcp: int) -> int:
    """The decode context parallelism that a TP group can use of the one asked for; 1 where it can use none.

    It splits what TP would replicate: latent caches, and heads of a group that is larger than their number. It must
    divide TP, and layers with a window refuse it. Source: vllm-kv-rules.
    """
    if dcp == 1 or tp % dcp:
        return 1
    for cache in {cache for layer in architecture.layers for cache in layer.caches}:
        terms = cache.terms("bf16")
        heads = getattr(cache, "kv_heads", 0)
        if terms.windows or (heads and terms.growing_bytes_per_token and tp < heads * dcp):
            return 1
    return dcp


def attention_parallel(
    architecture: Architecture, kv_dtype: str, ranks: int, speculation: Speculation = NONE
) -> tuple[Stage, ...]:
    """One card of a copy whose attention runs on ``ranks`` cards side by side, with the experts split among them.

    Each card keeps the attention's weights whole, and a cache of its own. SizingError where the model has no routed
    experts, or it cannot be told how much of it they are.
    """
    experts = architecture.expert_weight_share
    if not experts:
        raise SizingError("no_experts_to_split", input="attention_dp", value=ranks)
    terms = architecture.terms(kv_dtype)[0] + speculation.terms(kv_dtype, 1)
    return (Stage(1 - experts + experts / ranks, terms, speculation.weights_bytes),)


def evaluate(
    split: tuple[int, int, int],
    card_stages: tuple[Stage, ...],
    *,
    weights_bytes: float,
    usable_gib_per_card: float,
    context_tokens: int,
    dcp: int = 1,
    attention_dp: int = 1,
) -> Layout:
    """What one layout holds.

    split: (copies, tp, pp).   card_stages: from ``stages`` for the same tp and pp.
    weights_bytes: of one copy. [bytes]   usable_gib_per_card: for weights and cache. [GiB]
    """
    copies, tp, pp = split
    usable_bytes = bytes_from_gib(usable_gib_per_card)
    per_copy: int | None = None
    fullest: tuple[float, float, float] | None = (
        None  # weights, cache of one conversation, free: of the card that decides
    )
    tightest = float("inf")
    for stage in card_stages:
        weights = weights_bytes * stage.weight_share + stage.extra_bytes
        free = usable_bytes - weights
        kv = stage.terms.bytes(context_tokens)
        # Below zero where the weights overflow: the more they do, the tighter.
        holds = free / usable_bytes if free < 0 else free / kv if kv else float("inf")
        if fullest is None or holds < tightest:
            tightest, fullest = holds, (weights, kv, free)
    weights, kv, free = fullest or (0.0, 0.0, usable_bytes)
    reason = ""
    values: tuple[tuple[str, float], ...] = ()
    if free < 0:
        per_copy = 0
        reason, values = "weights_too_large", (("weights_gib", gib(weights)), ("usable_gib", usable_gib_per_card))
    elif tightest != float("inf"):
        per_copy = attention_dp * floor_count(tightest)
        if per_copy == 0:
            reason, values = "no_conversation", (("kv_gib", gib(kv)), ("free_gib", gib(free)))
    return Layout(
        copies=copies,
        tp=tp,
        pp=pp,
        fits=not reason,
        conversations=None if per_copy is None else copies * per_copy,
        conversations_per_copy=per_copy,
        weights_gib_per_card=gib(weights),
        kv_gib_per_card_per_conversation=gib(kv),
        free_gib_per_card=max(0.0, gib(free)),
        reason_key=reason,
        reason_values=values,
        dcp=dcp,
        attention_dp=attention_dp,
    )


def choose(layouts: tuple[Layout, ...], copies: int, tp: int, pp: int) -> Layout:
    """The layout of that name. SizingError lists those there are."""
    for layout in layouts:
        if layout.name == (copies, tp, pp):
            return layout
    known = ", ".join(f"{c} x TP={t} x PP={p}" for c, t, p in (layout.name for layout in layouts))
    raise SizingError("layout_unknown", input="layout", value=f"{copies} x TP={tp} x PP={pp}", known=known)
