"""Charts, messages and the watch over the kernel, on a page with known data."""

from __future__ import annotations

import os
import re
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from sizing.sheet.figures import theme
from tests.browser.notebooks.charts_page import NUM_CHARTS
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def visit(chromium: Browser, charts_server: Server) -> Iterator[Visit]:
    with visiting(chromium, charts_server.page("index")) as visit:
        yield visit.open()


def press(visit: Visit, name: str) -> None:
    visit.page.get_by_role("button", name=name).click()


def drag_to(visit: Visit, value: int) -> None:
    """Set the slider by its number box, as one move."""
    box = visit.page.locator(".widget-readout")
    box.fill(str(value))
    box.press("Enter")


def test_every_chart_follows_every_move(visit: Visit) -> None:
    for value in range(100, 150):
        drag_to(visit, value)
    visit.settle()
    charts = visit.charts()
    for k in range(1, NUM_CHARTS + 1):
        assert charts[f"chart-{k}"]["data"][0]["y"] == [k * 149, k * 149 + 1, k * 149 + 2]
        assert charts[f"chart-{k}"]["data"][1]["y"] == [k * 149 / 2] * 3


def test_one_move_is_small(visit: Visit) -> None:
    drag_to(visit, 500)
    visit.settle()
    before = visit.received_bytes
    drag_to(visit, 501)
    visit.settle()
    assert 0 < visit.received_bytes - before < 25_000


def test_only_the_newest_figure_is_drawn(visit: Visit) -> None:
    visit.page.evaluate("""() => { window.draws = 0;
        document.querySelector('[data-chart=lone]').addEventListener('sizing:drawn', () => window.draws++) }""")
    press(visit, "storm")
    visit.settle()
    assert visit.charts()["lone"]["data"][0]["y"] == [59, 60, 61]
    assert 1 <= visit.page.evaluate("window.draws") < 60


def test_a_chart_in_a_closed_tab_is_right_when_it_opens(visit: Visit) -> None:
    chart = visit.page.locator("[data-chart=hidden]")
    drag_to(visit, 321)
    visit.settle()
    assert chart.get_attribute("data-drawn") != chart.get_attribute("data-newest")
    visit.page.get_by_role("tab", name="second").click()
    visit.settle()
    assert visit.charts()["hidden"]["data"][0]["y"] == [321, 322, 323]
    assert _drawn_width(visit, "hidden") == visit.page.evaluate(
        "document.querySelector('[data-chart=hidden]').offsetWidth"
    )


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_charts_have_the_width_they_are_given(visit: Visit, width: int) -> None:
    visit.resize(width)
    for name in visit.charts():
        assert _drawn_width(visit, name) == visit.page.evaluate(
            "name => document.querySelector(`[data-chart=${name}]`).offsetWidth", name
        )
        assert visit.page.locator(f"[data-chart={name}]").evaluate("chart => chart.offsetHeight") == 260
    visit.resize(1440)


def _drawn_width(visit: Visit, name: str) -> float:
    width: float = visit.page.locator(f"[data-chart={name}] .main-svg").first.evaluate("svg => svg.clientWidth")
    return width


def test_charts_tell_the_same_in_words(visit: Visit) -> None:
    drag_to(visit, 77)
    visit.settle()
    chart = visit.page.get_by_role("img", name="Chart 3 at 77")
    expect(chart).to_have_count(1)


def test_charts_follow_the_theme_without_the_kernel(visit: Visit) -> None:
    def accent() -> str:
        return str(visit.charts()["chart-1"]["data"][0]["marker"]["color"][2])

    visit.page.emulate_media(color_scheme="light")
    visit.settle()
    assert accent() == theme.colours("light")["--sizing-accent"]
    visit.page.emulate_media(color_scheme="dark")
    visit.settle()
    assert accent() == theme.colours("dark")["--sizing-accent"]
    visit.page.emulate_media(color_scheme="light")
    visit.settle()


def test_a_chart_that_cannot_be_drawn_says_so_and_heals(visit: Visit) -> None:
    press(visit, "break_chart")
    expect(visit.page.locator("[data-chart=lone]")).to_have_attribute("data-failed", re.compile("."))
    assert any("chart lone" in complaint for complaint in visit.complaints)
    visit.complaints.clear()
    press(visit, "heal_chart")
    visit.settle()
    assert visit.charts()["lone"]["data"][0]["y"] == [7, 8, 9]


def test_a_bad_input_is_a_sentence_and_the_next_good_one_clears_it(visit: Visit) -> None:
    alert = visit.page.locator(".sizing-messages")
    drag_to(visit, 13)
    expect(alert).to_contain_text("Value must be a whole number, not 13.")
    assert alert.get_attribute("role") == "alert"
    visit.settle()
    assert visit.charts()["chart-1"]["data"][0]["y"] == [13, 14, 15]
    drag_to(visit, 14)
    expect(alert).to_be_hidden()


def test_a_fault_is_a_number_for_the_visitor_and_a_traceback_for_the_log(visit: Visit, charts_server: Server) -> None:
    press(visit, "fault")
    alert = visit.page.locator(".sizing-messages")
    expect(alert).to_contain_text("Something went wrong on our side")
    number = re.search(r"number ([0-9a-f]{6})", alert.inner_text())
    assert number is not None
    assert "secret" not in visit.page.content()
    log = charts_server.log()
    assert f"fault {number[1]}" in log
    assert "ZeroDivisionError: <b>secret</b>" in log
    press(visit, "fault")
    visit.settle()
    assert number[1] in alert.inner_text()
    assert charts_server.log().count("ZeroDivisionError: <b>secret</b>") == 1


def test_cells_for_analysts_are_not_run_and_stderr_stays_in_the_kernel(visit: Visit) -> None:
    assert visit.page.locator(".sizing-fault").count() == 0
    assert "said to stderr" not in visit.page.content()


def test_the_page_needs_no_server_that_offers_plotly(chromium: Browser, charts_server: Server) -> None:
    """As in JupyterLab and on Binder: the first chart asks the kernel, once, for the packed bytes."""
    with visiting(chromium, charts_server.page("index")) as visit:
        visit.page.route("**/plotly.js", lambda route: route.abort())
        visit.open()
        assert 1_000_000 < visit.received_bytes < 2_000_000
        assert len(visit.charts()) == NUM_CHARTS + 1


def test_a_killed_kernel_is_said(chromium: Browser, charts_server: Server) -> None:
    with visiting(chromium, charts_server.page("index")) as visit:
        visit.open()
        [pid] = charts_server.kernel_pids(visit.kernel_id())
        visit.page.wait_for_timeout(5500)  # a silence after which a touch asks for a sign of life
        os.kill(pid, signal.SIGKILL)
        drag_to(visit, 200)
        banner = visit.page.locator("#sizing-gone")
        expect(banner).to_be_visible(timeout=20_000)
        expect(banner).to_contain_text("This session has ended")
        visit.page.get_by_role("button", name="Reload the page").click()
        visit.page.wait_for_function(
            "() => document.querySelectorAll('.sizing-chart[data-drawn]').length >= 5", timeout=60_000
        )
        expect(banner).to_be_hidden()


def test_a_closed_page_gives_its_kernel_back(chromium: Browser, charts_server: Server) -> None:
    with visiting(chromium, charts_server.page("index")) as visit:
        visit.open()
        address = f"{charts_server.url}api/kernels/{visit.kernel_id()}"
        assert _status(address) == 200
        visit.page.goto("about:blank")
        give_up = time.monotonic() + 20
        while _status(address) != 404 and time.monotonic() < give_up:
            time.sleep(0.2)
        assert _status(address) == 404


def test_a_page_that_cannot_be_made_says_so_without_its_traceback(chromium: Browser, charts_server: Server) -> None:
    with visiting(chromium, charts_server.page("broken")) as visit:
        visit.page.goto(visit.url)
        fault = visit.page.locator(".sizing-fault")
        expect(fault).to_be_visible(timeout=60_000)
        expect(fault).to_contain_text("This page could not be prepared. Quote number")
        assert "secret of the cell" not in visit.page.content()
        number = re.search(r"number ([0-9a-f]{8})", fault.inner_text())
        assert number is not None
        assert f"fault {number[1]}" in charts_server.log()
        assert "secret of the cell" in charts_server.log()


def _status(address: str) -> int:
    try:
        with urllib.request.urlopen(address) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
