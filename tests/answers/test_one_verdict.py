"""One verdict on power, connection and air: whoever is asked, page, headline, note or comparison, says the same."""

from __future__ import annotations

import itertools

import pytest

import sizing
from sizing import catalogue
from sizing.answers import wording
from sizing.answers.answer import answer
from sizing.answers.siting import site
from sizing.catalogue.scenario import Scenario
from sizing.demand.call import call
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.sharing import Plan, place
from sizing.sharing.losses import failures
from sizing.sheet.figures.sizing_charts import at_caps
from sizing.ui.reports import call_report


def keys(sized: sizing.Sizing, level: str) -> set[str]:
    return {note.key for note in sized.notes if note.level == level}


def test_a_phase_that_stops_it_is_no_within() -> None:
    # 8 x 600 + 560 = 5,360; x 1.15 = 6,164 W, under the 8,868 W of three phases. Two of four supplies are left when a
    # feed is lost, so two cords on two phases: 6,164 / 230.9 / 2 = 13.3 A, and 12.8 A are planned on each.
    scenario = Scenario(cards=8, power_cap_w=600, circuit="eu-3ph-16a")
    sized = sizing.size(scenario)
    limit = sized.circuit.connection.limit("phase")
    assert (limit.load, limit.limit) == (pytest.approx(13.35, abs=0.01), pytest.approx(12.8))
    assert not sized.circuit.fits
    assert sized.site.stops == ("phase",)
    assert "phase_exceeded" in keys(sized, "stop")
    assert "does not carry it as it is connected. In the way: one phase." in wording.connection(sized, "en")
    assert "Im Weg: eine Phase." in wording.connection(sized, "de")
    here, fewer = call(answer(scenario)), call(answer(scenario.replace(cards=4)))
    _, rows = call_report.pins((here, None), [(fewer, None)], "en")
    cells = [text for row in rows if row["label"] == "Connection" for text, _ in row["cells"]]
    assert cells == ["too much for 400 V, 16 A three-phase", "fits 400 V, 16 A three-phase"]
    (alone,) = compare(Comparison(scenario=scenario, platforms=(Platform(cards=8),))).platforms
    assert alone.connection.stopped_by == ("phase",)
    assert not at_caps(sized)[0].connection.fits


@pytest.mark.parametrize(
    ("cards", "circuit", "groups", "servers"),
    list(itertools.product((2, 4, 8), [id for id in catalogue.circuit_ids() if id.startswith("eu")], (1, 3), (1, 3))),
)
def test_headline_notes_and_site_agree(cards: int, circuit: str, groups: int, servers: int) -> None:
    scenario = Scenario(cards=cards, circuit=circuit, outlet_groups=groups, servers_connected=servers)
    sized = sizing.size(scenario)
    fits = not sized.site.connection.stopped_by
    assert sized.circuit.fits is fits
    assert [one.fits for one in sized.circuits if one.circuit.id == circuit] == [fits]
    assert fits is not any(note.level == "stop" and "cap_" not in note.key for note in site(scenario).notes)
    stopping = {"circuit_exceeded", "no_circuit_fits", "phase_exceeded"}
    assert fits is not bool(stopping & keys(sized, "stop"))
    said = wording.connection(sized, "en")
    assert fits is not ("more than the" in said or "In the way" in said)


def test_a_size_asks_no_site_until_somebody_reads_it() -> None:
    sized = sizing.size(Scenario())
    assert "site" not in vars(sized)
    assert sized.server_w == pytest.approx(3404)
    assert "site" in vars(sized)


@pytest.mark.parametrize(("supplies", "supply_w"), [(2, 800), (1, 1500)])
def test_no_redundancy_is_a_warning_and_not_a_stop(supplies: int, supply_w: float) -> None:
    # 983 W: two of 800 W carry it and one does not; one of 1,500 W carries it and none is left without it.
    scenario = Scenario(cards=1, measured_full_w=983, supplies=supplies, supply_w=supply_w)
    sized = sizing.size(scenario)
    assert sized.circuit.fits
    assert not sized.site.stops
    assert "supplies_one_supply_lost" in keys(sized, "warn")
    assert not {key for key in keys(sized, "stop") if key.startswith("supplies")}
    # The one cord that is left, or that there is, is planned for all of it
    assert sized.circuit.connection.limit("cord").load == pytest.approx(983 / 230)


def test_supplies_that_carry_it_not_even_together_do_stop_it() -> None:
    sized = sizing.size(Scenario(cards=1, measured_full_w=1700, supplies=2, supply_w=800))
    assert sized.site.stops == ("supply",)
    assert "supplies_all_working" in keys(sized, "stop")


def test_banks_are_not_taken_as_evenly_loaded_in_silence() -> None:
    # 3,404 W at 230 V: 14.8 A on the two cords that a lost feed leaves. One a bank: 7.4 of 12.8 A; both on one: 14.8 A.
    sized = sizing.size(Scenario(circuit="eu-1ph-32a", bank_a=16, banks=2))
    note = next(note for note in sized.notes if note.key == "spread_over_banks")
    assert note.level == "warn"
    assert note.values["fullest_a"] == pytest.approx(7.4)
    assert note.values["all_a"] == pytest.approx(14.8)
    assert note.values["limit_a"] == pytest.approx(12.8)
    # Of 3 supplies on one feed two are left; with one bank there is nothing to spread, and it stops.
    assert "bank" in sizing.size(Scenario(circuit="eu-1ph-32a", bank_a=16, banks=1)).site.stops
    assert "spread_over_banks" not in keys(sizing.size(Scenario(circuit="eu-1ph-32a", bank_a=32, banks=2)), "warn")


def test_phases_and_servers_are_not_taken_as_evenly_loaded_in_silence() -> None:
    # Two cords on two phases: 3,404 / 230.9 / 2 = 7.37 A each; on one phase 14.7 A, more than the 12.8 A planned.
    note = next(note for note in sizing.size(Scenario(circuit="eu-3ph-16a")).notes if note.key == "spread_over_phases")
    assert (note.values["fullest_a"], note.values["all_a"]) == (
        pytest.approx(7.37, abs=0.01),
        pytest.approx(14.74, abs=0.01),
    )
    several = sizing.size(Scenario(circuit="eu-3ph-32a", servers_connected=3))
    # Six cords of 7.37 A in turn: two a phase, 14.74 A; all on one: 44.2 A, more than 25.6 A.
    note = next(note for note in several.notes if note.key == "servers_in_turn")
    assert (note.values["fullest_a"], note.values["all_a"]) == (
        pytest.approx(14.74, abs=0.01),
        pytest.approx(44.2, abs=0.05),
    )


def test_a_load_of_just_the_limit_has_no_margin_and_the_mode_comes_first() -> None:
    # (2,944 / 1.15 - 560) / 4 = 500 W a card is all of the 2,944 W; 450 W: (1,800 + 560) x 1.15 = 2,714 W stay below.
    named = [note.key for note in sizing.size(Scenario()).notes]
    assert named.index("mode_fits_circuit") < named.index("cap_without_margin")
    assert "cap_fits_circuit" not in named
    mode = next(note for note in sizing.size(Scenario()).notes if note.key == "mode_fits_circuit")
    assert (mode.values["mode_w"], mode.values["load_w"]) == (450, pytest.approx(2714))
    at_500 = sizing.size(Scenario(power_cap_w=500))
    assert at_500.circuit.fits
    assert at_500.circuit.connection.verdict == "no_margin"
    assert "no_margin" in keys(at_500, "warn")
    assert "without a margin. Just at its limit: the circuit." in wording.connection(at_500, "en")
    assert "ohne Reserve" in wording.connection(at_500, "de")
    assert sizing.size(Scenario(power_cap_w=450)).circuit.connection.verdict == "fits"
    # Every limit has a margin or not: a site that grants just the 2,714 W, two supplies of just half of it.
    assert "no_margin" in keys(sizing.size(Scenario(power_cap_w=450, site_limit_kw=2.714)), "warn")
    just = Scenario(power_cap_w=450, supplies=2, supply_w=1357)
    assert "no_margin" in keys(sizing.size(just), "warn")


def test_the_shared_server_asks_the_same_plan() -> None:
    plan = Plan(scenario=Scenario(cards=8, supplies=4, supply_w=2400))
    found = failures(place(plan))
    assert found.server_w == pytest.approx(6164)
    assert found.feed is not None
    # Two of 2,400 W: 4,800 W; (4,800 / 1.15 - 560) / 8 = 451.7 W a card
    assert (found.feed.available_w, found.feed_cap_w) == (4800, 451)
