"""Air against textbooks and vendors' formulas; sources are keys of sources.toml."""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.base.temperature import Rise, Temperature
from sizing.site import air


@pytest.mark.parametrize(
    ("height_m", "pressure_pa", "density"),
    [
        # The standard atmosphere's table: 15 °C at sea level, 6.5 K colder a kilometre (icao-standard-atmosphere)
        (0, 101_325, 1.2250),
        (1_000, 89_876, 1.1117),
        (2_000, 79_501, 1.0066),
        (3_000, 70_121, 0.9093),
    ],
)
def test_standard_atmosphere(height_m: float, pressure_pa: float, density: float) -> None:
    assert air.pressure(height_m).result == pytest.approx(pressure_pa, rel=3e-4)
    assert air.density(air.pressure(height_m), 15 - 6.5 * height_m / 1000).result == pytest.approx(density, rel=5e-4)


@pytest.mark.parametrize(
    ("feet", "atmospheres"), [(2_000, 0.93), (4_000, 0.86), (6_000, 0.80), (8_000, 0.74), (10_000, 0.69)]
)
def test_local_pressures_of_a_vendor(feet: float, atmospheres: float) -> None:
    assert air.pressure(feet * 0.3048).result / 101_325 == pytest.approx(atmospheres, abs=0.006)  # inres-airflow


def test_a_vendors_154_cfm_a_kilowatt() -> None:
    # inres-airflow: 154 CFM for each kW with air of 55 °F that leaves 20 °F warmer
    inlet, rise = Temperature.from_f(55), Rise.from_f(20)
    assert air.cfm(1000, rise.k, air_c=inlet.c) == pytest.approx(154, rel=0.01)


def test_dells_formula_in_fahrenheit() -> None:
    # dell-cfm: 3,412 x kW / (1.085 x rise in °F) = 3,412 x 3.404 / (1.085 x 19.8) = 540.6
    assert air.cfm(3404, Rise.from_f(19.8).k) == pytest.approx(3412 * 3.404 / (1.085 * 19.8), rel=0.01)


def test_a_fan_makers_formula_in_fahrenheit() -> None:
    # comair-altitude: 3,160 x kW / rise in °F
    assert air.cfm(1000, Rise.from_f(20).k) == pytest.approx(3160 / 20, rel=0.01)


@pytest.mark.parametrize(("rise_k", "cfm"), [(8, 220), (10, 176), (11, 160), (12, 146), (15, 117), (20, 88)])
def test_a_kilowatt_at_other_rises(rise_k: float, cfm: float) -> None:
    assert air.cfm(1000, rise_k) == pytest.approx(cfm, rel=0.01)  # 1,756 / rise


@pytest.mark.parametrize(("height_m", "factor"), [(500, 1.06), (1000, 1.13), (1500, 1.20), (2000, 1.27), (3000, 1.45)])
def test_thin_air_needs_more_volume(height_m: float, factor: float) -> None:
    assert air.cfm(3404, 11, height_m) / air.cfm(3404, 11) == pytest.approx(factor, abs=0.006)


def test_heat_in_other_units() -> None:
    one_kw = air.cooling(1000, Rise.from_k(11), Temperature.from_c(25), 0)
    assert one_kw.btu_per_h == pytest.approx(3412.14, abs=0.01)  # 1 BTU = 1,055.056 J; 3.6e6 / 1,055.056
    found = air.cooling(3516.85, Rise.from_k(11), Temperature.from_c(25), 0)
    assert found.tons == pytest.approx(1, rel=1e-4)  # 12,000 BTU/h = 3,516.85 W


@pytest.mark.parametrize(("flow_cfm", "rise_k"), [(43, 24.5), (125, 8.4)])
def test_rise_over_one_card(flow_cfm: float, rise_k: float) -> None:
    # 600 W / (1.204 x 1,005 x flow): 43 CFM = 0.02029 m³/s, 600 / (1,210 x 0.02029) = 24.4
    assert air.cfm(600, rise_k) == pytest.approx(flow_cfm, rel=0.01)


class Point:
    def __init__(self, inlet_c: float, cfm: float) -> None:
        self.inlet_c, self.cfm, self.source = inlet_c, cfm, "nvidia-se-brief"


POINTS = (Point(45, 125), Point(25, 43))  # in any order


@pytest.mark.parametrize(
    ("inlet_c", "cfm", "basis"),
    [
        (25, 43, "published"),
        (45, 125, "published"),
        (35, 84, "interpolated"),  # 43 + (125 - 43) / 2
        (30, 63.5, "interpolated"),  # 43 + 82 / 4
        (18, 43, "assumed"),
    ],
)
def test_what_a_card_asks_for(inlet_c: float, cfm: float, basis: str) -> None:
    found = air.card_need(Temperature.from_c(inlet_c), POINTS)
    assert (found.cfm, found.basis) == (pytest.approx(cfm), basis)


def test_a_third_point_bends_the_line() -> None:
    found = air.card_need(Temperature.from_c(30), (*POINTS, Point(35, 70)))
    assert found.cfm == pytest.approx((43 + 70) / 2)


def test_above_the_warmest_point_there_is_no_figure() -> None:
    with pytest.raises(SizingError) as caught:
        air.card_need(Temperature.from_c(46), POINTS)
    assert "45 °C" in str(caught.value)
    found = air.cooling(3404, Rise.from_k(11), Temperature.from_c(46), 4, POINTS)
    assert found.cards_cfm is None
    assert [(note.level, note.key) for note in found.notes] == [("stop", "inlet_above_card")]
    assert "46.0 °C" in found.notes[0].text


def test_thin_air_at_a_card() -> None:
    found = air.card_need(Temperature.from_c(25), POINTS, 2000)
    assert (found.cfm, found.basis) == (pytest.approx(43 * 1.2745, rel=1e-3), "assumed")  # 101,325 / 79,501


@pytest.mark.parametrize(("inlet_c", "covers"), [(25, True), (45, True)])
def test_four_cards_in_a_server(inlet_c: float, covers: bool) -> None:
    # 542 CFM against 4 x 43 = 172 and 4 x 125 = 500
    assert air.cooling(3404, Rise.from_k(11), Temperature.from_c(inlet_c), 4, POINTS).covers is covers


def test_a_low_cap_leaves_too_little_air_at_a_warm_inlet() -> None:
    # 2,024 W at 11 K: 322 CFM, below 4 x 125
    found = air.cooling(2024, Rise.from_k(11), Temperature.from_c(45), 4, POINTS)
    assert found.covers is False
    assert ("warn", "air_short") in [(note.level, note.key) for note in found.notes]


def test_exhaust() -> None:
    found = air.cooling(3404, Rise.from_k(11), Temperature.from_c(27), 4, POINTS)
    assert found.exhaust == Temperature.from_c(38)
    assert found.exhaust.f == pytest.approx(100.4)


def test_a_card_without_air_figures() -> None:
    found = air.cooling(3404, Rise.from_k(11), Temperature.from_c(27), 4)
    assert (found.card_need, found.covers) == (None, None)
    assert found.notes[0].text
