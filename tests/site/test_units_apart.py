"""Units that people mix: each test fails if one is taken for the other."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.base import units
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.temperature import Rise, Temperature
from sizing.catalogue import site_facts
from sizing.catalogue.scenario import Scenario
from sizing.site import air, circuits, connection, host, notes
from sizing.site.plan import SitePlan

EU16 = catalogue.circuit("eu-1ph-16a")


def test_cfm_and_m3_per_h() -> None:
    # 1 ft = 0.3048 m: one CFM is 0.3048³ x 60 = 1.699 m³/h
    found = air.cooling(3404, Rise.from_k(11), Temperature.from_c(25), 4)
    assert found.m3_per_h / found.cfm == pytest.approx(0.3048**3 * 60)
    assert found.cfm == air.cfm(3404, 11)


def test_celsius_and_fahrenheit_points() -> None:
    assert Temperature.from_f(77) == Temperature.from_c(25)
    assert Temperature.from_f(-40) == Temperature.from_c(-40)
    assert Temperature.from_c(25) != Temperature.from_f(25)
    assert Temperature.from_c(100).f == 212


def test_a_rise_has_no_offset() -> None:
    assert Rise.from_f(18).k == pytest.approx(10)
    assert Rise.from_k(11).f == pytest.approx(19.8)
    assert (Temperature.from_f(98) - Temperature.from_f(80)).k == pytest.approx(10)
    with pytest.raises(TypeError):
        Temperature(25)  # type: ignore[call-arg]


def test_fahrenheit_for_kelvin_is_wrong_by_1_8() -> None:
    assert air.cfm(3404, Rise.from_f(11).k) / air.cfm(3404, Rise.from_k(11).k) == pytest.approx(1.8)


def test_a_bare_number_is_no_temperature() -> None:
    for bare in ("25", "25 K", "", "°C", "25 °X", 25, None):
        with pytest.raises(SizingError):
            Temperature.read(bare)  # type: ignore[arg-type]
    with pytest.raises(SizingError):
        air.card_need(25, catalogue.card("rtx-pro-6000-server").airflow)  # type: ignore[arg-type]
    with pytest.raises(SizingError):
        air.cooling(3404, 11, Temperature.from_c(25), 4)  # type: ignore[arg-type]
    with pytest.raises(SizingError):
        air.cfm(3404, Rise.from_k(11))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "celsius"),
    [("25 °C", 25), ("25C", 25), (" 77 °F ", 25), ("77f", 25), ("-4,5 °C", -4.5), ("+25.5 °c", 25.5)],
)
def test_typed_temperatures(typed: str, celsius: float) -> None:
    assert Temperature.read(typed).c == pytest.approx(celsius)


def test_sums_that_make_no_sense_do_not_exist() -> None:
    warm, rise = Temperature.from_c(25), Rise.from_k(11)
    assert warm + rise - rise == warm
    with pytest.raises(TypeError):
        warm + warm  # type: ignore[operator]
    with pytest.raises(TypeError):
        warm + 11  # type: ignore[operator]
    with pytest.raises(TypeError):
        warm < 25  # type: ignore[operator]  # noqa: B015
    with pytest.raises(TypeError):
        rise - rise  # type: ignore[operator]


def test_watts_and_volt_amperes() -> None:
    # 3,404 W at 0.95 are 3,583 VA: more VA than W, and fewer W on a circuit of so many VA
    assert connection.va(3404, 0.95) == pytest.approx(3583.2, abs=0.1)
    assert circuits.planned(EU16, 0.8, 0.95).result == pytest.approx(2944 * 0.95)
    assert connection.load(EU16, 3404, power_factor=0.95).cord_a == pytest.approx(3583.2 / 230, abs=0.01)
    assert connection.va(3404, 1) == 3404


def test_watts_that_fit_and_volt_amperes_that_do_not() -> None:
    def said(full_w: float) -> list[Note]:
        return list(notes.power_factor(SitePlan(Scenario(measured_full_w=full_w))))

    (note,) = said(2900)  # / 0.98 = 2,959
    assert (note.level, note.key) == ("warn", "fits_in_w_not_in_va")
    assert "2,959 VA" in note.text
    assert said(2714) == []  # 2,769
    assert said(3404) == []  # fits in neither


def test_gb_and_gib() -> None:
    # The guide's rule and the modules are in GB as they are sold: 2 x 4 x 96 GB, not 96 GiB
    ram = host.host(site_facts.host_facts(), 4, 96, catalogue.processor("epyc-9355"), 2).requirement("ram")
    assert (ram.needed, ram.unit) == (768, "GB")
    assert ram.needed != pytest.approx(units.gb(units.bytes_from_gib(768)), rel=0.01)
    # A file of 72.7e9 bytes is 72.7 GB on a drive that is sold in GB, and 67.7 GiB
    assert host.drives(72.7e9, 7680, 2).needed_gb == pytest.approx(72.7)
    assert units.gib(72.7e9) == pytest.approx(67.7, abs=0.05)


def test_kw_and_w() -> None:
    assert units.kw(3404) == pytest.approx(3.404)
    assert circuits.planned(EU16, 0.8).result > 1000
