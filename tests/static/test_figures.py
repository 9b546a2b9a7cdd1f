"""The static site's figures are the package's: calculated again here, by this machine's Python."""

from __future__ import annotations

import functools
import html
import json
import re
import time
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, expect

import sizing
from sizing.base.errors import SizingError
from sizing.base.texts import say
from sizing.catalogue.scenario import Scenario
from sizing.models import bring
from sizing.sharing import Plan, place
from sizing.sharing.shared import shared
from sizing.sheet.figures.sizing_charts import air, context, layouts, memory, power
from sizing.ui.reports import sharing_report, sizing_report
from tests.browser.visit import Visit
from tests.static.site import START_TIMEOUT_MS, Site, opened

pytestmark = pytest.mark.browser

CHARTS = (layouts, context, memory, power, air)
CONFIG = {
    "hidden_size": 5120,
    "head_dim": 128,
    "num_attention_heads": 64,
    "num_hidden_layers": 64,
    "num_key_value_heads": 8,
    "intermediate_size": 25600,
    "vocab_size": 151936,
    "torch_dtype": "bfloat16",
}


def words(markup: str) -> str:
    """What a person reads of HTML, without the spaces: the page marks terms in it."""
    return re.sub(r"<[^>]+>|\s|&nbsp;", "", html.unescape(markup))


def until(page: Page, check: Callable[[], None], seconds: float = 60) -> None:
    """The check holds before long: what the page shows last comes a moment after what was done."""
    end = time.monotonic() + seconds
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
            page.wait_for_timeout(200)


def query_of(page: Page) -> str:
    """Of the address, as the browser has it now."""
    found: str = page.evaluate("location.search.slice(1)")
    return found


def scenario_of(page: Page) -> Scenario:
    """The scenario that the address of the page holds."""
    return Scenario.from_query(query_of(page))


def assert_shown_is_calculated(visit: Visit) -> None:
    """Answer and charts of the sizing page, for the scenario of its address."""
    sized = sizing.size(scenario_of(visit.page))
    other = sized.variant(kv_dtype="fp8" if sized.kv_dtype == "bf16" else "bf16")
    shown = visit.page.locator("[data-live=answer]").inner_html()
    assert words(shown) == words(str(sizing_report.answer(sizing.answer(sized.scenario), other, "en", stale=False)))
    drawn = visit.charts()
    for chart in CHARTS:
        figure = chart.build(sized, "en", **({"other": other} if chart is layouts else {}))
        for trace, wanted in zip(drawn[chart.name]["data"], figure["data"], strict=True):
            assert trace["x"] == pytest.approx(wanted["x"]), chart.name
            assert [y for y in trace["y"] if y is not None] == pytest.approx([y for y in wanted["y"] if y is not None])


def test_sliders_move_the_figures_to_those_of_the_package(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.page("sizing")) as visit:
        page = visit.page
        until(page, lambda: assert_shown_is_calculated(visit))
        seen = set()
        for name, key in (("context_tokens", "ArrowRight"), ("cards", "ArrowLeft"), ("power_cap_w", "ArrowLeft")):
            slider = page.locator(f'.sizing-field[data-input="{name}"]').get_by_role("slider")
            before = getattr(scenario_of(page), name)
            for _ in range(2):
                slider.press(key)
            until(page, functools.partial(moved, page, name, before))
            until(page, lambda: assert_shown_is_calculated(visit))
            seen.add(page.locator("[data-live=answer]").inner_text())
        assert len(seen) == 3
        assert not visit.complaints
        assert not visit.foreign()


def moved(page: Page, name: str, before: object) -> None:
    assert getattr(scenario_of(page), name) != before


def test_a_link_opens_on_its_figures_and_goes_along(site: Site, chromium: Browser) -> None:
    wanted = Scenario(checkpoint="openai/gpt-oss-120b", cards=2, context_tokens=32768)
    with opened(chromium, site.page("sizing", f"?{wanted.to_query()}")) as visit:
        page = visit.page
        assert scenario_of(page) == wanted
        until(page, lambda: assert_shown_is_calculated(visit))
        page.locator(".sizing-nav").get_by_role("link", name=say("ui.page.site")).click()
        page.wait_for_url(re.compile(r"/site\.html\?"), wait_until="commit", timeout=START_TIMEOUT_MS)
        page.wait_for_function("document.documentElement?.dataset.page === 'shown'", timeout=START_TIMEOUT_MS)
        assert scenario_of(page) == wanted
        assert not visit.complaints


def test_a_pasted_config_is_sized_and_the_hub_says_why_not(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.page("new_model")) as visit:
        page = visit.page
        page.locator(".sizing-bring").get_by_role("textbox").first.fill("openai/gpt-oss-120b")
        page.locator(".sizing-bring .sizing-go").first.click()
        expect(page.get_by_text(SizingError("hub_in_browser").what())).to_be_visible(timeout=START_TIMEOUT_MS)
        page.locator('.sizing-bring input[type=radio][value="text"]').check()
        page.locator(".sizing-bring textarea").first.fill(json.dumps(CONFIG))
        page.locator(".sizing-weights").fill("65.5")
        page.locator(".sizing-bring form:not([hidden]) .sizing-go").click()
        model = bring.from_text(json.dumps(CONFIG), weights="65.5").checkpoint
        expect(page.locator(".sizing-bring-status").first).to_contain_text("config.json", timeout=START_TIMEOUT_MS)

        def same() -> None:
            sized = sizing.size(scenario_of(page), checkpoint=model)
            most = f"{sized.best.conversations:,}"
            assert most in page.locator("[data-live=answer] .sizing-answer").inner_text()

        until(page, same)
        assert not visit.foreign()


def test_speed_shows_the_limit_and_says_that_there_are_no_kernels(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.page("speed")) as visit:
        expect(visit.page.get_by_text(say("gap.in_browser")).first).to_be_visible(timeout=START_TIMEOUT_MS)


def test_the_shared_server_is_planned_by_the_same_solver(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.page("shared_server")) as visit:
        page = visit.page
        found = shared(Plan())
        answer = words(str(sharing_report.answer(found, "en", stale=False)))
        until(page, lambda: equal(words(page.locator("[data-live=answer]").inner_html()), answer))
        page.locator(".sizing-services").get_by_label("Start from").select_option("one_70b")
        until(page, lambda: present(parse_qs(query_of(page)), "svc"))

        def same() -> None:
            plan = Plan.from_query(query_of(page))
            assert place(plan).proved
            equal(
                words(page.locator("[data-live=answer]").inner_html()),
                words(str(sharing_report.answer(shared(plan), "en", stale=False))),
            )

        until(page, same)
        assert not visit.complaints


def equal(shown: object, wanted: object) -> None:
    assert shown == wanted


def present(query: dict[str, list[str]], name: str) -> None:
    assert name in query


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF-"), ("xlsx", b"PK\x03\x04"), ("html", b"<!doctype html>")])
def test_the_sheet_is_made_in_the_browser(site: Site, chromium: Browser, kind: str, start: bytes) -> None:
    with opened(chromium, site.page("call", "?step=offer")) as visit:
        page = visit.page
        button = page.locator(f'.sizing-sheet [data-file="{kind}"]')
        if not button.is_visible():
            page.locator(".sizing-steps button").last.click()
        with page.expect_download(timeout=START_TIMEOUT_MS) as download:
            button.click()
        made = download.value.path().read_bytes()
        assert made.startswith(start)
        assert len(made) > 5_000
        assert not visit.foreign()
