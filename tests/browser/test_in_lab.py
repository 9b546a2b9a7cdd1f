"""The workbook in a real JupyterLab: a page and a notebook that explores, each cell run."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_binder import ROOT, started

pytestmark = pytest.mark.browser

PORT = 18961
MOST_MS = 180_000
"""Of one step: a browser that shares its cores with others may take long, and none is told by the clock. [ms]"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab on a copy of the notebooks, with nothing of the user's own configuration."""
    home = tmp_path_factory.mktemp("home")
    command = [ROOT / "binder" / "start", sys.executable, "-m", "sizing.serve", "lab", home / "notebooks"]
    options = ["--no-browser", "--allow-root", f"--port={PORT}", "--ServerApp.port_retries=0"]
    options += ["--IdentityProvider.token=visitor", "--LabApp.expose_app_in_browser=True"]
    with started([*command, *options], home=home, port=PORT, JUPYTER_PREFER_ENV_PATH="1") as address:
        yield address


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    with chromium.new_context(viewport={"width": 1400, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(MOST_MS)
        yield page


READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


def run(page: Page, lab: str, notebook: str) -> None:
    """Open a notebook and run all its cells, once its kernel waits for them."""
    page.goto(f"{lab}/lab/tree/{notebook}?token=visitor&reset", wait_until="commit")
    page.wait_for_function(READY)
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")


def test_the_sizing_page_answers_in_lab(page: Page, lab: str) -> None:
    run(page, lab, "sizing.ipynb")
    root = page.locator(".sizing-page-root")
    expect(root).to_contain_text("conversations of 8,192 tokens", timeout=MOST_MS)
    expect(root.locator("svg.main-svg").first).to_be_visible(timeout=MOST_MS)


@pytest.mark.thorough
def test_a_notebook_that_explores_runs_in_lab(page: Page, lab: str) -> None:
    """The caps that just carry four and six 600 W cards on 16 A, none for eight; the chart as plotly draws it."""
    run(page, lab, "explore/3_cards_on_a_circuit.ipynb")
    expect(page.locator(".widget-hslider").first).to_be_visible(timeout=MOST_MS)  # nothing of it is stored
    shown = page.locator(".jp-OutputArea-output")
    expect(shown.first).to_contain_text("{4: 500.0, 6: 330.0, 8: None}", timeout=MOST_MS)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=MOST_MS)
