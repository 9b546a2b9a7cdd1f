"""The inputs as data/inputs.toml states them: part, kind, unit, bounds, stops, default."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.base.numbers import is_number, parse_number, split_money
from sizing.base.temperature import Rise, Temperature
from sizing.catalogue.loader import OWN
from sizing.memory.engines import names
from sizing.memory.starting import releases

_MONEY = ("EUR", "USD", "currency")
_GROUPED = r"[1-9][0-9]{0,2}([.,][0-9]{3})+"
_TRAILING_WORD = r"(?P<number>[^A-Za-z€$]*[0-9])\s*(?P<word>[A-Za-z€$/]+)"

PACKED = OWN[1]

PARTS = ("server", "site", "need", "offer")
"""The parts of a Scenario."""

PAGES_OWN = ("evidence",)
"""Pages with inputs of their own, which no Scenario holds."""

KINDS = ("integer", "number", "choice", "id")
SCALES = ("", "temperature", "rise")


@dataclass(frozen=True)
class Input:
    """One input.

    name: as Scenario has it.   short: name in a link.   part: what holds it, one of PARTS or PAGES_OWN.
    kind: one of KINDS.
    unit: as written beside the control, "" where it has none.   group: where a page puts it.
    pages: those that ask for it, "call.need" for a step of the call.
    only_stops: the stops are all there are, as servers are built; nothing between is taken.
    scale: "temperature" or "rise", which may be typed in °F and are shown in both units; "" for anything else.
    min, max: bounds, None for choices and ids. [unit]   stops: where a slider snaps. [unit]
    choices: allowed values of a choice; where an ``engine`` is named the releases of all, by default its newest.
    also: other spellings of a choice, by which engines know it.   plain: written as they stand, such as a release.
    catalogue: where an id comes from.
    source: of the default, a key of sources.toml or "convention".
    """

    name: str
    short: str
    kind: str
    group: str
    default: Any
    source: str
    part: str = ""
    pages: tuple[str, ...] = ()
    unit: str = ""
    scale: str = ""
    min: float | None = None
    max: float | None = None
    stops: tuple[float, ...] = ()
    only_stops: bool = False
    choices: tuple[str, ...] = ()
    also: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    plain: bool = False
    catalogue: str = ""

    @property
    def _label(self) -> texts.Word:
        return texts.Word(f"input.{self.name}.label")

    def label(self, language: str = "en") -> str:
        """Name beside the control."""
        return texts.say(f"input.{self.name}.label", language)

    def help(self, language: str = "en") -> str:
        """One sentence on what it means."""
        return texts.say(f"input.{self.name}.help", language)

    def choice(self, value: str, language: str = "en") -> str:
        """An allowed value as the page names it."""
        return value if self.plain else texts.say(f"input.{self.name}.{value}", language)

    def check(self, value: Any) -> Any:
        """The value in its own type. SizingError where it is of the wrong kind, not finite or out of bounds."""
        if self.kind in ("integer", "number"):
            return self._check_number(value)
        if self.kind == "id" and not (isinstance(value, str) and not value.startswith(PACKED)):
            from sizing.catalogue import owned  # few are of the user's own

            value = owned.unpacked(value, self.name) if isinstance(value, str) else owned.of_record(value)
        if not isinstance(value, str) or not value.strip():
            key = "name_empty" if isinstance(value, str) else "not_a_name"
            raise SizingError(key, input=self.name, label=self._label, value=_shown(value))
        value = self.also.get(value, value)
        if self.kind == "choice" and value not in self.choices:
            raise SizingError(
                "not_a_choice", input=self.name, label=self._label, value=_shown(value), known=", ".join(self.choices)
            )
        return value

    def _check_number(self, value: Any) -> int | float:
        if not is_number(value):
            raise SizingError(
                "not_a_number", input=self.name, label=self._label, value=_shown(value), example=self.default
            )
        if self.kind == "integer" and value != int(value):
            raise SizingError(
                "not_whole", input=self.name, label=self._label, value=_shown(value), example=self.default
            )
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            raise SizingError(
                "out_of_bounds",
                input=self.name,
                label=self._label,
                value=_tidy(value),
                min=_tidy(self.min),
                max=_tidy(self.max),
                unit=texts.unit_word(self.unit),
            )
        if self.only_stops and value not in self.stops:
            known = ", ".join(str(_tidy(stop)) for stop in self.stops)
            raise SizingError("not_built", input=self.name, label=self._label, value=_tidy(value), known=known)
        return int(value) if self.kind == "integer" else float(value)

    def parse(self, text: str, decimal: str = ".", currency: str = "", *, of_link: bool = False) -> Any:
        """The value that a link or a text field means.

        decimal: the decimal sign of whoever wrote it.   currency: that of the prices around it, "" where any will do;
        an amount that names another one is refused, since nothing is converted.   of_link: as a link writes it, where
        a point always stands before decimals.
        """
        if self.kind not in ("integer", "number"):
            return self.check(text)
        if not text.strip():
            raise SizingError("number_empty", input=self.name, label=self._label, example=self._example)
        bare = self._amount(text, currency) if self.unit in _MONEY else self._without_unit(text)
        try:
            number = self._from_degrees(text) if self.scale else None
            if number is None:
                whole = re.fullmatch(_GROUPED, bare) is not None and (
                    self.kind == "integer" or (self.unit in _MONEY and not of_link)
                )
                # "8.192" of a count of tokens, "30.000" of a price: nobody means a fraction with three digits.
                number = parse_number(
                    re.sub("[.,]", "", bare) if whole else bare, decimal, binary=self.unit == "tokens"
                )
        except ValueError:
            raise SizingError(
                "not_a_number", input=self.name, label=self._label, value=_shown(text), example=self._example
            ) from None
        return self.check(number)

    @property
    def _example(self) -> Any:
        return self.default or (10_000 if self.unit == "currency" else self.default)

    def _without_unit(self, text: str) -> str:
        """What was typed without the unit that stands beside the field, in one or many."""
        named = {texts.unit(self.unit, language).lower() for language in texts.LANGUAGES} - {""}
        words = named | {name.removesuffix(end) for name in named for end in "sne"}  # one of them: "1 card", "1 Karte"
        found = re.fullmatch(_TRAILING_WORD, text.strip())
        return str(found["number"]) if found and found["word"].lower() in words else text

    def _amount(self, text: str, currency: str) -> str:
        """What was typed of a price without its currency, which has to be the one that counts here."""
        bare, named = split_money(text)
        wanted = currency if self.unit == "currency" else self.unit
        if named and (named not in _MONEY or (wanted and named != wanted)):
            known = wanted or ", ".join(name for name in _MONEY if name != "currency")
            raise SizingError("other_currency", input=self.name, label=self._label, named=named, known=known)
        return bare

    def _from_degrees(self, text: str) -> float | None:
        """Degrees Celsius or kelvin of a text that names its unit; None where it names none and the input's counts."""
        if text.strip()[-1:].upper() not in ("C", "F", "K"):
            return None
        return Temperature.read(text).c if self.scale == "temperature" else Rise.read(text).k

    def in_fahrenheit(self, value: float) -> float | None:
        """A value of a scale in degrees Fahrenheit, None for any other input. [°F]"""
        if self.scale == "temperature":
            return Temperature.from_c(value).f
        return Rise.from_k(value).f if self.scale == "rise" else None


def _tidy(number: float | None) -> float | None:
    """5 for 5.0: what a person would write."""
    return int(number) if number is not None and number == int(number) else number


def _shown(value: Any) -> str:
    """A value as an error repeats it: short, whatever was typed."""
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "…"


_KEYS = frozenset(Input.__annotations__) - {"name"}


@functools.cache
def every_input() -> dict[str, Input]:
    """Every input by name, pages' own among them, in the order of the file."""
    with (data_dir() / "inputs.toml").open("rb") as file:
        table = tomllib.load(file)
    return {name: read_input(name, entry, "inputs.toml", (*PARTS, *PAGES_OWN)) for name, entry in table.items()}


@functools.cache
def inputs() -> dict[str, Input]:
    """Every input of a Scenario by name, in the order of the file."""
    return {name: spec for name, spec in every_input().items() if spec.part in PARTS}


def asked_on(page: str) -> tuple[str, ...]:
    """Names of the inputs that a page, or a step of the call, asks for, in the order of the file."""
    return tuple(name for name, spec in every_input().items() if page in spec.pages)


def read_input(name: str, entry: dict[str, Any], file: str, parts: tuple[str, ...] = ("",)) -> Input:
    """An input as a file of the data folder states it. SizingError where an entry is unknown, missing or wrong."""
    place = f"{file}, {name}"
    if unknown := entry.keys() - _KEYS:
        raise SizingError("data_unknown_key", input=place, value=", ".join(sorted(unknown)))
    if engine := entry.get("engine"):
        of_all = tuple(version for each in (engine, *(n for n in names() if n != engine)) for version in releases(each))
        entry = {**entry, "choices": of_all, "default": releases(engine)[-1]}
    lists: dict[str, Any] = {key: tuple(entry[key]) for key in ("stops", "choices", "pages") if key in entry}
    try:
        made = Input(name=name, **{**entry, **lists})
    except TypeError as error:
        raise SizingError("data_missing_key", input=place, value=str(error)) from None
    for value, allowed in ((made.kind, KINDS), (made.scale, SCALES), (made.part, parts)):
        if value not in allowed:
            raise SizingError("data_unknown_key", input=place, value=value)
    made.check(made.default)
    return made
