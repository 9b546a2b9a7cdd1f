"""One visit to a page: what a person would see, and what went over the wire."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Playwright, Request, WebSocket

READY_TIMEOUT_MS = 60_000

# Chromium asks nobody anything of its own accord, so that every request in the log is the page's.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

# The charts on view show the newest figure; one in a closed section or a hidden tab has nothing to draw yet.
DRAWN = """() => document.documentElement?.dataset.page === 'shown'
    && [...document.querySelectorAll('.sizing-chart')].every(
        ({offsetWidth, dataset}) => offsetWidth === 0 || (dataset.newest > 0 && dataset.drawn === dataset.newest))"""

CHARTS = """() => Object.fromEntries([...document.querySelectorAll('.sizing-chart[data-drawn]')].map(chart => {
    const plot = chart.querySelector('.sizing-chart-plot');
    return [chart.dataset.chart, JSON.parse(JSON.stringify({data: plot.data, layout: plot.layout}))];
}))"""


def chromium_path() -> str:
    """The browser of the machine; CHROMIUM names another."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    found = next(filter(None, map(shutil.which, filter(None, names))), None)
    if found is None:
        raise RuntimeError("the browser tests need Chromium: apt install chromium, or CHROMIUM=/path/to/chrome")
    return found


def launch(playwright: Playwright) -> Browser:
    """Headless Chromium with an empty profile."""
    return playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)


class Visit:
    """A page with its traffic and its complaints from the first byte on."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.received_bytes = 0
        self.received_frames = 0
        self.received_chart_bytes = 0
        page.on("request", self._note_request)
        page.on("websocket", self._note_websocket)
        page.on("console", lambda message: message.type == "error" and self._note_complaint(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note_complaint(self, text: str) -> None:
        # On a machine as busy as in these tests widgets may come too late; the page then loads itself once more.
        if "widget model not found" not in text:
            self.complaints.append(text)

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _note_websocket(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        socket.on("framereceived", self._note_frame)

    def _note_frame(self, payload: str | bytes) -> None:
        data = payload.encode() if isinstance(payload, str) else payload
        self.received_bytes += len(data)
        self.received_frames += 1
        if b'"figure_data"' in data or b'"figure_layout"' in data:
            self.received_chart_bytes += len(data)

    def open(self, num_charts: int | None = None) -> Visit:
        """Go there and wait until every chart on view is drawn.

        num_charts: how many there are. Where it is not known, the page must have come to rest besides: a page without
        charts looks like one whose charts have not come yet.
        """
        self.page.goto(self.url, wait_until="commit")
        if num_charts is None:
            self.page.wait_for_function(DRAWN, timeout=READY_TIMEOUT_MS)
            self.settle()
        else:
            condition = f"() => document.querySelectorAll('[data-chart]').length >= {num_charts} && ({DRAWN})()"
            self.page.wait_for_function(condition, timeout=READY_TIMEOUT_MS)
        return self

    def settle(self, quiet_ms: int = 450) -> None:
        """Wait until nothing more comes from the kernel and every chart on view shows its newest figure.

        quiet_ms: longer than the pause between two writings of the address, which a test reads next.
        """
        while True:
            before = self.received_frames
            self.page.wait_for_timeout(quiet_ms)
            self.page.wait_for_function(DRAWN, timeout=READY_TIMEOUT_MS)
            if self.received_frames == before:
                return

    def charts(self) -> dict[str, dict[str, Any]]:
        """What plotly has drawn, by the charts' names."""
        drawn: dict[str, dict[str, Any]] = self.page.evaluate(CHARTS)
        return drawn

    def foreign(self) -> list[str]:
        """Requests to any other host than the page's own."""
        own = urlsplit(self.url).netloc
        return [
            url for url in self.requests if urlsplit(url).netloc != own and urlsplit(url).scheme not in ("data", "blob")
        ]

    def kernel_id(self) -> str:
        """The kernel behind the page."""
        found: str = self.page.evaluate(
            "JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId"
        )
        return found

    def resize(self, width: int, height: int = 900) -> None:
        """Another window size, and the charts' answer to it."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.settle()


@contextmanager
def visiting(browser: Browser, url: str, *, width: int = 1440, height: int = 900, **context: Any) -> Iterator[Visit]:
    """A visit in a profile of its own, closed as a person closes a tab."""
    profile = browser.new_context(viewport={"width": width, "height": height}, **context)
    page = profile.new_page()
    try:
        yield Visit(page, url)
    finally:
        if not page.is_closed():
            page.close(run_before_unload=True)
            page.context.browser  # noqa: B018
        profile.close()
