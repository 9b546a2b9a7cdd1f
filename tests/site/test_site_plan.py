"""The whole site from one set of inputs, and that its parts agree with each other and with a Scenario."""

from __future__ import annotations

from typing import Any

import pytest

import sizing
from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.temperature import Rise, Temperature
from sizing.site.connection import Strip
from sizing.site.plan import SitePlan, plan
from sizing.site.site import Site


def site(**changes: Any) -> SitePlan:
    given: dict[str, Any] = {
        "card": "rtx-pro-6000-server",
        "cards": 4,
        "power_cap_w": 600.0,
        "processor": "epyc-9355",
        "processors": 2,
        "rest_share": 0.15,
        "circuit": "eu-1ph-16a",
        "planning_share": 0.8,
        "air_rise": Rise.from_k(11),
        "inlet": Temperature.from_c(25),
        "supply_w": 3200.0,
        "supplies": 4,
        "cord": "c19",
    }
    return plan(Site(**{**given, **changes}))


def test_the_documents_server() -> None:
    found = site()
    assert found.draw.server_w == pytest.approx(3404)
    assert found.connection.stopped_by == ("circuit",)
    assert found.servers_on_circuit == 0
    assert found.cooling.cfm == pytest.approx(540, abs=10)
    assert found.cooling.covers is True
    assert {case.name: case.available_w for case in found.supply_cases}["one_feed_lost"] == 6400
    assert site(power_cap_w=450.0).connection.fits
    assert site(circuit="eu-1ph-32a").connection.fits
    assert site(circuit="eu-3ph-16a", groups_per_server=2).connection.fits


def test_it_agrees_with_the_sizing_page() -> None:
    scenario = sizing.Scenario(cards=4, power_cap_w=450)
    sized = sizing.size(scenario)
    found = site(power_cap_w=450.0)
    assert found.draw.server_w == pytest.approx(sized.server_w)
    assert found.draw.rated_w == pytest.approx(sized.rated_w)
    assert found.cooling.cfm == pytest.approx(sized.cfm)


def test_a_site_takes_over_a_scenario() -> None:
    scenario = sizing.Scenario(cards=8, power_cap_w=450, circuit="eu-1ph-32a", air_rise_c=12)
    taken = Site.of(scenario, inlet=Temperature.from_c(25), supply_w=3200.0, supplies=4, cord="c19", planning_share=0.9)
    assert (taken.cards, taken.power_cap_w, taken.circuit, taken.air_rise) == (8, 450, "eu-1ph-32a", Rise.from_k(12))
    assert taken.planning_share == 0.9


def test_feeds_that_carry_something_already() -> None:
    # 5,888 W planned on each of two 32 A feeds; 3,404 W of the server and 3,000 W that hang there already: 6,404 W
    busy = site(circuit="eu-1ph-32a", feed_loads_w=(1500.0, 1500.0))
    assert "feeds_not_redundant" in {note.key for note in busy.notes}
    idle = site(circuit="eu-1ph-32a", feed_loads_w=(1000.0, 1000.0))
    assert "feeds_not_redundant" not in {note.key for note in idle.notes}


def test_caps() -> None:
    rows = {row.cap_w: row for row in site().at_caps}
    assert rows[600].server_w - rows[450].server_w == pytest.approx(690)  # 4 x 150 x 1.15
    assert [rows[cap].on_circuit for cap in (300, 450, 500, 550, 600)] == [1, 1, 1, 0, 0]  # 2,944 W is 500 W a card
    assert min(rows) == 300  # the card accepts no less


def test_caps_follow_a_measurement() -> None:
    # 3,108 W at 600 W a card is 1.05 of 2,960 W; at 450 W: 1.05 x 2,360
    rows = {row.cap_w: row for row in site(measured_w=(None, None, 3108.0)).at_caps}
    assert rows[450].server_w == pytest.approx(2478)


def test_chassis_and_host() -> None:
    found = site()
    by_id = {one.server.id: one for one in found.chassis}
    assert by_id["lenovo-sr650a-v4"].verdict == "stopped"
    assert by_id["msi-cg480-s5063"].verdict == "fits"
    assert found.host.modules is not None
    assert (found.host.modules.count, found.host.modules.gb) == (24, 32)


def test_a_year_at_full_load() -> None:
    assert site().energy.cost == pytest.approx(8734, abs=1)
    assert site(pue=1.0, price_per_kwh=1.0).energy.cost == pytest.approx(29_819, abs=1)


def test_every_note_speaks_and_names_a_known_source() -> None:
    for changes in (
        {},
        {"circuit": "eu-3ph-16a", "tp": 4},
        {"power_cap_w": 250.0, "inlet": Temperature.from_c(50), "altitude_m": 1500.0},
        {"supplies": 2, "cord": "c13", "strip": Strip(10, 1, 0.8), "site_cap_w": 1000.0},
        {"measured_w": (500.0, 2000.0, 3000.0), "processor": "xeon-6527p", "processors": 1},
    ):
        found = site(**changes)
        ranks = [("stop", "warn", "hint").index(note.level) for note in found.notes]
        assert ranks == sorted(ranks)
        for note in found.notes:
            assert note.text
            assert not note.source or note.source == "input" or catalogue.source(note.source)


def test_every_step_recomputes_and_names_known_sources() -> None:
    for found in (site(), site(circuit="eu-3ph-32a", measured_w=(None, None, 3000.0), altitude_m=1500.0)):
        for step in found.working:
            assert step.recompute() == pytest.approx(step.result)
            assert step.title
            for key in (step.source, *(given.source for given in step.given)):
                assert key in ("input", "step") or catalogue.source(key)


def everything(found: SitePlan) -> tuple[Any, ...]:
    return (found.draw, found.connection, found.at_caps, found.operating_point, found.cooling, found.notes)


def test_bad_inputs_are_named() -> None:
    for changes in (
        {"cards": 0},
        {"cards": 4.5},
        {"power_cap_w": float("nan")},
        {"processor": "epyc-1"},
        {"circuit": "eu-9ph"},
        {"cord": "c99"},
        {"supplies": 0},
        {"feeds": 9},
        {"efficiency": "gold"},
        {"planning_share": 0.0},
        {"measured_w": (None, None, -5.0)},
    ):
        with pytest.raises(SizingError) as caught:
            everything(site(**changes))
        assert str(caught.value)
