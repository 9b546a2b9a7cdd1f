"""All words that a person reads, one folder a language, one file a room.

Every text has a dotted key (``note.cap_below_minimum``) and may name values in braces with a format:
``{usable_gib:,.1f} GiB``. Numbers are written the way the language writes them.
"""

from __future__ import annotations

import functools
import string
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizing.quantities import is_number

LANGUAGES = ("en",)

# What a language puts where English has "," between thousands and "." before decimals.
_SEPARATORS = {"en": (",", "."), "de": (".", ",")}


class UnknownTextError(KeyError):
    """A key that the catalogue of a language does not have: a fault of ours, found by the tests."""


@dataclass(frozen=True, slots=True)
class Word:
    """A value that is itself a text: filled in as the language says it. values: what that text mentions."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


class _Formatter(string.Formatter):
    def __init__(self, language: str) -> None:
        self.language = language
        self.thousands, self.decimal = _SEPARATORS[language]

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Word):
            return say(value.key, self.language, **dict(value.values))
        text: str = format(value, format_spec) if format_spec else str(value)
        if is_number(value):
            return text.translate({ord(","): self.thousands, ord("."): self.decimal})
        return text


_FORMATTERS = {language: _Formatter(language) for language in _SEPARATORS}


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
    try:
        template = catalogue(language)[key]
    except KeyError:
        raise UnknownTextError(f"no text {key!r} in language {language!r}") from None
    return _FORMATTERS[language].vformat(template, (), values)
