"""What every page does: it shows another link or another language without being made again."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from sizing.base.texts import LANGUAGES
from sizing.serve.voila import PAGES
from sizing.ui.page import Page


def made(name: str, query: str = "") -> Page:
    page: Page = importlib.import_module(f"sizing.ui.pages.{name}").page(query)
    return page


def shown(page: Page) -> str:
    """All HTML of a page."""
    found: list[str] = []

    def walk(part: Any) -> None:
        for child in getattr(part, "children", ()):
            walk(child)
        found.append(str(getattr(part, "html", "") or getattr(part, "value", "")))

    walk(page)
    return "\n".join(found)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_made_ahead_shows_the_visitors_link(name: str) -> None:
    query = "v=1&ctx=4096&n=2&cap=450&lang=en"
    ahead, direct = made(name), made(name, query)
    ahead.address._receive(ahead.address, {"kind": "here", "query": f"?{query}"}, [])
    assert ahead.scenario == direct.scenario
    assert ahead.address.read == direct.address.read == query
    assert shown(ahead) == shown(direct)
    assert ahead.address.query == direct.address.query
    assert ahead.tools.back is None


@pytest.mark.parametrize("name", PAGES)
def test_a_damaged_link_is_said_by_a_page_made_ahead(name: str) -> None:
    page = made(name)
    page.address._receive(page.address, {"kind": "here", "query": "n=lots"}, [])
    assert "lots" in page.messages.sentences[0][0]


@pytest.mark.skipif("de" not in LANGUAGES, reason="the German catalogue is not complete")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_speaks_german_and_english_again(name: str) -> None:
    page = made(name)
    english = shown(page)
    page.tools._receive(page.tools, {"kind": "language", "language": "de"}, [])
    german = shown(page)
    assert german != english
    assert german == shown(made(name, "lang=de"))
    page.tools._receive(page.tools, {"kind": "language", "language": "en"}, [])
    assert shown(page) == english


def test_what_was_typed_stays_when_the_language_changes() -> None:
    page = made("sizing")
    page.form.hear("edit", {"cards": "four", "context_tokens": "32K"})
    page.speak(LANGUAGES[-1])
    assert page.form.values["cards"]["text"] == "four"
    assert page.form.values["cards"]["error"]
    assert page.scenario.context_tokens == 32768


def test_an_unknown_language_is_refused_and_changes_nothing() -> None:
    page = made("sizing")
    page.tools._receive(page.tools, {"kind": "language", "language": "xx"}, [])
    assert page.language == "en"
    assert "xx" in page.messages.sentences[0][0]
