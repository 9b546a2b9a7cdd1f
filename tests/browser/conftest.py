from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.server import Server, running
from tests.browser.visit import launch


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The workbook, served as a person serves it."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def charts_server() -> Iterator[Server]:
    """The small page of tests/browser/notebooks."""
    with running("--notebooks", str(Path(__file__).parent / "notebooks")) as server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests; each visit has a profile of its own."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
