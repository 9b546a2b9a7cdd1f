"""Every page of the static site, in a real browser and from a plain file server: it works, and asks nobody else."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect

from sizing.base.texts import say
from sizing.serve.voila import PAGES
from tests.browser.visit import visiting
from tests.static.site import FOLDER, ROOT, START_TIMEOUT_MS, Site, arrive, opened, serving

pytestmark = pytest.mark.browser
BUILD = ROOT / "scripts/static_site"


@pytest.mark.parametrize("name", ["index", *PAGES])
def test_every_page_works_and_asks_no_other_host(site: Site, chromium: Browser, name: str) -> None:
    asked_before = len(site.asked)
    with opened(chromium, site.page(name)) as visit:
        page = visit.page
        assert not visit.foreign()
        assert not visit.complaints
        assert not site.failed()
        assert "Traceback" not in page.locator("body").inner_text()
        assert page.locator(".sizing-fault").count() == 0
        for link in page.locator(".sizing-nav a").all():
            target = urlsplit(str(link.get_attribute("href"))).path
            assert (FOLDER / target).is_file(), target
    asked = {path.removeprefix("/some/folder/") for path, _ in site.asked[asked_before:]}
    scripts = {path for path in asked if path.startswith("lite/") and path.endswith(".js")}
    assert scripts == {"lite/voici.js"}, "scripts of JupyterLite that pins.toml does not name"
    assert "pyodide/later.zip" not in asked


def test_the_first_address_is_the_first_page(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.url) as visit:
        assert urlsplit(visit.page.url).path.endswith(("/folder/", "/index.html", "/sizing.html"))


@pytest.mark.parametrize("name", ["sizing", "call"])
def test_a_phone_shows_it_without_scrolling_sideways(site: Site, chromium: Browser, name: str) -> None:
    with opened(chromium, site.page(name), width=390, height=844, is_mobile=True, has_touch=True) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not visit.complaints


def test_the_look_follows_the_address_and_the_wait_its_language(site: Site, chromium: Browser) -> None:
    with opened(chromium, site.page("sizing", "?theme=dark&lang=de")) as visit:
        page = visit.page
        assert page.locator("html").get_attribute("lang") == "de"
        assert page.locator("#sizing-wait p").text_content() == say("ui.browser.preparing", "de")
        expect(page.get_by_role("navigation", name=say("ui.region.pages", "de"))).to_be_visible()
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = sum(int(part) for part in re.findall(r"\d+", ground)[:3]) / 3
        assert lightness < 60, ground


def test_a_page_that_cannot_be_made_says_one_sentence(site: Site, chromium: Browser) -> None:
    def broken(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("view = page()", "secret = 1 / 0"))

    with visiting(chromium, site.page("sizing"), service_workers="block") as visit:
        visit.page.route("**/sizing.html", broken)
        visit.page.goto(visit.url, wait_until="commit")
        sentence = say("ui.fault.page_in_browser")
        expect(visit.page.locator(".sizing-fault")).to_have_text(sentence, timeout=START_TIMEOUT_MS)
        assert "division by zero" not in visit.page.content()
        assert any("ZeroDivisionError" in complaint for complaint in visit.complaints)


@pytest.mark.usefixtures("site")
def test_after_the_first_visit_it_works_without_a_network(chromium: Browser) -> None:
    with serving(FOLDER) as own, opened(chromium, own.page("sizing"), service_workers="allow") as visit:
        visit.page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=START_TIMEOUT_MS)
        own.stop()
        for name in ("sizing", "site"):
            visit.url = own.page(name, "?n=2")
            arrive(visit)
            assert visit.charts()
        assert not visit.foreign()


def test_the_site_is_built_of_the_workbooks_own_versions() -> None:
    lock = (BUILD / "tools.lock").read_text(encoding="utf-8")
    pins = tomllib.loads((BUILD / "pins.toml").read_text(encoding="utf-8"))
    for name in ("anywidget", "plotly"):
        assert f"\n{name}=={version(name)}\n" in lock
    for name, at in {"voici-core": "0.10.0", "jupyterlite-pyodide-kernel": "0.7.0"}.items():
        assert f"\n{name}=={at}\n" in lock
    assert all(pin["integrity"].startswith("sha512-") for pin in pins["npm"].values())


def test_nothing_in_the_site_is_for_developers(site: Site) -> None:
    assert not list(FOLDER.rglob("*.map"))
    assert not list(FOLDER.rglob("*.ipynb"))
