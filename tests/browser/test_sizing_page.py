"""The sizing page in a real browser: what is drawn is what is calculated, whatever the visitor does."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.sheet.figures.sizing_charts import air, context, layouts, memory, power
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser


def _field(page: Page, name: str) -> Any:
    return page.locator(f'.sizing-field[data-input="{name}"]')


def _scenario(page: Page) -> Scenario:
    """The scenario that the address of the page holds."""
    return Scenario.from_query(urlsplit(page.url).query)


def _assert_drawn_is_calculated(visit: Visit) -> None:
    sized = sizing.answer(_scenario(visit.page)).sizing
    other = sized.variant(kv_dtype="fp8" if sized.kv_dtype == "bf16" else "bf16")
    drawn = visit.charts()
    assert set(drawn) == {chart.name for chart in (layouts, context, memory, power, air)}
    for chart in (layouts, context, memory, power, air):
        figure = chart.build(sized, "en", **({"other": other} if chart is layouts else {}))
        shown = drawn[chart.name]["data"]
        for trace, wanted in zip(shown, figure["data"], strict=True):
            assert trace["x"] == pytest.approx(wanted["x"]), chart.name
            assert [y for y in trace["y"] if y is not None] == pytest.approx([y for y in wanted["y"] if y is not None])


def test_fifty_moves_and_every_chart_shows_the_last(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        sliders = [_field(page, name).get_by_role("slider") for name in ("context_tokens", "cards", "power_cap_w")]
        keys = ["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowRight"]
        for move in range(50):
            sliders[move % 3].press(keys[move % 5])
        visit.settle()
        assert _scenario(page) != Scenario()
        _assert_drawn_is_calculated(visit)
        assert not visit.complaints
        assert not visit.foreign()


def test_a_drag_leaves_no_queue_behind_the_pointer(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        slider = _field(page, "power_cap_w").get_by_role("slider")
        box = slider.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] - 8, middle)
        page.mouse.down()
        before = visit.received_frames
        for step in range(60):
            page.mouse.move(box["x"] + box["width"] - 8 - step * (box["width"] - 16) / 60, middle)
        page.mouse.up()
        visit.settle()
        # 30 stops were passed; far fewer were calculated than pointer moves made, and the last one stands.
        assert visit.received_frames - before < 60 * 20
        assert _scenario(page).power_cap_w <= 310
        _assert_drawn_is_calculated(visit)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("cards", "0", "Choose between 1 and 8"),
        ("cards", "9", "Choose between 1 and 8"),
        ("cards", "four", "must be a number"),
        ("context_tokens", "-5", "Choose between 1 and"),
        ("context_tokens", "NaN", "must be a number"),
        ("power_cap_w", "5", "Choose between 50 and"),
    ],
)
def test_bad_input_is_said_beside_it(server: Server, chromium: Browser, name: str, typed: str, said: str) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        box = _field(page, name).get_by_role("textbox")
        box.fill(typed)
        expect(_field(page, name).get_by_role("alert")).to_contain_text(said)
        expect(box).to_have_value(typed)
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".sizing-answer")).to_contain_text("32 conversations of 8,192 tokens may be promised")
        visit.settle()
        _assert_drawn_is_calculated(visit)
        box.fill("2")
        assert not visit.complaints


def test_an_unknown_model_is_said_and_the_text_is_not_lost(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        box = _field(page, "checkpoint").get_by_role("combobox")
        box.fill("nobody/nothing")
        box.press("Enter")
        expect(_field(page, "checkpoint").get_by_role("alert")).to_contain_text("nobody/nothing")
        page.keyboard.press("Tab")
        expect(box).to_have_value("nobody/nothing")
        expect(page.locator(".sizing-answer")).to_contain_text("32 conversations of 8,192 tokens may be promised")


def test_the_model_is_found_by_typing_parts_of_its_name(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        box = _field(page, "checkpoint").get_by_role("combobox")
        box.fill("oss 120")
        box.press("Enter")
        visit.settle()
        assert _scenario(page).checkpoint == "openai/gpt-oss-120b"
        expect(page.locator(".sizing-subject")).to_contain_text("gpt-oss")
        _assert_drawn_is_calculated(visit)


def test_a_reload_and_a_link_bring_the_scenario_back(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing") + "?v=1&n=2&ctx=32768&n_extra=1&hosts=2") as visit:
        page = visit.open().page
        expect(page.locator(".sizing-messages")).to_contain_text("n_extra")
        assert "n_extra" not in page.url
        assert "hosts=2" in page.url  # the shared server's
        assert (_scenario(page).cards, _scenario(page).context_tokens) == (2, 32768)
        box = _field(page, "power_cap_w").get_by_role("textbox")
        box.fill("450")
        visit.settle()
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('.sizing-chart[data-drawn]').length === 5")
        assert _scenario(page) == Scenario(cards=2, context_tokens=32768, power_cap_w=450)


def test_reset_brings_the_defaults_back(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing") + "?v=1&n=2&plan=0.5") as visit:
        page = visit.open().page
        expect(_field(page, "planning_share").get_by_role("button")).to_contain_text("default 0.8")
        page.get_by_role("button", name="Reset all").click()
        visit.settle()
        assert _scenario(page) == Scenario()


def test_opened_working_stays_open_while_a_slider_moves(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing")) as visit:
        page = visit.open().page
        working = page.locator('[data-live="working-power"] details')
        working.locator("summary").click()
        expect(working).to_contain_text("rated_w × (1 + rest_share)")
        _field(page, "power_cap_w").get_by_role("slider").press("ArrowLeft")
        expect(working).to_contain_text("2,920 W")
        assert working.evaluate("node => node.open")


def test_on_a_phone_the_inputs_fold_away(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("sizing"), width=390, height=844) as visit:
        page = visit.open().page
        expect(_field(page, "cards")).to_be_hidden()
        page.get_by_role("button", name="Change the inputs").click()
        expect(_field(page, "cards")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
