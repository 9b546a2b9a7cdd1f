"""Whole calls, from the first card to the sheet that is taken along, in both languages.

A sheet's figures are compared with those on the page: in the PDF's and the HTML's text as they are written, in the
workbook after LibreOffice has recalculated it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from sizing.base.numbers import parse_number
from sizing.base.texts import say
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting
from tests.sheet.reading import html_text, pdf_text, recalculated

pytestmark = pytest.mark.browser

DECIMAL = {"en": ".", "de": ","}
CUSTOMER = "Beispiel & Söhne GmbH"


@dataclass(frozen=True)
class Played:
    """A call to play: where it starts, and what is changed on the way (step, input, text)."""

    start: str
    changes: tuple[tuple[str, str, str], ...]
    answer: tuple[str, str]
    """Part of the answer at the end, in English and German: worked out by hand or stated by a document."""


CALLS = (
    # doc-de: four cards with an FP8 cache hold 211 conversations of 8,192 tokens; a department needs 4 at once.
    Played(
        "department",
        (
            ("need", "staff", "120"),
            ("server", "cards", "2"),
            ("server", "cards", "4"),
            ("site", "servers_connected", "1"),
        ),
        ("Memory alone would hold 211, as one copy", "Allein der Speicher fasst 211, als eine Kopie"),
    ),
    # 1,000 x 0.2 x 8 requests an hour of 30 s each: 13.3 at once; 23 cover 99 % of moments (Poisson).
    Played(
        "company",
        (("need", "peak_percentile", "0.99"), ("server", "power_cap_w", "450"), ("offer", "price_per_card", "9000")),
        ("Enough for the 23 asked for", "Das reicht für die 23 gefragten"),
    ),
    # doc-en: twelve services on four cards, in slices of 24 GB.
    Played(
        "services",
        (("server", "power_cap_w", "450"), ("offer", "price_per_card", "9000")),
        ("All 12 services fit", "Alle 12 Dienste passen"),
    ),
)


@pytest.fixture(
    params=[(played, language) for played in CALLS for language in DECIMAL],
    ids=lambda each: f"{each[0].start}-{each[1]}",
)
def call(request: pytest.FixtureRequest, chromium: Browser, server: Server) -> Iterator[tuple[Played, str, Visit]]:
    played, language = request.param
    with visiting(chromium, server.page("call") + f"?lang={language}", accept_downloads=True) as visit:
        yield played, language, visit.open()


def go(visit: Visit, step: str) -> None:
    """One step on the page, by its button."""
    visit.page.click(f".sizing-steps [data-step={step}]")
    expect(visit.page.locator(f".sizing-steps [data-step={step}]")).to_have_attribute("aria-current", "step")
    visit.settle()


def fill(visit: Visit, name: str, text: str) -> None:
    """A number typed into an input's field; a folded group is opened first."""
    group = visit.page.locator(f"details.sizing-group:has([data-input={name}]):not([open]) > summary")
    if group.count():
        group.click()
    visit.page.fill(f"[data-input={name}] input[type=text]", text)
    visit.settle()


def figures(visit: Visit) -> dict[str, str]:
    """The figures below the answer, by their names."""
    pairs = visit.page.evaluate(
        """[...document.querySelectorAll('[data-live=answer] .sizing-figures > div')]
            .map((part) => [part.querySelector('dt').textContent, part.querySelector('dd').textContent])"""
    )
    return {name.strip(): value.strip() for name, value in pairs}


def download(visit: Visit, kind: str) -> bytes:
    """The file that a button makes."""
    with visit.page.expect_download(timeout=90_000) as started:
        visit.page.click(f".sizing-sheet [data-file={kind}]")
    assert started.value.suggested_filename.endswith(f".{kind}")
    return Path(started.value.path()).read_bytes()


def squeezed(text: str) -> str:
    """Text without what a line break or a space of fixed width makes of it."""
    return re.sub(r"[\s\u00a0\u202f\u2009]+", " ", text)


def numbers(value: str, language: str) -> list[tuple[float, float]]:
    """Every number of a figure, each with how far its rounding reaches."""
    found = []
    for text in re.findall(r"\d[\d.,]*\d|\d", value):
        decimals = text.rpartition(DECIMAL[language])[2] if DECIMAL[language] in text else ""
        found.append((parse_number(text, DECIMAL[language]), 0.5 * 10 ** -len(decimals) * 1.001))
    return found


def test_a_call_from_the_first_card_to_the_sheet(call: tuple[Played, str, Visit]) -> None:
    played, language, visit = call
    page = visit.page
    page.click(f"[data-cards=starts] [data-key={played.start}] button")
    visit.settle()
    expect(page.locator(f"[data-cards=starts] [data-key={played.start}]")).to_have_attribute("data-chosen", "1")
    for step, name, text in played.changes:
        go(visit, step)
        fill(visit, name, text.replace(".", DECIMAL[language]))
    for step in ("need", "model", "server", "site", "offer"):
        go(visit, step)
        assert page.locator(".sizing-results .sizing-chart:visible").count() >= (0 if step == "offer" else 1)
        assert page.locator(".sizing-error:visible, .sizing-messages p:visible").count() == 0
    said = page.locator("[data-live=answer]").inner_text()
    assert played.answer[language == "de"] in squeezed(said)

    page.fill(".sizing-sheet input[type=text]", CUSTOMER)
    shown = figures(visit)
    assert len(shown) >= 4
    for kind, read in (("pdf", pdf_text), ("html", html_text)):
        text = squeezed(read(download(visit, kind)))
        assert CUSTOMER in text
        for name, value in shown.items():
            assert squeezed(value) in text, f"{kind}: {name}"
    if shutil.which("soffice"):  # apt install libreoffice-calc-nogui
        assert_recalculated(download(visit, "xlsx"), shown, language)
    assert visit.complaints == []
    assert visit.foreign() == []

    # The link opens the same call, and a reload keeps it.
    link = page.url
    page.reload()
    visit.page.wait_for_function("() => document.documentElement.dataset.page === 'shown'")
    visit.settle()
    assert figures(visit) == shown
    assert parse_qs(urlsplit(page.url).query) == parse_qs(urlsplit(link).query)
    assert page.locator(".sizing-sheet input[type=text]").input_value() == CUSTOMER


def assert_recalculated(book: bytes, shown: dict[str, str], language: str) -> None:
    """What LibreOffice works out in a workbook are the figures of the page."""
    results = {str(row[0]): row[1:] for row in next(iter(recalculated(book).values())) if row and row[0]}
    compared = 0
    for name, value in shown.items():
        if name not in results:
            continue
        cells = [cell for cell in results[name] if isinstance(cell, (int, float))]
        scale = 1000 if value.endswith("kW") and "W" in results[name] else 1
        number, reach = numbers(value, language)[0]
        assert any(abs(cell / scale - number) <= reach for cell in cells), f"{name}: {value} and {cells}"
        compared += 1
    assert compared >= 4


def test_pins_stay_over_a_reload_and_mark_what_differs(chromium: Browser, server: Server) -> None:
    with visiting(chromium, server.page("call")) as visit:
        visit.open()
        page = visit.page
        page.click("[data-pin=add]")
        go(visit, "server")
        fill(visit, "cards", "2")
        expect(page.locator(".sizing-pin-table")).to_contain_text("Number of cards")
        assert page.locator(".sizing-pin-differs").count() >= 3
        page.reload()
        page.wait_for_function("() => document.documentElement.dataset.page === 'shown'")
        visit.settle()
        expect(page.locator(".sizing-pin-table")).to_contain_text("32")
        page.get_by_role("button", name=f"{say('call.pins.show')}: {say('call.pins.pin_name', number=1)}").click()
        visit.settle()
        expect(page.locator(".sizing-answer").first).to_contain_text("32 conversations")
        page.keyboard.press("Control+z")
        visit.settle()
        expect(page.locator(".sizing-answer").first).to_contain_text("16 conversations")


def test_a_file_is_saved_and_opened_again(chromium: Browser, server: Server, tmp_path: Path) -> None:
    with visiting(chromium, server.page("call") + "?n=2&staff=333&step=offer", accept_downloads=True) as visit:
        visit.open(num_charts=0)
        page = visit.page
        visit.settle()
        with page.expect_download() as started:
            page.click("[data-keep=save]")
        saved = tmp_path / started.value.suggested_filename
        started.value.save_as(saved)
        go(visit, "server")
        fill(visit, "cards", "8")
        go(visit, "offer")
        page.set_input_files(".sizing-keep input[type=file]", saved)
        visit.settle()
        assert "n=2" in page.url
        assert "staff=333" in page.url
        saved.write_text("{")
        page.set_input_files(".sizing-keep input[type=file]", saved)
        expect(page.locator(".sizing-keep .sizing-error")).to_contain_text("JSON")
        assert "n=2" in page.url


FORBIDDEN = """Object.defineProperty(
    window, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"""
GARBAGE = """sessionStorage.setItem('sizing-sheet', '5');
    sessionStorage.setItem('sizing-pins', '[1, {}, "v=1&n=zz"]');"""


@pytest.mark.parametrize("script", [FORBIDDEN, GARBAGE], ids=["forbidden", "garbage"])
def test_what_was_typed_stays_in_another_language_whatever_the_tab_keeps(
    chromium: Browser, server: Server, script: str
) -> None:
    with visiting(chromium, server.page("call") + "?step=offer") as visit:
        visit.page.add_init_script(script)
        visit.open(num_charts=0)
        visit.settle()
        visit.page.fill(".sizing-sheet input[type=text]", CUSTOMER)
        visit.page.locator(".sizing-tools select").last.select_option("de")
        visit.settle()
        expect(visit.page.locator(".sizing-sheet h2")).to_have_text(say("call.sheet.title", "de"))
        assert visit.page.input_value(".sizing-sheet input[type=text]") == CUSTOMER
        assert visit.complaints == []
