"""The workbook: LibreOffice works every formula out anew and comes to the figures of the sizing."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest

import sizing
from sizing.sheet import sheet

from .conftest import LINK, SCENARIOS, request

Recalculate = Callable[[bytes], bytes]


def blank(book: bytes) -> bytes:
    """The workbook without its stored results, so that a reader has to work every one of them out."""
    source, target = zipfile.ZipFile(io.BytesIO(book)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            data = source.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", data)
            copy.writestr(name, data)
    return target.getvalue()


def named(book: bytes, *, formulas: bool = False) -> dict[str, Any]:
    """Value of every named cell."""
    read = openpyxl.load_workbook(io.BytesIO(book), data_only=not formulas)
    found = {}
    for name, defined in read.defined_names.items():
        ((page, place),) = defined.destinations
        found[name] = read[page][place].value
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_result_is_a_formula_and_recalculates_to_the_sizing(name: str, recalculated: Recalculate) -> None:
    asked = request(name)
    sized = asked.sizing
    book = sheet(asked, "xlsx")
    formulas = named(book, formulas=True)
    values = named(recalculated(blank(book)))
    assert values["is_usable"] == pytest.approx(sized.usable_gib, rel=1e-12)
    assert values["is_weights"] == pytest.approx(sized.weights_gib, rel=1e-12)
    assert values["is_per_conversation"] == pytest.approx(sized.kv_gib_per_conversation, rel=1e-12, abs=1e-15)
    assert values["is_server"] == pytest.approx(sized.server_w, rel=1e-12)
    assert values["is_air"] == pytest.approx(sized.cfm, rel=1e-12)
    if sized.best.fits and sized.best.conversations is not None:
        assert values["is_conversations"] == sized.best.conversations
    steps = [*sized.working, *(asked.demand.working if asked.demand else ())]
    for number, step in enumerate(steps, 1):
        cell = f"s{number:02d}_is_{step.name}"
        assert str(formulas[cell]).startswith("="), cell
        assert values[cell] == pytest.approx(step.result, rel=1e-9, abs=1e-12), cell


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("department", {"context_tokens": 16384}),
        (
            "department",
            {"power_cap_w": 450, "processors": 1, "rest_share": 0.2, "planning_share": 0.7, "air_rise_c": 15},
        ),
        ("windows", {"context_tokens": 8192}),
        ("states", {"context_tokens": 65536}),
        ("compressed", {"context_tokens": 262144}),
    ],
)
def test_a_changed_input_gives_what_a_new_sizing_gives(
    name: str, change: dict[str, float], recalculated: Recalculate
) -> None:
    asked = request(name)
    book = openpyxl.load_workbook(io.BytesIO(sheet(asked, "xlsx")))
    for each, value in change.items():
        ((page, place),) = book.defined_names[f"in_{each}"].destinations
        book[page][place].value = value
    changed = io.BytesIO()
    book.save(changed)
    values = named(recalculated(changed.getvalue()))
    best = asked.sizing.best
    wanted = sizing.size(asked.sizing.scenario.replace(**change))
    layout = wanted.layouts[asked.sizing.layouts.index(best)]
    assert values["is_conversations"] == layout.conversations
    assert values["is_per_conversation"] == pytest.approx(wanted.kv_gib_per_conversation, rel=1e-12)
    assert values["is_server"] == pytest.approx(wanted.server_w, rel=1e-12)
    assert values["is_air"] == pytest.approx(wanted.cfm, rel=1e-12)
    # The change was felt: it is not the old sheet's figure.
    old = asked.sizing
    assert (values["is_conversations"], round(values["is_server"])) != (best.conversations, round(old.server_w))


def test_stored_results_are_right_where_nothing_recalculates() -> None:
    """A preview shows what is stored."""
    asked = request()
    values = named(sheet(asked, "xlsx"))
    assert values["is_conversations"] == 211  # the document's figure
    assert values["is_server"] == pytest.approx(3404)  # (4 x 600 + 2 x 280) x 1.15


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", '=HYPERLINK("http://x")', "{=1}", "+1", "-1+2", "<b>&amp;"])
def test_what_a_person_writes_stays_text(text: str) -> None:
    read = openpyxl.load_workbook(io.BytesIO(sheet(request(customer=text, remark=text), "xlsx")))
    cells = [cell for row in read["Results"].iter_rows() for cell in row if cell.value and text in str(cell.value)]
    assert len(cells) == 2
    assert {cell.data_type for cell in cells} == {"s"}


def test_bill_of_materials_multiplies(recalculated: Recalculate) -> None:
    asked = request(price_per_card=9000.0, currency="EUR")
    read = openpyxl.load_workbook(io.BytesIO(recalculated(blank(sheet(asked, "xlsx")))), data_only=True)
    rows = {row[1]: row for row in read["Bill of materials"].iter_rows(min_row=2, values_only=True)}
    card = rows["RTX PRO 6000 Blackwell Server Edition"]
    assert card[0] == 4
    assert card[3:6] == (9000, 36000, "EUR")


def test_the_link_and_every_input_are_there() -> None:
    asked = request()
    read = openpyxl.load_workbook(io.BytesIO(sheet(asked, "xlsx")))
    assert LINK in {cell.value for row in read["Results"].iter_rows() for cell in row}
    inputs = {row[4]: row[1] for row in read["Inputs"].iter_rows(min_row=2, values_only=True)}
    assert inputs == {f"in_{name}": value for name, value in asked.sizing.scenario.as_dict().items()}


def test_a_very_long_link_is_still_there() -> None:
    link = "https://example.com/" + "a" * 1900
    read = openpyxl.load_workbook(io.BytesIO(sheet(request(link=link), "xlsx")))
    assert link in {cell.value for row in read["Results"].iter_rows() for cell in row}
