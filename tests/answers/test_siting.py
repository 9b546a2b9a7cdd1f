"""A scenario's site: what it takes over, temperatures in both units, parts to order, and the working of each figure."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.answers.siting import site
from sizing.answers.size import size
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario

PARTS = ("power", "states", "connection", "supplies", "servers", "airflow", "host", "energy")


@pytest.mark.parametrize(
    ("typed", "celsius"), [("25", 25), ("77 °F", 25), ("77F", 25), ("25 C", 25), ("25,5 °C", 25.5), ("-40 F", -40)]
)
def test_an_inlet_may_be_typed_in_both_units(typed: str, celsius: float) -> None:
    assert inputs()["inlet_c"].parse(typed) == pytest.approx(celsius)


@pytest.mark.parametrize(("typed", "kelvin"), [("11", 11), ("19.8 °F", 11), ("11 K", 11), ("11 °C", 11)])
def test_a_rise_has_no_offset(typed: str, kelvin: float) -> None:
    assert inputs()["air_rise_c"].parse(typed) == pytest.approx(kelvin)


def test_fahrenheit_is_held_to_the_bounds_in_celsius() -> None:
    with pytest.raises(SizingError, match="Air at the inlet"):
        inputs()["inlet_c"].parse("200 °F")  # 93.3 °C
    for typed in ("warm F", "F", "1e3 F"):
        with pytest.raises(SizingError):
            inputs()["inlet_c"].parse(typed)


def test_both_units_are_shown() -> None:
    assert inputs()["inlet_c"].in_fahrenheit(25) == pytest.approx(77)
    assert inputs()["air_rise_c"].in_fahrenheit(11) == pytest.approx(19.8)
    assert inputs()["cards"].in_fahrenheit(4) is None


def test_zero_means_none() -> None:
    taken = site(Scenario(rack_feed_kw=0, rack_u=0)).plan
    assert (taken.way.strip, taken.way.site_cap_w, taken.feed_loads_w) == (None,) * 3
    assert [(row.on_feed, row.in_rack) for row in taken.rows([600])] == [(None, None)]
    assert taken.measured_w == (None, None, None)
    for name, spec in inputs().items():
        if spec.min == 0 and spec.default == 0 and name != "hours_off" and spec.group in ("rack", "measured"):
            assert texts.say(f"input.{name}.zero")


def test_what_is_given_arrives() -> None:
    taken = site(
        Scenario(
            measured_idle_w=600,
            bank_a=16,
            banks=3,
            site_limit_kw=9.5,
            feed_a_kw=1,
            hours_full=2,
            hours_typical=3,
            hours_off=4,
            drive_tb=3.84,
        )
    ).plan
    assert taken.measured_w == (600, None, None)
    assert taken.way.strip is not None
    assert (taken.way.strip.bank_a, taken.way.strip.banks, taken.way.strip.share) == (16, 3, 0.8)
    # Half of 3,404 W on each feed, and 1 kW on A before
    assert (taken.way.site_cap_w, taken.feed_loads_w) == (9500, (pytest.approx(2702), pytest.approx(1702)))
    assert taken.drives is not None
    assert taken.drives.drive_gb == 3840
    assert taken.energy.hours == (15, 3, 2)  # 24 - 3 - 2 - 4


def test_an_odd_supply_hangs_on_the_first_feed() -> None:
    # Three of five supplies on feed A carry 3/5 of 3,404 W
    taken = site(Scenario(supplies=5, feed_b_kw=1)).plan
    assert taken.feed_loads_w == (pytest.approx(2042.4), pytest.approx(2361.6))


def test_a_sizing_at_hand_is_used() -> None:
    scenario = Scenario(cards=2)
    sized = size(scenario)
    found = site(scenario, sizing=sized)
    assert found.plan is sized.site
    assert found.in_step == sized.best.tp


def test_published_figures_keep_their_source() -> None:
    given = {one.name: one.source for step in site(Scenario()).working("energy") for one in step.given}
    assert given["pue"] == "uptime-pue-2025"
    assert given["price_per_kwh"] == "eurostat-electricity"
    own = {one.name: one.source for step in site(Scenario(pue=1.2)).working("energy") for one in step.given}
    assert own["pue"] == "input"


def test_more_hours_than_a_day_stop_the_energy_alone() -> None:
    found = site(Scenario(hours_full=20, hours_typical=20))
    with pytest.raises(SizingError, match="40"):
        _ = found.plan.energy
    assert found.plan.stops == ("circuit",)
    assert found.notes


def test_one_supply_cannot_use_two_feeds() -> None:
    found = site(Scenario(supplies=1, supply_w=4000, circuit="eu-1ph-32a"))
    assert found.plan.arrangement.feeds == (1,)
    assert "one_supply_one_feed" in {note.key for note in found.notes}
    assert "one_supply_one_feed" not in {note.key for note in site(Scenario(supplies=1, feeds="one")).notes}


def test_the_parts_of_the_documents_server() -> None:
    parts = {part.key: part for part in site(Scenario()).parts}
    # 2 x 4 x 96 = 768 GB on 24 channels: 24 x 32 GB; 12 x 64 GB, as in the English document, fill half of them
    memory = parts["memory_not_few"]
    assert (memory.quantity, memory.values["gb"], memory.values["total_gb"]) == (24, 32, 768)
    assert (memory.values["few"], memory.values["few_gb"], memory.values["filled"]) == (12, 64, 12)
    assert (parts["cards"].quantity, parts["processors"].quantity) == (4, 2)
    assert (parts["processors"].values["cores"], parts["processors"].values["cores_needed"]) == (64, 24)
    # two versions of 72.7 GB need no third drive: one a socket is the rule
    assert parts["nvme"].quantity == 2
    assert parts["power_cables"].values["mode_w"] == 600
    assert (parts["supplies_one_feed_lost"].quantity, parts["cords"].quantity) == (4, 4)
    assert parts["circuit_others"].values["circuit"] == "230 V, 32 A single-phase"
    assert parts["network"].quantity is None
    # English document: two M.2 drives as RAID 1; and memory is ordered once (audit C17)
    assert parts["boot"].quantity == 2
    assert [key for key in parts if key.startswith("memory")] == ["memory_not_few"]
    for part in parts.values():
        assert part.what()
        assert part.why()
        assert not part.source or catalogue.source(part.source)


def test_parts_follow_the_scenario() -> None:
    parts = {part.key: part for part in site(Scenario(power_cap_w=450, versions_held=60, drive_tb=0.96)).parts}
    assert parts["power_cables"].values["mode_w"] == 450
    assert parts["circuits"].quantity == 2
    # 60 x 72.7 GB = 4,362 GB on 960 GB each: 4.5
    assert parts["nvme_files"].quantity == 5
    alone = {part.key for part in site(Scenario(supplies=2)).parts}
    assert "supplies_all_working" in alone  # two of 3,200 W carry 3,404 W, one does not: no spare
    assert "supplies_short" in {part.key for part in site(Scenario(supplies=2, supply_w=1600)).parts}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"circuit": "eu-3ph-32a", "servers_connected": 4, "bank_a": 16},
        {"circuit": "us-208v-3ph-30a", "outlet_groups": 2, "power_factor": 0.95},
        {"circuit": "eu-1ph-63a", "bank_a": 16, "banks": 1, "cards": 2},
        {"circuit": "eu-3ph-63a", "site_limit_kw": 8},
        {"measured_full_w": 2900, "measured_idle_w": 500, "altitude_m": 1500, "inlet_c": 31},
        {"card": "l4", "power_cap_w": 72, "supplies": 1},
        {"card": "rtx-pro-6000-workstation", "power_cap_w": 400},
    ],
)
def test_every_step_recomputes_and_says_its_name_and_source(changes: dict[str, object]) -> None:
    found = site(Scenario(**changes))  # type: ignore[arg-type]
    for part in PARTS:
        for step in found.working(part):
            assert step.recompute() == pytest.approx(step.result), step.name
            assert step.title
            for key in (step.source, *(given.source for given in step.given)):
                assert key in ("input", "step") or catalogue.source(key)


def test_the_documents_160_cfm_per_kw_is_the_check() -> None:
    found = next(step for step in site(Scenario()).working("airflow") if step.name == "cfm_per_kw")
    assert found.result == pytest.approx(160, rel=0.01)
    assert site(Scenario()).plan.cooling.m3_per_h == pytest.approx(3.404 * 270.4, rel=0.002)


def test_a_module_for_a_baseboard_fits_no_slot() -> None:
    found = site(Scenario(card="h200-sxm", circuit="eu-3ph-32a", power_cap_w=700)).plan
    slots = [one for one in found.chassis if not one.server.board]
    assert {one.verdict for one in slots} == {"stopped"}
    assert all("module_needs_baseboard" in {note.key for note in one.reasons} for one in slots)
    boards = {one.server.id: one for one in found.chassis if one.server.board}
    assert {one.verdict for one in boards.values()} == {"unknown"}  # no paper at hand says what each board takes
    assert "chassis_other_card" in {note.key for note in boards["nvidia-dgx-b200"].notes}


def test_a_card_for_a_slot_fits_no_baseboard() -> None:
    """A PCIe card is refused by every server with a baseboard; one whose slots are not known is still a PCIe card."""
    for card in ("rtx-pro-6000-server", "rtx-pro-5500", "rtx-pro-6000d", "arc-pro-b60"):
        found = site(Scenario(card=card, power_cap_w=catalogue.card(card).power_default_w.value)).plan
        for one in found.chassis:
            keys = {note.key for note in one.reasons}
            assert ("chassis_takes_modules" in keys) == bool(one.server.board), one.server.id
            assert "module_needs_baseboard" not in keys


def test_a_remark_leaves_the_verdict() -> None:
    by_id = {one.server.id: one for one in site(Scenario()).plan.chassis}
    # its benchmark file has a slip on NVLink, which says nothing about the cards it takes
    assert by_id["dell-xe7745"].takes_them
    assert "chassis.remark.file_says_nvlink" in {note.key for note in by_id["dell-xe7745"].notes}
    assert by_id["cisco-xe150c-m8"].reasons[0].text == "It takes none at 600 W."


def test_a_tower_stops_the_edition_without_a_fan_and_says_nothing_of_other_cards() -> None:
    tower = next(one for one in site(Scenario()).plan.chassis if one.server.id == "tower")
    assert [note.key for note in tower.reasons] == ["passive_without_chassis_air"]
    active = site(Scenario(card="rtx-pro-6000-workstation", circuit="eu-1ph-32a"))
    assert {"warn"} == {note.level for note in active.notes if note.key == "active_in_dense_chassis"}
    racks = [one for one in active.plan.chassis if one.server.form == "rack"]
    assert {one.verdict for one in racks} == {"stopped"}
