"""Supplies: redundancy, sharing, efficiency."""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.catalogue import site_facts
from sizing.site import supplies

FACTS = site_facts.power_facts()
TITANIUM = FACTS.efficiency_of("titanium-230v-redundant")


@pytest.mark.parametrize(
    ("count", "supply_w", "one_lost_w", "feed_lost_w", "load_w", "one_ok", "feed_ok"),
    [
        # (count - 1) x rating; half of them x rating; against 4 x 600 = 3,404 W and 8 x 600 = 6,164 W
        (2, 3200, 3200, 3200, 3404, False, False),
        (2, 3200, 3200, 3200, 2714, True, True),
        (4, 2200, 6600, 4400, 3404, True, True),
        (4, 3000, 9000, 6000, 6164, True, False),
        (4, 3200, 9600, 6400, 6164, True, True),
        (6, 2700, 13500, 8100, 6164, True, True),
        (8, 3200, 22400, 12800, 6164, True, True),
        (8, 2900, 20300, 11600, 6164, True, True),
    ],
)
def test_what_is_left(
    count: int, supply_w: float, one_lost_w: float, feed_lost_w: float, load_w: float, one_ok: bool, feed_ok: bool
) -> None:
    cases = {case.name: case for case in supplies.cases(load_w, supplies.split(count, supply_w))}
    assert (cases["one_supply_lost"].available_w, cases["one_supply_lost"].fits) == (one_lost_w, one_ok)
    assert (cases["one_feed_lost"].available_w, cases["one_feed_lost"].fits) == (feed_lost_w, feed_ok)


def test_eight_cards_use_96_percent_of_a_feed() -> None:
    (lost,) = [case for case in supplies.cases(6164, supplies.split(4, 3200)) if case.name == "one_feed_lost"]
    assert lost.share == pytest.approx(0.963, abs=0.001)  # 6,164 / 6,400


def test_an_odd_supply_goes_to_one_feed_and_that_feed_counts() -> None:
    (lost,) = [case for case in supplies.cases(4000, supplies.split(5, 2400)) if case.name == "one_feed_lost"]
    assert (lost.working, lost.available_w) == (2, 4800)  # the feed with three is lost


def test_one_feed_has_no_feed_to_lose() -> None:
    assert [case.name for case in supplies.cases(3404, supplies.split(4, 3200, feeds=1))] == [
        "all_working",
        "one_supply_lost",
    ]


@pytest.mark.parametrize(
    ("load_w", "count", "supply_w", "scheme"),
    [
        (3404, 4, 3200, "2+2"),
        (2714, 2, 3200, "1+1"),
        (6164, 4, 3200, "2+2"),
        (9000, 4, 3200, "3+1"),
        (9000, 2, 3200, ""),
    ],
)
def test_scheme(load_w: float, count: int, supply_w: float, scheme: str) -> None:
    assert supplies.scheme(load_w, supplies.split(count, supply_w)) == scheme


@pytest.mark.parametrize(
    ("share", "efficiency"),
    [(0.1, 0.90), (0.2, 0.94), (0.5, 0.96), (1.0, 0.91), (0.35, 0.95), (0.75, 0.935), (0.05, None), (1.1, None)],
)
def test_titanium(share: float, efficiency: float | None) -> None:
    found = supplies.efficiency_at(share, TITANIUM)
    assert found == (None if efficiency is None else pytest.approx(efficiency))


def test_operating_point_closes_on_itself() -> None:
    point = supplies.operating_point(3404, 4, 3200, TITANIUM)
    assert point.output_w is not None
    assert point.efficiency is not None
    # 3,404 W in at 94.3 % give 3,211 W, 25.1 % of 12,800 W; the curve has 94 % at 20 and 96 % at 50 %
    assert point.load_share == pytest.approx(0.251, abs=0.001)
    assert point.efficiency == pytest.approx(0.94 + 0.02 * (0.2509 - 0.2) / 0.3, abs=1e-4)
    assert point.output_w + (point.loss_w or 0) == pytest.approx(3404)


@pytest.mark.parametrize("wall_w", [100, 20_000])
def test_outside_the_curve_there_is_no_efficiency(wall_w: float) -> None:
    assert supplies.operating_point(wall_w, 4, 3200, TITANIUM).efficiency is None


def test_a_full_supply_at_the_mains() -> None:
    # 3,200 / 0.94 / 230 = 14.8 A, 2,400: 11.1 A, 2,200: 10.2 A: all above the 10 A of a C13 cord
    for supply_w, amps in ((3200, 14.8), (2400, 11.1), (2200, 10.2)):
        assert supplies.input_amps(supply_w, 0.94, 230) == pytest.approx(amps, abs=0.05)
        assert supplies.input_amps(supply_w, 0.94, 230) > FACTS.cord_of("c13").amps


def test_makers_heat_of_a_supply() -> None:
    # HPE QuickSpecs: a 2,400 W supply gives off 8,572 BTU/h at 200 V, 2,512 W in: 95.5 %
    stated = 2400 / (8572 / 3.412142)
    assert stated == pytest.approx(0.955, abs=0.001)
    assert TITANIUM.points[-1][1] < stated  # the certificate's minimum is below what the maker states


def test_low_line() -> None:
    assert supplies.rating_at(208, 3200, 2900) == 2900
    assert supplies.rating_at(230, 3200, 2900) == 3200
    assert supplies.rating_at(208, 3200, None) == 3200


def test_notes_name_what_is_lost() -> None:
    pair = supplies.split(2, 3200)
    said = (*supplies.redundancy(3404, pair), *supplies.notes(3404, pair, FACTS, 4, 600, tp=4))
    found = {note.key: note for note in said}
    assert found["supplies_one_feed_lost"].level == "warn"
    assert "3,200 W" in found["supplies_one_feed_lost"].text
    assert "2.18" in found["spikes"].text
    assert "2,832 W" in found["spikes"].text  # 4 x 600 x 1.18
    assert "TP=4" in found["spikes_coincide"].text
    assert "72 A" in found["inrush"].text  # 2 x 36
    assert "spikes_coincide" not in {n.key for n in supplies.notes(3404, supplies.split(2, 3200), FACTS, 4, 600)}
    (stop,) = [note for note in supplies.redundancy(7000, pair) if note.level == "stop"]
    assert stop.key == "supplies_all_working"


def test_bad_arrangements() -> None:
    for count, feeds in ((0, 1), (1, 2), (2, 0), (2, 3)):
        with pytest.raises(SizingError):
            supplies.split(count, 3200, feeds)
    with pytest.raises(SizingError):
        FACTS.efficiency_of("gold")
