"""The site page in a real browser: every chart follows every move, and the scenario travels between the pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from sizing.answers.siting import site
from sizing.catalogue.scenario import Scenario
from sizing.ui.charts.site_charts import site_air, site_caps, site_connections, site_servers
from tests.browser.server import Server
from tests.browser.visit import READY_TIMEOUT_MS, Visit, visiting

pytestmark = pytest.mark.browser

CHARTS = (site_connections, site_caps, site_servers, site_air)


def _field(page: Page, name: str) -> Any:
    return page.locator(f'.sizing-field[data-input="{name}"]')


def _scenario(page: Page) -> Scenario:
    return Scenario.from_query(urlsplit(page.url).query)


def _assert_drawn_is_calculated(visit: Visit) -> None:
    found = site(_scenario(visit.page))
    drawn = visit.charts()
    assert set(drawn) == {chart.name for chart in CHARTS}
    for chart in CHARTS:
        wanted = chart.build(found, "en")["data"]
        for trace, other in zip(drawn[chart.name]["data"], wanted, strict=True):
            for axis in ("x", "y"):
                if isinstance(other[axis][0], str):
                    # names of a bar: the browser has put colours in the place of their variables
                    assert len(trace[axis]) == len(other[axis])
                else:
                    assert trace[axis] == pytest.approx(other[axis]), chart.name


def test_fifty_moves_and_every_chart_shows_the_last(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("site")) as visit:
        page = visit.open().page
        names = ("power_cap_w", "cards", "supplies", "inlet_c", "air_rise_c")
        page.locator('.sizing-group[data-group="assumptions"] > summary').click()
        sliders = [_field(page, name).get_by_role("slider") for name in names]
        keys = ["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft"]
        for move in range(50):
            sliders[move % 5].press(keys[move % 4])
        visit.settle()
        assert _scenario(page) != Scenario()
        _assert_drawn_is_calculated(visit)
        assert not visit.complaints
        assert not visit.foreign()


def test_a_move_sends_little(server: Server, chromium: Browser) -> None:
    """All charts together within 25 KB, and the words around them within a few times that."""
    with visiting(chromium, server.page("site")) as visit:
        page = visit.open().page
        visit.settle()
        before = visit.received_bytes
        _field(page, "power_cap_w").get_by_role("slider").press("ArrowLeft")
        visit.settle()
        assert visit.received_bytes - before < 120_000


def test_the_scenario_travels_between_the_pages(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing", "?n=8&cap=450&line=eu-1ph-32a&theme=dark")) as visit:
        page = visit.open().page
        page.get_by_role("navigation").get_by_role("link", name="Site").click()
        expect(page.locator(".sizing-verdict").last).to_contain_text(
            "Eight cards at 450 W run on 32 A single-phase", timeout=READY_TIMEOUT_MS
        )
        assert "theme=dark" in page.url
        visit.settle()
        _field(page, "inlet_c").get_by_role("textbox").fill("95 °F")
        expect(_field(page, "inlet_c").locator(".sizing-also")).to_have_text("= 95 °F")
        visit.settle()
        assert _scenario(page).inlet_c == pytest.approx(35)
        page.get_by_role("navigation").get_by_role("link", name="Sizing").click()
        expect(page.locator(".sizing-answer")).to_be_visible(timeout=READY_TIMEOUT_MS)
        visit.settle()
        assert _scenario(page).inlet_c == pytest.approx(35)  # kept for the way back
        assert _scenario(page).cards == 8


def test_bad_input_is_said_beside_it(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("site")) as visit:
        page = visit.open().page
        box = _field(page, "inlet_c").get_by_role("textbox")
        box.fill("300 °F")
        expect(_field(page, "inlet_c").get_by_role("alert")).to_contain_text("Choose between -40 and 80 °C")
        expect(page.locator(".sizing-verdict").last).to_contain_text("Four cards at 600 W need")
        visit.settle()
        _assert_drawn_is_calculated(visit)


def test_one_click_marks_a_block_of_commands(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("site")) as visit:
        page = visit.open().page
        page.locator('details[data-key="cap"] > summary').click()
        page.locator(".site-copy").first.click()
        assert page.evaluate("getSelection().toString()").startswith(
            "sudo nvidia-smi -pm 1\nsudo nvidia-smi -i 0 -pl 600"
        )
