"""Every page for who reads with the ears, moves with the keyboard, or needs contrast: no fault that can be measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted(path.stem for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPEN_EVERYTHING = "document.querySelectorAll('.sizing-page-root details').forEach((part) => { part.open = true; })"
SHOW_INPUTS = "document.querySelectorAll('.sizing-fold[aria-expanded=false]').forEach((button) => button.click())"

# What Tab can come to, in the order of the document; radio buttons of one name are one stop.
STOPS = """() => {
    const shown = (element) => element.checkVisibility({visibilityProperty: true}) && !element.closest('[hidden]');
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
        .filter((element) => element.tabIndex >= 0 && !element.disabled && shown(element)
            && !(element.type === 'radio' && !element.checked) && element.id !== 'sizing-stop');
    all.forEach((element, index) => { element.dataset.stop = index; });
    return all.map((element) => element.outerHTML.slice(0, 160));
}"""
FOCUSED = """() => {
    const element = document.activeElement;
    const around = element.closest('.sizing-file-button');
    const rings = [element, around].filter(Boolean).map((each) => getComputedStyle(each));
    const box = element.getBoundingClientRect();
    return {
        stop: element.dataset.stop === undefined ? null : Number(element.dataset.stop),
        ring: rings.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2),
        seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
        html: element.outerHTML.slice(0, 160),
    };
}"""

UNNAMED_TABLES = """() => [...document.querySelectorAll('.sizing-page-root table')]
    .filter((table) => table.checkVisibility())
    .filter((table) => !table.caption?.textContent.trim() || !table.querySelector('thead th[scope=col]'))
    .map((table) => table.outerHTML.slice(0, 200))"""


# Long tables take axe half a minute each; what they are made of stands on the other pages as well.
LONG = {"compare", "evidence", "site", "speed"}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.thorough if name in LONG else ()) for name in NOTEBOOKS],
)
def visit(request: pytest.FixtureRequest, chromium: Browser, server: Server) -> Iterator[Visit]:
    with visiting(chromium, server.page(request.param), color_scheme="light") as visit:
        yield visit.open()


def _violations(page: Page, wanted: list[str] | dict[str, Any], **options: Any) -> list[str]:
    options |= {"runOnly": wanted, "resultTypes": ["violations"], "preload": False}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {node['target']} {node['html'][:160]}" for each in found for node in each["nodes"][:5]]


# Tab walks before everything is opened: a visitor finds folded sections folded.
def test_tab_comes_to_every_control_in_order_and_is_seen_there(visit: Visit) -> None:
    page = visit.page
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    stops = page.evaluate(STOPS)
    assert len(stops) > 10
    assert "sizing-skip" in stops[0]
    reached: list[int] = []
    for _ in range(len(stops) + 5):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at["stop"] is None:  # past the last one: nothing holds the keyboard back
            break
        reached.append(at["stop"])
        assert at["ring"], f"no visible focus: {at['html']}"
        assert at["seen"], f"out of view: {at['html']}"
    missed = [stops[number] for number in range(len(stops)) if number not in reached]
    assert missed == []
    assert reached == sorted(reached)


def test_no_violation_with_everything_open(visit: Visit) -> None:
    page = visit.page
    # A fold's inside comes when it is opened, and may hold folds of its own.
    for _ in range(2):
        page.evaluate(OPEN_EVERYTHING)
        visit.settle()
    assert _violations(page, RULES) == []
    # Another theme has other colours, and nothing else; another width moves and folds, and has the same colours.
    page.get_by_role("combobox", name="Theme").select_option("dark")
    visit.settle()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert _violations(page, {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}) == []
    visit.resize(390, 844)
    page.evaluate(SHOW_INPUTS)
    assert _violations(page, RULES, rules={"color-contrast": {"enabled": False}}) == []
    assert visit.complaints == []


def test_headings_and_tables_say_what_they_are(visit: Visit) -> None:
    page = visit.page
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert page.evaluate(UNNAMED_TABLES) == []


@pytest.fixture
def sizing(chromium: Browser, server: Server) -> Iterator[Visit]:
    with visiting(chromium, server.page("sizing")) as visit:
        yield visit.open(5)


def test_the_first_link_leads_past_the_inputs_to_the_results(sizing: Visit) -> None:
    page = sizing.page
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    expect(skip).to_have_text("To the results")
    box = skip.bounding_box()
    assert box is not None
    assert box["height"] >= 24
    before = page.url
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.sizing-results')")
    assert page.url == before  # the address is the scenario's
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.sizing-results'))")


def test_sliders_lists_and_folds_by_keys_alone(sizing: Visit) -> None:
    page = sizing.page
    cards = page.locator('[data-input="cards"]')
    cards.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(cards.get_by_role("textbox")).to_have_value("3")
    expect(cards.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 cards")
    page.keyboard.press("Home")
    expect(cards.get_by_role("textbox")).to_have_value("1")

    box = page.locator('[data-input="checkpoint"]').get_by_role("combobox")
    box.focus()
    page.keyboard.type("oss-20b")
    expect(box).to_have_attribute("aria-expanded", "true")
    active = page.locator(f"#{box.get_attribute('aria-activedescendant')}")
    expect(active).to_have_text("openai/gpt-oss-20b")
    page.keyboard.press("Escape")
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("nvidia/Llama-3.3-70B-Instruct-FP8")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box).not_to_have_value("nvidia/Llama-3.3-70B-Instruct-FP8")
    sizing.settle()  # the other model's answer is drawn, and draws no more over what is opened

    working = page.locator('[data-live="working-power"] details')
    for key, open_after in (("Enter", True), ("Space", False), ("Space", True)):
        working.locator("summary").focus()
        page.keyboard.press(key)
        assert working.evaluate("(part) => part.open") is open_after
    expect(working).to_contain_text("rated_w")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert sizing.complaints == []


def test_help_can_be_put_away_and_comes_again(sizing: Visit) -> None:
    page = sizing.page
    field = page.locator('[data-input="power_cap_w"]')
    field.get_by_role("textbox").focus()
    expect(field.locator(".sizing-help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field.locator(".sizing-help")).to_be_hidden()
    page.keyboard.press("Tab")
    field.get_by_role("textbox").focus()
    expect(field.locator(".sizing-help")).to_be_visible()


def test_the_answer_is_said_once_it_stands_still(sizing: Visit) -> None:
    page = sizing.page
    voice = page.locator("#sizing-voice")
    expect(voice).to_have_attribute("role", "status")
    expect(voice).to_have_text("")
    slider = page.locator('[data-input="context_tokens"]').get_by_role("slider")
    for _ in range(3):
        slider.press("ArrowRight")
    expect(voice).to_have_text(re.compile("^[0-9]+ conversations of 65,536 tokens"))


def test_a_term_tells_its_sentence_by_key_and_by_press(sizing: Visit) -> None:
    page = sizing.page
    box = page.locator(".sizing-term-box")
    term = page.locator('.sizing-answer [data-term="tp"]')
    expect(page.locator('.sizing-term[data-term="tp"]:visible')).to_have_count(1)  # where it first stands
    for key in ("Enter", "Space"):
        term.focus()
        page.keyboard.press(key)
        expect(box).to_be_visible()
        expect(box).to_contain_text("split over so many cards")
        expect(term).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("Escape")
        expect(box).to_be_hidden()
        assert page.evaluate("document.activeElement.dataset.term") == "tp"
    before = page.evaluate("[document.documentElement.scrollWidth, scrollY]")
    term.click()
    expect(box).to_be_visible()
    assert page.evaluate("[document.documentElement.scrollWidth, scrollY]") == before
    assert _violations(page, RULES) == []
    term.click()
    expect(box).to_be_hidden()
    page.get_by_text("Terms on this page").click()
    for named in ("KV cache", "CFM", "Planning rule", "PP, pipeline parallel", "GiB and GB"):
        expect(page.locator(".sizing-terms dt").get_by_text(named, exact=True)).to_have_count(1)
    # A slider that moves draws the answer anew; the term under the keyboard keeps the focus.
    term.focus()
    page.evaluate(
        """() => {
            const slider = document.querySelector('[data-input=power_cap_w] .sizing-range');
            slider.stepDown();
            slider.dispatchEvent(new Event('input'));
        }"""
    )
    sizing.settle()
    assert page.evaluate("document.activeElement.dataset.term") == "tp"


def test_german_speaks_german_to_the_ear(chromium: Browser, server: Server) -> None:
    with visiting(chromium, server.page("sizing", "?lang=de")) as visit:
        page = visit.open(5).page
        assert page.evaluate("document.documentElement.lang") == "de"
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Zum Ergebnis")
        expect(page.get_by_role("heading", level=1)).to_have_text("Auslegung")
        assert _violations(page, RULES) == []
