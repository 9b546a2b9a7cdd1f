"""Records of the data, declared once: what a record holds, and beside each field what a file may say for it.

>>> class Airflow(Declared):
...     inlet_c: float = number(low=-10, high=60)
...     note: str = text(default="")
>>> Airflow.schema().read({"inlet_c": 25}, Place("airflow.toml", ()))
Airflow(inlet_c=25, note='')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self, dataclass_transform

from sizing.base.files import DayText, Flag, Kind, Many, Name, Number, Place, Record, Sentence, SourceKey, Text
from sizing.base.frozen import Frozen

_NONE: Mapping[str, Any] = {}
_ALWAYS: Any = object()
"""Stands for "no default": a field without one has to be there."""


def _field(kind: type[Kind], default: Any, **rules: Any) -> Any:
    return kind(**rules) if default is _ALWAYS else kind(optional=True, default=default, **rules)


def text(*, choices: tuple[str, ...] = (), pattern: str = "", says: str = "", default: Any = _ALWAYS) -> Any:
    """A text. pattern: what it must look like, in the words ``says``."""
    return _field(Text, default, choices=choices, pattern=pattern, says=says)


def sentence(*, default: Any = _ALWAYS) -> Any:
    """A text that a page shows, in every language."""
    return _field(Sentence, default)


def named(*, default: Any = _ALWAYS) -> Any:
    """A name that a page shows, in other languages where it differs there."""
    return _field(Name, default)


def day(*, whole: bool = True, default: Any = _ALWAYS) -> Any:
    """A date, without ``whole`` also a month or a year."""
    return _field(DayText, default, whole=whole)


def source_key(*, default: Any = _ALWAYS) -> Any:
    """A key of sources.toml."""
    return _field(SourceKey, default)


def flag(*, default: Any = _ALWAYS) -> Any:
    """True or false."""
    return _field(Flag, default)


def number(low: float = 0.0, high: float = float("inf"), *, whole: bool = False, default: Any = _ALWAYS) -> Any:
    """A finite number from ``low`` to ``high``, ``whole``: without a fraction; ``default`` where it is left out."""
    return _field(Number, default, low=low, high=high, whole=whole)


def many(
    of: Kind | type[Declared],
    *,
    least: int = 0,
    most: int | None = None,
    unique: tuple[str, ...] = (),
    default: Any = _ALWAYS,
) -> Any:
    """A list, as a tuple. of: what an entry is.   least, most: entries. [-]   unique: the fields that no two share.

    default: where there is no list.
    """
    kind = of if isinstance(of, Kind) else of.schema()
    return _field(Many, default, of=kind, least=least, most=most, unique=unique)


def one(of: type[Declared], *, default: Any = _ALWAYS) -> Any:
    """A record inside another."""
    return of.schema() if default is _ALWAYS else of.schema(optional=True, default=default)


def of_kind(of: Kind) -> Any:
    """A field of a kind that its room brings along."""
    return of


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(text, sentence, named, day, source_key, flag, number, many, one, of_kind),
)
class Declared(Frozen):
    """Base of a record: a subclass lists its fields, each with what a file may say for it.

    FIELDS: kinds of the fields by name.   FILE_ONLY: kinds of what a file says besides, for ``made``.
    RISING: groups of fields whose values must not fall from one to the next.
    """

    FIELDS: ClassVar[Mapping[str, Kind]] = {}
    FILE_ONLY: ClassVar[Mapping[str, Kind]] = {}
    RISING: ClassVar[tuple[tuple[str, ...], ...]] = ()

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Kind)}
        for each in own:
            delattr(cls, each)
        cls.FIELDS = {**cls.FIELDS, **own}

    def __init__(self, **values: Any) -> None:
        held = self.__dict__
        for each, kind in self.FIELDS.items():
            if each in values:
                held[each] = values.pop(each)
            elif kind.optional:
                held[each] = kind.default
            else:
                raise TypeError(f"{type(self).__name__} needs {each}")
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def _held(self) -> Mapping[str, Any]:
        return {each: self.__dict__[each] for each in self.FIELDS}  # nothing that was worked out from it since

    def replace(self, **changes: Any) -> Self:
        """The same with other values."""
        return type(self)(**{**self._held(), **changes})

    @classmethod
    def schema(cls, *, optional: bool = False, default: Any = None, narrower: Mapping[str, Kind] = _NONE) -> Record:
        """What a file may say. narrower: kinds that take the place of a field's own."""
        return Record(
            optional=optional,
            default=default,
            fields={**cls.FIELDS, **cls.FILE_ONLY, **narrower},
            build=cls.made,
            rising=cls.RISING,
            join=cls.join,
        )

    @classmethod
    def join(cls, read: dict[str, Any], place: Place) -> None:
        """Bring together what depends on each other once it is read; may refuse. Nothing for most records."""

    @classmethod
    def made(cls, **read: Any) -> Self:
        """The record of what was read; its fields as they are, unless a subclass has it otherwise."""
        return cls(**read)
