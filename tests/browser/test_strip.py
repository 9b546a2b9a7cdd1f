"""The strip of limits under every answer, with its cure; and pages that stay short until something is opened."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.server import Server
from tests.browser.visit import visiting

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.thorough)])
def test_a_passed_limit_carries_the_button_that_cures_it(server: Server, chromium: Browser, language: str) -> None:
    """Four cards at 600 W: (4 x 600 + 560) x 1.15 = 3,404 W on 2,944 W planned; at 450 W 2,714 W."""
    with visiting(chromium, server.page("sizing", f"?lang={language}&n=4")) as visit:
        page = visit.open().page
        visit.settle()
        power = page.locator(".sizing-limit").nth(3)
        expect(power).to_have_class("sizing-limit sizing-limit-stop")
        expect(page.locator(".sizing-answer")).to_have_class("sizing-answer sizing-no")
        power.get_by_role("button", name="450 W").click()
        expect(power).to_have_class("sizing-limit sizing-limit-tight")  # 0.92 of what is planned
        expect(power).to_contain_text("2,714" if language == "en" else "2.714")
        expect(page.locator(".sizing-answer")).to_have_class("sizing-answer")
        expect(page.locator(".sizing-cure")).to_have_count(0)
        page.get_by_role("button", name="Undo" if language == "en" else "Rückgängig").click()
        expect(power).to_have_class("sizing-limit sizing-limit-stop")
        assert not visit.complaints


NEAREST = ("site", "speed")
"""The pages that come nearest to the limit; the others are looked at before a release."""
OTHERS = ("index", "call", "sizing", "new_model", "shared_server", "compare", "evidence")


@pytest.mark.parametrize("language", ["de"])  # the longer of the two
@pytest.mark.parametrize("name", [*NEAREST, *(pytest.param(name, marks=pytest.mark.thorough) for name in OTHERS)])
def test_no_page_is_longer_than_a_few_screens(server: Server, chromium: Browser, name: str, language: str) -> None:
    with visiting(chromium, server.page(name, f"?lang={language}")) as visit:
        visit.open().settle()
        for width, height, screens in ((1440, 900, 4), (390, 844, 6)):
            visit.page.set_viewport_size({"width": width, "height": height})
            shown = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            for _ in range(20):  # charts and terms find their places
                visit.page.wait_for_timeout(200)
                across, down = visit.page.evaluate(shown)
                if across <= width and down <= screens * height:
                    break
            assert (across <= width, down <= screens * height) == (True, True), (across, down)
