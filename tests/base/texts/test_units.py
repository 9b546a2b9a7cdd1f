"""Units that are words: said in the visitor's language beside a field, in a working, in an error, and read back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizing.answers.wording import with_unit
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.catalogue.inputs import inputs
from sizing.ui import controls
from sizing.ui.state import State

ROOT = Path(texts.__file__).parents[3]
PLACES = {"Given": 2, "Step": 4, "derive": 2, "_input": 1, "figure": 0, "Figure": 1}
"""Calls that take a unit, and where it stands."""


def units() -> Iterator[str]:
    """Every unit that an input has or that stands in a call."""
    yield from (spec.unit for spec in inputs().values())
    for path in (ROOT / "sizing").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                place = PLACES.get(name, len(node.args))
                taken = [each.value for each in node.keywords if name == "derive"]  # each is value, unit, source
                given = [
                    *node.args[place : place + 1],
                    *(each.elts[1] for each in taken if isinstance(each, ast.Tuple)),
                ]
                yield from (
                    each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )


def is_word(unit: str) -> bool:
    """ "tokens", "h a day": with letters that no symbol of a unit has."""
    return re.search(r"\b[a-z]{3,}\b", unit) is not None or re.search(r"\b[aA] [a-z]", unit) is not None


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_unit_that_is_a_word_is_in_the_catalogue(language: str) -> None:
    words = {unit for unit in units() if is_word(unit)}
    assert {"tokens", "cards", "conversations", "h a day", "a kWh"} <= words
    assert {unit for unit in words if f"unit_name.{unit}" not in texts.catalogue(language)} == set()


def test_symbols_stay() -> None:
    for symbol in ("GiB", "kW", "CFM", "°C", "GB/s"):
        assert texts.unit(symbol, "de") == symbol


def test_a_working_says_its_units() -> None:
    assert with_unit(211, "conversations", "en") == "211 conversations"
    assert with_unit(8192, "tokens", "de") == "8.192 Token"
    assert with_unit(0.9, "-", "de") == "0,9"


def test_a_field_and_its_error_say_their_unit() -> None:
    fields = {field["name"]: field for field in controls.fields(State("", "de"))}
    assert fields["cards"]["unit"] == "Karten"
    with pytest.raises(SizingError) as caught:
        inputs()["cards"].check(5000)
    assert "cards" in caught.value.fix("en")
    assert "Karten" in caught.value.fix("de")


@pytest.mark.parametrize("typed", ["1 card", "1 cards", "1 Karte", "1 Karten", "1"])
def test_a_number_is_read_with_its_unit_in_any_language(typed: str) -> None:
    assert inputs()["cards"].parse(typed) == 1
