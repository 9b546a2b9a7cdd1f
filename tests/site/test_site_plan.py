"""The whole site from one set of inputs, and that its parts agree with each other and with a Scenario."""

from __future__ import annotations

from typing import Any

import pytest

from sizing import catalogue
from sizing.catalogue.scenario import Scenario
from sizing.site.notes import notes
from sizing.site.plan import SitePlan
from sizing.site.working import PARTS, working


def site(**changes: Any) -> SitePlan:
    return SitePlan(Scenario(**changes))


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
    assert site(circuit="eu-3ph-16a", outlet_groups=2).connection.fits


def test_feeds_that_carry_something_already() -> None:
    # 5,888 W planned on each of two 32 A feeds; 3,404 W of the server and 3,000 W that hang there already: 6,404 W
    busy = site(circuit="eu-1ph-32a", feed_a_kw=1.5, feed_b_kw=1.5)
    assert "feeds_not_redundant" in {note.key for note in notes(busy)}
    idle = site(circuit="eu-1ph-32a", feed_a_kw=1, feed_b_kw=1)
    assert "feeds_not_redundant" not in {note.key for note in notes(idle)}


def test_caps() -> None:
    rows = {row.cap_w: row for row in site().at_caps}
    assert rows[600].server_w - rows[450].server_w == pytest.approx(690)  # 4 x 150 x 1.15
    assert [rows[cap].on_circuit for cap in (300, 450, 500, 550, 600)] == [1, 1, 1, 0, 0]  # 2,944 W is 500 W a card
    assert min(rows) == 300  # the card accepts no less


def test_caps_follow_a_measurement() -> None:
    # 3,108 W at 600 W a card is 1.05 of 2,960 W; at 450 W: 1.05 x 2,360
    rows = {row.cap_w: row for row in site(measured_full_w=3108).at_caps}
    assert rows[450].server_w == pytest.approx(2478)


def test_chassis_and_host() -> None:
    found = site()
    by_id = {one.server.id: one for one in found.chassis}
    assert by_id["lenovo-sr650a-v4"].verdict == "stopped"
    assert by_id["msi-cg480-s5063"].verdict == "fits"
    assert found.host.modules is not None
    assert (found.host.modules.count, found.host.modules.gb) == (24, 32)


def test_a_year_at_full_load() -> None:
    full = {"hours_full": 24, "hours_typical": 0}
    assert site(**full).energy.cost == pytest.approx(8734, abs=1)
    assert site(**full, pue=1, price_per_kwh=1).energy.cost == pytest.approx(29_819, abs=1)


def test_every_note_speaks_and_names_a_known_source() -> None:
    for changes in (
        {},
        {"circuit": "eu-3ph-16a"},
        {"power_cap_w": 250.0, "inlet_c": 50, "altitude_m": 1500},
        {"supplies": 2, "cord": "c13", "bank_a": 10, "banks": 1, "site_limit_kw": 1},
        {
            "measured_idle_w": 500,
            "measured_typical_w": 2000,
            "measured_full_w": 3000,
            "processor": "xeon-6527p",
            "processors": 1,
        },
    ):
        found = site(**changes)
        ranks = [("stop", "warn", "hint").index(note.level) for note in notes(found, tp=4)]
        assert ranks == sorted(ranks)
        for note in notes(found, tp=4):
            assert note.text
            assert not note.source or note.source == "input" or catalogue.source(note.source)


def test_every_step_recomputes_and_names_known_sources() -> None:
    for found in (site(), site(circuit="eu-3ph-32a", measured_full_w=3000, altitude_m=1500)):
        for step in (step for part in PARTS for step in working(found, part)):
            assert step.recompute() == pytest.approx(step.result)
            assert step.title
            for key in (step.source, *(given.source for given in step.given)):
                assert key in ("input", "step") or catalogue.source(key)
