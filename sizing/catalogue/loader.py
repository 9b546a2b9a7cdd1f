"""A catalogue: the data folder and folders of the user's own beside it, read file by file as it is asked for."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sizing.base import files
from sizing.base.declare import Declared
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Place, Record
from sizing.catalogue.records import Card, Checkpoint, Circuit, ConfigKeys, Price, Source

BESIDE = "SIZING_DATA"
"""Variable of the environment with folders of the user's own, laid out as ``data/``, of as much of it as they add."""

OWN = ("own:", "own.")
"""How an id starts that holds a record of the user's own: as text, and as a link writes it."""

Stated = TypeVar("Stated", bound=Declared)


class Catalogue:
    """The data of one folder. Names are listed from file names; a file is read once, when it is first asked for.

    root: a folder laid out as ``data/``.
    beside: more folders, which may add cards, checkpoints, sources and rows of tables; an id stands in one of them.
    """

    def __init__(self, root: Path, *beside: Path) -> None:
        self.root, self.beside = root, beside
        self._cards: dict[str, Card] = {}
        self._checkpoints: dict[str, Checkpoint] = {}

    @functools.cached_property
    def source_keys(self) -> Collection[str]:
        """The keys of sources.toml, told by its headings; what stands below them is read when it is asked for."""
        texts = [files.read_text(path, name) for path, name in self._all("sources.toml")]
        return dict.fromkeys(re.findall(r'^\["?([^\]"]+)"?\]', "\n".join(texts), re.MULTILINE))

    @functools.cached_property
    def sources(self) -> Mapping[str, Source]:
        """Every source by its key."""
        kinds = {name: kind for name, kind in Source.FIELDS.items() if name != "key"}
        found: dict[str, Source] = {}
        for path, name in self._all("sources.toml"):
            place = Place(name, ())
            for key, value in files.read_toml(path, name).items():
                if key in found:
                    raise SizingError("data_duplicate", input=name, what="source", value=key)
                schema = Record(fields=kinds, build=functools.partial(Source, key=key))
                found[key] = schema.read(value, place.at(key))
        return found

    def _all(self, file: str) -> list[tuple[Path, str]]:
        """A file of each folder that has it, with what an error calls it."""
        more = [(folder / file, str(folder / file)) for folder in self.beside if (folder / file).is_file()]
        return [(self.root / file, file), *more]

    def _listed(self, folder: str) -> dict[str, Path]:
        """Where the TOML files of a folder lie, by their names without the ending."""
        found: dict[str, Path] = {}
        for root in (self.root, *self.beside):
            for path in (root / folder).glob("*.toml"):
                if path.stem in found:
                    raise SizingError("data_duplicate", input=str(path), what="id", value=path.stem)
                found[path.stem] = path
        return found

    def place(self, file: str) -> Place:
        """The place that stands for a whole file."""
        return Place(file, self.source_keys)

    def source(self, key: str) -> Source:
        """One source, by its key."""
        if not known(key, self.source_keys):
            raise SizingError("source_unknown", input="source", value=short(key), known=nearest(key, self.source_keys))
        return self.sources[key]

    @functools.cached_property
    def _card_files(self) -> dict[str, Path]:
        return dict(sorted(self._listed("cards").items()))

    def card_ids(self) -> tuple[str, ...]:
        """Ids of all cards, in the order of the alphabet."""
        return tuple(self._card_files)

    def card(self, id: str) -> Card:
        """One card, by its id."""
        if not known(id, self._card_files):
            raise SizingError("card_unknown", input="card", value=short(id), known=nearest(id, self._card_files))
        if id not in self._cards:
            self._cards[id] = self._file(self._card_files[id], Card.schema(), id)
        return self._cards[id]

    @functools.cached_property
    def _checkpoint_files(self) -> dict[str, Path]:
        found = {stem.replace("--", "/", 1): path for stem, path in self._listed("checkpoints").items()}
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
        schema = ConfigKeys.schema()
        found: set[str] = set()
        for path, file in self._all("config_keys.toml"):
            for name, group in files.read_toml(path, file).items():
                found.update(schema.read(group, Place(file, ()).at(name)).keys)
        return frozenset(found)

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
        read: dict[str, Stated] = {}
        for path, name in self._all(file):
            for where, record in self._rows(path, name, of.schema()):
                if record.id in read:
                    raise SizingError("data_duplicate", input=where, what="id", value=record.id)
                read[record.id] = record
        return list(read.values())

    def _rows(self, path: Path, name: str, schema: Record) -> Iterator[tuple[str, Any]]:
        """The rows of one file, each with its place."""
        columns, found = files.read_csv(path, name)
        place = Place(name, self.source_keys, "line 1")
        schema.check_names(columns, place)
        for key, kind in schema.fields.items():
            if key not in columns and not kind.optional:
                place.refuse("data_missing_key", value=key)
            for twin in schema.twins.get(key, {}).values():
                if (twin in columns) != (key in columns):
                    place.refuse("data_missing_key", value=twin if key in columns else key)
        for where, row in found:
            yield where, schema.read_row(row, Place(name, self.source_keys, where.removeprefix(f"{name}: ")))

    def _file(self, path: Path, schema: Record, id: str, config_keys: Collection[str] = ()) -> Any:
        file = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        place = Place(file, self.source_keys, config_keys=config_keys)
        record = schema.read(files.read_toml(path, file), place)
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
    """The catalogue of this package's own data, and of the folders that SIZING_DATA names beside it."""
    named = [Path(name).expanduser() for name in os.environ.get(BESIDE, "").split(os.pathsep) if name]
    for folder in named:
        if not folder.is_dir():
            raise SizingError("own_no_folder", input=BESIDE, value=str(folder))
    return Catalogue(files.data_dir(), *named)
