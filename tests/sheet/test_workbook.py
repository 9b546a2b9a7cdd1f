"""The workbook: LibreOffice works every formula out anew and comes to the figures of the sizing."""

from __future__ import annotations

import io

import openpyxl
import pytest

import sizing
from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing.placement import blocks
from sizing.sheet.request import Request
from sizing.sheet.sheets import sheet

from .conftest import LINK, PLANS, SCENARIOS, mixed, placed, request, services
from .reading import blank, named, recalculated, work_out


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_result_is_a_formula_and_recalculates_to_the_sizing(name: str) -> None:
    asked = request(name)
    sized = asked.sizing
    book = sheet(asked, "xlsx")
    formulas = named(book, formulas=True)
    values = named(work_out(blank(book)))
    assert values["is_usable"] == pytest.approx(sized.usable_gib, rel=1e-12)
    assert values["is_weights"] == pytest.approx(sized.weights_gib, rel=1e-12)
    assert values["is_per_conversation"] == pytest.approx(sized.kv_gib_per_conversation, rel=1e-12, abs=1e-15)
    assert values["is_server"] == pytest.approx(sized.server_w, rel=1e-12)
    assert values["is_air"] == pytest.approx(sized.cfm, rel=1e-12)
    if sized.best.fits and sized.best.conversations is not None:
        assert values["is_memory"] == sized.best.conversations
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
def test_a_changed_input_gives_what_a_new_sizing_gives(name: str, change: dict[str, float]) -> None:
    asked = request(name)
    book = openpyxl.load_workbook(io.BytesIO(sheet(asked, "xlsx")))
    for each, value in change.items():
        ((page, place),) = book.defined_names[f"in_{each}"].destinations
        book[page][place].value = value
    changed = io.BytesIO()
    book.save(changed)
    values = named(work_out(changed.getvalue()))
    best = asked.sizing.best
    wanted = sizing.size(asked.sizing.scenario.replace(**change))
    layout = wanted.layouts[asked.sizing.layouts.index(best)]
    assert values["is_memory"] == layout.conversations
    assert values["is_per_conversation"] == pytest.approx(wanted.kv_gib_per_conversation, rel=1e-12)
    assert values["is_server"] == pytest.approx(wanted.server_w, rel=1e-12)
    assert values["is_air"] == pytest.approx(wanted.cfm, rel=1e-12)
    # The change was felt: it is not the old sheet's figure.
    old = asked.sizing
    assert (values["is_memory"], round(values["is_server"])) != (best.conversations, round(old.server_w))


def test_stored_results_are_right_where_nothing_recalculates() -> None:
    """A preview shows what is stored."""
    asked = request()
    values = named(sheet(asked, "xlsx"))
    assert values["is_conversations"] == 32  # what keeps 20 tokens/s
    assert values["is_memory"] == 156  # the document's figure for two pairs
    assert values["is_server"] == pytest.approx(3404)  # (4 x 600 + 2 x 280) x 1.15


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", '=HYPERLINK("http://x")', "{=1}", "+1", "-1+2", "<b>&amp;"])
def test_what_a_person_writes_stays_text(text: str) -> None:
    read = openpyxl.load_workbook(io.BytesIO(sheet(request(customer=text, remark=text), "xlsx")))
    cells = [cell for row in read["Results"].iter_rows() for cell in row if cell.value and text in str(cell.value)]
    assert len(cells) == 2
    assert {cell.data_type for cell in cells} == {"s"}


def test_bill_of_materials_multiplies() -> None:
    asked = request(price_per_card=9000.0, price_per_server=21_000.0, currency="EUR")
    read = openpyxl.load_workbook(io.BytesIO(work_out(blank(sheet(asked, "xlsx")))), data_only=True)
    rows = {row[1]: row for row in read["Bill of materials"].iter_rows(min_row=2, values_only=True)}
    card = rows["RTX PRO 6000 Blackwell Server Edition"]
    assert card[0] == 4
    assert card[3:6] == (9000, 36000, "EUR")
    assert rows["Sum of the priced lines"][4:6] == (57000, "EUR")


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


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", PLANS)
def test_services_add_up_to_the_placement(name: str, language: str) -> None:
    """LibreOffice's sums by service and by card are the placement's figures, and a card's parts are all of it."""
    asked = services(name, language=language)
    placement, book = placed(name).placement, sheet(asked, "xlsx")
    values = named(work_out(blank(book)))
    assert values["is_server"] == pytest.approx(asked.sizing.server_w, rel=1e-12)
    assert values["is_air"] == pytest.approx(asked.sizing.cfm, rel=1e-9)
    assert values["is_free"] == pytest.approx(placement.free_gib, rel=1e-12, abs=1e-9)
    for card in placement.cards:
        on_it = sum(
            part
            for engine in card.engines
            for part in (engine.weights_gib, engine.cache_gib, engine.left_gib, engine.reserve_gib)
        )
        assert values[f"card_{card.number}_gib"] == pytest.approx(on_it, rel=1e-12, abs=1e-12)
    pages = recalculated(book)
    rows = pages[say("sheet.section.services", language)]
    found = {row[0]: row for row in rows[1 : len(placement.needs) + 1]}
    for number, each in enumerate(placement.needs):
        row, held = found[letter(number)], placement.conversations(number)
        assert row[1] == each.name
        if number in placement.left_out:
            assert row[7] == say("ui.services.no_place", language)
        else:
            assert row[7] == (say("ui.sharing.runs", language) if held is None else held)
    whole = sum(max(block.base_gib + block.size_gib for block in blocks(placement, card)) for card in placement.cards)
    last = next(row for row in rows if row[1] == say("sheet.services.all", language))
    assert last[15] == pytest.approx(whole)
    assert last[12] + last[13] + last[14] == pytest.approx(whole)


def test_a_changed_placement_is_summed_anew() -> None:
    book = openpyxl.load_workbook(io.BytesIO(sheet(services(), "xlsx")))
    page = book["Services"]
    first = next(row[0].row for row in page.iter_rows() if row[2].value == "Copy") + 1
    page.cell(first, 8).value = 100  # conversations of service A
    page.cell(first, 9).value = 50  # weights, on card 0 [GiB]
    changed = io.BytesIO()
    book.save(changed)
    values = named(work_out(changed.getvalue()))
    before = placed("dozen").placement.engines_of(0)[0]
    assert values["service_A_gib"] == pytest.approx(50 + before.cache_gib + before.left_gib + before.reserve_gib)


def test_people_and_mixed_lengths_recalculate() -> None:
    asked = request()
    found = mixed(asked.sizing)
    made = sheet(request(counts=found), "xlsx")
    values, formulas = named(work_out(blank(made))), named(made, formulas=True)
    for name in ("full_context", "mean_final_length", "mean_resident_length"):
        assert values[f"is_at_{name}"] == getattr(found, f"at_{name}")
        assert str(formulas[f"is_at_{name}"]).startswith("=")
    assert values["is_people_mean"] == pytest.approx(5.0)  # 500 x 0.2 x 6 / 3,600 x 30
    assert values["is_people_peak"] == 9


@pytest.mark.parametrize("asked", [request(language="de"), services(language="de")], ids=["model", "services"])
def test_a_german_workbook_names_its_pages_in_german(asked: Request) -> None:
    read = openpyxl.load_workbook(io.BytesIO(sheet(asked, "xlsx")))
    middle = "Dienste" if asked.shared else "Layouts"
    wanted = ["Ergebnisse", middle, "Eingaben", "Rechenweg", "Stückliste", "Was zu wissen ist", "Quellen"]
    assert read.sheetnames == wanted
    # The sign between thousands and before decimals is the reader's: it is a format, and figures are numbers.
    shown = read["Ergebnisse"]
    air = next(row for row in shown.iter_rows() if row[0].value == "Luft")
    assert air[1].number_format == "#,##0.####"
    assert air[1].data_type in ("f", "n")
