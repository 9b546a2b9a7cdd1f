"""Three people's questions from end to end, in both languages: at each step and on each page the same promise."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from sizing.answers import sentence
from sizing.answers.answer import answer
from sizing.answers.wording import connection
from sizing.catalogue.scenario import Scenario
from sizing.sharing.plan import starts
from sizing.sharing.shared import shared
from sizing.sharing.wording import headline
from tests.browser.server import Server
from tests.browser.visit import visiting

STEPS = ("need", "model", "server", "site", "offer")
ENGINEERS = Scenario(
    checkpoint="openai/gpt-oss-120b",
    context_tokens=32768,
    cards=2,
    circuit="eu-1ph-16a",
    staff=150,
    active_share=0.5,
    requests_per_hour=20,
    budget=120_000,
    price_per_card=16_276,
    offer_currency="EUR",
)
"""150 engineers, a coding assistant at 32K, sockets of 16 A, 120,000 EUR."""
STARTS = {start.name: start.plan for start in starts()}


def _words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _expect_everywhere(page: Page, said: dict[str, list[str]]) -> None:
    """At every step of the call, in one language after the other, the top says all of it."""
    for language, sentences in said.items():
        page.locator(".sizing-tools select").last.select_option(language)
        for step in STEPS:
            page.click(f".sizing-steps [data-step={step}]")
            for each in sentences:
                expect(page.locator("[data-live=answer]")).to_contain_text(_words(each), timeout=20_000)


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(ENGINEERS, id="engineers"),
        pytest.param(STARTS["company"].scenario, id="company", marks=pytest.mark.thorough),
    ],
)
def test_one_models_promise_is_the_same_at_every_step(server: Server, chromium: Browser, scenario: Scenario) -> None:
    found = answer(scenario)
    assert found.verdict == "enough"
    said = {
        language: [
            sentence.promise(found, language),
            sentence.need(found, language),
            connection(found.sizing, language),
        ]
        for language in ("en", "de")
    }
    with visiting(chromium, f"{server.page('call')}?{scenario.to_query()}") as visit:
        page = visit.open().page
        _expect_everywhere(page, said)
        for name in ("site", "speed"):
            page.goto(f"{server.page(name)}?{scenario.to_query()}&lang=de")
            for each in said["de"]:
                expect(page.locator("[data-live=answer]")).to_contain_text(_words(each), timeout=30_000)
        assert not visit.foreign()


def test_a_dozen_services_have_the_same_answer_at_every_step(server: Server, chromium: Browser) -> None:
    plan = STARTS["services"]
    placed = shared(plan)
    assert placed.placement.fits
    said = {language: [headline(placed, language)] for language in ("en", "de")}
    with visiting(chromium, f"{server.page('call')}?{plan.to_query()}") as visit:
        page = visit.open().page
        _expect_everywhere(page, said)
        page.goto(f"{server.page('shared_server')}?{plan.to_query()}&lang=de")
        expect(page.locator("[data-live=answer]")).to_contain_text(said["de"][0], timeout=30_000)
        assert not visit.foreign()
