"""Servers and what their makers state about cards, supplies and air. Read from ``data/servers.csv``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.files import Kind, Many, Name, Number, Place, Record, SourceKey, Text
from sizing.base.texts import LANGUAGES, Told, tell
from sizing.catalogue.loader import Catalogue, default, nearest


@dataclass(frozen=True, slots=True)
class Server:
    """A chassis. Fields are None, or empty, where no source states them.

    form: "rack", "blade", "edge" or "tower".   air: "front-to-back" (its fans push air through passive cards) or
    "own-fans" (each card must move its own).   height_u: of the chassis, which blades share. [U]
    sockets, dimm_slots: [-]   processor_w_max: rating it cools. [W]   ram_max_tb: [TB]
    cards: ids of the cards that the row speaks of.
    cards_at: (cap, count): how many of them it takes up to that cap. [W], [-]
    cards_any_cap: how many, where the source does not say at which cap. [-]   card_counts: the only counts sold.
    supply_w: of one supply. [W]   supply_low_line_w: the same at 200 to 220 V. [W]   supply_count: [-]
    supply_scheme: as its maker writes it, "2+2".   supply_options_w: sizes sold. [W]   cord: id of the only cord.
    inlet_max_c: warmest inlet. [°C]   inlet_at_cards: count of cards it is stated for, None for any.
    inlet_derate_m_per_k: height that costs one kelvin of it. [m/K]
    conditions, conflicts, remarks: keys of ``chassis.condition``, ``chassis.conflict`` and ``chassis.remark`` in the
    texts; a remark is good to know and leaves the verdict as it is.
    confidence: how far the row is to be trusted: "high", "medium", "low", or "none" where nothing was found.
    """

    id: str
    vendor: str
    model: str
    form: str
    air: str
    height_u: int | None
    sockets: int | None
    processors: str
    processor_w_max: float | None
    dimm_slots: int | None
    ram_max_tb: float | None
    cards: tuple[str, ...]
    cards_at: tuple[tuple[float, int], ...]
    cards_any_cap: int | None
    card_counts: tuple[int, ...]
    supply_w: float | None
    supply_low_line_w: float | None
    supply_count: int | None
    supply_scheme: str
    supply_options_w: tuple[float, ...]
    cord: str
    inlet_max_c: float | None
    inlet_at_cards: int | None
    inlet_derate_m_per_k: float | None
    conditions: tuple[str, ...]
    conflicts: tuple[str, ...]
    remarks: tuple[str, ...]
    confidence: str
    sources: tuple[str, ...]

    @property
    def name(self) -> str:
        """Vendor and model as a person says them."""
        said = {language: f"{tell(self.vendor, language)} {tell(self.model, language)}" for language in LANGUAGES}
        return Told(said["en"], said)

    @property
    def source(self) -> str:
        """The first source."""
        return self.sources[0]


@dataclass(kw_only=True, eq=False, repr=False)
class _Listed(Kind):
    """A cell with values between semicolons."""

    of: Kind
    default: Any = ()

    def from_cell(self, cell: str, place: Place) -> Any:
        return [self.of.from_cell(part.strip(), place) for part in cell.split(";")]

    def read(self, value: Any, place: Place) -> Any:
        return Many(of=self.of, least=1, unique=()).read(value, place)


def _build(cards_at_600w: int | None, cards_at_450w: int | None, **fields: Any) -> Server:
    stated = ((450.0, cards_at_450w), (600.0, cards_at_600w))
    return Server(cards_at=tuple((cap, count) for cap, count in stated if count is not None), **fields)


def _number(low: float, high: float, *, whole: bool = False) -> Number:
    return Number(optional=True, low=low, high=high, whole=whole)


_WORD = Text(pattern=r"[a-z0-9]+([-_][a-z0-9]+)*", says="small letters, digits, hyphens and underscores")

SCHEMA = Record(
    fields={
        "id": _WORD,
        "vendor": Name(),
        "model": Name(),
        "form": Text(choices=("rack", "blade", "edge", "tower")),
        "air": Text(choices=("front-to-back", "own-fans")),
        "height_u": _number(1, 60, whole=True),
        "sockets": _number(1, 8, whole=True),
        "processors": Text(optional=True, default=""),
        "processor_w_max": _number(10, 1_500),
        "dimm_slots": _number(1, 128, whole=True),
        "ram_max_tb": _number(0.01, 100),
        "cards": _Listed(of=_WORD),
        "cards_at_600w": _number(0, 32, whole=True),
        "cards_at_450w": _number(0, 32, whole=True),
        "cards_any_cap": _number(1, 32, whole=True),
        "card_counts": _Listed(optional=True, of=Number(low=1, high=32, whole=True)),
        "supply_w": _number(100, 10_000),
        "supply_low_line_w": _number(100, 10_000),
        "supply_count": _number(1, 16, whole=True),
        "supply_scheme": Text(optional=True, default="", pattern=r"(\d|N)\+\d", says="a scheme such as 2+2 or N+1"),
        "supply_options_w": _Listed(optional=True, of=Number(low=100, high=10_000)),
        "cord": Text(optional=True, default="", choices=("c13", "c19")),
        "inlet_max_c": _number(10, 60),
        "inlet_at_cards": _number(1, 32, whole=True),
        "inlet_derate_m_per_k": _number(50, 5_000),
        "conditions": _Listed(optional=True, of=_WORD),
        "conflicts": _Listed(optional=True, of=_WORD),
        "remarks": _Listed(optional=True, of=_WORD),
        "confidence": Text(choices=("high", "medium", "low", "none")),
        "sources": _Listed(of=SourceKey()),
    },
    # A lower cap never takes fewer cards, and a lower mains voltage never gives a supply more power.
    rising=(("cards_at_600w", "cards_at_450w"), ("supply_low_line_w", "supply_w")),
    build=_build,
)


def read(catalogue: Catalogue) -> Mapping[str, Server]:
    """Every server of a catalogue's folder by its id, in the order of the file."""
    return {row.id: row for row in catalogue.rows("servers.csv", SCHEMA, lambda row: row.id)}


@functools.cache
def _own() -> Mapping[str, Server]:
    return read(default())


def server(id: str) -> Server:
    """A server by its id; a SizingError names the nearest known ids.

    >>> server("hpe-dl385-gen11").cards_at
    ((450.0, 4), (600.0, 2))
    """
    if id not in _own():
        raise SizingError("server_unknown", input="server", value=id, known=nearest(id, _own()))
    return _own()[id]


def server_ids() -> tuple[str, ...]:
    """Ids of all servers, in the order of the file."""
    return tuple(_own())
