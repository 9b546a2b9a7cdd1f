"""The head of a page: language, theme, back and forward, and what the links carry along."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser

SHOWN = "() => document.documentElement.dataset.page === 'shown' && location.pathname.endsWith('{}.ipynb')"


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Visit]:
    with visiting(chromium, server.page("sizing") + "?v=1&n=2") as visit:
        yield visit.open()


def tool(visit: Visit, name: str) -> str:
    return f".sizing-tools [data-tool={name}]"


def test_the_language_changes_in_place_and_keeps_what_was_typed(visit: Visit) -> None:
    page = visit.page
    page.click("[data-group=assumptions] > summary")
    page.fill("[data-input=rest_share] input[type=text]", "lots")
    visit.settle()
    page.select_option(tool(visit, "language"), "de")
    expect(page.locator(".sizing-answer").first).to_contain_text("Gespräche mit je 8.192 Token lassen sich zusagen")
    visit.settle()
    assert page.locator("[data-input=rest_share] input[type=text]").input_value() == "lots"
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.title() == "Auslegung · Sizing-Arbeitsmappe"
    assert re.search(r"[?&]lang=de\b", page.url)
    text = page.locator(".sizing-page-root").inner_text()
    assert "166,1 GiB" in text  # doc-de: usable memory of two cards
    assert "166.1 GiB" not in text
    page.select_option(tool(visit, "language"), "en")
    expect(page.locator(".sizing-answer").first).to_contain_text("conversations of 8,192 tokens")
    visit.settle()
    assert re.search(r"[?&]lang=en\b", page.url)
    assert visit.complaints == []


def test_numbers_are_typed_in_the_languages_way(visit: Visit) -> None:
    page = visit.page
    page.select_option(tool(visit, "language"), "de")
    visit.settle()
    field = page.locator("[data-input=context_tokens] input[type=text]")
    for typed, tokens in (("16.384", 16384), ("32K", 32768), ("4096", 4096)):
        field.fill(typed)
        visit.settle()
        assert f"ctx={tokens}" in page.url
    page.click("[data-group=assumptions] > summary")
    share = page.locator("[data-input=rest_share] input[type=text]")
    for typed in ("0,2", "0.2"):
        share.fill("0,15")
        visit.settle()
        share.fill(typed)
        visit.settle()
        assert "rest=0.2" in page.url


def test_back_and_forward_by_button_and_by_key(visit: Visit) -> None:
    page = visit.page
    slider = page.locator("[data-input=cards] input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    visit.settle()
    expect(page).to_have_url(re.compile("n=3"))  # the kernel may be loading measured operations meanwhile
    page.keyboard.press("Control+z")
    visit.settle()
    expect(page).to_have_url(re.compile("n=2"))
    assert page.locator(tool(visit, "forward")).get_attribute("aria-label") == "Redo: Number of cards"
    page.click(tool(visit, "forward"))
    visit.settle()
    expect(page).to_have_url(re.compile("n=3"))
    page.keyboard.press("Control+Shift+z")
    visit.settle()
    expect(page).to_have_url(re.compile("n=3"))


def test_the_theme_is_kept_from_page_to_page_and_the_scenario_with_it(visit: Visit) -> None:
    page = visit.page
    page.select_option(tool(visit, "theme"), "dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.select_option(tool(visit, "language"), "de")
    visit.settle()
    page.click(".sizing-nav a[data-file='site.ipynb']")
    page.wait_for_function(SHOWN.format("site"))
    visit.settle()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("[data-input=cards] input[type=text]").input_value() == "2"
    expect(page.locator(".sizing-nav a[aria-current]").first).to_have_text("Standort")
    page.reload()
    page.wait_for_function("() => document.documentElement.dataset.page === 'shown'")
    visit.settle()
    assert page.locator("[data-input=cards] input[type=text]").input_value() == "2"


def test_the_landing_page_leads_to_every_page_with_the_scenario(chromium: Browser, server: Server) -> None:
    with visiting(chromium, server.page("index") + "?v=1&n=2&theme=dark") as visit:
        visit.open(num_charts=0)
        page = visit.page
        doors = page.locator("a.sizing-door")
        expect(doors).to_have_count(8)
        doors.nth(1).click()
        page.wait_for_function(
            "() => document.documentElement.dataset.page === 'shown' && location.pathname.includes('sizing')"
        )
        visit.settle()
        assert "n=2" in page.url
        assert "theme=dark" in page.url
        expect(page.locator(".sizing-answer").first).to_contain_text("16 conversations")
        assert visit.complaints == []


def test_the_first_address_opens_the_landing_page(chromium: Browser, server: Server) -> None:
    with visiting(chromium, server.url) as visit:
        visit.open(num_charts=0)
        assert "index" in visit.page.url
