"""Every term of a page has its sentence, in both languages."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from sizing.base.texts import LANGUAGES
from sizing.serve.voila import PAGES
from sizing.ui.widgets.boxes import Form
from sizing.ui.widgets.frame import Glossary, terms
from sizing.ui.widgets.regions import Chart, Live

# Capitals that are names of makers, products and places, or signs of money: no jargon.
NAMES = {
    *("NVIDIA", "AMD", "RTX", "PRO", "EPYC", "GLM", "NVL", "SXM", "HGX", "DGX", "BGE", "GPT", "OSS", "AWS", "IBM"),
    *("HPE", "MSI", "ASUS", "QCT", "UCS", "SYS", "AS", "ETE", "GIGABYTE", "PRIMERGY", "AI"),
    *("EUR", "USD", "USA", "EU", "UK", "IEC", "ID", "OK", "PDF", "XLSX", "HTML", "JSON"),
}
ACRONYM = re.compile(r"(?<![\w.-])[A-Z]{2,9}(?!\w)")
# Sources' titles, commands, and the names in a table's first column are what they are called.
NOT_PROSE = re.compile(r"<(small|code|pre)\b.*?</\1>|<th scope=\"row\".*?</th>", re.DOTALL)


def _texts(widget: Any) -> Iterator[str]:
    if isinstance(widget, Live):
        yield re.sub(r"<[^>]*>", " ", NOT_PROSE.sub(" ", widget.shown))
    elif isinstance(widget, Chart):
        yield widget.alt
    elif isinstance(widget, Form):
        for field in widget.fields:
            yield f"{field['label']}. {field['help']}"
    for child in getattr(widget, "children", ()):
        yield from _texts(child)


def _unexplained(text: str, language: str) -> set[str]:
    forms = sorted({form for term in terms(language) for form in term.forms}, key=len, reverse=True)
    for form in forms:
        text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", " ", text)
    return set(ACRONYM.findall(text)) - NAMES


def test_the_languages_explain_the_same_terms() -> None:
    keys = {language: [term.key for term in terms(language)] for language in LANGUAGES}
    assert len(LANGUAGES) > 1
    assert len(set(map(tuple, keys.values()))) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_term_is_one_plain_sentence_and_no_form_means_two_things(language: str) -> None:
    seen: dict[str, str] = {}
    for term in terms(language):
        assert term.says[0].isupper() or term.says[0].isdigit()
        assert term.says.endswith(".")
        assert len(term.says) <= 220, term.key
        for form in term.forms:
            assert form == form.strip()
            assert form
            assert seen.setdefault(form, term.key) == term.key, form


def test_an_acronym_without_a_sentence_is_found() -> None:
    assert _unexplained("The XQZ of a TP=4 layout in GiB", "en") == {"XQZ"}


@pytest.mark.parametrize("name", PAGES)
def test_every_acronym_of_a_page_has_its_sentence(name: str) -> None:
    page = importlib.import_module(f"sizing.ui.pages.{name}").page("")
    for language in LANGUAGES:
        if language != page.language:
            page.speak(language)
        text = " ".join(_texts(page))
        assert len(text) > 500
        assert _unexplained(text, language) == set(), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_ends_with_its_terms(language: str) -> None:
    page = importlib.import_module("sizing.ui.pages.sizing").page(f"lang={language}")
    results = page.children[-1].children[-1]
    last = results.children[-1]
    assert isinstance(last, Glossary)
    assert last.language == language
    assert [key for key, *_ in last.terms] == [term.key for term in terms(language)]
