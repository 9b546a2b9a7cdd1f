"""The bill of materials: the document's machine, licences, prices."""

from __future__ import annotations

import pytest

import sizing
from sizing.base import texts
from sizing.sheet import bill
from sizing.sheet.request import Request

from .conftest import request, services


def lines(name: str = "department", **more: object) -> dict[str, bill.Line]:
    return {line.what: line for line in bill.lines(request(name, **more))}


def test_the_documents_machine() -> None:
    """Four cards, two EPYC 9355, 24 modules of 32 GB on 24 channels, an NVMe drive a socket."""
    found = lines()
    quantities = {what: line.quantity for what, line in found.items()}
    assert quantities["RTX PRO 6000 Blackwell Server Edition"] == 4
    assert quantities["EPYC 9355"] == 2
    assert quantities["32 GB DDR5 RDIMM, ECC"] == 24
    assert quantities["7.68 TB NVMe U.2"] == 2
    assert quantities["3,200 W supply"] == quantities["C19/C20 cord, 16 A"] == 4
    assert any(what.startswith("230 V, 32 A") and line.quantity == 2 for what, line in found.items())
    assert all(line.why for line in found.values())


def test_a_quote_is_dated_and_an_offer_beats_it() -> None:
    card = lines()["RTX PRO 6000 Blackwell Server Edition"]
    # Geizhals, 26 September 2026: 19,369 EUR with 19 % VAT inside, 16,276 without.
    assert card.unit_price == pytest.approx(16_276, abs=0.5)
    assert (card.currency, card.quantity) == ("EUR", 4)
    assert "2026-09-26" in card.quoted
    assert "Geizhals" in card.quoted
    offered = lines(price_per_card=9000.0)["RTX PRO 6000 Blackwell Server Edition"]
    assert (offered.unit_price, offered.currency, offered.quoted) == (9000, "EUR", "")
    assert lines()["EPYC 9355"].unit_price is None


def test_licences_where_machines_are_virtual() -> None:
    assert not any("Enterprise" in what for what in lines())
    licence = lines(virtual_machines=True)["NVIDIA AI Enterprise, one licence a card"]
    assert licence.quantity == 4
    assert "19.0" in licence.why


@pytest.mark.parametrize("name", ["amd"])
def test_a_card_that_virtual_machines_cannot_share(name: str) -> None:
    assert "vGPU is not offered for this card" in lines(name, virtual_machines=True)


# vgpu.csv of 2026-12-01: H200 NVL listed, five years of AI Enterprise with the card; L40S listed; RTX PRO 5000 a gap.
@pytest.mark.parametrize(
    ("card", "what"),
    [
        ("h200-nvl", "NVIDIA AI Enterprise, 5 years with each card"),
        ("l40s", "NVIDIA AI Enterprise, one licence a card"),
        ("rtx-pro-5000", "vGPU for the RTX PRO 5000 Blackwell 48 GB: not looked up"),
    ],
)
def test_a_licence_is_refused_only_where_the_list_says_no(card: str, what: str) -> None:
    asked = Request(sizing.answer(sizing.Scenario(card=card)), virtual_machines=True)
    found = [line.what for line in bill.lines(asked) if line.key.startswith("licence")]
    assert found == [what]


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_part_has_its_reason_in_a_few_words(language: str) -> None:
    keys = {key.split(".")[1] for key in texts.catalogue(language) if key.startswith("part.")}
    short = {
        key.split(".")[2]: said for key, said in texts.catalogue(language).items() if key.startswith("sheet.short.")
    }
    assert keys == set(short)
    assert all(0 < len(said) <= 60 for said in short.values())


def test_the_price_of_a_server_is_counted_once() -> None:
    found = lines(price_per_card=9000.0, price_per_server=21_000.0)
    priced = {what: line.price for what, line in found.items() if line.price is not None}
    assert sorted(priced.values()) == [21_000, 36_000]
    for what in ("EPYC 9355", "32 GB DDR5 RDIMM, ECC", "7.68 TB NVMe U.2", "960 GB M.2 for the system"):
        assert found[what].quoted == "In the price of the server."
    assert found["3,200 W supply"].quoted == ""
    assert bill.total(tuple(found.values())) == (57_000, "EUR")


def test_no_sum_of_nothing_and_none_over_two_currencies() -> None:
    assert bill.total([line for line in lines().values() if line.key != "cards"]) is None
    francs = lines(price_per_server=21_000.0, currency="CHF")  # beside the cards' quote in another currency
    assert bill.total(tuple(francs.values())) is None


def test_a_shared_server_is_the_same_machine_with_all_files_on_its_drives() -> None:
    asked = services("dozen")
    found = {line.key: line for line in bill.lines(asked)}
    assert found["cards"].quantity == 4
    assert found["processors"].quantity == 2
    files = {each.service.checkpoint: each.weights_gib for each in asked.shared.placement.needs}  # type: ignore[union-attr]
    needed_gb = asked.scenario.versions_held * sum(files.values()) * 1.073741824
    assert f"{needed_gb:,.0f} GB" in found["nvme"].why


def test_two_servers_are_twice_the_parts_on_a_connection_each_or_on_one() -> None:
    one = {line.key: line.quantity for line in bill.lines(services("eight_cards"))}
    two = {line.key: line.quantity for line in bill.lines(services("two servers"))}
    assert two == {key: None if quantity is None else 2 * quantity for key, quantity in one.items()}
    together = sizing.answer(sizing.Scenario(servers_connected=2, circuit="eu-3ph-63a"))
    alone = sizing.answer(sizing.Scenario(circuit="eu-3ph-63a"))
    both = {line.key: line.quantity for line in bill.lines(Request(together))}
    single = {line.key: line.quantity for line in bill.lines(Request(alone))}
    assert both["cards"] == 8
    assert both["circuits"] == single["circuits"] == 2  # feeds A and B for the two together


def test_licences_of_a_shared_server() -> None:
    found = {line.key: line for line in bill.lines(services("two servers", virtual_machines=True))}
    assert found["licence_enterprise"].quantity == 16
