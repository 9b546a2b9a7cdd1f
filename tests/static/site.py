"""The built site on a plain file server, and what was asked of it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.browser.visit import DRAWN, Visit, visiting

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "dist/site"
START_TIMEOUT_MS = 180_000  # Python starts in the browser; on a busy machine that takes its time


@dataclass
class Site:
    """The site at an address. asked: path and status of every request.   stop: the server goes away."""

    url: str
    asked: list[tuple[str, int]] = field(default_factory=list)
    stop: Callable[[], None] = lambda: None

    def page(self, name: str, query: str = "") -> str:
        """Address of one page."""
        return f"{self.url}{name}.html{query}"

    def failed(self) -> list[tuple[str, int]]:
        """Requests that were not answered with a file."""
        return [each for each in self.asked if each[1] not in (200, 304)]


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """The folder as any plain web server delivers it, in a folder of the server: no header of ours, no compression."""
    site = Site("")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return super().translate_path(path.removeprefix("/some/folder"))

        def log_request(self, code: Any = "-", size: Any = "-") -> None:
            site.asked.append((self.path.split("?")[0], int(code)))

        def log_error(self, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site.url = f"http://127.0.0.1:{server.server_port}/some/folder/"

    def stop() -> None:
        server.shutdown()
        server.server_close()

    site.stop = stop
    try:
        yield site
    finally:
        stop()


@contextlib.contextmanager
def opened(browser: Browser, url: str, **context: Any) -> Iterator[Visit]:
    """A visit that waits until the page is there and its charts are drawn."""
    context.setdefault("service_workers", "block")
    with visiting(browser, url, **context) as visit:
        arrive(visit)
        yield visit


def arrive(visit: Visit) -> None:
    """Go to the page and wait until Python has made it."""
    visit.page.goto(visit.url, wait_until="commit")
    wait(visit)


def wait(visit: Visit) -> None:
    """Until the page is shown, and every chart on view shows its newest figure."""
    visit.page.wait_for_function("document.documentElement?.dataset.page === 'shown'", timeout=START_TIMEOUT_MS)
    visit.page.wait_for_function(DRAWN, timeout=START_TIMEOUT_MS)
