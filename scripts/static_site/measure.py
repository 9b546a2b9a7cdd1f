"""What the static site weighs and how long a visitor waits: ``.venv/bin/python scripts/static_site/measure.py``.

Needs the built site and Chromium. Bytes are what a server with gzip sends; times are of this machine, from loopback.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.visit import DRAWN, launch  # noqa: E402
from tests.static.site import FOLDER, START_TIMEOUT_MS, Site, serving  # noqa: E402

VISITS, MOVES = 2, 10
MOVE = """() => new Promise((resolve) => {
    const start = performance.now();
    document.addEventListener('sizing:drawn', () => resolve(performance.now() - start), { once: true });
    const slider = document.querySelector('.sizing-field[data-input=context_tokens] input[type=range]');
    slider.valueAsNumber += slider.valueAsNumber > slider.max / 2 ? -1 : 1;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
})"""


def sent_bytes(path: Path) -> int:
    """Of one file, compressed where that helps. [bytes]"""
    raw = path.read_bytes()
    return min(len(raw), len(gzip.compress(raw, 6)))


def first_chart_s(page: Page, site: Site) -> float:
    """From the address to the first complete view of the sizing page. [s]"""
    start = time.monotonic()
    page.goto(site.page("sizing"), wait_until="commit")
    page.wait_for_function("document.querySelector('.sizing-chart[data-drawn]')", timeout=START_TIMEOUT_MS)
    page.wait_for_function(DRAWN, timeout=START_TIMEOUT_MS)
    return time.monotonic() - start


def visit(browser: Browser, site: Site) -> tuple[float, float, float]:
    """First and second visit of one person, and a move of a slider. [s], [s], [ms]"""
    profile = browser.new_context(viewport={"width": 1440, "height": 900})
    page = profile.new_page()
    cold_s = first_chart_s(page, site)
    page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=START_TIMEOUT_MS)
    warm_s = first_chart_s(page, site)
    page.wait_for_timeout(2000)
    moves = []
    for _ in range(MOVES):
        moves.append(float(page.evaluate(MOVE)))
        page.wait_for_timeout(400)  # the move's other charts are drawn
    profile.close()
    print(f"  {cold_s:.1f} s, {warm_s:.1f} s, {statistics.median(moves):.0f} ms", flush=True)
    return cold_s, warm_s, statistics.median(moves)


def main() -> None:
    """Print the figures."""
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    print(f"site: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    with sync_playwright() as playwright, serving(FOLDER) as site:
        browser = launch(playwright)
        profile = browser.new_context(service_workers="block")
        first_chart_s(profile.new_page(), site)
        profile.close()
        asked = {path.removeprefix("/some/folder/").split("?")[0] for path, _ in site.asked}
        sent = sum(sent_bytes(FOLDER / name) for name in asked)
        print(f"first visit: {len(asked)} files, {sent / 1e6:.1f} MB compressed")
        found = [visit(browser, site) for _ in range(VISITS)]
        browser.close()
    cold, warm, move = (statistics.median(each) for each in zip(*found, strict=True))
    print(f"first chart: {cold:.1f} s at the first visit, {warm:.1f} s at the second; one move {move:.0f} ms")


if __name__ == "__main__":
    main()
