"""A card of the visitor's own, typed beside the inputs: it becomes the scenario's card as soon as it is whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sizing import catalogue
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.base.numbers import parse_number, write_number
from sizing.base.texts import DECIMAL_SIGNS, Word, say
from sizing.catalogue.owned import written
from sizing.ui.state import State
from sizing.ui.widgets.boxes import Form, form_words


class Typed(NamedTuple):
    """A field of the card. example: a usual value; needed: without it there is no card."""

    name: str
    unit: str
    example: str
    needed: bool = False


FIELDS = (
    Typed("name", "", "RTX PRO 7000", needed=True),
    Typed("memory_gb", "GB", "96", needed=True),
    Typed("memory_bandwidth_gb_s", "GB/s", "1600", needed=True),
    Typed("power_default_w", "W", "600", needed=True),
    Typed("power_min_w", "W", "300"),
    Typed("memory_mib", "MiB", "97887"),
    Typed("compute_capability", "", "12.0"),
    Typed("bf16_tflops", "TFLOPS", "480"),
    Typed("fp8_tflops", "TFLOPS", "960"),
    Typed("fp4_tflops", "TFLOPS", "1920"),
    Typed("slots", "", "2"),
)
BY_NAME = {field.name: field for field in FIELDS}
_AS_TEXT = ("name", "compute_capability")
_INSIDE = {"capability": "compute_capability"}


class OwnCard(Form):
    """The fields, folded away. typed: what stands in them, by name; errors: what is wrong with one."""

    def __init__(self, state: State) -> None:
        self.state, self.language = state, state.language
        self.typed: dict[str, str] = {}
        self.errors: dict[str, SizingError] = {}
        self.shown = ""
        super().__init__([_field(field, self.language) for field in FIELDS], {}, form_words(self.language))
        self.add_class("sizing-own")

    def show(self, *, hidden: bool = False) -> None:
        """What the scenario's card is, where it is one's own; else what was typed stays."""
        card = self.state.scenario.card
        if catalogue.is_own(card) and card != self.shown:
            decimal = DECIMAL_SIGNS[self.language]
            said = written(card).items()
            self.typed = {
                name: value if isinstance(value, str) else write_number(value, decimal)
                for name, value in said
                if name in BY_NAME and isinstance(value, str | int | float)
            }
            self.errors, self.shown = {}, card
        self.values = {field.name: self._value(field) for field in FIELDS}
        self.layout.display = "none" if hidden else None

    def edit(self, changes: Mapping[str, str]) -> None:
        """Take what was typed; a card that is whole and within bounds is the scenario's."""
        self.typed |= {name: text for name, text in changes.items() if name in BY_NAME}
        self.errors = {}
        record = {name: value for name in self.typed if (value := self._read(name)) is not None}
        if not self.errors and all(field.name in record for field in FIELDS if field.needed):
            try:
                self.shown = catalogue.own("card", record)
            except SizingError as error:
                self._blame(error)
            else:
                self.state.edit({"card": self.shown})
                return
        self.show()

    def _read(self, name: str) -> str | int | float | None:
        """The value of a field; None for an empty one, or one that cannot be read."""
        text = " ".join(self.typed[name].split())
        if not text:
            return None
        if name in _AS_TEXT:
            return text.replace(",", ".") if name == "compute_capability" else text
        try:
            number = parse_number(text, DECIMAL_SIGNS[self.language], binary=False)
        except ValueError:
            label = _label(name)
            self.errors[name] = SizingError(
                "not_a_number", input=name, label=label, value=text[:60], example=BY_NAME[name].example
            )
            return None
        return int(number) if number == int(number) else number

    def _blame(self, error: SizingError) -> None:
        """Put what is wrong with the card beside its field, in the words of any other input."""
        found = re.match(r"own: (\w+)", str(error.values.get("place", "")))
        key = found[1] if found else "power_default_w"
        name = _INSIDE.get(key, key)
        name = name if name in BY_NAME else "name"
        reason = error.values.get("reason")
        if isinstance(reason, Word) and reason.key == "error.data_out_of_range.what":
            told = dict(reason.values)
            bounds = {
                "min": _tidy(told["low"]),
                "max": _tidy(told["high"]),
                "unit": texts.unit_word(BY_NAME[name].unit),
            }
            error = SizingError("out_of_bounds", input=name, label=_label(name), value=told["value"], **bounds)
        self.errors[name] = error

    def _value(self, field: Typed) -> dict[str, Any]:
        text, error = self.typed.get(field.name, ""), self.errors.get(field.name)
        missing = field.needed and not text and any(self.typed.values())
        return {
            "text": text,
            "raw": text,
            "number": None,
            "error": error.say(self.language) if error else "",
            "changed": "",
            "also": say("ui.own.needed", self.language) if missing else "",
        }


def _tidy(number: float) -> float:
    return int(number) if number == int(number) else number


def _label(name: str) -> Word:
    return Word(f"ui.own.field.{name}")


def _field(field: Typed, language: str) -> dict[str, Any]:
    return {
        "name": field.name,
        "kind": "text",
        "group": "own_card",
        "group_label": say("ui.own.heading", language),
        "folded": True,
        "label": say(f"ui.own.field.{field.name}", language),
        "help": say("ui.own.help", language, example=field.example),
        "unit": texts.unit(field.unit, language),
    }
