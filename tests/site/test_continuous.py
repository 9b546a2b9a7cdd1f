"""What a country's rules let a lasting load draw: a bound on the share that is planned, never taken off twice."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.answers.siting import site
from sizing.catalogue.scenario import Scenario
from sizing.site import circuits

# Amperes of a breaker and what may be drawn for three hours or more: NEC 210.20 (80 %), as a facts table of 2026-12-01
# prints them; SN 441011 and BS EN 60309 print the rating itself. None: no rule was found.
LASTING = (
    ("us-120v-1ph-15a", 12),
    ("us-120v-1ph-20a", 16),
    ("us-208v-1ph-20a", 16),
    ("us-208v-1ph-30a", 24),
    ("us-208v-3ph-20a", 16),
    ("us-208v-3ph-30a", 24),
    ("us-415v-3ph-30a", 24),
    ("us-415v-3ph-60a", 48),
    ("uk-1ph-16a", 16),
    ("uk-1ph-32a", 32),
    ("uk-1ph-13a", None),
    ("ch-1ph-10a", 10),
    ("ch-1ph-16a", 16),
    ("ch-3ph-10a", 10),
    ("ch-3ph-16a", 16),
    ("jp-100v-1ph-15a", None),
    ("jp-100v-1ph-20a", None),
    ("jp-100v-1ph-30a", None),
    ("jp-200v-1ph-30a", None),
)


@pytest.mark.parametrize(("id", "amps"), LASTING)
def test_what_may_be_drawn_for_hours(id: str, amps: float | None) -> None:
    assert catalogue.circuit(id).continuous_a == amps


# kW of the same table, at a power factor of 1: volts x continuous amperes, times the root of three on three phases.
@pytest.mark.parametrize(
    ("id", "kw"),
    [
        ("us-120v-1ph-15a", 1.44),
        ("us-120v-1ph-20a", 1.92),
        ("us-208v-1ph-20a", 3.33),
        ("us-208v-1ph-30a", 4.99),
        ("us-208v-3ph-20a", 5.76),
        ("us-208v-3ph-30a", 8.65),
        ("us-415v-3ph-30a", 17.25),
        ("us-415v-3ph-60a", 34.50),
        ("ch-3ph-16a", 11.09),
        ("uk-1ph-32a", 7.36),
    ],
)
def test_a_full_share_plans_what_is_allowed(id: str, kw: float) -> None:
    step = circuits.planned(catalogue.circuit(id), 1.0)
    assert step.result == pytest.approx(kw * 1000, abs=6)
    assert step.recompute() == pytest.approx(step.result)


def test_eighty_percent_is_not_taken_twice() -> None:
    """80 % asked for and 80 % by rule are 24 of 30 A; half of it stays half."""
    thirty = catalogue.circuit("us-208v-1ph-30a")
    assert circuits.planned(thirty, 0.8).result == pytest.approx(208 * 24)
    assert circuits.planned(thirty, 0.5).result == pytest.approx(208 * 15)


def test_no_connection_is_said_to_carry_what_its_country_forbids() -> None:
    """Seven cards at 600 W draw 26.3 A at 208 V, below the 30 A of the breaker and beyond the 24 A of the rule."""
    asked = {"card": "rtx-pro-6000-server", "circuit": "us-208v-1ph-30a", "planning_share": 1.0}
    found = site(Scenario(**asked, cards=7, power_cap_w=600)).plan
    assert 208 * 24 < found.draw.server_w < 208 * 30
    assert not found.connection.fits
    assert "circuit_lasting_load" in {note.key for note in site(Scenario(**asked)).notes}
    assert "circuit_lasting_load" not in {note.key for note in site(Scenario(circuit="us-208v-1ph-30a")).notes}


@pytest.mark.parametrize("id", [each for each in catalogue.circuit_ids() if each.startswith("jp-")])
def test_a_country_without_a_known_rule_says_what_to_ask(id: str) -> None:
    assert "ask the building's electrician" in catalogue.circuit(id).note
