"""Processors of a server: cores, rating, base clock, memory channels. Read from ``data/processors.csv``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from sizing.base.declare import Declared, number, sentence, source_key, text
from sizing.base.errors import SizingError
from sizing.catalogue.loader import Catalogue, default, nearest
from sizing.catalogue.records import Figure, OtherFigure, id_text, remark


def _source() -> Any:
    return source_key(default=None)


class Processor(Declared):
    """A server processor. A figure is None where no source states it.

    sockets_max: how many of it one board takes. [-]   cores: physical. [-]   tdp_w: rating. [W]
    base_ghz: clock that is kept at the rating. [GHz]   memory_channels: of one socket. [-]
    """

    FILE_ONLY: ClassVar = {
        "source": source_key(),
        "sockets_source": _source(),
        "clock_source": _source(),
        "channels_source": _source(),
        "tdp_other_w": number(10, 1500, default=None),
        "tdp_other_source": _source(),
        "tdp_other_reason": sentence(default=None),
    }

    id: str = id_text()
    name: str = text()
    vendor: str = text()
    sockets_max: Figure | None = number(1, 8, whole=True, default=None)
    cores: Figure = number(1, 1024, whole=True)
    tdp_w: Figure = number(10, 1500)
    base_ghz: Figure | None = number(0.5, 10, default=None)
    memory_channels: Figure | None = number(1, 32, whole=True, default=None)
    note: str = remark()

    @classmethod
    def made(cls, **row: Any) -> Self:
        """A row with its figures: a column with a source of its own goes by that, the others by the row's."""
        found = {name: row.pop(name) for name in cls.FILE_ONLY}
        source, others = found["source"], []
        if (other_w := found["tdp_other_w"]) is not None:
            reason = found["tdp_other_reason"] or ""
            others = [OtherFigure(value=other_w, unit="W", source=found["tdp_other_source"] or source, reason=reason)]
        for name, unit, own in (
            ("sockets_max", "sockets", "sockets_source"),
            ("cores", "cores", "source"),
            ("tdp_w", "W", "source"),
            ("base_ghz", "GHz", "clock_source"),
            ("memory_channels", "channels", "channels_source"),
        ):
            if (value := row[name]) is not None:
                more = tuple(others) if name == "tdp_w" else ()
                row[name] = Figure(value=value, unit=unit, source=found[own] or source, others=more)
        return cls(**row)


def read(catalogue: Catalogue) -> Mapping[str, Processor]:
    """Every processor of a catalogue's folder by its id, in the order of the file."""
    return {row.id: row for row in catalogue.rows("processors.csv", Processor)}


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
