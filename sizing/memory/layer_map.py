"""A map of a model's layers: which grow with the context, which hold a window, which a fixed state, which nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sizing.base.dataclass import dataclass
from sizing.memory.architecture import Architecture, LayerGroup
from sizing.memory.terms import Cache, Terms

Part = Literal["grows", "windowed", "fixed", "none"]
PARTS: tuple[Part, ...] = ("grows", "windowed", "fixed", "none")


@dataclass(frozen=True)
class Lane:
    """All layers of one part. layers: their places in the model, the first is 1."""

    part: Part
    layers: tuple[int, ...]


@dataclass(frozen=True)
class KindRow:
    """Layers with the same caches, and what one conversation keeps in all of them together.

    kinds: names of the kinds of cache (``cache.<kind>``), empty where the layers keep nothing.   layers: how many. [-]
    part: what a longer context does to them; a layer with several caches is named after the one that grows most.
    growing_bytes_per_token: for every token. [bytes/token]
    window_bytes_per_token, window_tokens: for the tokens inside the window. [bytes/token], [tokens]
    fixed_bytes: whatever the context. [bytes]   conversation_bytes: at the context asked for. [bytes]
    """

    kinds: tuple[str, ...]
    layers: int
    part: Part
    growing_bytes_per_token: float
    window_bytes_per_token: float
    window_tokens: int
    fixed_bytes: int
    conversation_bytes: float


def lanes(architecture: Architecture) -> tuple[Lane, ...]:
    """The parts that a model has, in the order of PARTS.

    >>> from sizing import catalogue
    >>> [(lane.part, len(lane.layers)) for lane in lanes(catalogue.checkpoint("google/gemma-3-27b-it").architecture)]
    [('grows', 10), ('windowed', 52)]
    """
    held: dict[Part, list[int]] = {part: [] for part in PARTS}
    for place, layer in enumerate(architecture.layers, 1):
        held[_part(_terms(layer.caches, architecture.model_dtype))].append(place)
    return tuple(Lane(part, tuple(places)) for part, places in held.items() if places)


def rows(architecture: Architecture, kv_dtype: str, context_tokens: int) -> tuple[KindRow, ...]:
    """What each kind of layer keeps of one conversation over all cards, in order of first appearance."""
    precision = architecture.resolve_kv_dtype(kv_dtype)
    return tuple(_row(group, precision, context_tokens) for group in architecture.groups)


def parts_bytes(architecture: Architecture, kv_dtype: str, context_tokens: int) -> dict[Part, float]:
    """Cache of one conversation by what the context does to it, parts that a model has not left out. [bytes]"""
    terms = architecture.terms(kv_dtype)[0]
    found: dict[Part, float] = {}
    if terms.growing_bytes_per_token:
        found["grows"] = terms.growing_bytes_per_token * context_tokens
    if terms.windows:
        found["windowed"] = sum(rate * min(context_tokens, window) for rate, window in terms.windows)
    if terms.fixed_bytes:
        found["fixed"] = float(terms.fixed_bytes)
    return found


def _row(group: LayerGroup, kv_dtype: str, context_tokens: int) -> KindRow:
    terms = _terms(group.caches, kv_dtype).times(group.count)
    return KindRow(
        kinds=tuple(dict.fromkeys(cache.kind for cache in group.caches)),
        layers=group.count,
        part=_part(terms),
        growing_bytes_per_token=terms.growing_bytes_per_token,
        window_bytes_per_token=sum(rate for rate, _ in terms.windows),
        window_tokens=max((window for _, window in terms.windows), default=0),
        fixed_bytes=terms.fixed_bytes,
        conversation_bytes=terms.bytes(context_tokens),
    )


def _terms(caches: Iterable[Cache], kv_dtype: str) -> Terms:
    total = Terms()
    for cache in caches:
        total += cache.terms(kv_dtype, 1)
    return total


def _part(terms: Terms) -> Part:
    if terms.growing_bytes_per_token:
        return "grows"
    return "windowed" if terms.windows else "fixed" if terms.fixed_bytes else "none"
