"""All words that a person reads, one folder a language, one file a room.

Every text has a dotted key (``note.cap_below_minimum``) and may name values in braces with a format:
``{usable_gib:,.1f} GiB``. Numbers are written the way the language writes them.
"""

from __future__ import annotations

import datetime
import functools
import re
import string
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.numbers import is_number

# Every language, English first, with what it puts where English has "," between thousands, "." before decimals and "%"
# after a share.
_SIGNS = {"en": (",", ".", "%"), "de": (".", ",", " %")}
LANGUAGES = tuple(_SIGNS)
DECIMAL_SIGNS = {language: signs[1] for language, signs in _SIGNS.items()}
"""What stands before decimals, by language: for reading what was typed and writing it back."""


class UnknownTextError(KeyError):
    """A key that the catalogue of a language does not have: a fault of ours, found by the tests."""


@dataclass(frozen=True)
class Word:
    """A value that is itself a text: filled in as the language says it. values: what that text mentions."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


class Told(str):
    """A sentence or name out of ``data/``: the English text, which carries what other languages say instead.

    twins: the text by language.
    """

    twins: Mapping[str, str]

    def __new__(cls, english: str, twins: Mapping[str, str]) -> Told:
        told = super().__new__(cls, english)
        told.twins = twins
        return told

    def __getnewargs__(self) -> tuple[str, Mapping[str, str]]:  # type: ignore[override]  # for copies and pickles
        return str(self), self.twins


class Day(str):
    """A day, month or year: "2026-11-30" to whatever reckons with it, and to a reader what the language writes."""


def tell(text: str, language: str) -> str:
    """A text out of ``data/`` in one language; one without twins, such as a product's name, as it stands."""
    if isinstance(text, Day):
        return written(str(text), language)
    return text.twins.get(language, str(text)) if isinstance(text, Told) else text


class _Formatter(string.Formatter):
    def __init__(self, language: str) -> None:
        self.language = language
        thousands, decimal, percent = _SIGNS[language]
        self.signs = {ord(","): thousands, ord("."): decimal, ord("%"): percent}

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Word):
            return say(value.key, self.language, **dict(value.values))
        if isinstance(value, Told | Day):
            value = tell(value, self.language)
        text: str = format(value, format_spec) if format_spec else str(value)
        return text.translate(self.signs) if is_number(value) else text


_FORMATTERS = {language: _Formatter(language) for language in _SIGNS}


@functools.cache
def catalogue(language: str) -> dict[str, str]:
    """Every text of a language by its dotted key. A key that two files define is an error."""
    flat: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / language).glob("*.toml")):
        with path.open("rb") as file:
            for key, text in _flatten(tomllib.load(file)):
                if key in flat:
                    raise UnknownTextError(f"{path.name}: {key} is defined twice")
                flat[key] = text
    return flat


def _flatten(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            pairs += _flatten(value, f"{prefix}{name}.")
        else:
            pairs.append((f"{prefix}{name}", value))
    return pairs


def say(key: str, language: str = "en", **values: Any) -> str:
    """The text of a key with its values filled in, numbers in the language's way.

    >>> say("unit.gib", "en", value=332.16)
    '332.2 GiB'
    """
    template = catalogue(language).get(key)
    if template is None:
        raise UnknownTextError(f"no text {key!r} in language {language!r}")
    pieces, fill = _pieces(template), _FORMATTERS[language].format_field
    return "".join(
        text if name is None else text + fill(repr(values[name]) if quoted else values[name], spec)
        for text, name, spec, quoted in pieces
    )


@functools.cache
def _pieces(template: str) -> tuple[tuple[str, str | None, str, bool], ...]:
    """What a text is made of: words, then the name of a value (None where none follows), its form, and ``!r``."""
    return tuple((text, name, spec or "", form == "r") for text, name, spec, form in string.Formatter().parse(template))


def unit(name: str, language: str = "en") -> str:
    """A unit as a language writes it: "cards" is a word that it translates, "GiB" stays.

    >>> unit("cards", "de"), unit("GiB", "de")
    ('Karten', 'GiB')
    """
    return catalogue(language).get(f"unit_name.{name}", name)


def unit_word(name: str) -> Word | str:
    """The same as a value of another text."""
    key = f"unit_name.{name}"
    return Word(key) if key in catalogue("en") else name


# Dates as a language writes them.

_WRITTEN = r"(\d{4})-(\d{2})(?:-(\d{2}))?"


def written(date: datetime.date | str, language: str) -> str:
    """A day or month, given as "2026-11-30" or "2026-11", as the language writes it; any other text as it stands.

    >>> written("2026-11-30", "de"), written("2026-11", "de"), written("2026", "de"), written("2026-11-30", "en")
    ('30.11.2026', '11.2026', '2026', '2026-11-30')
    """
    text = date.isoformat() if isinstance(date, datetime.date) else date
    found = re.fullmatch(_WRITTEN, text)
    if found is None:
        return text
    year, month, day = (int(part) if part else 0 for part in found.groups())
    return say("unit.day" if day else "unit.month", language, year=year, month=month, day=day)
