"""The server on every connection and at every cap, what stops it, and what would carry it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing import catalogue
from sizing.answers.siting import Siting, site
from sizing.catalogue import card_ids, circuit_ids
from sizing.catalogue.scenario import Scenario
from sizing.site import connection, notes, options, supplies
from sizing.site.connection import Strip, Way
from sizing.site.plan import SitePlan

EU16_THREE, EU32 = catalogue.circuit("eu-3ph-16a"), catalogue.circuit("eu-1ph-32a")


def sited(**changes: object) -> Siting:
    return site(Scenario(**changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cords", "groups", "share"),
    [
        (1, 3, 1),  # one cord is on one phase, whatever is wanted
        (2, 3, 1 / 2),
        (3, 2, 2 / 3),  # two cords on one phase, one on the other
        (4, 3, 2 / 4),  # 2, 1, 1
        (5, 3, 2 / 5),  # 2, 2, 1
        (6, 3, 1 / 3),
        (4, 1, 1),
    ],
)
def test_cords_decide_how_far_a_server_is_spread(cords: int, groups: int, share: float) -> None:
    # 3,404 W at 400 / √3 = 230.94 V are 14.74 A
    placed = connection.load(EU16_THREE, 3404, 1, groups, 0.8, cords=cords)
    assert placed.fullest_a == pytest.approx(14.74 * share, abs=0.01)


@pytest.mark.parametrize(("cords", "groups"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (7, 3)])
def test_three_servers_load_all_phases_alike(cords: int, groups: int) -> None:
    placed = connection.load(EU16_THREE, 3404, 3, groups, 0.8, cords=cords)
    assert placed.cords == (cords, cords, cords)


def test_a_single_supply_has_no_loss_to_plan_for() -> None:
    # It runs while it works; that nothing carries it without that supply is a warning, not a stop
    alone = supplies.split(1, 4000, 1)
    assert connection.planned_loss(3404, alone).name == "all_working"
    assert connection.connect(EU32, 3404, Way(alone, 16, 0.8)).fits
    # Two on one feed: one may fail
    assert connection.planned_loss(3404, supplies.split(2, 4000, 1)).name == "one_supply_lost"


@pytest.mark.parametrize(
    ("strip", "site_cap_w", "expected"),
    [
        (None, None, (2, "circuit")),  # 5,888 / 2,024 = 2.9
        # 2,024 / 230 / 2 = 4.4 A a cord; two cords a bank of 12.8 A; four cords on two banks are two servers
        (Strip(16, 2, 0.8), None, (2, "circuit")),
        (Strip(16, 1, 0.8), None, (1, "bank")),
        (None, 3000.0, (1, "site")),
    ],
)
def test_how_many_servers_every_limit_lets_through(
    strip: Strip | None, site_cap_w: float | None, expected: tuple[int, str]
) -> None:
    way = Way(supplies.split(4, 3200), 16, 0.8, strip=strip, site_cap_w=site_cap_w)
    assert connection.most_servers(EU32, 2024, way) == expected


def test_a_server_that_its_own_cord_or_supplies_stop_counts_nowhere() -> None:
    assert connection.most_servers(EU32, 3404, Way(supplies.split(2, 4000), 10, 0.8)) == (0, "cord")
    assert connection.most_servers(EU32, 3404, Way(supplies.split(2, 1600), 16, 0.8)) == (0, "supply")


@st.composite
def plans(draw: st.DrawFn) -> SitePlan:
    values = {
        "cards": draw(st.integers(1, 8)),
        "power_cap_w": draw(st.sampled_from([300.0, 450.0, 470.0, 600.0])),
        "circuit": draw(st.sampled_from(circuit_ids())),
        "feeds": draw(st.sampled_from(["ab", "one"])),
        "outlet_groups": draw(st.integers(1, 3)),
        "supplies": draw(st.integers(1, 10)),
        "supply_w": draw(st.sampled_from([1300.0, 2400.0, 3200.0])),
        "cord": draw(st.sampled_from(["c13", "c19"])),
        "bank_a": draw(st.sampled_from([0.0, 10.0, 16.0])),
        "banks": draw(st.integers(1, 6)),
        "site_limit_kw": draw(st.sampled_from([0.0, 5.0, 12.0])),
        "power_factor": draw(st.sampled_from([0.9, 1.0])),
    }
    return site(Scenario(**values)).plan


@settings(max_examples=60, deadline=None)
@given(plans())
def test_the_count_of_servers_is_the_last_that_fits(found: SitePlan) -> None:
    count, bound_by = found.most_servers(found.circuit)
    if count:
        assert found.of_servers(count).connection.fits
    more = found.of_servers(count + 1).connection
    assert bound_by in more.stopped_by


@settings(max_examples=60, deadline=None)
@given(plans())
def test_what_stops_it_and_its_stop_notes_say_the_same(found: SitePlan) -> None:
    assert bool(found.stops) == any(note.level == "stop" for note in notes.notes(found))
    assert found.connection.fits == all(note.level != "stop" for note in notes.connected(found))


@settings(max_examples=60, deadline=None)
@given(plans())
def test_a_remedy_is_one(found: SitePlan) -> None:
    remedies = found.remedies
    for circuit in (remedies.single, remedies.three):
        assert circuit is None or found.connection_on(circuit).fits
    if remedies.cap_w is not None:
        assert found.at_cap(remedies.cap_w).connection.fits
        assert remedies.cap_w == 600 or not found.at_cap(remedies.cap_w + 10).connection.fits
    if remedies.phases is not None:
        assert found.spread_over(remedies.phases).connection.fits


def test_the_documents_decision() -> None:
    # "With 600 W the server is above the 2.94 kW of a single-phase 16 A connection and needs 32 A or three phases;
    # with 450 W it stays below"
    found = sited().plan
    assert found.stops == ("circuit",)
    remedies = found.remedies
    assert remedies.single is not None
    assert remedies.three is not None
    assert (remedies.single.id, remedies.three.id, remedies.mode_w) == ("eu-1ph-32a", "eu-3ph-16a", 450)
    # 2,944 / 1.15 = 2,560 W for cards and processors; less 560 W: 2,000 W, 500 W a card
    assert remedies.cap_w == 500
    assert sited(power_cap_w=450).plan.stops == ()


def test_every_connection_of_the_region() -> None:
    rows = {one.circuit.id: one for one in sited().plan.on_circuits}
    assert set(rows) == {id for id in circuit_ids() if catalogue.circuit(id).region == "EU"}
    planned = [one.planned_w for one in rows.values()]
    assert planned == sorted(planned)
    # 3,404 of 2,944 W: 1.156; cards 2,400, processors 560, rest 444 W
    small = rows["eu-1ph-16a"]
    assert small.shares == (pytest.approx(2400 / 2944), pytest.approx(560 / 2944), pytest.approx(444 / 2944))
    assert sum(small.shares) == pytest.approx(1.156, abs=0.001)
    assert not small.connection.fits
    # 17,736 W would be five servers, but each phase carries 25.6 A and five servers put 4 x 7.37 A on one
    assert sited().plan.most_servers(rows["eu-3ph-32a"].circuit) == (4, "phase")


def test_what_caps_save() -> None:
    rows = {one.cap_w: one for one in sited().plan.caps}
    assert list(rows) == [600, 550, 500, 450, 400, 350, 300]
    # The document: the cap of 450 W saves 600 W on four cards; at the wall with 15 % on top 690 W
    assert (rows[450].cards_save_w, rows[450].saves_w) == (pytest.approx(600), pytest.approx(690))
    assert [cap for cap, one in rows.items() if one.mode] == [600, 450]
    assert [cap for cap, one in rows.items() if one.connection.fits] == [500, 450, 400, 350, 300]


@pytest.mark.parametrize("id", card_ids())
def test_every_card_has_caps_to_compare_within_its_range(id: str) -> None:
    card = catalogue.card(id)
    found = options.caps(card, card.power_default_w.value)
    assert card.power_default_w.value in found
    assert card.power_max_w.value in found
    assert len(found) <= options.MOST_ROUND_CAPS + 4
    assert card.power_min_w is None or min(found) == card.power_min_w.value
    fine = options.fine_caps(card)
    assert fine[-1] == card.power_max_w.value
    assert len(set(fine)) == len(fine)


def test_what_was_measured_below_the_rating_still_adds_up() -> None:
    # 2,800 W were measured where cards and processors are rated 2,960 W: both shrink alike
    parts = sited(measured_full_w=2800).plan.draw.parts_w
    assert parts == (pytest.approx(2400 * 2800 / 2960), pytest.approx(560 * 2800 / 2960), 0)
    assert sum(parts) == pytest.approx(2800)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"circuit": "eu-1ph-16a"}, "circuit"),
        ({"circuit": "eu-3ph-16a", "outlet_groups": 1}, "phase"),
        ({"circuit": "eu-1ph-32a", "bank_a": 16, "banks": 1}, "bank"),
        ({"circuit": "eu-1ph-32a", "supplies": 2, "supply_w": 4000, "cord": "c13"}, "cord"),
        ({"circuit": "eu-1ph-32a", "supplies": 2, "supply_w": 1600}, "supply"),
        ({"circuit": "eu-1ph-32a", "site_limit_kw": 3}, "site"),
        ({"circuit": "eu-1ph-32a", "feed_a_kw": 6, "feed_b_kw": 0}, "feed"),
        ({"circuit": "eu-1ph-32a", "processors": 4}, "host"),
        ({"circuit": "eu-1ph-32a", "inlet_c": 46}, "air"),
        ({"circuit": "eu-3ph-32a", "card": "mi300x", "power_cap_w": 300}, "chassis"),
        ({"circuit": "eu-1ph-32a", "power_cap_w": 250}, "cap"),
    ],
)
def test_what_stops_it_is_named(changes: dict[str, object], kind: str) -> None:
    assert kind in sited(**changes).plan.stops


def test_more_phases_are_a_remedy() -> None:
    assert sited(circuit="eu-3ph-16a", outlet_groups=1).plan.remedies.phases == 2
    assert sited(circuit="eu-3ph-16a", supplies=2, supply_w=4000).plan.remedies.phases is None  # one cord on a feed


def test_a_us_cord_carries_more() -> None:
    assert sited(circuit="us-208v-1ph-30a").plan.cord.amps == 20
    assert sited(circuit="eu-1ph-32a").plan.cord.amps == 16


def test_volt_amperes_are_not_watts() -> None:
    found = sited().plan
    assert found.server_va.result == pytest.approx(3404 / 0.98)  # the published power factor, where W are taken as VA
    own = sited(power_factor=0.9).plan
    assert own.server_va.result == pytest.approx(3404 / 0.9)
    assert own.server_a.result == pytest.approx(3404 / 0.9 / 230)
    assert math.isclose(found.server_a.result, 14.8)
