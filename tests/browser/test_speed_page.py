"""The speed page in a real browser: what is drawn is what is calculated, and it answers while kernels load."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.sheet.figures.speed_charts import speed_cap, speed_each, speed_ends, speed_first, speed_total
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting
from tests.speed.conftest import needs_kernels

pytestmark = pytest.mark.browser
CHARTS = (speed_each, speed_total, speed_ends, speed_first, speed_cap)
LOADED_MS = 90_000


def _scenario(page: Page) -> Scenario:
    return Scenario.from_query(urlsplit(page.url).query)


def _assert_drawn_is_calculated(visit: Visit) -> None:
    found = sizing.answer(_scenario(visit.page)).speed
    drawn = visit.charts()
    assert set(drawn) == {chart.name for chart in CHARTS}
    for chart in CHARTS:
        for trace, wanted in zip(drawn[chart.name]["data"], chart.build(found, "en")["data"], strict=True):
            assert trace["x"] == pytest.approx(wanted["x"]), chart.name


@needs_kernels
def test_moves_by_keyboard_and_every_chart_shows_the_last(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("speed")) as visit:
        page = visit.open().page
        expect(page.locator(".sizing-figures")).to_contain_text("measured operations", timeout=LOADED_MS)
        expect(page.locator('[data-live="speed_ranges"]')).to_contain_text("two usual causes", timeout=LOADED_MS)
        names = ("context_tokens", "prompt_tokens", "floor_tokens_s", "waiting_clients", "power_cap_w")
        for move in range(15):
            key = "ArrowLeft" if move % 2 else "ArrowRight"
            if names[move % 5] == "power_cap_w":
                key = "ArrowLeft"
            page.locator(f'.sizing-field[data-input="{names[move % 5]}"]').get_by_role("slider").press(key)
        visit.settle()
        assert _scenario(page) != Scenario()
        _assert_drawn_is_calculated(visit)
        assert not visit.complaints
        assert not visit.foreign()


@needs_kernels
def test_a_link_brings_the_scenario_back(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("speed") + "?v=1&n=2&prompt=4096&floor=30&engine=sglang") as visit:
        page = visit.open().page
        assert _scenario(page) == Scenario(cards=2, prompt_tokens=4096, floor_tokens_s=30, engine="sglang")
        expect(page.locator(".sizing-figures")).to_contain_text("measured operations, SGLang", timeout=LOADED_MS)
        visit.settle()
        _assert_drawn_is_calculated(visit)


def test_a_card_without_kernels_is_said_at_once(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("speed") + "?v=1&card=mi300x") as visit:
        page = visit.open().page
        expect(page.locator(".speed-gap")).to_contain_text("No measured operations for Instinct MI300X")
        expect(page.locator(".sizing-answer")).to_contain_text("no speed was measured")
        _assert_drawn_is_calculated(visit)
