"""Phases: textbook cases of three-phase strips, and servers that hang on one, two or three phases."""

from __future__ import annotations

import itertools
import math

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.site import circuits, connection

EU16 = catalogue.circuit("eu-3ph-16a")
US30 = catalogue.circuit("us-208v-3ph-30a")
US415 = catalogue.circuit("us-415v-3ph-30a")
SINGLE = catalogue.circuit("eu-1ph-32a")


def test_outlets() -> None:
    assert connection.outlet_volts(EU16) == pytest.approx(230.94, abs=0.01)  # 400 / √3
    assert connection.outlet_volts(US30) == 208  # between two phases
    assert connection.outlet_volts(US415) == pytest.approx(239.6, abs=0.01)  # 415 / √3
    assert connection.outlet_volts(SINGLE) == 230


def test_the_law_of_cosines_on_a_vendors_example() -> None:
    # servertech-3-phase: a 208 V strip reads X = 4.6, Y = 4.6, Z = 6.3 A and delivers 1,831 W by the exact way.
    # Branches XY, YZ, ZX that give these readings: X² = XY² + ZX² + XY·ZX and so on. By symmetry YZ = ZX = b, XY = a:
    # Z² = 3 b² -> b = 6.3 / √3 = 3.637; X² = a² + b² + a b -> a = (-b + √(b² - 4 (b² - 4.6²))) / 2 = 1.530
    b = 6.3 / math.sqrt(3)
    a = (-b + math.sqrt(b * b - 4 * (b * b - 4.6**2))) / 2
    assert connection.line_amps(US30, (a, b, b)) == (pytest.approx(4.6), pytest.approx(4.6), pytest.approx(6.3))
    assert (a + 2 * b) * 208 == pytest.approx(1831, abs=2)


def test_one_branch_loads_two_conductors() -> None:
    # raritan-3-phase: a device between two phases draws its current from both
    assert connection.line_amps(US30, (10, 0, 0)) == (10, 10, 0)
    assert connection.line_amps(US30, (10, 10, 10)) == tuple(pytest.approx(10 * math.sqrt(3)) for _ in range(3))


def test_one_phase_of_a_star_loads_one_conductor() -> None:
    assert connection.line_amps(EU16, (10, 0, 0)) == (10, 0, 0)
    assert connection.line_amps(SINGLE, (10, 5, 1)) == (16,)


def test_uneven_banks_pass_a_phase_below_the_circuits_total() -> None:
    # A case of datacentermd.com, a 208 V 30 A strip with 6,180 VA on two of three groups of outlets:
    # below 8,646 VA in all, above 24 A on one phase.
    amps = connection.line_amps(US30, (3090 / 208, 3090 / 208, 0))
    assert circuits.planned(US30, 0.8).result > 6180
    assert max(amps) == pytest.approx(25.7, abs=0.05)  # √3 x 14.86
    assert max(amps) > 24


@pytest.mark.parametrize(
    ("groups", "amps", "fits"),
    [
        (1, (14.74, 0, 0), False),  # 3,404 / 230.94; 16 x 0.8 = 12.8 A
        (2, (7.37, 7.37, 0), True),
        (3, (4.91, 4.91, 4.91), True),
    ],
)
def test_a_server_on_one_two_or_three_phases(groups: int, amps: tuple[float, ...], fits: bool) -> None:
    placed = connection.load(EU16, 3404, 1, groups, 0.8)
    assert placed.amps == tuple(pytest.approx(value, abs=0.01) for value in amps)
    assert placed.limit_a == pytest.approx(12.8)
    assert placed.fits is fits


def test_a_circuit_may_fit_and_its_phase_not() -> None:
    assert circuits.planned(EU16, 0.8).result > 3404
    assert not connection.load(EU16, 3404, 1, 1, 0.8).fits
    assert connection.load(EU16, 2714, 1, 2, 0.8).uneven
    assert not connection.load(EU16, 2714, 3, 2, 0.8).uneven
    assert not connection.load(SINGLE, 2714, 3, 2, 0.8).uneven


@pytest.mark.parametrize(
    ("circuit", "server_w", "groups", "count"),
    [
        ("eu-3ph-16a", 3404, 1, 0),  # 2,956 W a phase
        ("eu-3ph-16a", 2714, 1, 3),  # one on each phase
        ("eu-3ph-16a", 3404, 3, 2),  # 8,868 / 3,404 = 2.6
        ("eu-3ph-16a", 3404, 2, 1),  # halves of 1,702 W, one a phase (2,956 W): a second server would need four phases
        ("eu-3ph-32a", 3404, 1, 3),  # 5,912 W a phase: one each
        ("eu-3ph-32a", 3404, 2, 4),  # three halves a phase, nine in all, two a server
        ("eu-3ph-63a", 3404, 1, 9),  # 11,639 W a phase: three each
        ("eu-1ph-32a", 2714, 1, 2),  # 5,888 / 2,714
        ("eu-1ph-16a", 3404, 1, 0),
        ("us-208v-3ph-30a", 3404, 1, 1),  # 16.4 A between two phases; a second on the next pair: √3 x 16.4 = 28.3 A
        ("us-208v-3ph-60a", 3404, 1, 4),  # 48 A: three servers 28.3 A; four: √(32.7² + 16.4² + 32.7 x 16.4) = 43.3 A
    ],
)
def test_servers_on_a_circuit(circuit: str, server_w: float, groups: int, count: int) -> None:
    assert connection.servers(catalogue.circuit(circuit), server_w, groups, 0.8) == count


def _best_by_trying(circuit: catalogue.Circuit, server_w: float, groups: int) -> int:
    """The largest count for which some way to hang every server leaves no conductor over its limit."""
    places = list(itertools.combinations(range(3), groups))
    best = 0
    for count in range(1, 6):
        for chosen in itertools.combinations_with_replacement(places, count):
            taken = [sum(group in place for place in chosen) for group in range(3)]
            share_a = server_w / groups / connection.outlet_volts(circuit)
            first, second, third = (number * share_a for number in taken)
            if max(connection.line_amps(circuit, (first, second, third))) <= circuit.amps * 0.8 * (1 + 1e-12):
                best = count
                break
        else:
            return best
    return best


@pytest.mark.parametrize(
    "circuit", ["eu-3ph-16a", "eu-3ph-32a", "us-208v-3ph-20a", "us-208v-3ph-30a", "us-208v-3ph-60a"]
)
@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("server_w", [2024.0, 2714.0, 3404.0, 6164.0])
def test_in_turn_is_the_best_way_to_hang_them(circuit: str, groups: int, server_w: float) -> None:
    found = catalogue.circuit(circuit)
    if (by_trying := _best_by_trying(found, server_w, groups)) < 5:
        assert connection.servers(found, server_w, groups, 0.8) == by_trying
    else:
        assert connection.servers(found, server_w, groups, 0.8) >= 5


def test_bad_groups() -> None:
    for groups in (0, 4, 1.5):
        with pytest.raises(SizingError):
            connection.load(EU16, 3404, 1, groups, 0.8)  # type: ignore[arg-type]
