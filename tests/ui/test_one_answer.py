"""One answer: the number and the layout that may be promised are the same on every page and on every kind of sheet."""

from __future__ import annotations

import html
import io
import re

import openpyxl
import pytest

from sizing.answers import sentence
from sizing.answers.answer import Answer, answer
from sizing.base.texts import LANGUAGES
from sizing.catalogue.scenario import Scenario
from sizing.demand.goal import MOVED, Goal
from sizing.demand.search import seek
from sizing.sheet.request import Request
from sizing.sheet.sheets import sheet
from sizing.ui.pages.call import CallPage
from sizing.ui.pages.compare import ComparePage
from sizing.ui.pages.new_model import NewModelPage
from sizing.ui.pages.site import SitePage
from sizing.ui.pages.sizing import SizingPage
from sizing.ui.pages.speed import SpeedPage
from tests.sheet.reading import html_text, pdf_text

PAGES = (SizingPage, SitePage, SpeedPage, NewModelPage, CallPage)
SCENARIOS = (
    Scenario(),
    Scenario(cards=8, context_tokens=32768),
    Scenario(wanted_conversations=200),
    Scenario(checkpoint="openai/gpt-oss-120b", context_tokens=32768, power_cap_w=450, staff=1000),
    Scenario(checkpoint="deepseek-ai/DeepSeek-V4-Flash-0731", kv_dtype="auto"),
    Scenario(checkpoint="Qwen/Qwen3.5-27B", cards=2, context_tokens=32768, floor_tokens_s=40),
    Scenario(card="mi300x", cards=2),
    Scenario(card="h200-nvl", cards=2, servers_offered=2),
    Scenario(checkpoint="meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"),
    Scenario(checkpoint="Qwen/Qwen3-32B", context_tokens=131072),
)


def _words(text: str) -> str:
    """Text as it is read: no marks, no line breaks, nothing between a number and its neighbour but one blank."""
    return re.sub(r"[\s\u00ad\u202f\u00a0]+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).strip()


def _found(scenario: Scenario) -> Answer:
    found = answer(scenario)
    found.cures  # noqa: B018 - as a page has them once the hand is still
    return found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=Scenario.to_query)
def test_every_page_opens_with_it_in_both_languages(scenario: Scenario) -> None:
    found = _found(scenario)
    for make in PAGES:
        page = make(scenario.to_query())
        for language in LANGUAGES:
            page.speak(language)
            top = page.live["answer"] if isinstance(page, NewModelPage) else page.answer
            shown = _words(top.html)
            for said in (sentence.promise(found, language), sentence.need(found, language)):
                assert _words(said) in shown, make.NAME
            assert _words(sentence.trade_off(found, language)) in shown, make.NAME


@pytest.mark.parametrize("scenario", SCENARIOS, ids=Scenario.to_query)
def test_the_comparison_and_the_search_backwards_have_the_same_number_and_layout(scenario: Scenario) -> None:
    found = _found(scenario)
    rig = f"rig={scenario.card}~{scenario.cards}~{scenario.servers}~{scenario.power_cap_w:g}"
    page = ComparePage(f"{scenario.to_query()}&cv=1&{rig}")
    (platform,) = page.listed.found.platforms
    assert (platform.answer.layout, platform.conversations) == (found.layout, found.promised)
    if found.fits:
        assert _words(sentence.promise(found, "en")) in _words(page.answer.html)
    kept = {"connection_binds": False, "servers": scenario.servers, "fixed": frozenset(MOVED)}
    offered = seek(Goal(scenario=scenario, conversations=(found.promised or 1), **kept))  # type: ignore[arg-type]
    best = offered.answers[0] if offered.answers else offered.nearest
    assert best is not None
    assert bool(offered.answers) is bool(found.promised)
    if offered.answers and best.servers == scenario.servers:
        assert (best.layout, best.conversations) == (found.layout, found.promised)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=Scenario.to_query)
def test_every_kind_of_sheet_says_it(scenario: Scenario) -> None:
    found = _found(scenario)
    for language in LANGUAGES:
        said = _words(sentence.promise(found, language))
        made = Request(answer=found, language=language)
        assert said in _words(pdf_text(sheet(made, "pdf")))
        assert said in _words(html_text(sheet(made, "html")))
        book = openpyxl.load_workbook(io.BytesIO(sheet(made, "xlsx")))
        cells = [str(cell) for each in book for row in each.iter_rows(values_only=True) for cell in row if cell]
        assert any(said in _words(cell) for cell in cells)
