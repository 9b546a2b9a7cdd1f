"""How fast the sizing page opens and answers, against one plotly FigureWidget in plain Voilà, in the same run.

Run by ``make bench``; the limits are the workbook's own promise. The pages are opened in turn, so that whatever else
the machine does meets all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.server import Server, running, running_plain_voila
from tests.browser.visit import launch, visiting
from tests.serve.conftest import health

pytestmark = pytest.mark.benchmark_only

OPENINGS = 5
MOST_OF_BARE = 0.60  # to the first chart, a kernel being started for the visitor
MOST_OF_BARE_READY = 0.45  # and with one that waits
POOL_TIMEOUT_S = 120
MOVES = 40
NUM_CHARTS = 5

# Moves the slider one step to and fro and returns the milliseconds until every chart that it concerns is drawn.
OUR_MOVE = """(k) => new Promise((resolve, reject) => {
    const concerned = chart => window.concerned.includes(chart.dataset.chart);
    const charts = [...document.querySelectorAll('.sizing-chart')].filter(concerned);
    const wanted = charts.map(chart => Number(chart.dataset.drawn) + 1);
    const slider = document.querySelector('input[type=range]');
    const start = performance.now();
    const drawn = () => {
        if (!charts.every((chart, i) => Number(chart.dataset.drawn) >= wanted[i])) return;
        document.removeEventListener('sizing:drawn', drawn);
        resolve(performance.now() - start);
    };
    document.addEventListener('sizing:drawn', drawn);
    setTimeout(() => reject(new Error('a chart was never drawn')), 10000);
    slider.valueAsNumber += k % 2 ? -1 : 1;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    if (charts.length === 0) resolve(0);
})"""
BARE_MOVE = """() => new Promise((resolve, reject) => {
    const start = performance.now();
    window.afterplot = () => resolve(performance.now() - start);
    setTimeout(() => reject(new Error('the chart was never drawn')), 10000);
    const right = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
    document.querySelector('.noUi-handle').dispatchEvent(right);
})"""
DRAWN_NUMBERS = """() => Object.fromEntries(
    [...document.querySelectorAll('.sizing-chart')].map(({ dataset }) => [dataset.chart, dataset.drawn]))"""


# Any chart is on the screen, and the page is.
FIRST_CHART = """() => document.documentElement.dataset.page === 'shown'
    && [...document.querySelectorAll('.sizing-chart')].some(({dataset}) => dataset.drawn > 0)"""
BARE_CHART = """() => document.querySelector('.js-plotly-plot')
    && document.querySelector('.js-plotly-plot').querySelectorAll('.bars path').length === 12"""


@dataclass(frozen=True)
class Measured:
    """Medians of one page. ready_s: [s] to the first complete view; move_ms: [ms]; *_bytes over the websocket.

    chart_bytes: what of a move's bytes is for charts; the rest is text, tables and the form.
    """

    ready_s: float
    move_ms: float
    ready_bytes: float
    move_bytes: float
    chart_bytes: float = 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def first_chart_s(browser: Browser) -> dict[str, float]:
    """Median time from the address to the first chart, by page. [s]"""
    with (
        running_plain_voila(Path(__file__).parent / "notebooks") as plain,
        running("--ready", "0") as unprepared,
        running("--ready", str(OPENINGS + 1)) as prepared,
    ):
        wanted = {
            "bare": (plain.page("bare"), BARE_CHART),
            "unprepared": (unprepared.page("sizing", "?lang=en"), FIRST_CHART),
            "prepared": (prepared.page("sizing"), FIRST_CHART),  # a link's scenario is shown one answer later
        }
        for url, condition in wanted.values():  # once for what every page makes only once, and what is wanted shows
            _opened_s(browser, url, condition)
        found: dict[str, list[float]] = {name: [] for name in wanted}
        for _ in range(OPENINGS):
            _wait_until_ready(prepared)
            for name, (url, condition) in wanted.items():
                found[name].append(_opened_s(browser, url, condition))
    return {name: statistics.median(times) for name, times in found.items()}


def _opened_s(browser: Browser, url: str, condition: str) -> float:
    with visiting(browser, url) as visit:
        visit.page.route(lambda address: "127.0.0.1" not in address, lambda route: route.abort())  # the bare one's CDN
        start = time.perf_counter()
        visit.page.goto(url, wait_until="commit")
        visit.page.wait_for_function(condition, timeout=90_000, polling=20)
        return time.perf_counter() - start


def _wait_until_ready(server: Server) -> None:
    give_up = time.monotonic() + POOL_TIMEOUT_S
    while health(server)["ready"] < OPENINGS + 1 and time.monotonic() < give_up:
        time.sleep(0.2)


@pytest.fixture(scope="module")
def ours(browser: Browser) -> Measured:
    with running() as server:
        ready, received = [], []
        for _ in range(OPENINGS):
            with visiting(browser, server.page("sizing")) as visit:
                start = time.perf_counter()
                visit.open(NUM_CHARTS)
                ready.append(time.perf_counter() - start)
                received.append(visit.received_bytes)
        with visiting(browser, server.page("sizing")) as visit:
            visit.open(NUM_CHARTS).settle()
            before = visit.page.evaluate(DRAWN_NUMBERS)
            visit.page.evaluate("window.concerned = []")
            visit.page.evaluate(OUR_MOVE, 0)
            visit.settle()
            after = visit.page.evaluate(DRAWN_NUMBERS)
            visit.page.evaluate(
                "names => { window.concerned = names }", [name for name in after if after[name] != before[name]]
            )
            visit.page.evaluate(OUR_MOVE, 1)
            visit.settle()
            start_bytes, start_chart_bytes = visit.received_bytes, visit.received_chart_bytes
            moves = [_paced(visit.page, OUR_MOVE, k) for k in range(MOVES)]
            visit.settle()
            move_bytes = (visit.received_bytes - start_bytes) / MOVES
            chart_bytes = (visit.received_chart_bytes - start_chart_bytes) / MOVES
    return Measured(
        statistics.median(ready), statistics.median(moves), statistics.median(received), move_bytes, chart_bytes
    )


@pytest.fixture(scope="module")
def bare(browser: Browser) -> Measured:
    plot = "document.querySelector('.js-plotly-plot')"
    with running_plain_voila(Path(__file__).parent / "notebooks") as server:
        ready, received = [], []
        for opening in range(OPENINGS + 1):
            with visiting(browser, server.page("bare")) as visit:
                visit.page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())  # its fonts' CDN
                start = time.perf_counter()
                visit.page.goto(visit.url, wait_until="commit")
                visit.page.wait_for_function(
                    f"() => {plot} && {plot}.querySelectorAll('.bars path').length === 12", timeout=60_000
                )
                ready.append(time.perf_counter() - start)
                received.append(visit.received_bytes)
                if opening == OPENINGS:
                    visit.page.wait_for_timeout(1000)
                    visit.page.evaluate(f"() => {{ {plot}.on('plotly_afterplot', () => window.afterplot?.()) }}")
                    start_bytes = visit.received_bytes
                    moves = [_paced(visit.page, BARE_MOVE, k) for k in range(MOVES)]
                    visit.page.wait_for_timeout(500)
                    move_bytes = (visit.received_bytes - start_bytes) / MOVES
    return Measured(statistics.median(ready), statistics.median(moves), statistics.median(received), move_bytes)


def _paced(page: Page, script: str, k: int) -> float:
    page.wait_for_timeout(120)
    milliseconds: float = page.evaluate(script, k)
    return milliseconds


def test_report(ours: Measured, bare: Measured) -> None:
    print()
    for name, found in (("sizing page", ours), ("one FigureWidget", bare)):
        ready_mb, move_kb, chart_kb = found.ready_bytes / 1e6, found.move_bytes / 1e3, found.chart_bytes / 1e3
        print(
            f"{name:>17}: ready {found.ready_s:.2f} s, {ready_mb:.2f} MB over the websocket; "
            f"one move {found.move_ms:.0f} ms, {move_kb:.1f} kB ({chart_kb:.1f} for charts)"
        )


def test_the_first_chart_is_there_early(first_chart_s: dict[str, float]) -> None:
    bare = first_chart_s["bare"]
    for name, limit in (("unprepared", MOST_OF_BARE), ("prepared", MOST_OF_BARE_READY)):
        print(f"first chart, {name}: {first_chart_s[name]:.2f} s, {first_chart_s[name] / bare:.2f} of a bare page's")
        assert first_chart_s[name] <= limit * bare, name


def test_a_move_takes_at_most_twice_that_of_one_figure_widget(ours: Measured, bare: Measured) -> None:
    assert ours.move_ms <= 2 * bare.move_ms


def test_the_page_is_ready_no_later_than_one_figure_widget(ours: Measured, bare: Measured) -> None:
    assert ours.ready_s <= bare.ready_s


def test_a_move_is_small(ours: Measured) -> None:
    assert 0 < ours.chart_bytes <= 25_000
