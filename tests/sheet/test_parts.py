"""The bill of materials: the document's machine, licences, prices."""

from __future__ import annotations

import pytest

from sizing.catalogue.records import Price
from sizing.sheet import parts

from .conftest import request


def lines(name: str = "department", **more: object) -> dict[str, parts.Line]:
    return {line.what: line for line in parts.lines(request(name, **more))}


def test_the_documents_machine() -> None:
    """Four cards, two EPYC 9355, 24 modules of 32 GB on 24 channels, an NVMe drive a socket."""
    found = lines()
    quantities = {what: line.quantity for what, line in found.items()}
    assert quantities["RTX PRO 6000 Blackwell Server Edition"] == 4
    assert quantities["EPYC 9355"] == 2
    assert quantities["32 GB DDR5 RDIMM"] == 24
    assert quantities["7.68 TB NVMe U.2"] == 2
    assert quantities["3,200 W supply"] == quantities["C19/C20 cord, 16 A"] == 4
    assert any(what.startswith("230 V, 32 A") and line.quantity == 2 for what, line in found.items())
    assert all(line.why for line in found.values())


def test_a_quote_is_dated_and_an_offer_beats_it() -> None:
    card = lines()["RTX PRO 6000 Blackwell Server Edition"]
    assert (card.unit_price, card.currency, card.price) == (16000, "USD", 64000)
    assert "2026-08-12" in card.quoted
    assert "edition is not stated" in card.quoted
    offered = lines(price_per_card=9000.0)["RTX PRO 6000 Blackwell Server Edition"]
    assert (offered.unit_price, offered.currency, offered.quoted) == (9000, "EUR", "")
    assert lines()["EPYC 9355"].unit_price is None


def test_the_newest_quote_counts() -> None:
    old, new = Price(1, "USD", "2026", "x"), Price(2, "USD", "2026-08", "x")
    assert parts.newest((new, old)) is parts.newest((old, new)) is new
    assert parts.newest(()) is None


def test_licences_where_machines_are_virtual() -> None:
    assert not any("Enterprise" in what for what in lines())
    licence = lines(virtual_machines=True)["NVIDIA AI Enterprise, one licence a card"]
    assert licence.quantity == 4
    assert "19.0" in licence.why


@pytest.mark.parametrize("name", ["amd"])
def test_a_card_that_virtual_machines_cannot_share(name: str) -> None:
    assert "No licence makes this work" in lines(name, virtual_machines=True)
