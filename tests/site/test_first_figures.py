"""The documents' figures on power, circuits and air, each with its hand calculation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from sizing.errors import SizingError
from sizing.site import air, circuits, power


def test_rated_power_of_four_cards() -> None:
    assert power.rated_w(4, 600, 2, 280) == 2960  # 4 x 600 + 2 x 280: the documents' 2.96 kW


def test_cards_alone() -> None:
    assert power.draw(4, 600, 2, 280, 0.15).cards_w == 2400  # 4 x 600


def test_server_with_fifteen_percent() -> None:
    assert power.server_w(2960, 0.15) == pytest.approx(3404)  # 2,960 x 1.15; the documents' 3.4 kW


def test_what_the_cap_saves_on_the_cards() -> None:
    assert power.rated_w(4, 600, 2, 280) - power.rated_w(4, 450, 2, 280) == 600  # 4 x 150


def test_single_phase_16_a() -> None:
    assert circuits.planned_w(230, 1, 16, 0.8) == pytest.approx(2944)  # 230 x 16 x 0.8; 2.94 kW


@pytest.mark.parametrize(
    ("volts", "phases", "amps", "planned_kw"),
    [
        # volts x amps x 0.8, with √3 = 1.7320508 before it for three phases
        (230, 1, 10, 1.84),
        (230, 1, 32, 5.888),
        (400, 3, 16, 8.868),
        (400, 3, 32, 17.736),
        (400, 3, 63, 34.918),
        (120, 1, 20, 1.92),
        (120, 1, 30, 2.88),
        (208, 1, 20, 3.328),
        (208, 1, 30, 4.992),
        (208, 1, 50, 8.32),
        (208, 3, 20, 5.764),  # HP "Power basics for IT professionals", p. 22, prints 5,764 VA usable
        (208, 3, 30, 8.646),  # same table: 8,646 VA
        (208, 3, 60, 17.292),  # same table: 17,292 VA
        (415, 3, 30, 17.251),
    ],
)
def test_planned_loads(volts: float, phases: int, amps: float, planned_kw: float) -> None:
    assert circuits.planned_w(volts, phases, amps, 0.8) == pytest.approx(planned_kw * 1000, abs=1)


def test_three_phases_at_400_v_are_three_times_one_at_230_v() -> None:
    # 400 / √3 = 230.94 V to neutral; 3 x 230.94 x 16 = 11,085 VA
    assert circuits.apparent_va(400, 3, 16) == pytest.approx(3 * (400 / math.sqrt(3)) * 16)


@dataclass(frozen=True)
class Circuit:
    name: str
    volts: float
    phases: int
    amps: float


C16 = Circuit("16 A", 230, 1, 16)
C32 = Circuit("32 A", 230, 1, 32)
C16_THREE = Circuit("16 A, three phases", 400, 3, 16)


@pytest.mark.parametrize(
    ("circuit", "load_w", "expected"),
    [
        (C16, 3404, False),  # above 2,944
        (C16, 2714, True),  # 4 x 450 + 560 = 2,360; x 1.15 = 2,714
        (C32, 3404, True),
        (C16_THREE, 3404, True),
        (C32, 6164, False),  # 8 x 600 + 560 = 5,360; x 1.15 = 6,164, above 5,888
    ],
)
def test_which_circuit_takes_the_server(circuit: Circuit, load_w: float, expected: bool) -> None:
    assert circuits.check(circuit, load_w, 0.8).fits is expected


def test_air_constant_from_physics() -> None:
    assert air.cfm(1000, 11) == pytest.approx(160, rel=0.01)


def test_air_for_the_server() -> None:
    assert air.cfm(3404, 11) == pytest.approx(540, abs=10)


def test_a_square_metre_of_nonsense_is_refused() -> None:
    for bad in (math.nan, math.inf, -1.0, "3404", None, True):
        with pytest.raises(SizingError) as caught:
            air.cfm(bad, 11)  # type: ignore[arg-type]
        assert "heat_w" in str(caught.value)


def test_steps_recompute() -> None:
    drawn = power.draw(4, 450, 2, 280, 0.15)
    for step in (*drawn.working, circuits.check(C16_THREE, 3404, 0.8).working, air.cfm_step(3404, 11, 1500)):
        assert step.recompute() == pytest.approx(step.result)
        assert step.title


def test_notes_speak() -> None:
    checked = [circuits.check(circuit, 3404, 0.8) for circuit in (C16, C32, C16_THREE)]
    (note,) = circuits.notes(checked)
    assert (note.level, note.key) == ("warn", "circuit_exceeded")
    assert "32 A" in note.text
    assert "3,404 W" in note.text
    (stop,) = circuits.notes(checked[:1])
    assert stop.level == "stop"
    assert stop.text
    assert circuits.notes([circuits.check(C32, 3404, 0.8)]) == ()


def test_cap_notes() -> None:
    (below,) = power.cap_notes(250, 300, 600, "doc-de")
    assert (below.level, below.key) == ("stop", "cap_below_minimum")
    assert "300 W" in below.text
    (above,) = power.cap_notes(650, 300, 600, "doc-de")
    assert "600 W" in above.text
    assert power.cap_notes(300, 300, 600, "doc-de") == ()
    (mode,) = power.mode_notes(420, (600, 450), "doc-de")
    assert "450 W" in mode.text
    assert power.mode_notes(420, (600,), "doc-de") == ()
