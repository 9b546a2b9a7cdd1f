"""Prices: quotes as published, division by hand, and the price at which a ranking turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing import catalogue
from sizing.base import files
from sizing.base.errors import SizingError
from sizing.demand.cost import cost, gigabytes, line, per, quote, step, turning_price

SERVER = "rtx-pro-6000-server"


def test_the_newest_public_quote_in_the_currency_stands_in() -> None:
    found = quote(catalogue.card(SERVER), "USD")
    # Two quotes of a new one in USD: 19,500 on 16 June 2026 and 13,399.99 on 23 June.
    assert found is not None
    assert (found.value, found.date) == (13_399.99, "2026-06-23")
    assert catalogue.source(found.source).title


def test_no_quote_is_no_price() -> None:
    assert quote(catalogue.card("h200-nvl"), "EUR") is None
    unknown = cost(catalogue.card("h200-nvl"), 2, 1, "EUR", None, 10_000)
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
    found = cost(catalogue.card(SERVER), 4, 1, "USD", 16_000, None)
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


# Price of a nominal gigabyte as the facts of 1 December 2026 print it: one kind, VAT taken out where it is known.
@pytest.mark.parametrize(
    ("card", "kind", "currency", "printed"),
    [
        (SERVER, "new", "USD", 140),
        ("rtx-pro-6000-workstation", "new", "USD", 173),
        ("rtx-pro-6000-workstation", "list", "USD", 167),
        ("h200-nvl", "new", "USD", 238),
        ("h200-nvl", "list", "USD", 672),
        ("h100-nvl", "new", "USD", 343),
        ("h100-pcie", "new", "USD", 275),
        ("l4", "new", "USD", 108),
        ("a100-80gb-pcie", "new", "USD", 188),
        ("rtx-pro-5000", "new", "USD", 139),
        ("b200", "new", "USD", 250),
    ],
)
def test_a_gigabyte_costs_what_the_facts_print(card: str, kind: str, currency: str, printed: int) -> None:
    found = {each.id: price.net / each.memory_gb.value for each, price in gigabytes(currency, kind)}
    assert round(found[card]) == printed


# Net figures that the same facts print for gross quotes: 19 % taken out in Germany, 20 % in France.
@pytest.mark.parametrize(
    ("card", "net"), [(SERVER, 16_276), ("rtx-pro-6000-workstation", 14_733), ("l40s", 7_873), ("rtx-pro-5000", 8_283)]
)
def test_vat_is_taken_out(card: str, net: float) -> None:
    found = quote(catalogue.card(card), "EUR")
    assert found is not None
    assert round(found.net) == net


def test_the_english_documents_claim_holds_against_memory_beside_the_chip_only() -> None:
    """Cheaper than new H200 NVL, H100 NVL and H100 PCIe; dearer than new L4 and RTX PRO 5000 (facts of 2026-12-01)."""
    order = [card.id for card, _ in gigabytes("USD")]
    assert all(order.index(SERVER) < order.index(each) for each in ("h200-nvl", "h100-nvl", "h100-pcie"))
    assert all(order.index(SERVER) > order.index(each) for each in ("l4", "rtx-pro-5000"))


def test_every_price_is_of_a_card_of_the_catalogue_and_rental_stands_apart() -> None:
    rows = {id: catalogue.prices(id) for id in catalogue.card_ids()}
    lines = (files.data_dir() / "prices.csv").read_text(encoding="utf-8").splitlines()
    assert sum(map(len, rows.values())) == len(lines) - 1
    assert min(each.value for prices in rows.values() for each in prices if each.kind != "rental") >= 599  # a B60
    assert max(each.value for prices in rows.values() for each in prices if each.kind == "rental") < 20
