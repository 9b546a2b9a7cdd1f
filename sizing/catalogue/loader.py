"""A catalogue: one data folder, read file by file as it is asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sizing.base import files
from sizing.base.declare import Declared
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Place, Record
from sizing.catalogue.records import Card, Checkpoint, Circuit, ConfigKeys, Price, Source

OWN = ("own:", "own.")
"""How an id starts that holds a record of the user's own: as text, and as a link writes it."""

Stated = TypeVar("Stated", bound=Declared)


class Catalogue:
    """The data of one folder. Names are listed from file names; a file is read once, when it is first asked for.

    root: a folder laid out as ``data/``.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._cards: dict[str, Card] = {}
        self._checkpoints: dict[str, Checkpoint] = {}

    @functools.cached_property
    def source_keys(self) -> Collection[str]:
        """The keys of sources.toml, told by its headings; what stands below them is read when it is asked for."""
        text = files.read_text(self.root / "sources.toml", "sources.toml")
        return dict.fromkeys(re.findall(r'^\["?([^\]"]+)"?\]', text, re.MULTILINE))

    @functools.cached_property
    def sources(self) -> Mapping[str, Source]:
        """Every source by its key."""
        table = files.read_toml(self.root / "sources.toml", "sources.toml")
        kinds = {name: kind for name, kind in Source.FIELDS.items() if name != "key"}
        place = Place("sources.toml", ())
        return {
            key: Record(fields=kinds, build=functools.partial(Source, key=key)).read(value, place.at(key))
            for key, value in table.items()
        }

    def place(self, file: str) -> Place:
        """The place that stands for a whole file."""
        return Place(file, self.source_keys)

    def source(self, key: str) -> Source:
        """One source, by its key."""
        if not known(key, self.source_keys):
            raise SizingError("source_unknown", input="source", value=short(key), known=nearest(key, self.source_keys))
        return self.sources[key]

    @functools.cached_property
    def _card_ids(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in (self.root / "cards").glob("*.toml")))

    def card_ids(self) -> tuple[str, ...]:
        """Ids of all cards, in the order of the alphabet."""
        return self._card_ids

    def card(self, id: str) -> Card:
        """One card, by its id."""
        if not known(id, self._card_ids):
            raise SizingError("card_unknown", input="card", value=short(id), known=nearest(id, self._card_ids))
        if id not in self._cards:
            self._cards[id] = self._file(f"cards/{id}.toml", Card.schema(), id)
        return self._cards[id]

    @functools.cached_property
    def _checkpoint_files(self) -> dict[str, str]:
        paths = (self.root / "checkpoints").glob("*.toml")
        found = {path.stem.replace("--", "/", 1): f"checkpoints/{path.name}" for path in paths}
        return dict(sorted(found.items(), key=lambda item: item[0].lower()))

    def checkpoint_ids(self) -> tuple[str, ...]:
        """Hub ids of all checkpoints, in the order of the alphabet."""
        return tuple(self._checkpoint_files)

    def checkpoint(self, id: str) -> Checkpoint:
        """One checkpoint, by its Hub id."""
        if not known(id, self._checkpoint_files):
            near = nearest(id, self._checkpoint_files)
            raise SizingError("checkpoint_unknown", input="checkpoint", value=short(id), known=near)
        if id not in self._checkpoints:
            self._checkpoints[id] = self._file(self._checkpoint_files[id], Checkpoint.schema(), id, self.config_keys)
        return self._checkpoints[id]

    @functools.cached_property
    def config_keys(self) -> frozenset[str]:
        """Names that the config of a checkpoint's file may hold, at any depth."""
        file = "config_keys.toml"
        place = Place(file, ())
        groups = files.read_toml(self.root / file, file)
        schema = ConfigKeys.schema()
        return frozenset(key for name, group in groups.items() for key in schema.read(group, place.at(name)).keys)

    @functools.cached_property
    def _circuits(self) -> Mapping[str, Circuit]:
        return {circuit.id: circuit for circuit in self.rows("circuits.csv", Circuit)}

    def circuit_ids(self) -> tuple[str, ...]:
        """Ids of all circuits, in the order of the file."""
        return tuple(self._circuits)

    def circuit(self, id: str) -> Circuit:
        """One circuit, by its id."""
        if not known(id, self._circuits):
            raise SizingError("circuit_unknown", input="circuit", value=short(id), known=nearest(id, self._circuits))
        return self._circuits[id]

    def read(self, file: str, kind: Kind) -> Any:
        """A TOML file as its description has it."""
        return kind.read(files.read_toml(self.root / file, file), self.place(file))

    @functools.cached_property
    def _prices(self) -> list[Price]:
        return self.rows("prices.csv", Price)

    def prices(self, card: str) -> tuple[Price, ...]:
        """Every dated price of a card, by its id, in the order of the file."""
        return tuple(price for price in self._prices if price.card == card)

    def table(self, file: str, of: type[Stated]) -> Stated:
        """A TOML file that is one record."""
        read: Stated = self.read(file, of.schema())
        return read

    def rows(self, file: str, of: type[Stated]) -> list[Stated]:
        """Every row of a CSV file as a record; no two share their id."""
        schema = of.schema()
        columns, found = files.read_csv(self.root / file, file)
        place = Place(file, self.source_keys, "line 1")
        schema.check_names(columns, place)
        for key, kind in schema.fields.items():
            if key not in columns and not kind.optional:
                place.refuse("data_missing_key", value=key)
            for twin in schema.twins.get(key, {}).values():
                if (twin in columns) != (key in columns):
                    place.refuse("data_missing_key", value=twin if key in columns else key)
        read: dict[str, Stated] = {}
        for where, row in found:
            record = schema.read_row(row, Place(file, self.source_keys, where.removeprefix(f"{file}: ")))
            if record.id in read:
                raise SizingError("data_duplicate", input=where, what="id", value=record.id)
            read[record.id] = record
        return list(read.values())

    def _file(self, file: str, schema: Record, id: str, config_keys: Collection[str] = ()) -> Any:
        place = Place(file, self.source_keys, config_keys=config_keys)
        record = schema.read(files.read_toml(self.root / file, file), place)
        if record.id != id:
            place.at("id").refuse("data_wrong_id", value=record.id, wanted=id)
        return record


def known(id: object, ids: Collection[str]) -> bool:
    """Whether this is one of the ids, whatever a caller passes."""
    return isinstance(id, str) and id in ids


def short(id: object) -> object:
    """What a caller passed, cut to a length that fits a sentence."""
    shown = id if isinstance(id, (str, int, float)) else repr(id)
    return shown if not isinstance(shown, str) or len(shown) <= 60 else shown[:57] + "..."


def nearest(id: object, ids: Iterable[str]) -> str:
    """The ids that look most like ``id``, or the first few where none does."""
    import difflib  # only where something is wrong

    by_lower = {name.lower(): name for name in ids}
    close = difflib.get_close_matches(str(id)[:100].lower(), by_lower, n=3, cutoff=0.4)
    return ", ".join(by_lower[name] for name in close or sorted(by_lower)[:5])


@functools.cache
def default() -> Catalogue:
    """The catalogue of this package's own data."""
    return Catalogue(files.data_dir())
