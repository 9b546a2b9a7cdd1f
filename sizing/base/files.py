"""Where the data lies, and how a file of it is read: TOML and CSV into plain values, faults with file and place."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import math
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.texts import LANGUAGES, Told, Word


@functools.cache
def data_dir() -> Path:
    """The folder of the data."""
    return find_data(Path(__file__).parents[1])


def find_data(package: Path) -> Path:
    """The data of the package in this folder: ``_data`` inside an installed one, ``data`` beside it in a checkout."""
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"


def read_text(path: Path, place: str) -> str:
    """The text of a file. place: what an error calls the file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error


def read_toml(path: Path, place: str) -> dict[str, Any]:
    """A TOML file as plain values. A key that stands twice is refused here, by the TOML reader."""
    try:
        return tomllib.loads(read_text(path, place))
    except tomllib.TOMLDecodeError as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error


def read_csv(path: Path, place: str) -> tuple[tuple[str, ...], list[tuple[str, dict[str, str]]]]:
    """A CSV file as its columns and its rows, each with its place (file and line).

    Refuses a column that stands twice and a row with more or fewer cells than columns.
    """
    reader = csv.reader(io.StringIO(read_text(path, place), newline=""), strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    try:
        columns = tuple(next(reader, ()))
        if twice := {column for column in columns if columns.count(column) > 1}:
            raise SizingError("data_duplicate", input=f"{place}: line 1", what="column", value=", ".join(sorted(twice)))
        for cells in reader:
            where = f"{place}: line {reader.line_num}"
            if len(cells) != len(columns):
                raise SizingError("data_ragged_row", input=where, cells=len(cells), columns=len(columns))
            rows.append((where, dict(zip(columns, (cell.strip() for cell in cells), strict=True))))
    except csv.Error as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error
    return columns, rows


# The parts a description of a data file is made of. Each part reads one value and refuses what it does not allow. A
# description is a tree of these parts (see ``sizing.base.declare``); the reading follows it, so that nothing
# about a single field stands anywhere else. A refusal is a ``SizingError`` that names file, place and reason. The
# parts are bare dataclasses, without ==, repr and freezing, which would cost some milliseconds of every start.


@dataclass(frozen=True)
class Place:
    """Where a value stands, and which source keys exist.

    file: name of the file under the data folder.   path: dotted keys inside it, or the line of a CSV file.
    sources: the keys of sources.toml.   config_keys: names that a checkpoint's config may hold.
    """

    file: str
    sources: Collection[str]
    path: str = ""
    config_keys: Collection[str] = ()

    def at(self, key: str | int) -> Place:
        """The place of a value inside this one."""
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.path else key
        return Place(self.file, self.sources, self.path + step, self.config_keys)

    def __str__(self) -> str:
        return f"{self.file}: {self.path}" if self.path else self.file

    def refuse(self, key: str, **values: Any) -> NoReturn:
        """Raise the SizingError ``key`` for this place."""
        raise SizingError(key, input=str(self), **values)


@dataclass(kw_only=True, eq=False, repr=False)
class Kind(ABC):
    """One kind of value. optional: may be absent, and is then None, or ``default``."""

    optional: bool = False
    default: Any = None

    @abstractmethod
    def read(self, value: Any, place: Place) -> Any:
        """The value as the catalogue holds it, or a SizingError."""

    def from_cell(self, cell: str, place: Place) -> Any:
        """The value of a CSV cell, before ``read``."""
        return cell


@dataclass(kw_only=True, eq=False, repr=False)
class Text(Kind):
    """A text. choices: the only ones allowed.   pattern: what it must look like, in ``says``' words."""

    choices: tuple[str, ...] = ()
    pattern: str = ""
    says: str = ""

    def read(self, value: Any, place: Place) -> str:
        if not isinstance(value, str):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.text"))
        if value != value.strip() or not value:
            place.refuse("data_blank_text", value=value)
        if self.choices and value not in self.choices:
            place.refuse("data_not_a_choice", value=value, known=", ".join(self.choices))
        if self.pattern and not re.fullmatch(self.pattern, value):
            place.refuse("data_wrong_form", value=value, wanted=self.says)
        return value


@dataclass(kw_only=True, eq=False, repr=False)
class Sentence(Text):
    """A text that a page shows: in English under its own name, and beside it in each other language (``note_de``)."""


@dataclass(kw_only=True, eq=False, repr=False)
class Name(Sentence):
    """A name as a page shows it: another language says it the same way unless it stands there, too."""


@dataclass(kw_only=True, eq=False, repr=False)
class DayText(Text):
    """A date: 2026-11-30, or with ``whole=False`` also 2026-11 or 2026."""

    whole: bool = True

    def read(self, value: Any, place: Place) -> texts.Day:
        import datetime  # not needed where no file is read

        text = super().read(value, place)
        form = r"\d{4}-\d{2}-\d{2}" if self.whole else r"\d{4}(-\d{2}(-\d{2})?)?"
        try:
            if not re.fullmatch(form, text):
                raise ValueError
            datetime.date.fromisoformat(text + "-01-01"[len(text) - 4 :] if len(text) < 10 else text)
        except ValueError:
            place.refuse("data_wrong_form", value=text, wanted=Word("data.wanted.date"))
        return texts.Day(text)


@dataclass(kw_only=True, eq=False, repr=False)
class SourceKey(Text):
    """A key of sources.toml."""

    def read(self, value: Any, place: Place) -> str:
        key = super().read(value, place)
        if key not in place.sources:
            place.refuse("data_unknown_source", value=key)
        return key


@dataclass(kw_only=True, eq=False, repr=False)
class ConfigPath(Text):
    """Dotted path of a key in a config."""

    def read(self, value: Any, place: Place) -> str:
        path = super().read(value, place)
        for key in path.split("."):
            if key not in place.config_keys:
                _unknown_key(key, place.config_keys, place, otherwise="data_unknown_config_key")
        return path


@dataclass(kw_only=True, eq=False, repr=False)
class Flag(Kind):
    """true or false."""

    def read(self, value: Any, place: Place) -> bool:
        if not isinstance(value, bool):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.truth"))
        return value

    def from_cell(self, cell: str, place: Place) -> Any:
        return {"true": True, "false": False}.get(cell, cell)


@dataclass(kw_only=True, eq=False, repr=False)
class Number(Kind):
    """A finite number from ``low`` to ``high``. whole: without a fraction."""

    low: float = 0.0
    high: float = math.inf
    whole: bool = False

    def read(self, value: Any, place: Place) -> int | float:
        wanted = Word(f"data.wanted.{'whole' if self.whole else 'number'}")
        allowed = int if self.whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, allowed) or not math.isfinite(value):
            place.refuse("data_wrong_type", value=value, wanted=wanted)
        if not self.low <= value <= self.high:
            place.refuse("data_out_of_range", value=value, low=self.low, high=self.high)
        return value

    def from_cell(self, cell: str, place: Place) -> Any:
        for number in (int, float):
            try:
                return number(cell)
            except ValueError:
                continue
        return cell


@dataclass(kw_only=True, eq=False, repr=False)
class Plain(Kind):
    """A table of plain values as a config.json holds them: texts, finite numbers, flags, lists, tables.

    Only the place's ``config_keys`` are allowed at any depth.   free: tables below these names may hold any name.
    """

    free: Collection[str] = ()

    def read(self, value: Any, place: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.table"))
        self._walk(value, place, strict=True)
        return value

    def _walk(self, value: Any, place: Place, strict: bool) -> None:
        match value:
            case dict():
                for key, inner in value.items():
                    if strict and key not in place.config_keys:
                        _unknown_key(key, place.config_keys, place, otherwise="data_unknown_config_key")
                    self._walk(inner, place.at(key), strict and key not in self.free)
            case list():
                for index, inner in enumerate(value):
                    self._walk(inner, place.at(index), strict)
            case float() if not math.isfinite(value):
                place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.number"))
            case bool() | int() | float() | str():
                pass
            case _:
                place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.value"))


@dataclass(kw_only=True, eq=False, repr=False)
class Many(Kind):
    """A list, as a tuple. unique: the fields of an entry that no two entries share; empty for the entry itself."""

    of: Kind
    least: int = 0
    most: int | None = None
    unique: tuple[str, ...] = ()

    def read(self, value: Any, place: Place) -> tuple[Any, ...]:
        if not isinstance(value, list):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.list"))
        if len(value) < self.least or (self.most is not None and len(value) > self.most):
            place.refuse("data_wrong_length", value=len(value), least=self.least, most=self.most or "any number")
        seen: list[Any] = []
        for index, inner in enumerate(value):
            mark = tuple(inner.get(name) for name in self.unique) if self.unique and isinstance(inner, dict) else inner
            if self.unique and mark in seen:
                what = ", ".join(self.unique)
                place.at(index).refuse("data_duplicate", what=what, value=", ".join(str(part) for part in mark))
            seen.append(mark)
        return tuple(self.of.read(inner, place.at(index)) for index, inner in enumerate(value))


@dataclass(kw_only=True, eq=False, repr=False)
class ByName(Kind):
    """A table whose names are free, each with one kind of value."""

    of: Kind

    def read(self, value: Any, place: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.table"))
        return {name: self.of.read(entry, place.at(name)) for name, entry in value.items()}


@dataclass(kw_only=True, eq=False, repr=False)
class Record(Kind):
    """A table with known fields.

    build: makes the catalogue's object of the fields, which it takes by name.
    rising: groups of fields whose values must not fall from one to the next; absent ones are passed over.
    join: brings fields together that depend on each other, once each is read; may refuse.
    """

    fields: Mapping[str, Kind]
    build: Callable[..., Any]
    rising: tuple[tuple[str, ...], ...] = ()
    join: Callable[[dict[str, Any], Place], None] | None = None

    def __post_init__(self) -> None:
        told = [key for key, kind in self.fields.items() if isinstance(kind, Sentence)]
        self.twins = {key: {language: f"{key}_{language}" for language in LANGUAGES[1:]} for key in told}
        self.names = {*self.fields, *(twin for twins in self.twins.values() for twin in twins.values())}

    def read(self, value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            place.refuse("data_wrong_type", value=value, wanted=Word("data.wanted.table"))
        self.check_names(value, place)
        read: dict[str, Any] = {}
        for key, kind in self.fields.items():
            if key in value:
                read[key] = kind.read(value[key], place.at(key))
                if key in self.twins:
                    read[key] = self._told(key, read[key], value, place)
            elif not kind.optional or any(twin in value for twin in self.twins.get(key, {}).values()):
                place.refuse("data_missing_key", value=key)
            else:
                read[key] = kind.default
        for group in self.rising:
            present = [(key, getattr(read[key], "value", read[key])) for key in group if read[key] is not None]
            for (low_key, low), (high_key, high) in itertools.pairwise(present):
                if low > high:
                    place.refuse("data_wrong_order", low_key=low_key, low=low, high_key=high_key, high=high)
        if self.join:
            self.join(read, place)
        return self.build(**read)

    def _told(self, key: str, english: str, table: Mapping[str, Any], place: Place) -> Told:
        """A sentence with its twins, each of which has to be there; a name with those it has."""
        said: dict[str, str] = {}
        for language, twin in self.twins[key].items():
            if twin in table:
                said[language] = self.fields[key].read(table[twin], place.at(twin))
            elif not isinstance(self.fields[key], Name):
                place.refuse("data_missing_key", value=twin)
        return Told(english, said)

    def check_names(self, names: Iterable[str], place: Place) -> None:
        """Refuse a name that is no field of this table."""
        for key in names:
            if key not in self.names:
                _unknown_key(key, self.names, place)

    def read_row(self, row: Mapping[str, str], place: Place) -> Any:
        """A row of a CSV file; an empty cell counts as absent."""
        self.check_names(row, place)
        cells = {
            key: self.fields[key].from_cell(cell, place.at(key)) if key in self.fields else cell
            for key, cell in row.items()
            if cell
        }
        return self.read(cells, place)


def _unknown_key(key: str, known: Collection[str], place: Place, otherwise: str = "data_unknown_key") -> NoReturn:
    import difflib  # only where something is wrong

    if near := difflib.get_close_matches(key, known, n=3, cutoff=0.8):
        place.at(key).refuse("data_misspelt_key", value=key, near=", ".join(near))
    place.at(key).refuse(otherwise, value=key)
