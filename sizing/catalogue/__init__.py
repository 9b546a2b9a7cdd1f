"""The catalogue: cards, checkpoints, circuits and the sources of every figure, read from ``data/`` as asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sizing.base.texts import tell
from sizing.catalogue import processors
from sizing.catalogue.loader import OWN, Catalogue, default
from sizing.catalogue.processors import Processor, processor_ids
from sizing.catalogue.records import (
    AirflowPoint,
    Card,
    Checkpoint,
    Circuit,
    ConfigSource,
    Figure,
    Link,
    MigProfile,
    OtherFigure,
    Price,
    Source,
    Vgpu,
)


def card(id: str) -> Card:
    """A card by its id; a SizingError names the nearest known ids.

    >>> card("rtx-pro-6000-server").memory_mib.value
    97887
    """
    found: Card = _own("card", id) if is_own(id) else default().card(id)
    return found


def card_ids() -> tuple[str, ...]:
    """Ids of all cards."""
    return default().card_ids()


def checkpoint(id: str) -> Checkpoint:
    """A checkpoint by its Hub id; a SizingError names the nearest known ids.

    >>> checkpoint("nvidia/Llama-3.3-70B-Instruct-FP8").weight_bytes.value
    72700000000
    """
    found: Checkpoint = _own("checkpoint", id) if is_own(id) else default().checkpoint(id)
    return found


def checkpoint_ids() -> tuple[str, ...]:
    """Hub ids of all checkpoints."""
    return default().checkpoint_ids()


def circuit(id: str) -> Circuit:
    """A circuit by its id; a SizingError names the nearest known ids.

    >>> circuit("eu-1ph-16a").volts
    230
    """
    found: Circuit = _own("circuit", id) if is_own(id) else default().circuit(id)
    return found


def circuit_ids() -> tuple[str, ...]:
    """Ids of all circuits."""
    return default().circuit_ids()


def processor(id: str) -> Processor:
    """A processor by its id; a SizingError names the nearest known ids.

    >>> processor("epyc-9355").tdp_w.value
    280
    """
    found: Processor = _own("processor", id) if is_own(id) else processors.processor(id)
    return found


def own(kind: str, record: Mapping[str, Any] | None = None, /, **fields: Any) -> str:
    """An id for hardware or a model of one's own, which stands wherever an id of the catalogue does.

    kind, record, fields, SizingError: as `sizing.catalogue.owned.own` has them.

    >>> mine = own("card", name="Big one", memory_gb=128, memory_bandwidth_gb_s=4000, power_default_w=900)
    >>> card(mine).memory_gb.value, called("card", mine)
    (128, 'Big one (own)')
    """
    from sizing.catalogue.owned import own as made

    return made(kind, record, **fields)


def is_own(id: object) -> bool:
    """An id that holds its record itself, as `own` makes it."""
    return isinstance(id, str) and id.startswith(OWN)


def called(kind: str, id: str, language: str = "en") -> str:
    """A short name for an id: of one's own the name that it bears, marked as such; any other as it is."""
    return tell(_own(kind, id).name, language) if is_own(id) else id


def titled(kind: str, id: str, language: str = "en") -> str:
    """The name of what has an id, as a person says it; of one's own marked as such. kind: as `own` has it."""
    asked: Mapping[str, Callable[[str], Card | Circuit | Processor | Checkpoint]]
    asked = {"card": card, "circuit": circuit, "processor": processor, "checkpoint": checkpoint}
    return tell(asked[kind](id).name, language)


def _own(kind: str, id: str) -> Any:
    from sizing.catalogue.owned import read  # few scenarios have any

    return read(kind, id)


def prices(card: str) -> tuple[Price, ...]:
    """Every dated price of a card, by its id."""
    return default().prices(card)


def source(key: str) -> Source:
    """A source by its key; a SizingError names the nearest known keys.

    >>> source("doc-de").read_on
    '2026-11-30'
    """
    return default().source(key)


__all__ = [
    "AirflowPoint",
    "Card",
    "Catalogue",
    "Checkpoint",
    "Circuit",
    "ConfigSource",
    "Figure",
    "Link",
    "MigProfile",
    "OtherFigure",
    "Price",
    "Processor",
    "Source",
    "Vgpu",
    "called",
    "card",
    "card_ids",
    "checkpoint",
    "checkpoint_ids",
    "circuit",
    "circuit_ids",
    "is_own",
    "own",
    "prices",
    "processor",
    "processor_ids",
    "source",
    "titled",
]
