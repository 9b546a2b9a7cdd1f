"""The one small interface to measured kernels: what a library must answer, and what is said where it cannot.

Nothing outside this room knows which library that is; the one there is stands in ``sizing.speed.aic`` and is imported
only when a speed is asked for.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field
from typing import Any, Protocol

from sizing import catalogue
from sizing.base import texts
from sizing.speed.tables import tables


class Kernels(Protocol):
    """One model on one group of cards, as its measured kernels have it."""

    def decode_ms(self, requests: int, context_tokens: int) -> float:
        """One decoding step of a batch. [ms]"""

    def prefill_ms(self, prompt_tokens: int, history_tokens: int = 0) -> float:
        """One prompt worked through, beside a history that the cache holds already. [ms]"""

    def parts(self, requests: int, context_tokens: int) -> tuple[Part, ...]:
        """What a decoding step is made of."""


@dataclass(frozen=True, slots=True)
class Part:
    """One operation of a step. [ms]

    kind: "all_reduce" or "other".   measured: from a table of measured kernels, or made of such.
    """

    name: str
    ms: float
    kind: str
    measured: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there are no measured kernels, as a text ``gap.<key>``.

    values: what the sentence names.   detail: the library's own words, for who looks after it; never shown on a page.
    """

    key: str
    values: dict[str, Any] = field(default_factory=dict)
    detail: str = ""

    def say(self, language: str = "en") -> str:
        """The sentence."""
        return texts.say(f"gap.{self.key}", language, **self.values)


def installed() -> bool:
    """Whether the library is there, found without importing it."""
    try:
        return importlib.util.find_spec(tables().library.module) is not None
    except (ImportError, ValueError):
        return False


def find(
    card: catalogue.Card, model: catalogue.Checkpoint, *, engine: str, kv_dtype: str, tp: int, pp: int
) -> Kernels | Gap:
    """The measured kernels of a model on ``tp`` x ``pp`` cards, or why there are none. Kept with the model."""
    kept = model.architecture.derived
    key = ("kernels", card.id, engine, kv_dtype, tp, pp)
    found: Kernels | Gap | None = kept.get(key)
    if found is None:
        found = _find(card, model, engine, kv_dtype, tp, pp)
        if isinstance(found, Gap) and found.key in ("in_browser", "not_installed", "not_usable"):
            return found  # of this moment, not of the model
        kept[key] = found
        _loaded.add((card.id, engine))
    return found


_loaded: set[tuple[str, str]] = set()


def loaded(card: catalogue.Card, engine: str) -> bool:
    """Whether asking for a card's kernels takes no loading: they were asked for before, or there are none."""
    return (card.id, engine) in _loaded or card.id not in tables().systems or not installed()


def _find(
    card: catalogue.Card, model: catalogue.Checkpoint, engine: str, kv_dtype: str, tp: int, pp: int
) -> Kernels | Gap:
    names = tables()
    if card.id not in names.systems:
        return Gap("card", {"card": card.name})
    if kv_dtype not in names.cache:
        return Gap("cache", {"precision": texts.Word(f"ui.precision.{kv_dtype}")})
    if sys.platform == "emscripten":
        return Gap("in_browser")
    if not installed():
        return Gap("not_installed", {"library": names.library.name, "version": names.library.version})
    try:
        from sizing.speed import aic
    except ImportError as error:
        return Gap("not_usable", {"library": names.library.name, "version": names.library.version}, repr(error))
    return aic.compiled(card, model, engine, kv_dtype, tp, pp)
