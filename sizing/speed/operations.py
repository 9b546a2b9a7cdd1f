"""The one door to measured operations: nothing outside this room knows which library has them.

The one there is stands in ``sizing.speed.aic`` and is imported only when a speed is asked for.
"""

from __future__ import annotations

import importlib.util
import sys

from sizing import catalogue
from sizing.base import texts
from sizing.memory.layouts import Layout
from sizing.speed.measured import Gap, Operations, Scaled, Scaling
from sizing.speed.tables import Edition, tables


def installed() -> bool:
    """Whether the library is there, found without importing it."""
    try:
        return importlib.util.find_spec(tables().library.module) is not None
    except (ImportError, ValueError):
        return False


def find(
    card: catalogue.Card,
    model: catalogue.Checkpoint,
    *,
    engine: str,
    kv_dtype: str,
    tp: int,
    pp: int,
    dcp: int = 1,
    attention_dp: int = 1,
) -> Operations | Gap:
    """The operations of a model on ``tp`` x ``pp`` x ``attention_dp`` cards, or why there are none.

    Kept with the model. Those of another edition, cache or layout say so in ``scaling``.
    """
    kept = model.architecture.derived
    key = ("kernels", card.id, engine, kv_dtype, tp, pp, dcp, attention_dp)
    found: Operations | Gap | None = kept.get(key)
    if found is None:
        found = _find(card, model, engine, kv_dtype, (tp, pp, attention_dp))
        if dcp > 1 and not isinstance(found, Gap):
            found = _context_parallel(found, dcp)
        if isinstance(found, Gap) and found.key in ("in_browser", "not_installed", "not_usable"):
            return found  # of this moment, not of the model
        kept[key] = found
        _loaded.add((card.id, engine))
    return found


def of_layout(
    card: catalogue.Card, model: catalogue.Checkpoint, layout: Layout, *, engine: str, kv_dtype: str
) -> Operations | Gap:
    """The operations of one copy of a layout."""
    split = {name: getattr(layout, name) for name in ("tp", "pp", "dcp", "attention_dp")}
    return find(card, model, engine=engine, kv_dtype=kv_dtype, **split)


_loaded: set[tuple[str, str]] = set()


def loaded(card: catalogue.Card, engine: str) -> bool:
    """Whether asking for a card's operations takes no loading: they were asked for before, or there are none."""
    names = tables()
    known = card.id in names.systems or card.id in names.editions
    return (card.id, engine) in _loaded or not known or not installed()


def _find(
    card: catalogue.Card, model: catalogue.Checkpoint, engine: str, kv_dtype: str, split: tuple[int, int, int]
) -> Operations | Gap:
    names = tables()
    edition = names.editions.get(card.id)
    if edition is not None:
        return _of_edition(card, edition, model, engine, kv_dtype, split)
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
    instead = names.caches_instead.get((card.id, engine, kv_dtype)) if _latent(model) else None
    found = aic.compiled(card, model, engine, instead or kv_dtype, *split)
    if instead is None or isinstance(found, Gap):
        return found
    origin = texts.say(f"ui.precision.{instead}")
    return Scaled(found, Scaling("cache", origin, 1.0, 1.0))


def _latent(model: catalogue.Checkpoint) -> bool:
    """Latent attention that reads all it keeps; one with an indexer has operations of its own."""
    return any([cache.kind for cache in layer.caches] == ["latent"] for layer in model.architecture.layers)


def _of_edition(
    card: catalogue.Card,
    edition: Edition,
    model: catalogue.Checkpoint,
    engine: str,
    kv_dtype: str,
    split: tuple[int, int, int],
) -> Operations | Gap:
    """Those of the measured edition of the same chip, by memory bandwidth and arithmetic, or as both were measured."""
    base = catalogue.card(edition.base)
    group = split[0] * split[2]
    mine = 0 if card.link is None else card.link.largest_group or 2
    if group > 1 and base.link is not None and group > mine:
        return Gap("card", {"card": card.name})  # its sums pass another way, which no table has
    found = _find(base, model, engine, kv_dtype, split)
    if isinstance(found, Gap):
        return found
    decode = edition.decode or card.memory_bandwidth_gb_s.value / base.memory_bandwidth_gb_s.value
    prefill = edition.prefill
    if prefill is None:
        pair = card.bf16_tflops, base.bf16_tflops
        prefill = pair[0].value / pair[1].value if pair[0] and pair[1] else decode
    return Scaled(found, Scaling("edition", base.name, decode, prefill))


def _context_parallel(found: Operations, dcp: int) -> Operations:
    """The same cards without it, slowed as published for the one model that was run with and without."""
    shown = tables().context_parallel
    return Scaled(found, Scaling("context_parallel", f"DCP={dcp}", shown.one, 1.0), shown.many, shown.many_at)
