"""The page for a shared server in a real browser: rows by mouse and keyboard, a reload, and what is drawn."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from sizing.sharing import Plan
from sizing.sharing.shared import shared
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser


def _plan(page: Page) -> Plan:
    return Plan.from_query(urlsplit(page.url).query)


def _row(page: Page, number: int) -> Any:
    return page.locator("details.sizing-service").nth(number)


def _assert_drawn_is_calculated(visit: Visit) -> None:
    found = shared(_plan(visit.page))
    drawn = visit.charts()
    for chart in (sharing_cards, sharing_services):
        for trace, wanted in zip(drawn[chart.name]["data"], chart.build(found, "en")["data"], strict=True):
            assert trace["x"] == pytest.approx(wanted["x"])
            assert [y for y in trace["y"] if y is not None] == pytest.approx([y for y in wanted["y"] if y is not None])


def test_a_service_is_added_changed_and_removed_by_keyboard(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("shared_server")) as visit:
        page = visit.open().page
        add = page.get_by_role("button", name="Add a service")
        add.focus()
        page.keyboard.press("Enter")
        expect(page.locator("details.sizing-service")).to_have_count(5)
        model = _row(page, 4).get_by_label("Model", exact=True)
        expect(model).to_be_focused()
        expect(page.locator(".sizing-answer")).to_contain_text("4 of 5 services fit")
        model.fill("BAAI/bge-m3")
        model.press("Tab")
        expect(_row(page, 4).locator("summary")).to_contain_text("bge-m3")
        remove = _row(page, 0).get_by_role("button", name="Remove")
        _row(page, 0).locator("summary").click()
        remove.click()
        expect(page.locator("details.sizing-service")).to_have_count(4)
        expect(page.locator(".sizing-answer")).to_contain_text("All 4 services fit")
        visit.settle()
        assert _plan(page).services[3].checkpoint == "BAAI/bge-m3"
        _assert_drawn_is_calculated(visit)
        assert not visit.complaints
        assert not visit.foreign()


def test_a_preset_a_drag_of_the_cards_and_the_change_that_makes_it_fit(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("shared_server")) as visit:
        page = visit.open().page
        page.get_by_label("Start from").select_option("one_70b")
        expect(page.locator(".sizing-answer")).to_contain_text("All 6 services fit")
        page.locator('.sizing-field[data-input="cards"]').get_by_role("slider").press("ArrowLeft")
        expect(page.locator(".sizing-answer")).to_contain_text("5 of 6 services fit")
        visit.settle()
        _assert_drawn_is_calculated(visit)
        page.get_by_role("button", name="Make this change").click()
        expect(page.locator(".sizing-answer")).to_contain_text("All 6 services fit, on 3 of 3 cards.")
        visit.settle()
        _assert_drawn_is_calculated(visit)
        before = _plan(page)
        page.reload()
        visit.settle()
        expect(page.locator(".sizing-answer")).to_contain_text("All 6 services fit, on 3 of 3 cards.")
        assert _plan(page) == before
        assert not visit.complaints


def test_bad_input_is_said_beside_it(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("shared_server")) as visit:
        page = visit.open().page
        _row(page, 1).locator("summary").click()
        box = _row(page, 1).get_by_label("Copies")
        box.fill("99")
        box.press("Tab")
        expect(_row(page, 1).get_by_role("alert").filter(has_text="Choose between 1 and 16")).to_be_visible()
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(box).to_have_value("99")
        expect(page.locator(".sizing-answer")).to_contain_text("All 4 services fit")


def test_many_moves_and_the_last_one_is_drawn(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("shared_server")) as visit:
        page = visit.open().page
        slider = page.locator('.sizing-field[data-input="cards"]').get_by_role("slider")
        for key in ["ArrowRight"] * 6 + ["ArrowLeft"] * 9 + ["ArrowRight"] * 3:
            slider.press(key)
        visit.settle()
        # From 4 up to the end at 8, nine down to the end at 1, three up again.
        assert _plan(page).scenario.cards == 4
        # From 4 up to the end at 8, nine down to the end at 1, three up again.
        assert _plan(page).scenario.cards == 4
        _assert_drawn_is_calculated(visit)


def test_on_a_phone_services_and_inputs_fold_away(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("shared_server"), width=390, height=844) as visit:
        page = visit.open().page
        expect(page.get_by_label("Start from")).to_be_hidden()
        page.get_by_role("button", name="Change the services").click()
        expect(page.get_by_label("Start from")).to_be_visible()
        _row(page, 0).locator("summary").click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
