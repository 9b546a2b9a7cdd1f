"""The PDF: two A4 pages with the figures of the page, whatever the model and however much there is to say."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pypdf
import pytest

import sizing
from sizing import SizingError, catalogue
from sizing.base import texts
from sizing.base.texts import say
from sizing.sharing import Plan, Service
from sizing.sharing.shared import shared
from sizing.sheet import canvas
from sizing.sheet.content import Content
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import Request
from sizing.sheet.services import SharedContent
from sizing.sheet.sheets import sheet

from .conftest import LINK, PLANS, SCENARIOS, mixed, request, services
from .reading import pdf_text

LONGEST = {"customer": "W" * 120, "remark": "Rahmenvertragsverlängerungsvoraussetzungen " * 13}


def read(made: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(made))


def content_of(asked: Request) -> Content:
    return SharedContent(asked) if asked.shared else ModelContent(asked)


def said_in(asked: Request) -> str:
    """Text of two A4 pages that name what every sheet names."""
    made = sheet(asked, "pdf")
    pages = read(made).pages
    assert len(pages) == 2
    for page in pages:
        assert (round(float(page.mediabox.width)), round(float(page.mediabox.height))) == (595, 842)
    said = pdf_text(made)
    content, language = content_of(asked), asked.language
    for shown in (content.answer, content.second, *(figure.shown for figure in content.figures)):
        assert shown in said, shown
    for note in content.notes:
        assert " ".join(note.say(language).split())[:60] in said, note.key
    for title in content.step_titles:
        assert title in said
    for key in content.source_keys:
        assert content.source_line(key).split(",")[0] in said, key
    return said


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_two_pages_with_the_figures_of_the_sizing(name: str, language: str) -> None:
    asked = request(name, language=language)
    sized = asked.sizing
    said = said_in(asked)
    for shown in (
        say("unit.gib", language, value=sized.usable_gib),
        say("unit.gib", language, value=sized.weights_gib),
        say("unit.kw", language, value=sized.server_w / 1000),
        "Example Ltd",
        "Two racks in the new hall.",
        sized.checkpoint.name,
        "At the peak 9 requests run at once" if language == "en" else "In der Spitze laufen 9 Anfragen gleichzeitig",
    ):
        assert shown in said, shown
    if sized.best.conversations and sized.fits:
        assert say("unit.integer", language, value=sized.best.conversations) in said


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", PLANS)
def test_two_pages_with_the_figures_of_the_placement(name: str, language: str) -> None:
    asked = services(name, language=language)
    said = said_in(asked)
    placement = SharedContent(asked).shared.placement
    for each in placement.needs:
        assert each.name in said
    assert say("unit.gib", language, value=placement.free_gib) in said
    assert say("unit.kw", language, value=placement.plan.scenario and asked.sizing.server_w / 1000) in said
    for row in SharedContent(asked).table.rows:
        assert row[-1] in said, row  # where its copies stand


def test_the_documents_figures() -> None:
    said = pdf_text(sheet(request(), "pdf"))
    for figure in ("211", "332.2 GiB", "67.7 GiB", "1.25 GiB", "3.40 kW", "2.94 kW", "83.04", "95.6", "2026-11-30"):
        assert figure in said, figure


def test_the_documents_figures_in_german() -> None:
    said = pdf_text(sheet(request(language="de"), "pdf"))
    for figure in ("211", "332,2 GiB", "67,7 GiB", "1,25 GiB", "3,40 kW", "2,94 kW", "83,04", "95,6", "30.11.2026"):
        assert figure in said, figure
    for english in (" at once", "Sources", "What to know", "read on", "2026-11-30 "):
        assert english not in said


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_file_names_its_language(language: str) -> None:
    assert read(sheet(request(language=language), "pdf")).trailer["/Root"]["/Lang"] == language


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_bill_of_materials_stands_there_or_is_said_to_stand_elsewhere(name: str, language: str) -> None:
    asked = request(name, language=language)
    said, content = pdf_text(sheet(asked, "pdf")), ModelContent(asked)
    elsewhere = say("sheet.parts.elsewhere", language)
    if say("sheet.section.parts", language) in said.replace(elsewhere, ""):
        for line in content.parts:
            assert line.what in said
            assert line.short in said
    else:
        assert elsewhere in said
    if name in ("department", "windows", "does not fit", "no cache"):
        assert elsewhere not in said


def test_prices_and_their_sum() -> None:
    said = pdf_text(sheet(request(price_per_card=9000.0, price_per_server=21_000.0), "pdf"))
    for shown in ("36,000 EUR", "21,000 EUR", "Sum of the priced lines: 57,000 EUR"):  # 4 x 9,000 + 21,000
        assert shown in said


def test_the_three_counts_of_mixed_lengths() -> None:
    asked = request()
    found = mixed(asked.sizing)
    said = pdf_text(sheet(request(counts=found), "pdf"))
    # chat: 1,024 + 256 tokens, weight 80 x 256; report: 4,096 + 2,048, weight 20 x 2,048: the means by hand are
    # (20,480 x 1,280 + 40,960 x 6,144) / 61,440 = 4,522.7 and (20,480 x 1,152 + 40,960 x 5,120) / 61,440 = 3,797.3.
    for shown in ("156 conversations at the full 8,192 tokens", "4,523 they end with", "3,798 they hold at a moment"):
        assert shown in said, shown


def test_the_link_opens() -> None:
    for asked in (request(), services()):
        assert list(_links(read(sheet(asked, "pdf")))) == [LINK]


def _links(reader: pypdf.PdfReader) -> Iterator[str]:
    for page in reader.pages:
        for note in page.get("/Annots", []) or []:
            yield note.get_object()["/A"]["/URI"]


def crowded() -> Request:
    """Sixteen services with as many copies as there are, long names among them."""
    names = ["deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "mistralai/Mistral-7B-Instruct-v0.3", "Qwen/Qwen3-8B"]
    known = [name for name in names if name in catalogue.checkpoint_ids()]
    asked = tuple(Service(checkpoint=known[number % len(known)], copies=3) for number in range(16))
    plan = Plan(services=asked, servers=2).replace(cards=8)
    return Request(sizing.answer(plan.scenario), shared=shared(plan), link=LINK)


def test_nothing_runs_off_a_page() -> None:
    """Every piece of text begins on the paper, within its margins."""
    asked = [request(name, language="de", **LONGEST) for name in SCENARIOS]
    asked += [services(name, language="de", **LONGEST) for name in PLANS]
    for one in (*asked, crowded()):
        for page in read(sheet(one, "pdf")).pages:
            places: list[tuple[float, float]] = []
            page.extract_text(
                visitor_text=lambda said, _, matrix, *__, places=places: (
                    places.append((matrix[4], matrix[5])) if said.strip() else None
                )
            )
            assert places
            for x, y in places:
                assert 0 <= x <= 595 - 20
                assert 20 <= y <= 842 - 20


def test_much_to_say_is_counted_when_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request()
    monkeypatch.setattr(ModelContent, "notes", asked.sizing.notes * 12)
    monkeypatch.setattr(ModelContent, "steps", asked.sizing.working * 12)
    made = sheet(asked, "pdf")
    assert len(read(made).pages) == 2
    said = pdf_text(made)
    assert "more notes stand in the HTML page and the workbook" in said
    assert "more steps stand in the HTML page and the workbook" in said


def test_names_in_other_letters() -> None:
    assert "Łódź Ωμέγα Жук Straße" in pdf_text(sheet(request(customer="Łódź Ωμέγα Жук Straße"), "pdf"))


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
    names += [texts.tell(catalogue.circuit(key).name, language) for key in catalogue.circuit_ids()]
    contents = [ModelContent(request(name, language=language)) for name in SCENARIOS]
    sources = [content.source_line(key) for content in contents for key in content.source_keys]
    for each in (*said, *names, *sources):
        canvas.check("remark", each.replace("\n", ""))
