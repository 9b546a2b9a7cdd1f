"""Prices: quotes as published, division by hand, and the price at which a ranking turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.demand.cost import cost, line, per, quote, step, turning_price

SERVER = "rtx-pro-6000-server"


def test_the_newest_public_quote_in_the_currency_stands_in() -> None:
    found = quote(catalogue.card(SERVER), "USD")
    # Two quotes are published for this card in USD: 13,250 earlier in 2026, and 16,000 on 12 August 2026.
    assert found is not None
    assert (found.value, found.date) == (16_000, "2026-08-12")
    assert catalogue.source(found.source).title


def test_no_quote_is_no_price() -> None:
    assert quote(catalogue.card("h200-nvl"), "USD") is None
    assert quote(catalogue.card(SERVER), "EUR") is None
    unknown = cost(catalogue.card("h200-nvl"), 2, 1, "USD", None, 10_000)
    assert unknown.total is None
    assert not unknown.whole
    with pytest.raises(SizingError, match="no prices in"):
        quote(catalogue.card(SERVER), "CHF")


def test_a_price_that_is_given_takes_the_place_of_the_quote() -> None:
    found = cost(catalogue.card(SERVER), 4, 2, "USD", 12_000, 20_000)
    # 2 x (4 x 12,000 + 20,000)
    assert found.total == 136_000
    assert found.quoted is None
    assert found.whole


def test_the_price_of_a_gigabyte_by_hand() -> None:
    found = cost(catalogue.card(SERVER), 4, 1, "USD", None, None)
    assert found.total == 64_000
    assert per(found.total, 384) == pytest.approx(166.67, abs=0.005)
    assert per(found.total, 0) is None
    assert per(None, 384) is None
    assert step("nominal_gb", 64_000, 384, "GB", "USD", "input").recompute() == pytest.approx(166.67, abs=0.005)


def test_the_ranking_turns_where_both_cost_the_same() -> None:
    # Four cards at 16,000 for 384 GB against two for 282 GB: 64,000 / 384 x 282 / 2 = 23,500.
    assert turning_price(line(2, 1, None, 282), 64_000 / 384) == pytest.approx(23_500)
    # With a server of 10,000 each: (74,000 / 384 x 282 - 10,000) / 2 = 22,171.875
    assert turning_price(line(2, 1, 10_000, 282), 74_000 / 384) == pytest.approx(22_171.875)
    assert turning_price(line(2, 1, 1_000_000, 282), 100.0) is None


@given(
    cards=st.integers(1, 8),
    servers=st.integers(1, 8),
    server_price=st.one_of(st.none(), st.floats(0, 1e6)),
    amount=st.floats(1, 1e6),
    other=st.floats(0.01, 1e6),
)
def test_below_the_turning_price_it_is_cheaper_and_above_dearer(
    cards: int, servers: int, server_price: float | None, amount: float, other: float
) -> None:
    own = line(cards, servers, server_price, amount)
    price = turning_price(own, other)
    if price is None:
        assert own.at(0.0) > other
    else:
        assert own.at(price) == pytest.approx(other, rel=1e-6)
        assert own.at(price * 1.1 + 1) > other
