"""No English on a German page: every text of every page's widgets is read for words that are English alone.

English stays where it belongs: titles and producers of sources, Hub names, flags and names in formulas, log lines that
are quoted, commands and files.
"""

from __future__ import annotations

import functools
import html
import importlib
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest

import sizing
from sizing import catalogue
from sizing.catalogue import results
from sizing.catalogue.loader import default
from sizing.serve.voila import PAGES
from sizing.sheet.request import Request
from sizing.sheet.sheets import sheet
from sizing.ui.page import Page

ENGLISH = frozenset(
    re.findall(
        r"\w+",
        """the of and with is are for not per each which when where what how by from that this it its than more less
        other same every if but there have has been must may cannot tokens cards servers sockets copies requests
        conversations hours people used given stated unknown""",
    )
)
"""Words that no German sentence of an engineer has; "last", "all" or "note" are German, too."""

GERMAN = ("Servers",)
"""The same letters in German: of the server."""

SHOWN = ("html", "alt", "sentences", "text", "label", "help", "unit", "also", "title", "words", "description")
"""Traits and keys that hold what a visitor reads; the rest are names, addresses and colours."""

QUERIES = {
    "sizing": ["", "model=openai/gpt-oss-120b&n=1&ctx=32768", "rule=engine&adp=2", "card=b200&n=8&ctx=1000000"],
    "site": ["", "rackkw=10&racku=42&servers=3&line=eu-3ph-32a", "card=h200-nvl&n=8&line=us-208v-1ph-30a", "feeds=one"],
    "speed": ["", "card=mi300x", "card=h200-nvl&n=2"],
    "shared_server": ["", "n=8"],
    "compare": ["", "cur=EUR"],
}


@functools.cache
def proper_names() -> re.Pattern[str]:
    """What is called the same in every language: titles and producers of sources, Hub names, systems of MLPerf."""
    known = set(catalogue.checkpoint_ids()) | {row.system for row in results.published()}
    for source in map(catalogue.source, default().sources):
        known |= {source.title, source.producer, source.via}
    return re.compile("|".join(re.escape(name) for name in sorted(known, key=len, reverse=True) if len(name) > 3))


def english(text: str) -> list[str]:
    """The English words of a text as a page shows it."""
    if re.match(r"(import|from) sizing\b", text):  # a cell of Python
        return []
    text = re.sub(r"(?s)<(code|pre|style)\b.*?</\1>", " ", text)
    said = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', text)
    shown = html.unescape(" \n ".join([re.sub(r"<[^>]*>", " \n ", text), *said]))
    shown = proper_names().sub(" ", shown)
    shown = re.sub(r"„[^“]*“", " ", shown)  # a log line or a guide in its own words
    shown = re.sub(r"https?://\S+|--[\w-]+|\b\w*_\w*\b|\{\w+[^}]*\}", " ", shown)  # addresses, flags, names in formulas
    shown = re.sub(r"The MLPerf name and logo[^\n]*", " ", shown)  # MLCommons asks for its notice word by word
    words = re.findall(r"[A-Za-zÄÖÜäöüß]+", shown)
    return [word for word in words if word.lower() in ENGLISH and word not in GERMAN]


def texts_of(value: Any, shown: bool, seen: set[int]) -> Iterator[str]:
    """Every text that a widget or what is inside it shows."""
    if isinstance(value, ipywidgets.Widget):
        if id(value) not in seen:
            seen.add(id(value))
            for name in value.trait_names():
                if (
                    name in ("children", "value")
                    or name in SHOWN
                    or name in ("fields", "values", "figure_layout", "figure_data")
                ):
                    yield from texts_of(getattr(value, name), name in SHOWN or name == "value", seen)
    elif isinstance(value, str):
        if shown:
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_of(inner, key in SHOWN, seen)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner, shown, seen)


def page_class(name: str) -> type[Page]:
    """The class of a page."""
    module = importlib.import_module(f"sizing.ui.pages.{name}")
    return next(each for each in vars(module).values() if isinstance(each, type) and getattr(each, "NAME", "") == name)


CASES = [(name, query) for name in PAGES for query in QUERIES.get(name, [""])]


@pytest.mark.parametrize(("name", "query"), CASES)
def test_a_german_page_says_nothing_in_english(name: str, query: str) -> None:
    page = page_class(name)(query, language="de")
    shown = list(texts_of(page, False, set()))
    assert len(" ".join(shown)) > 2000  # the walk reaches what the page shows
    assert {text[:200]: found for text in shown if (found := english(text))} == {}


@pytest.mark.parametrize("name", ["sizing", "evidence"])
def test_the_same_page_in_english_is_found(name: str) -> None:
    shown = list(texts_of(page_class(name)("", language="en"), False, set()))
    assert sum(len(english(text)) for text in shown) > 20


@pytest.mark.parametrize(
    "change",
    [{}, {"card": "h200-nvl", "cards": 8}, {"circuit": "us-208v-1ph-30a", "checkpoint": "openai/gpt-oss-120b"}],
    ids=str,
)
def test_a_german_sheet_says_nothing_in_english(change: dict[str, Any]) -> None:
    made = sheet(Request(sizing.answer(sizing.Scenario(**change)), language="de"), "html").decode()
    without = proper_names().sub(" ", html.unescape(made))
    assert english(re.sub(r"(?<=[>· ])[a-z]+ [\d.,]+", " ", without)) == []  # "cards 4": a formula's name and value


@pytest.mark.parametrize(
    "text", ["4 tokens", "<p>of each card</p>", '<a title="What it is">x</a>', "Grenze: not stated"]
)
def test_english_is_found(text: str) -> None:
    assert english(text)


@pytest.mark.parametrize(
    "text",
    ["<code>cards × cap_w</code>", "--max-num-batched-tokens", "google/gemma-3-27b-it", "Es sagt „not supported“."],
)
def test_english_in_its_place_passes(text: str) -> None:
    assert english(text) == []
