"""The page that compares platforms in a real browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from sizing.demand.side_by_side import Comparison, compare
from sizing.ui.charts.compare_charts import compare_break_even, compare_conversations
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser


def _comparison(page: Page) -> Comparison:
    return Comparison.from_query(urlsplit(page.url).query)


def _row(page: Page, number: int) -> Any:
    return page.locator("details.sizing-service").nth(number)


def _assert_drawn_is_calculated(visit: Visit) -> None:
    found = compare(_comparison(visit.page))
    drawn = visit.charts()
    for chart in (compare_conversations, compare_break_even):
        for trace, wanted in zip(drawn[chart.name]["data"], chart.build(found, "en")["data"], strict=True):
            assert trace["x"] == pytest.approx(wanted["x"])
            assert [y for y in trace["y"] if y is not None] == pytest.approx([y for y in wanted["y"] if y is not None])


def test_a_price_is_typed_and_a_reload_keeps_it(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("compare")) as visit:
        page = visit.open().page
        expect(page.locator(".sizing-second").last).to_contain_text("Cheapest per conversation: B")
        _row(page, 1).locator("summary").click()
        box = _row(page, 1).get_by_label("Price of a card")
        box.fill("20000")
        box.press("Tab")
        expect(page.locator(".sizing-second").last).to_contain_text("Cheapest per conversation: B")
        visit.settle()
        _assert_drawn_is_calculated(visit)
        before = _comparison(page)
        assert before.platforms[1].card_price == 20_000
        page.reload()
        visit.settle()
        expect(page.locator(".sizing-second").last).to_contain_text("Cheapest per conversation: B")
        assert _comparison(page) == before
        assert not visit.complaints
        assert not visit.foreign()


def test_four_platforms_and_a_drag_of_the_context(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("compare")) as visit:
        page = visit.open().page
        page.get_by_label("Start from").select_option("pools")
        expect(page.locator("details.sizing-service")).to_have_count(4)
        slider = page.locator('.sizing-field[data-input="context_tokens"]').get_by_role("slider")
        for key in ["ArrowRight"] * 5 + ["ArrowLeft"] * 3:
            slider.press(key)
        visit.settle()
        # Four stops up to the end at the model's own 131,072, three down again.
        assert _comparison(page).scenario.context_tokens == 16384
        _assert_drawn_is_calculated(visit)
        for width in (1440, 1024, 390):
            visit.resize(width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_bad_input_is_said_beside_it(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("compare")) as visit:
        page = visit.open().page
        _row(page, 0).locator("summary").click()
        box = _row(page, 0).get_by_label("Number of cards")
        box.fill("40")
        box.press("Tab")
        expect(_row(page, 0).get_by_role("alert").filter(has_text="Choose between 1 and 8")).to_be_visible()
        expect(box).to_have_value("40")
        expect(page.locator(".sizing-answer")).to_contain_text("B serves the most")
