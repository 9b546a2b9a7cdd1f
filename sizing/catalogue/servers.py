"""Servers and what their makers state about cards, supplies and air. Read from ``data/servers.csv``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, named, number, of_kind, text
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Many, Number, Place, SourceKey, Text
from sizing.base.texts import LANGUAGES, Told, tell
from sizing.catalogue.loader import Catalogue, default, nearest
from sizing.catalogue.records import BOARDS


@dataclass(kw_only=True, eq=False, repr=False)
class _Listed(Kind):
    """A cell with values between semicolons."""

    of: Kind
    default: Any = ()

    def from_cell(self, cell: str, place: Place) -> Any:
        return [self.of.from_cell(part.strip(), place) for part in cell.split(";")]

    def read(self, value: Any, place: Place) -> Any:
        return Many(of=self.of, least=1, unique=()).read(value, place)


def _listed(of: Kind, **default: Any) -> Any:
    return _Listed(of=of, optional=bool(default), **default)


def _some(low: float, high: float, *, whole: bool = False) -> Any:
    """A number that not every maker states."""
    return number(low, high, whole=whole, default=None)


_WORD = Text(pattern=r"[a-z0-9]+([-_][a-z0-9]+)*", says="small letters, digits, hyphens and underscores")


class Server(Declared):
    """A chassis. Fields are None, or empty, where no source states them.

    form: "rack", "blade", "edge" or "tower".   air: "front-to-back" (its fans push air through passive cards) or
    "own-fans" (each card must move its own).   height_u: of the chassis, which blades share. [U]
    sockets, dimm_slots: [-]   processor_w_max: rating it cools. [W]   ram_max_tb: [TB]
    board: of modules, "sxm" or "oam"; "" for cards in slots.   cards: ids of those that the row speaks of.
    cards_at_600w, cards_at_450w: how many of them it takes up to that cap. [-]
    cards_any_cap: how many, where the source does not say at which cap. [-]   card_counts: the only counts sold.
    supply_w: of one supply. [W]   supply_low_line_w: the same at 200 to 220 V. [W]   supply_count: [-]
    supply_scheme: as its maker writes it, "2+2".   supply_options_w: sizes sold. [W]   cord: id of the only cord.
    inlet_max_c: warmest inlet. [°C]   inlet_at_cards: count of cards it is stated for, None for any.
    inlet_derate_m_per_k: height that costs one kelvin of it. [m/K]
    conditions, conflicts, remarks: keys of ``chassis.condition``, ``chassis.conflict`` and ``chassis.remark`` in the
    texts; a remark is good to know and leaves the verdict as it is.
    confidence: how far the row is to be trusted: "high", "medium", "low", or "none" where nothing was found.
    """

    # A lower cap never takes fewer cards, and a lower mains voltage never gives a supply more power.
    RISING = (("cards_at_600w", "cards_at_450w"), ("supply_low_line_w", "supply_w"))

    id: str = of_kind(_WORD)
    vendor: str = named()
    model: str = named()
    form: str = text(choices=("rack", "blade", "edge", "tower"))
    air: str = text(choices=("front-to-back", "own-fans"))
    board: str = text(choices=BOARDS, default="")
    height_u: int | None = _some(1, 60, whole=True)
    sockets: int | None = _some(1, 8, whole=True)
    processors: str = text(default="")
    processor_w_max: float | None = _some(10, 1_500)
    dimm_slots: int | None = _some(1, 128, whole=True)
    ram_max_tb: float | None = _some(0.01, 100)
    cards: tuple[str, ...] = _listed(_WORD, default=())
    cards_at_600w: int | None = _some(0, 32, whole=True)
    cards_at_450w: int | None = _some(0, 32, whole=True)
    cards_any_cap: int | None = _some(1, 32, whole=True)
    card_counts: tuple[int, ...] = _listed(Number(low=1, high=32, whole=True), default=())
    supply_w: float | None = _some(100, 10_000)
    supply_low_line_w: float | None = _some(100, 10_000)
    supply_count: int | None = _some(1, 16, whole=True)
    supply_scheme: str = text(pattern=r"(\d|N)\+\d", says="a scheme such as 2+2 or N+1", default="")
    supply_options_w: tuple[float, ...] = _listed(Number(low=100, high=10_000), default=())
    cord: str = text(choices=("c13", "c19"), default="")
    inlet_max_c: float | None = _some(10, 60)
    inlet_at_cards: int | None = _some(1, 32, whole=True)
    inlet_derate_m_per_k: float | None = _some(50, 5_000)
    conditions: tuple[str, ...] = _listed(_WORD, default=())
    conflicts: tuple[str, ...] = _listed(_WORD, default=())
    remarks: tuple[str, ...] = _listed(_WORD, default=())
    confidence: str = text(choices=("high", "medium", "low", "none"))
    sources: tuple[str, ...] = _listed(SourceKey())

    @property
    def cards_at(self) -> tuple[tuple[float, int], ...]:
        """How many cards it takes up to a cap, by those caps that its maker speaks of. [W], [cards]"""
        stated = ((450.0, self.cards_at_450w), (600.0, self.cards_at_600w))
        return tuple((cap, count) for cap, count in stated if count is not None)

    @property
    def name(self) -> str:
        """Vendor and model as a person says them."""
        said = {language: f"{tell(self.vendor, language)} {tell(self.model, language)}" for language in LANGUAGES}
        return Told(said["en"], said)

    @property
    def source(self) -> str:
        """The first source."""
        return self.sources[0]


def read(catalogue: Catalogue) -> Mapping[str, Server]:
    """Every server of a catalogue's folder by its id, in the order of the file."""
    return {row.id: row for row in catalogue.rows("servers.csv", Server)}


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
