"""The one door to measured operations: nothing outside this room knows which library has them.

The one there is stands in ``sizing.speed.aic`` and is imported only when a speed is asked for.
"""

from __future__ import annotations

import importlib.util
import sys

from sizing import catalogue
from sizing.base import texts
from sizing.speed.measured import Gap, Operations
from sizing.speed.tables import tables


def installed() -> bool:
    """Whether the library is there, found without importing it."""
    try:
        return importlib.util.find_spec(tables().library.module) is not None
    except (ImportError, ValueError):
        return False


def find(
    card: catalogue.Card, model: catalogue.Checkpoint, *, engine: str, kv_dtype: str, tp: int, pp: int
) -> Operations | Gap:
    """The measured operations of a model on ``tp`` x ``pp`` cards, or why there are none. Kept with the model."""
    kept = model.architecture.derived
    key = ("kernels", card.id, engine, kv_dtype, tp, pp)
    found: Operations | Gap | None = kept.get(key)
    if found is None:
        found = _find(card, model, engine, kv_dtype, tp, pp)
        if isinstance(found, Gap) and found.key in ("in_browser", "not_installed", "not_usable"):
            return found  # of this moment, not of the model
        kept[key] = found
        _loaded.add((card.id, engine))
    return found


_loaded: set[tuple[str, str]] = set()


def loaded(card: catalogue.Card, engine: str) -> bool:
    """Whether asking for a card's operations takes no loading: they were asked for before, or there are none."""
    return (card.id, engine) in _loaded or card.id not in tables().systems or not installed()


def _find(
    card: catalogue.Card, model: catalogue.Checkpoint, engine: str, kv_dtype: str, tp: int, pp: int
) -> Operations | Gap:
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
