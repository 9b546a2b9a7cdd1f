"""Connection: every limit has its name, and the one that stops it is named."""

from __future__ import annotations

from typing import Any

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue import site_facts
from sizing.site import connection, options, supplies
from sizing.site.connection import Connection, Limit, Strip, Way
from sizing.site.supplies import Supplies

EU16, EU32 = catalogue.circuit("eu-1ph-16a"), catalogue.circuit("eu-1ph-32a")
EU16_THREE = catalogue.circuit("eu-3ph-16a")
TWO_AND_TWO = supplies.split(4, 3200)
C13, C19 = (site_facts.power_facts().cord_of(id).amps for id in ("c13", "c19"))


def connect(
    circuit: catalogue.Circuit, server_w: float, arranged: Supplies, cord_a: float, servers: int = 1, **way: Any
) -> Connection:
    return connection.connect(circuit, server_w, Way(arranged, cord_a, **{"planning_share": 0.8, **way}), servers)


def limit(found: Connection, kind: str) -> Limit:
    return next(one for one in found.limits if one.kind == kind)


def test_cords() -> None:
    facts = site_facts.power_facts()
    assert [facts.cord_of(id).amps for id in ("c13", "c19", "c13-us", "c19-us")] == [10, 16, 15, 20]


def test_circuit_stops_it() -> None:
    found = connect(EU16, 3404, TWO_AND_TWO, C19)
    assert found.stopped_by == ("circuit",)
    assert not found.fits
    assert (limit(found, "circuit").load, limit(found, "circuit").limit) == (3404, pytest.approx(2944))


def test_nothing_stops_it() -> None:
    found = connect(EU32, 3404, TWO_AND_TWO, C19)
    assert (found.fits, found.stopped_by, found.no_margin, found.verdict) == (True, (), (), "fits")


def test_cord_stops_it() -> None:
    # 2 supplies, one feed lost: 3,404 / 230 = 14.8 A on the one cord that is left; C13 carries 10 A, C19 16 A
    pair = supplies.split(2, 4000)
    stopped = connect(EU32, 3404, pair, C13)
    assert limit(stopped, "cord").load == pytest.approx(14.8)
    assert stopped.stopped_by == ("cord",)
    assert connect(EU32, 3404, pair, C19).fits


def test_two_cords_on_a_feed_share() -> None:
    found = connect(EU32, 3404, TWO_AND_TWO, C13)
    assert limit(found, "cord").load == pytest.approx(7.4)  # 14.8 / 2
    assert found.fits


def test_supply_stops_it() -> None:
    found = connect(EU32, 3404, supplies.split(2, 1600), C19)
    assert found.stopped_by == ("supply",)
    assert limit(found, "supply").limit == 3200  # both together
    # Both of 3,200 W carry it, one alone does not: no redundancy, and the cord that is left is planned for all of it
    alone = connect(EU32, 3404, supplies.split(2, 3200), C19)
    assert alone.fits
    assert limit(alone, "cord").load == pytest.approx(14.8)


def test_phase_stops_it() -> None:
    found = connect(EU16_THREE, 3404, TWO_AND_TWO, C19)
    assert found.stopped_by == ("phase",)
    spread = connect(EU16_THREE, 3404, TWO_AND_TWO, C19, groups=2)
    assert spread.fits


def test_bank_stops_it_below_the_strips_rating() -> None:
    # A 32 A strip with two banks of 16 A (avocent-pm20i), each planned to 80 % (geist-pdu): 12.8 A.
    # One cord of 14.8 A fits the strip's 25.6 A and passes its bank.
    one_cord = supplies.split(2, 4000)
    banks = Strip(bank_a=16, banks=2, share=0.8)
    found = connect(EU32, 3404, one_cord, C19, strip=banks)
    assert found.stopped_by == ("bank",)
    assert limit(found, "bank").load == pytest.approx(14.8)
    assert limit(found, "circuit").fits
    # Two cords, one on each bank, 7.4 A each
    assert connect(EU32, 3404, TWO_AND_TWO, C19, strip=banks).fits
    # A single bank takes both
    one_bank = Strip(bank_a=16, banks=1, share=0.8)
    both = connect(EU32, 3404, TWO_AND_TWO, C19, strip=one_bank)
    assert limit(both, "bank").load == pytest.approx(14.8)


def test_site_stops_it() -> None:
    found = connect(
        catalogue.circuit("eu-3ph-63a"),
        3404,
        TWO_AND_TWO,
        C19,
        servers=4,
        groups=3,
        site_cap_w=10_000,
    )
    assert found.stopped_by == ("site",)  # 13,616 W
    assert limit(found, "circuit").load == pytest.approx(13_616)


def test_the_fullest_limit_comes_first() -> None:
    found = connect(EU32, 3404, TWO_AND_TWO, C19)
    used = [one.used for one in found.limits]
    assert used == sorted(used, reverse=True)


def test_power_factor_reaches_every_limit() -> None:
    plain = connect(EU16, 2900, TWO_AND_TWO, C19)
    real = connect(EU16, 2900, TWO_AND_TWO, C19, power_factor=0.95)
    assert plain.fits
    assert real.stopped_by == ("circuit",)
    assert limit(real, "cord").load == pytest.approx(limit(plain, "cord").load / 0.95)


def test_a_makers_own_rack() -> None:
    # Supermicro plans four servers of its kind in a rack of 36.6 kW: 9.15 kW each; eight cards at 600 W are 6,164 W
    assert options.by_power(36_600, 6164) >= 4


def test_bad_input() -> None:
    for bad in (0.0, -16.0, float("nan")):
        with pytest.raises(SizingError):
            connect(EU32, 3404, TWO_AND_TWO, bad)
    with pytest.raises(SizingError):
        connect(EU32, 3404, TWO_AND_TWO, C19, planning_share=80)
    with pytest.raises(SizingError):
        connect(EU32, 3404, TWO_AND_TWO, C19, strip=Strip(16, 0, 0.8))
    with pytest.raises(SizingError):
        options.by_height(42, 4, 43)
