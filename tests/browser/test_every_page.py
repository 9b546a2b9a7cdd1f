"""What holds for every page, whatever it shows: a new notebook is tested by being there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from sizing.base.texts import say
from sizing.sheet.figures import theme
from tests.browser.server import Server
from tests.browser.visit import Visit, visiting

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MAX_WEBSOCKET_BYTES = 2_000_000


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture(scope="module")
def visit(chromium: Browser, server: Server, notebook: Path) -> Iterator[Visit]:
    with visiting(chromium, server.page(notebook.stem)) as visit:
        yield visit.open()


def test_it_opens_small_and_asks_no_other_host(visit: Visit, notebook: Path) -> None:
    assert visit.received_bytes < MAX_WEBSOCKET_BYTES
    visit.settle()
    name = say("ui.frame.workbook")
    assert visit.page.title() == (name if notebook.stem == "index" else f"{say(f'ui.page.{notebook.stem}')} · {name}")
    assert visit.foreign() == []
    assert visit.complaints == []


def test_one_copy_of_plotly(visit: Visit) -> None:
    """One request brings it, or the websocket does; never both, never twice."""
    over_http = [url for url in visit.requests if "plotly" in urlsplit(url).path.lower()]
    over_websocket = visit.received_bytes > 1_000_000
    assert len(over_http) + over_websocket == (1 if visit.charts() else len(over_http))


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_no_sideways_scrolling(visit: Visit, notebook: Path, width: int, tmp_path: Path) -> None:
    visit.resize(width, 844 if width < 600 else 900)
    visit.page.screenshot(path=tmp_path / f"{notebook.stem}-{width}.png", full_page=True)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    for name in visit.charts():
        box = visit.page.locator(f"[data-chart={name}]").bounding_box()
        if box is not None:
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


def test_every_chart_has_words_and_no_toolbar(visit: Visit) -> None:
    for chart in visit.page.locator(".sizing-chart:visible").all():
        assert chart.get_attribute("role") == "img"
        assert len(chart.get_attribute("aria-label") or "") > 20
    expect(visit.page.locator(".modebar-btn")).to_have_count(0)


def test_no_code_is_shown(visit: Visit) -> None:
    expect(visit.page.locator(".jp-InputArea, .jp-InputPrompt, .jp-OutputPrompt")).to_have_count(0)


@pytest.mark.parametrize("name", ["sizing", "shared_server"])
def test_dark_is_asked_for_by_the_address(chromium: Browser, server: Server, name: str) -> None:
    with visiting(chromium, server.page(name, "?theme=dark"), color_scheme="light") as visit:
        visit.open()
        red, green, blue = (int(theme.colours("dark")["--sizing-ground"][k : k + 2], 16) for k in (1, 3, 5))
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == f"rgb({red}, {green}, {blue})"
        for chart in visit.charts().values():
            assert chart["layout"]["font"]["color"] == theme.colours("dark")["--sizing-text"]
