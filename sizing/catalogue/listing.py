"""A scenario and a list beside it, such as a server and its services: one value, to and from JSON and a link."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self
from urllib.parse import urlencode

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.files import ByName, Kind, Many, Number, Place, Record, SourceKey, Text
from sizing.base.numbers import write_number
from sizing.catalogue import links, loader
from sizing.catalogue.inputs import Input, read_input
from sizing.catalogue.scenario import Scenario

SEPARATOR = "~"


def letter(number: int) -> str:
    """An entry's letter on the page.

    >>> letter(0), letter(15)
    ('A', 'P')
    """
    return chr(ord("A") + number)


def letters(numbers: Iterable[int]) -> str:
    """Several entries' letters."""
    return ", ".join(letter(number) for number in numbers)


# The file of a list: the fields of an entry and of the whole, and presets to start from.


@dataclass(kw_only=True, eq=False, repr=False)
class _Fields(Kind):
    """Fields by name, as data/inputs.toml has those of a scenario."""

    def read(self, value: Any, place: Place) -> dict[str, Input]:
        return {name: read_input(name, entry, place.file) for name, entry in value.items()}


def read_file(file: str, entries: str, **more: Kind) -> dict[str, Any]:
    """A file of the data folder: "fields", "preset", and what ``more`` describes. entries: their name in a preset."""
    preset = {
        "source": SourceKey(),
        "cards": Number(low=1, whole=True, optional=True),
        entries: Many(of=Text(), least=1),
    }
    schema = Record(
        fields={"fields": _Fields(), "preset": ByName(of=Record(fields=preset, build=dict)), **more}, build=dict
    )
    read: dict[str, Any] = loader.default().read(file, schema)
    return read


def in_group(file: Mapping[str, Any], group: str) -> dict[str, Input]:
    """Those fields of a file that stand in a group: of an entry, or of the whole."""
    return {name: spec for name, spec in file["fields"].items() if spec.group == group}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One of the list; a subclass has its fields. SizingError where a value is of the wrong kind or out of bounds.

    WHAT: names it in the keys of texts.   INPUTS: its fields by name, in the order in which a link writes them.
    OPEN: the fields that may be None, which a link writes as OPEN_TEXT.
    """

    WHAT: ClassVar[str]
    INPUTS: ClassVar[Mapping[str, Input]]
    OPEN: ClassVar[tuple[str, ...]]
    OPEN_TEXT: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, spec in self.INPUTS.items():
            value = getattr(self, name)
            if value is not None or name not in self.OPEN:
                object.__setattr__(self, name, spec.check(value))

    def replace(self, **changes: Any) -> Self:
        """The same with other values. SizingError for a name that is not a field."""
        _refuse_unknown(changes, self.INPUTS)
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Every value by name."""
        return {name: getattr(self, name) for name in self.INPUTS}

    def to_text(self) -> str:
        """The entry as a link writes it."""
        return SEPARATOR.join(
            self.OPEN_TEXT if value is None else links.written(value) if isinstance(value, str) else write_number(value)
            for name, value in self.as_dict().items()
        )

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """The entry of a JSON object; fields it does not name are at their default."""
        if not isinstance(values, dict):
            raise _not_readable(cls, repr(values))
        _refuse_unknown(values, cls.INPUTS)
        return cls(**values)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The entry of a link's part; fields left out at its end are at their default."""
        parts = text.split(SEPARATOR)
        if len(parts) > len(cls.INPUTS) or not parts[0]:
            raise _not_readable(cls, text)
        return cls(**{name: cls.parse(name, part, of_link=True) for name, part in zip(cls.INPUTS, parts, strict=False)})

    @classmethod
    def parse(cls, name: str, text: str, decimal: str = ".", currency: str = "", *, of_link: bool = False) -> Any:
        """What a text field or a link means by a value; None where the field is left open.

        currency: of the prices around it; a price typed in another one is refused.
        """
        if name in cls.OPEN and text.strip().lower() in (cls.OPEN_TEXT, ""):
            return None
        return cls.INPUTS[name].parse(text, decimal, currency, of_link=of_link)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A scenario with its list; a subclass has the list and the fields of the whole, and says what they are called.

    scenario: what all entries have in common.
    WHAT: names it in a file and in the keys of texts.   ENTRY, ENTRIES: class of an entry, name of the list.
    MOST: entries that it may have. [-]   VERSION: of its meaning, as VERSION_PARAMETER and ENTRY_PARAMETER in a link.
    INPUTS: the fields of the whole by name.   PRESETS: what a list can start from, by name.
    """

    WHAT: ClassVar[str]
    ENTRY: ClassVar[type[Entry]]
    ENTRIES: ClassVar[str]
    MOST: ClassVar[int]
    VERSION: ClassVar[str] = "1"
    VERSION_PARAMETER: ClassVar[str]
    ENTRY_PARAMETER: ClassVar[str]
    INPUTS: ClassVar[Mapping[str, Input]]
    PRESETS: ClassVar[Mapping[str, Any]]

    scenario: Scenario = dataclasses.field(default_factory=Scenario)

    def __post_init__(self) -> None:
        for name, spec in self.INPUTS.items():
            object.__setattr__(self, name, spec.check(getattr(self, name)))
        object.__setattr__(self, self.ENTRIES, tuple(self.entries))
        if not 1 <= len(self.entries) <= self.MOST:
            raise _wrong_count(type(self), len(self.entries))

    @property
    def entries(self) -> tuple[Any, ...]:
        """The list."""
        found: tuple[Any, ...] = getattr(self, self.ENTRIES)
        return found

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """Its names in a link."""
        return (cls.VERSION_PARAMETER, cls.ENTRY_PARAMETER, *(spec.short for spec in cls.INPUTS.values()))

    @classmethod
    def preset_entries(cls, name: str = "") -> tuple[Any, ...]:
        """The list of a preset; the first one's where none is named. SizingError names the known ones."""
        name = name or next(iter(cls.PRESETS))
        if name not in cls.PRESETS:
            raise SizingError("preset_unknown", input="preset", value=str(name)[:60], known=", ".join(cls.PRESETS))
        return tuple(cls.ENTRY.from_text(text) for text in cls.PRESETS[name][cls.ENTRIES])

    def replace(self, **changes: Any) -> Self:
        """The same with other values; inputs of the scenario may be named, too."""
        own = {name: changes.pop(name) for name in (*self.INPUTS, self.ENTRIES, "scenario") if name in changes}
        scenario = own.pop("scenario", self.scenario)
        return dataclasses.replace(self, scenario=scenario.replace(**changes) if changes else scenario, **own)

    def with_entry(self, number: int, entry: Entry) -> Self:
        """The same with another entry in the place ``number``, from 0."""
        return self.replace(**{self.ENTRIES: (*self.entries[:number], entry, *self.entries[number + 1 :])})

    def to_json(self) -> str:
        """Everything as JSON text, every value written out."""
        whole = {self.WHAT: self.VERSION, "scenario": self.scenario.as_dict()}
        whole |= {name: getattr(self, name) for name in self.INPUTS}
        return json.dumps({**whole, self.ENTRIES: [entry.as_dict() for entry in self.entries]}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The value of a JSON text; what it does not name is at its default."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise SizingError("scenario_not_json", input=cls.WHAT) from None
        if not isinstance(values, dict) or not isinstance(values.get("scenario", {}), dict):
            raise SizingError("scenario_not_json", input=cls.WHAT)
        if values.pop(cls.WHAT, cls.VERSION) != cls.VERSION:
            raise _other_version(cls)
        _refuse_unknown(values, (*cls.INPUTS, "scenario", cls.ENTRIES))
        values["scenario"] = Scenario.from_json(json.dumps(values.get("scenario", {})))
        if cls.ENTRIES in values:
            entries = values[cls.ENTRIES]
            if not isinstance(entries, list):
                raise _not_readable(cls.ENTRY, repr(entries))
            values[cls.ENTRIES] = tuple(cls.ENTRY.from_dict(entry) for entry in entries)
        return cls(**values)

    def to_query(self) -> str:
        """The query of a link: the scenario's, then what is not at its default."""
        pairs = [(self.VERSION_PARAMETER, self.VERSION)]
        pairs += [
            (spec.short, str(getattr(self, name)))
            for name, spec in self.INPUTS.items()
            if getattr(self, name) != spec.default
        ]
        if self.entries != self.preset_entries():
            pairs += [(self.ENTRY_PARAMETER, entry.to_text()) for entry in self.entries]
        return f"{self.scenario.to_query()}&{urlencode(pairs, safe='/:.~')}"

    @classmethod
    def from_query(cls, query: str) -> Self:
        """The value of a link's query. SizingError names the first part that cannot be read."""
        found, dropped = cls.read_query(query)
        if dropped:
            raise dropped[0]
        return found

    @classmethod
    def read_query(cls, query: str) -> tuple[Self, tuple[SizingError, ...]]:
        """The value of a link's query, and an error for each part that had to be dropped."""
        scenario, of_scenario = Scenario.read_query(query)
        made, own = links.read(query, {spec.short: spec for spec in cls.INPUTS.values()})
        dropped = [*of_scenario, *own]
        entries: list[Entry] = []
        for short, text in links.pairs(query):
            try:
                if short == cls.ENTRY_PARAMETER:
                    entries.append(cls.ENTRY.from_text(text))
                elif short == cls.VERSION_PARAMETER and text != cls.VERSION:
                    dropped.append(_other_version(cls))
            except SizingError as error:
                dropped.append(error)
        if len(entries) > cls.MOST:
            dropped.append(_wrong_count(cls, len(entries)))
        if entries:
            made[cls.ENTRIES] = tuple(entries[: cls.MOST])
        try:
            return cls(scenario=scenario, **made), tuple(dropped)
        except SizingError as error:  # two parts that do not go together: the one that it names gives way
            made.pop(error.input, None)
            return cls(scenario=scenario, **made), (*dropped, error)


def _refuse_unknown(values: Mapping[str, Any], known: Iterable[str]) -> None:
    if unknown := [name for name in values if name not in known]:
        raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(known))


def _not_readable(entry: type[Entry], shown: str) -> SizingError:
    return SizingError(f"{entry.WHAT}_not_readable", input=f"{entry.WHAT}s", value=shown[:60])


def _wrong_count(listing: type[Listing], count: int) -> SizingError:
    return SizingError(f"{listing.ENTRIES}_count", input=listing.ENTRIES, value=count, most=listing.MOST)


def _other_version(listing: type[Listing]) -> SizingError:
    return SizingError(f"{listing.WHAT}_version", input=listing.WHAT)
