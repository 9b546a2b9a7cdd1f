"""Prices as people type them, and prices that were most likely meant otherwise."""

from __future__ import annotations

import pytest

import sizing
from sizing.base.numbers import split_money
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand import cost, suits
from sizing.demand.goal import Goal
from sizing.demand.search import seek
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import Request
from sizing.ui.pages.compare import ComparisonState

THIRTY = [
    "30000", "30,000", "30.000", "30 000", "30'000", "30k", "30 k€", "€30,000", "€ 30.000", "30,000 EUR", "30.000 €",
    "EUR 30,000", "30 000 euro", "30.000,00 €", "30,000.00", "30.000,-", "30,000.–", "+30000",
]  # fmt: skip


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("text", THIRTY)
@pytest.mark.parametrize("name", ["card_price", "server_price"])
def test_thirty_thousand_in_every_spelling(name: str, text: str, decimal: str) -> None:
    assert Platform.parse(name, text, decimal, "EUR") == 30_000


@pytest.mark.parametrize("text", ["$9,000", "9,000 USD", "US$ 9.000", "usd 9k", "9 000 $"])
def test_another_currency_is_not_taken_for_ours(text: str) -> None:
    assert Platform.parse("card_price", text, ".", "USD") == 9_000
    with pytest.raises(sizing.SizingError, match="typed in USD; prices here are in EUR") as caught:
        Platform.parse("card_price", text, ".", "EUR")
    assert caught.value.input == "card_price"


@pytest.mark.parametrize("text", ["£30,000", "30000 CHF", "JPY 30000"])
def test_a_currency_that_is_not_known_here_is_named(text: str) -> None:
    with pytest.raises(sizing.SizingError, match="Nothing is converted"):
        Platform.parse("card_price", text, ".", "EUR")


@pytest.mark.parametrize("text", ["about 30", "30 to 40", "$30 EUR", "3,00,00", "--", "€"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(sizing.SizingError, match="Type a number such as 10000"):
        Platform.parse("card_price", text, ".", "EUR")


def test_the_price_of_energy_is_in_euros() -> None:
    assert inputs()["price_per_kwh"].parse("0.19 €") == 0.19
    assert inputs()["price_per_kwh"].parse("0,19 EUR") == 0.19
    with pytest.raises(sizing.SizingError, match="USD"):
        inputs()["price_per_kwh"].parse("$0.19")


def test_money_words_are_no_unit_of_anything_else() -> None:
    with pytest.raises(sizing.SizingError):
        inputs()["cards"].parse("4 €")


@pytest.mark.parametrize("price", [12.345, 30.5, 30_000.0, 1.234])
def test_a_link_gives_back_the_price_it_was_given(price: float) -> None:
    platform = Platform(card_price=price, server_price=price)
    assert Platform.from_text(platform.to_text()) == platform
    scenario = Scenario(price_per_kwh=min(price, 99.0))
    assert Scenario.from_query(scenario.to_query()) == scenario


def test_the_currency_of_an_amount() -> None:
    assert split_money("€30,000") == ("30,000", "EUR")
    assert split_money("30 k$") == ("30 k", "USD")
    assert split_money("CHF 5") == ("5", "CHF")
    assert split_money("x" * 100)[1] == ""


def test_the_page_refuses_the_other_currency_and_keeps_what_was_typed() -> None:
    state = ComparisonState("v=1&cv=1&cur=EUR", Scenario())
    state.edit(0, {"card_price": "$9,000"})
    assert "USD" in state.said(0, "card_price")
    assert state.written(0, "card_price") == "$9,000"
    state.edit(0, {"card_price": "€9,000"})
    assert state.listing.platforms[0].card_price == 9_000
    assert not state.said(0, "card_price")


def test_a_price_that_lost_its_thousands_is_said() -> None:
    # "30" for thirty thousand: no card and no server costs so little.
    for name in ("card_price", "server_price"):
        found = compare(
            Comparison(platforms=(Platform(card_price=9_000), Platform(**{"card_price": 9_000, name: 30.0})))
        )
        (note,) = [note for note in suits.notes(found) if note.key == "compare.note.of_platform"]
        assert note.level == "warn"
        assert note.text.startswith(f"B: {Platform.INPUTS[name].label()} is read as 30.00.")
        assert "30,000" in note.text


def test_so_it_is_on_the_sheet_and_in_a_goal() -> None:
    content = ModelContent(Request(sizing.answer(Scenario()), price_per_card=30.0))
    assert "price_low" in {note.key for note in content.notes}
    found = seek(Goal(conversations=10, scenario=Scenario(), servers=1, price_per_card=30.0, price_per_server=20.0))
    assert [note.key for note in found.notes].count("price_low") == 2


@pytest.mark.parametrize("price", [None, 0.0, 100.0, 8_000.0])
def test_no_warning_for_likely_prices(price: float | None) -> None:
    assert cost.low_price("card_price", price) == ()


@pytest.mark.parametrize(("currency", "said"), [("USD", True), ("EUR", False)])
def test_two_currencies_side_by_side_are_said(currency: str, said: bool) -> None:
    # Energy is priced in EUR; prices in USD stand in the column above it.
    found = compare(Comparison(currency=currency, platforms=(Platform(card_price=9_000), Platform(card_price=8_000))))
    assert ("compare.note.two_currencies" in {note.key for note in suits.notes(found)}) is said
