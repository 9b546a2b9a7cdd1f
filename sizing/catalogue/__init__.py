"""The catalogue: cards, checkpoints, circuits and the sources of every figure, read from ``data/`` as asked for."""

from __future__ import annotations

from sizing.catalogue.loader import Catalogue, default
from sizing.catalogue.processors import Processor, processor, processor_ids
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
    return default().card(id)


def card_ids() -> tuple[str, ...]:
    """Ids of all cards."""
    return default().card_ids()


def checkpoint(id: str) -> Checkpoint:
    """A checkpoint by its Hub id; a SizingError names the nearest known ids.

    >>> checkpoint("nvidia/Llama-3.3-70B-Instruct-FP8").weight_bytes.value
    72700000000
    """
    return default().checkpoint(id)


def checkpoint_ids() -> tuple[str, ...]:
    """Hub ids of all checkpoints."""
    return default().checkpoint_ids()


def circuit(id: str) -> Circuit:
    """A circuit by its id; a SizingError names the nearest known ids.

    >>> circuit("eu-1ph-16a").volts
    230
    """
    return default().circuit(id)


def circuit_ids() -> tuple[str, ...]:
    """Ids of all circuits."""
    return default().circuit_ids()


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
    "card",
    "card_ids",
    "checkpoint",
    "checkpoint_ids",
    "circuit",
    "circuit_ids",
    "prices",
    "processor",
    "processor_ids",
    "source",
]
