"""Every page on a phone, at twice the size, and with the letters set wide: nothing is cut, and a finger hits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.server import Server
from tests.browser.test_accessibility import NOTEBOOKS, SHOW_INPUTS
from tests.browser.visit import Visit, visiting

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PHONE, NARROWEST = 390, 320  # CSS px; 320 is what WCAG's reflow asks for

# Texts of charts that leave the chart, and labels that are wider than the bar that they stand in.
CUT = """() => {
    const cut = [];
    for (const chart of document.querySelectorAll('.sizing-chart[data-drawn]')) {
        if (!chart.offsetWidth) continue;
        const edge = chart.getBoundingClientRect();
        for (const text of chart.querySelectorAll('svg text')) {
            const box = text.getBoundingClientRect();
            if (!box.width || !text.textContent.trim() || getComputedStyle(text).opacity === '0') continue;
            const beside = box.left < edge.left - 1 || box.right > edge.right + 1;
            if (beside || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
                cut.push(`${chart.dataset.chart}: ${text.textContent}`);
        }
        for (const point of chart.querySelectorAll('.bars .point')) {
            const label = point.querySelector('text.bartext-inside');
            if (!label?.textContent) continue;
            const room = point.querySelector('path').getBoundingClientRect().width + 1;
            const wide = label.getBoundingClientRect().width;
            if (wide > room) cut.push(`${chart.dataset.chart}, in its bar: ${label.textContent}`);
        }
    }
    return cut;
}"""

# Labels of one chart that lie on each other: annotations, points' texts and the axes' figures.
COLLIDING = """() => {
    const found = [];
    for (const chart of document.querySelectorAll('.sizing-chart[data-drawn]')) {
        if (!chart.offsetWidth) continue;
        const all = [...chart.querySelectorAll('.annotation-text, .textpoint text, .xtick text, .ytick text')]
            .filter((text) => text.textContent.trim())
            .map((text) => [text.textContent, text.getBoundingClientRect()]);
        all.forEach(([name, a], index) => {
            for (const [other, b] of all.slice(index + 1)) {
                const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (across > 2 && down > 5) found.push(`${chart.dataset.chart}: ${name} / ${other}`);
            }
        });
    }
    return found;
}"""

# Too small for a finger: 24 px for anything, 40 px high for what a page is worked with. A label counts with its
# control; a term inside a sentence is as high as the sentence's line.
SMALL = """() => {
    const small = [];
    const controls = '.sizing-page-root :is(a, button, input, select, textarea, summary, [role=button])';
    for (const element of document.querySelectorAll(controls)) {
        if (!element.checkVisibility({visibilityProperty: true}) || element.disabled) continue;
        if (element.matches('.sizing-skip:not(:focus)')) continue;
        if (element.matches('.sizing-term') && !element.parentElement.matches('dt, th')) continue;
        if (element.matches('a') && element.closest('p, li, td, small, dd') && !element.closest('nav')) continue;
        const boxes = [element, element.closest('label')].filter(Boolean).map((each) => each.getBoundingClientRect());
        const [width, height] = ['width', 'height'].map((side) => Math.max(...boxes.map((box) => box[side])));
        const least = element.matches('.sizing-term, .sizing-changed') ? 23.5 : 39.5;
        if (width < 23.5 || height < least) small.push(`${width} x ${height} ${element.outerHTML.slice(0, 110)}`);
    }
    return small;
}"""

# The spacing that a reader may set (WCAG 1.4.12).
WIDE_LETTERS = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
CLIPPED = """() => [...document.querySelectorAll('.sizing-page-root :is(button, summary, label, h2, p, dd, th, td)')]
    .filter((element) => element.checkVisibility() && getComputedStyle(element).overflow !== 'visible'
        && !element.matches('.sizing-said') && element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module", params=NOTEBOOKS)
def visit(request: pytest.FixtureRequest, chromium: Browser, server: Server) -> Iterator[Visit]:
    with visiting(chromium, server.page(request.param), width=PHONE, height=844) as visit:
        visit.open()
        visit.page.evaluate(SHOW_INPUTS)
        yield visit


def _scrolls_sideways(visit: Visit) -> bool:
    found: bool = visit.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return found


def test_a_finger_hits_every_control(visit: Visit) -> None:
    visit.resize(PHONE, 844)
    assert visit.page.evaluate(SMALL) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_nothing_is_cut(visit: Visit, language: str) -> None:
    page = visit.page
    page.locator('[data-tool="language"]').select_option(language)
    page.wait_for_function(f"() => document.documentElement.lang === '{language}'")
    visit.settle()
    page.evaluate(SHOW_INPUTS)
    for width in (PHONE, NARROWEST, 720, 1024, 1440):  # 720 is 1,440 at twice the size
        visit.resize(width, 844 if width < 600 else 450 if width == 720 else 900)
        assert not _scrolls_sideways(visit), width
        if width > NARROWEST:
            assert page.evaluate(CUT) == [], width
            assert page.evaluate(COLLIDING) == [], width


def test_letters_set_wide_are_not_cut(visit: Visit) -> None:
    visit.resize(PHONE, 844)
    style = visit.page.add_style_tag(content=WIDE_LETTERS)
    try:
        assert not _scrolls_sideways(visit)
        assert visit.page.evaluate(CLIPPED) == []
    finally:
        style.evaluate("(element) => element.remove()")


@pytest.mark.parametrize(
    "query",
    [
        "?model=zai-org/GLM-5.3-FP8",  # does not fit
        "?model=BAAI/bge-m3&n=1",  # keeps no cache
        "?model=openai/whisper-large-v3&n=1&ctx=4096",  # ends at 448 tokens
        "?model=openai/gpt-oss-20b&n=8",  # the most layouts
    ],
)
def test_unusual_results_are_not_cut_either(chromium: Browser, server: Server, query: str) -> None:
    with visiting(chromium, server.page("sizing", query), width=PHONE, height=844) as visit:
        page = visit.open(5).page
        for width in (PHONE, 1440):
            visit.resize(width)
            assert page.evaluate(CUT) == [], width
            assert page.evaluate(COLLIDING) == [], width
        expect(page.locator(".sizing-answer")).not_to_be_empty()
