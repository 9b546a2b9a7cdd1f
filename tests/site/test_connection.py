"""Connection: every limit has its name, and the one that stops it is named."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue import site_facts
from sizing.site import connection, rack, supplies
from sizing.site.connection import Strip

EU16, EU32 = catalogue.circuit("eu-1ph-16a"), catalogue.circuit("eu-1ph-32a")
EU16_THREE = catalogue.circuit("eu-3ph-16a")
TWO_AND_TWO = supplies.split(4, 3200)
C13, C19 = (site_facts.power_facts().cord_of(id).amps for id in ("c13", "c19"))


def limit(found: connection.Connection, kind: str) -> connection.Limit:
    return next(one for one in found.limits if one.kind == kind)


def test_cords() -> None:
    facts = site_facts.power_facts()
    assert [facts.cord_of(id).amps for id in ("c13", "c19", "c13-us", "c19-us")] == [10, 16, 15, 20]


def test_circuit_stops_it() -> None:
    found = connection.connect(EU16, 3404, TWO_AND_TWO, C19, planning_factor=0.8)
    assert found.stopped_by == ("circuit",)
    assert not found.fits
    (note,) = found.notes
    assert "3,404 W" in note.text
    assert "2,944 W" in note.text


def test_nothing_stops_it() -> None:
    found = connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=0.8)
    assert (found.fits, found.stopped_by, found.notes) == (True, (), ())


def test_cord_stops_it() -> None:
    # 2 supplies, one feed lost: 3,404 / 230 = 14.8 A on the one cord that is left; C13 carries 10 A, C19 16 A
    pair = supplies.split(2, 4000)
    stopped = connection.connect(EU32, 3404, pair, C13, planning_factor=0.8)
    assert limit(stopped, "cord").load == pytest.approx(14.8)
    assert stopped.stopped_by == ("cord",)
    assert connection.connect(EU32, 3404, pair, C19, planning_factor=0.8).fits


def test_two_cords_on_a_feed_share() -> None:
    found = connection.connect(EU32, 3404, TWO_AND_TWO, C13, planning_factor=0.8)
    assert limit(found, "cord").load == pytest.approx(7.4)  # 14.8 / 2
    assert found.fits


def test_supply_stops_it() -> None:
    found = connection.connect(EU32, 3404, supplies.split(2, 3200), C19, planning_factor=0.8)
    assert found.stopped_by == ("supply",)
    assert limit(found, "supply").limit == 3200


def test_phase_stops_it() -> None:
    found = connection.connect(EU16_THREE, 3404, TWO_AND_TWO, C19, planning_factor=0.8)
    assert found.stopped_by == ("phase",)
    spread = connection.connect(EU16_THREE, 3404, TWO_AND_TWO, C19, planning_factor=0.8, groups_per_server=2)
    assert spread.fits


def test_bank_stops_it_below_the_strips_rating() -> None:
    # A 32 A strip with two banks of 16 A (avocent-pm20i), each planned to 80 % (geist-pdu): 12.8 A.
    # One cord of 14.8 A fits the strip's 25.6 A and passes its bank.
    one_cord = supplies.split(2, 4000)
    banks = Strip(bank_a=16, banks=2, share=0.8)
    found = connection.connect(EU32, 3404, one_cord, C19, planning_factor=0.8, strip=banks)
    assert found.stopped_by == ("bank",)
    assert limit(found, "bank").load == pytest.approx(14.8)
    assert limit(found, "circuit").fits
    # Two cords, one on each bank, 7.4 A each
    assert connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=0.8, strip=banks).fits
    # A single bank takes both
    one_bank = Strip(bank_a=16, banks=1, share=0.8)
    both = connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=0.8, strip=one_bank)
    assert limit(both, "bank").load == pytest.approx(14.8)


def test_site_stops_it() -> None:
    found = connection.connect(
        catalogue.circuit("eu-3ph-63a"),
        3404,
        TWO_AND_TWO,
        C19,
        servers=4,
        planning_factor=0.8,
        groups_per_server=3,
        site_cap_w=10_000,
    )
    assert found.stopped_by == ("site",)  # 13,616 W
    assert limit(found, "circuit").load == pytest.approx(13_616)


def test_the_fullest_limit_comes_first() -> None:
    found = connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=0.8)
    used = [one.used for one in found.limits]
    assert used == sorted(used, reverse=True)


def test_power_factor_reaches_every_limit() -> None:
    plain = connection.connect(EU16, 2900, TWO_AND_TWO, C19, planning_factor=0.8)
    real = connection.connect(EU16, 2900, TWO_AND_TWO, C19, planning_factor=0.8, power_factor=0.95)
    assert plain.fits
    assert real.stopped_by == ("circuit",)
    assert limit(real, "cord").load == pytest.approx(limit(plain, "cord").load / 0.95)
    assert real.va == pytest.approx(2900 / 0.95)


@pytest.mark.parametrize(
    ("a_w", "b_w", "level"),
    [
        (1400, 1400, ""),  # 2,800 on one feed of 2,944
        (1600, 1600, "warn"),  # each looks half empty, and one could not carry both
        (3000, 100, "stop"),  # one is over already
    ],
)
def test_feeds_that_cannot_stand_in_for_each_other(a_w: float, b_w: float, level: str) -> None:
    found = connection.feeds(a_w, b_w, 2944)
    assert [note.level for note in found] == ([level] if level else [])
    assert all(f"{a_w + b_w:,} W" in note.text for note in found)


def test_servers_in_a_rack() -> None:
    rows = rack.at_caps(
        (600, 450, 300),
        4,
        2,
        280,
        0.15,
        catalogue.circuit("eu-3ph-32a"),
        groups_per_server=3,
        planning_factor=0.8,
        feed_w=17_000,
        rack_u=42,
        server_u=4,
        reserved_u=2,
    )
    # 17,736 W planned on the circuit; 3,404, 2,714 and 2,024 W a server; 40 U for 4 U each
    assert [(row.on_circuit, row.on_feed, row.in_rack) for row in rows] == [(5, 4, 10), (6, 6, 10), (8, 8, 10)]
    assert [(row.servers, row.bound_by) for row in rows] == [(4, "feed"), (6, "feed"), (8, "feed")]


def test_height_binds_where_the_feed_is_large() -> None:
    (row,) = rack.at_caps(
        (450,), 4, 2, 280, 0.15, EU32, planning_factor=0.8, feed_w=60_000, rack_u=24, server_u=5, reserved_u=2
    )
    assert (row.servers, row.bound_by) == (4, "height")  # 22 / 5
    (alone,) = rack.at_caps((450,), 4, 2, 280, 0.15, EU32, planning_factor=0.8)
    assert (alone.servers, alone.bound_by) == (2, "circuit")


def test_a_makers_own_rack() -> None:
    # Supermicro plans four servers of its kind in a rack of 36.6 kW: 9.15 kW each; eight cards at 600 W are 6,164 W
    assert rack.by_power(36_600, 6164) >= 4


def test_bad_input() -> None:
    for bad in (0.0, -16.0, float("nan")):
        with pytest.raises(SizingError):
            connection.connect(EU32, 3404, TWO_AND_TWO, bad, planning_factor=0.8)
    with pytest.raises(SizingError):
        connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=80)
    with pytest.raises(SizingError):
        connection.connect(EU32, 3404, TWO_AND_TWO, C19, planning_factor=0.8, strip=Strip(16, 0, 0.8))
    with pytest.raises(SizingError):
        rack.by_height(42, 4, 43)


def test_one_supply_at_its_full_rating() -> None:
    # 3,200 / 0.94 / 230 = 14.8 A: within C19, above C13, and above the 12.8 A planned on 16 A
    assert [n.key for n in connection.supply_notes(EU16, 3200, 0.94, C19, 0.8)] == ["full_supply_over_circuit"]
    found = connection.supply_notes(EU16, 3200, 0.94, C13, 0.8)
    assert [n.key for n in found] == ["full_supply_over_cord", "full_supply_over_circuit"]
    assert "14.8 A" in found[0].text
    assert connection.supply_notes(EU32, 3200, 0.94, C19, 0.8) == ()


def test_large_supplies_want_200_v() -> None:
    found = connection.supply_notes(catalogue.circuit("us-120v-1ph-30a"), 1200, 0.94, 15, 0.8)
    assert [(note.level, note.key) for note in found] == [("warn", "mains_below_200_v")]
    assert not connection.supply_notes(catalogue.circuit("us-208v-1ph-30a"), 3200, 0.94, 20, 0.8)


def test_a_tie_is_put_down_to_the_feed() -> None:
    (row,) = rack.at_caps(
        (450,), 4, 2, 280, 0.15, EU32, planning_factor=0.8, feed_w=11_000, rack_u=24, server_u=5, reserved_u=2
    )
    assert (row.on_feed, row.in_rack, row.bound_by) == (4, 4, "feed")  # 11,000 / 2,714 = 4.05; 22 / 5 = 4.4
