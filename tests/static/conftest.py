from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visit import launch
from tests.static.site import FOLDER, ROOT, Site, serving

SOURCES = ("sizing", "data", "notebooks", "scripts/static_site")


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The site as it was built; a site that is older than what it is built from is not tested."""
    if not (FOLDER / "sw.js").is_file():
        pytest.skip("the static site is not built: make static" + ("" if shutil.which("npm") else " (needs npm)"))
    built = (FOLDER / "sw.js").stat().st_mtime
    files = (path for name in SOURCES for path in (ROOT / name).rglob("*") if "__pycache__" not in path.parts)
    newer = [path for path in files if path.is_file() and path.stat().st_mtime > built]
    if newer:
        pytest.skip(f"the static site is older than {newer[0].relative_to(ROOT)}: make static")
    with serving(FOLDER) as site:
        yield site


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests; each visit has a profile of its own."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
