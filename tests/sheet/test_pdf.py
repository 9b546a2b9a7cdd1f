"""The PDF: two A4 pages with the figures of the sizing, whatever the model and however much there is to say."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pypdf
import pytest

from sizing import SizingError, catalogue, texts
from sizing.sheet import fonts, sheet
from sizing.sheet.content import Content
from sizing.texts import say

from .conftest import LINK, SCENARIOS, request


def read(made: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(made))


def text(made: bytes) -> str:
    """All text, with lines run together."""
    return " ".join(" ".join(page.extract_text() for page in read(made).pages).split())


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_pages_with_the_figures_of_the_sizing(name: str) -> None:
    asked = request(name)
    sized = asked.sizing
    made = sheet(asked, "pdf")
    pages = read(made).pages
    assert len(pages) == 2
    for page in pages:
        assert (round(float(page.mediabox.width)), round(float(page.mediabox.height))) == (595, 842)
    said = text(made)
    content = Content(asked)
    for shown in (
        say("unit.gib", value=sized.usable_gib),
        say("unit.gib", value=sized.weights_gib),
        say("unit.kw", value=sized.server_w / 1000),
        "Example Ltd",
        "Two racks in the new hall.",
        sized.checkpoint.name,
        content.answer,
        content.second,
        "At the peak 9 requests run at once",
    ):
        assert shown in said, shown
    if sized.best.conversations and sized.fits:
        assert f"{sized.best.conversations:,}" in said
    for note in content.notes:
        assert note.text.split(". ")[0] in said, note.key
    for step in content.steps:
        assert step.title in said, step.name
    for key in content.source_keys:
        assert content.source_line(key).split(",")[0] in said, key


def test_the_documents_figures() -> None:
    said = text(sheet(request(), "pdf"))
    for figure in ("211", "332.2 GiB", "67.7 GiB", "1.25 GiB", "3.40 kW", "2.94 kW", "83.04", "95.6"):
        assert figure in said, figure


def test_the_link_opens() -> None:
    found = list(_links(read(sheet(request(), "pdf"))))
    assert found == [LINK]


def _links(reader: pypdf.PdfReader) -> Iterator[str]:
    for page in reader.pages:
        for note in page.get("/Annots", []) or []:
            yield note.get_object()["/A"]["/URI"]


def test_nothing_runs_off_a_page() -> None:
    """Every piece of text begins on the paper, within its margins."""
    for name in SCENARIOS:
        for page in read(sheet(request(name, remark="w" * 600, customer="W" * 120), "pdf")).pages:
            places: list[tuple[float, float]] = []
            page.extract_text(
                visitor_text=lambda said, _, matrix, *__, places=places: (
                    places.append((matrix[4], matrix[5])) if said.strip() else None
                )
            )
            assert places
            for x, y in places:
                assert 0 <= x <= 595 - 20, name
                assert 20 <= y <= 842 - 20, name


def test_much_to_say_is_counted_when_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request()
    monkeypatch.setattr(Content, "notes", asked.sizing.notes * 12)
    monkeypatch.setattr(Content, "steps", asked.sizing.working * 12)
    made = sheet(asked, "pdf")
    assert len(read(made).pages) == 2
    said = text(made)
    assert "more notes stand in the HTML page and the workbook" in said
    assert "more steps stand in the HTML page and the workbook" in said


def test_names_in_other_letters() -> None:
    assert "Łódź Ωμέγα Жук Straße" in text(sheet(request(customer="Łódź Ωμέγα Жук Straße"), "pdf"))


def test_signs_that_the_typeface_lacks_are_named() -> None:
    with pytest.raises(SizingError, match="株") as caught:
        sheet(request(customer="株式会社"), "pdf")
    assert caught.value.input == "customer"
    assert "株式会社" in sheet(request(customer="株式会社"), "html").decode()


PAGES_ONLY = ("ui.region.", "ui.column.")


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_the_typeface_has_every_sign_that_a_sheet_may_print(language: str) -> None:
    said = [text for key, text in texts.catalogue(language).items() if not key.startswith(PAGES_ONLY)]
    names = [each.name for each in (*map(catalogue.card, catalogue.card_ids()),)]
    names += [catalogue.circuit(key).name for key in catalogue.circuit_ids()]
    sources = [
        Content(request(name)).source_line(key) for name in SCENARIOS for key in Content(request(name)).source_keys
    ]
    assert fonts.printable([*said, *names, *sources]) - {"\n"} == set()
