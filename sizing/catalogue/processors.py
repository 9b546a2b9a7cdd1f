"""Processors of a server: cores, rating, base clock, memory channels. Read from ``data/processors.csv``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.files import Number, Record, Sentence, SourceKey, Text
from sizing.catalogue.loader import Catalogue, default, nearest
from sizing.catalogue.records import Figure, OtherFigure
from sizing.catalogue.schemas import NOTE


@dataclass(frozen=True, slots=True)
class Processor:
    """A server processor. A figure is None where no source states it.

    sockets_max: how many of it one board takes. [-]   cores: physical. [-]   tdp_w: rating. [W]
    base_ghz: clock that is kept at the rating. [GHz]   memory_channels: of one socket. [-]
    """

    id: str
    name: str
    vendor: str
    sockets_max: Figure | None
    cores: Figure
    tdp_w: Figure
    base_ghz: Figure | None
    memory_channels: Figure | None
    note: str = ""


def _build(
    source: str,
    sockets_max: int | None,
    sockets_source: str | None,
    channels_source: str | None,
    cores: int,
    tdp_w: float,
    base_ghz: float | None,
    memory_channels: int | None,
    tdp_other_w: float | None,
    tdp_other_source: str | None,
    tdp_other_reason: str | None,
    clock_source: str | None,
    **fields: Any,
) -> Processor:
    others: tuple[OtherFigure, ...] = ()
    if tdp_other_w is not None:
        others = (OtherFigure(tdp_other_w, "W", tdp_other_source or source, tdp_other_reason or ""),)
    return Processor(
        sockets_max=None if sockets_max is None else Figure(sockets_max, "sockets", sockets_source or source),
        cores=Figure(cores, "cores", source),
        tdp_w=Figure(tdp_w, "W", source, others=others),
        base_ghz=None if base_ghz is None else Figure(base_ghz, "GHz", clock_source or source),
        memory_channels=None
        if memory_channels is None
        else Figure(memory_channels, "channels", channels_source or source),
        **fields,
    )


SCHEMA = Record(
    fields={
        "id": Text(pattern=r"[a-z0-9]+(-[a-z0-9]+)*", says="small letters, digits and hyphens"),
        "name": Text(),
        "vendor": Text(),
        "sockets_max": Number(optional=True, low=1, high=8, whole=True),
        "cores": Number(low=1, high=1024, whole=True),
        "tdp_w": Number(low=10, high=1500),
        "base_ghz": Number(optional=True, low=0.5, high=10),
        "memory_channels": Number(optional=True, low=1, high=32, whole=True),
        "source": SourceKey(),
        "sockets_source": SourceKey(optional=True),
        "clock_source": SourceKey(optional=True),
        "channels_source": SourceKey(optional=True),
        "tdp_other_w": Number(optional=True, low=10, high=1500),
        "tdp_other_source": SourceKey(optional=True),
        "tdp_other_reason": Sentence(optional=True),
        "note": NOTE,
    },
    build=_build,
)


def read(catalogue: Catalogue) -> Mapping[str, Processor]:
    """Every processor of a catalogue's folder by its id, in the order of the file."""
    return {row.id: row for row in catalogue.rows("processors.csv", SCHEMA, lambda row: row.id)}


@functools.cache
def _own() -> Mapping[str, Processor]:
    return read(default())


def processor(id: str) -> Processor:
    """A processor by its id; a SizingError names the nearest known ids.

    >>> processor("epyc-9355").tdp_w.value
    280
    """
    if id not in _own():
        raise SizingError("processor_unknown", input="processor", value=id, known=nearest(id, _own()))
    return _own()[id]


def processor_ids() -> tuple[str, ...]:
    """Ids of all processors, in the order of the file."""
    return tuple(_own())
