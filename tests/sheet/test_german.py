"""A German sheet says nothing in English, whatever is on it: services, people, mixed lengths, prices, licences."""

from __future__ import annotations

import html
import io
import re

import openpyxl
import pytest

from sizing.sheet.request import Request
from sizing.sheet.sheets import sheet
from tests.base.texts.test_german_pages import english, proper_names

from .conftest import PLANS, SCENARIOS, mixed, request, services

GERMAN_TOO = ("per", "IT")  # "nicht per MIG"; Gemma 3 27B IT is a name
OFFER: dict[str, object] = {"language": "de", "price_per_server": 21_000.0, "virtual_machines": True}


def left(text: str) -> list[str]:
    """English words of a text, without names."""
    return [word for word in english(proper_names().sub(" ", text)) if word not in GERMAN_TOO]


def asked() -> dict[str, Request]:
    found = {name: request(name, remark="", **OFFER) for name in SCENARIOS}
    found |= {name: services(name, **OFFER) for name in PLANS}
    found["mixed"] = request(remark="", counts=mixed(request().sizing), **OFFER)
    return found


@pytest.mark.parametrize("name", [*SCENARIOS, *PLANS, "mixed"])
def test_no_english_on_the_page(name: str) -> None:
    made = sheet(asked()[name], "html").decode()
    without = proper_names().sub(" ", html.unescape(made))
    assert left(re.sub(r"(?<=[>· ])[a-z]+ [\d.,]+", " ", without)) == []  # "cards 4": a formula's name and value


@pytest.mark.parametrize("name", ["department", "mixed", *PLANS])
def test_no_english_in_the_workbook(name: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(sheet(asked()[name], "xlsx")))
    for page in book:
        assert left(page.title) == []
        for row in page.iter_rows():
            for cell in row:
                if cell.data_type != "s" or cell.font.name == "Courier New":  # formulas, in the names they use
                    continue
                value = str(cell.value)
                if page.title == "Eingaben" and cell.column == 2:  # a choice's own name; its words stand beside it
                    continue
                assert left(value) == [], value
