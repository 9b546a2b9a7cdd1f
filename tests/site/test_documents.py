"""The documents' figures on power, connection, air, servers and host, each with its hand calculation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.temperature import Rise, Temperature
from sizing.catalogue import servers, site_facts
from sizing.site import air, chassis, circuits, connection, energy, host, power, supplies
from sizing.site.connection import Way

PRO = catalogue.card("rtx-pro-6000-server")


@dataclass(frozen=True)
class Circuit:
    name: str
    volts: float
    phases: int
    amps: float
    continuous_a: float | None = None


C16 = Circuit("16 A", 230, 1, 16)
C32 = Circuit("32 A", 230, 1, 32)
C16_THREE = Circuit("16 A, three phases", 400, 3, 16)


def test_rated_power_of_four_cards() -> None:
    assert power.rated(4, 600, 2, 280).result == 2960  # 4 x 600 + 2 x 280: the documents' 2.96 kW


def test_cards_alone() -> None:
    assert power.draw(4, 600, 2, 280, 0.15).cards_w == 2400  # 4 x 600


def test_server_with_fifteen_percent() -> None:
    assert power.draw(4, 600, 2, 280, 0.15).server_w == pytest.approx(3404)  # 2,960 x 1.15; the documents' 3.4 kW


def test_what_the_cap_saves_on_the_cards() -> None:
    assert power.rated(4, 600, 2, 280).result - power.rated(4, 450, 2, 280).result == 600  # 4 x 150


def test_single_phase_16_a() -> None:
    assert circuits.planned(C16, 0.8).result == pytest.approx(2944)  # 230 x 16 x 0.8; 2.94 kW


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
    assert circuits.planned(Circuit("", volts, phases, amps), 0.8).result == pytest.approx(planned_kw * 1000, abs=1)


def test_three_phases_at_400_v_are_three_times_one_at_230_v() -> None:
    # 400 / √3 = 230.94 V to neutral; 3 x 230.94 x 16 = 11,085 VA
    assert circuits.planned(C16_THREE, 1).result == pytest.approx(3 * (400 / math.sqrt(3)) * 16)


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
    assert circuits.fits(load_w, circuits.planned(circuit, 0.8).result) is expected


def test_air_constant_from_physics() -> None:
    assert air.cfm(1000, 11) == pytest.approx(160, rel=0.01)


def test_air_for_the_server() -> None:
    assert air.cfm(3404, 11) == pytest.approx(540, abs=10)


def test_what_is_not_a_number_is_refused() -> None:
    for bad in (math.nan, math.inf, -1.0, "3404", None, True):
        with pytest.raises(SizingError) as caught:
            air.cfm(bad, 11)  # type: ignore[arg-type]
        assert "heat_w" in str(caught.value)


def test_steps_recompute() -> None:
    drawn = power.draw(4, 450, 2, 280, 0.15)
    for step in (*drawn.working, circuits.planned(C16_THREE, 0.8), air.flow(3404, 11, 1.1)):
        assert step.recompute() == pytest.approx(step.result)
        assert step.title


def test_cap_notes() -> None:
    (below,) = power.cap_notes(PRO, 250)
    assert (below.level, below.key) == ("stop", "cap_below_minimum")
    assert "300 W" in below.text
    (above,) = power.cap_notes(PRO, 650)
    assert "600 W" in above.text
    assert power.cap_notes(PRO, 300) == ()
    (mode,) = power.mode_notes(PRO, 420)
    assert "450 W" in mode.text
    assert power.mode_notes(catalogue.card("l4"), 60) == ()


# The documents' figures on supplies, host and servers.

PAIR_OF_EPYC = catalogue.processor("epyc-9355")


def four_card_host() -> host.Host:
    return host.host(site_facts.host_facts(), 4, 96, PAIR_OF_EPYC, 2)


def test_cores() -> None:
    cores = four_card_host().requirement("cores")
    assert (cores.needed, cores.offered, cores.fits) == (24, 64, True)  # 4 x 6; 2 x 32


def test_memory() -> None:
    ram = four_card_host().requirement("ram")
    assert (ram.needed, ram.unit) == (768, "GB")  # 2 x 4 x 96


def test_modules_that_fill_every_channel_once() -> None:
    modules = four_card_host().modules
    assert modules is not None
    assert (modules.count, modules.gb, modules.total_gb, modules.channels) == (24, 32, 768, 24)  # 2 x 12 channels
    assert modules.bandwidth_share == 1


def test_twelve_modules_fill_half_the_channels() -> None:
    chosen = host.ModuleSet(12, 64, 2 * 12)
    assert (chosen.total_gb, chosen.bandwidth_share) == (768, 0.5)


def test_about_a_terabyte_for_a_large_index() -> None:
    large = four_card_host().large
    assert large is not None
    assert (large.count, large.gb, large.total_gb) == (24, 48, 1152)  # 24 x 32 = 768 is short of 1,024


def test_sockets_clock_and_drives() -> None:
    found = four_card_host()
    assert found.requirement("sockets").needed == 2
    assert found.requirement("base_clock").needed == 2.0
    assert found.requirement("nvme").needed == 2  # one a socket
    assert found.requirement("nvme").fits is None  # nothing said about drives


@pytest.mark.parametrize(("cards", "cores", "ram_gb"), [(2, 12, 384), (8, 48, 1536)])
def test_host_of_other_counts(cards: int, cores: int, ram_gb: int) -> None:
    found = host.host(site_facts.host_facts(), cards, 96, PAIR_OF_EPYC, 2)
    assert (found.requirement("cores").needed, found.requirement("ram").needed) == (cores, ram_gb)


def test_four_supplies_two_and_two_carry_6400_w_on_one_feed() -> None:
    cases = {case.name: case for case in supplies.cases(3404, supplies.split(4, 3200))}
    assert cases["one_feed_lost"].available_w == 6400  # 2 x 3,200
    assert cases["one_supply_lost"].available_w == 9600  # 3 x 3,200
    assert supplies.scheme(3404, supplies.split(4, 3200)) == "2+2"


def test_each_feed_carries_the_whole_server() -> None:
    # 230 V 16 A plans 2,944 W: half of 3,404 W would fit on each of two feeds, and the plan still refuses it
    on_two = connection.connect(C16, 3404, Way(supplies.split(4, 3200, 2), 16, 0.8))
    assert on_two.stopped_by == ("circuit",)


@pytest.mark.parametrize(
    ("server", "cap_w", "expected"),
    [
        ("lenovo-sr650a-v4", 600, 2),  # four with "Slot Capped at 450W", two at 600 W
        ("lenovo-sr650a-v4", 450, 4),
        ("hpe-dl385-gen11", 450, 4),
        ("hpe-dl380a-gen12", 600, 8),
        ("cisco-c845a-m8", 600, 8),
    ],
)
def test_cards_by_server(server: str, cap_w: float, expected: int) -> None:
    assert chassis.takes(servers.server(server), cap_w) == expected


def test_supplies_and_cords_of_servers() -> None:
    cisco, hpe = servers.server("cisco-c845a-m8"), servers.server("hpe-dl380a-gen12")
    assert (cisco.supply_count, cisco.supply_w, cisco.supply_scheme) == (4, 3200, "N+1")
    assert hpe.cord == "c19"
    assert hpe.supply_options_w[-2:] == (2400, 3200)


def test_card_air_at_the_ends() -> None:
    card = catalogue.card("rtx-pro-6000-server")
    assert air.card_need(Temperature.from_c(25), card.airflow).cfm == 43
    assert air.card_need(Temperature.from_c(45), card.airflow).cfm == 125


def test_power_modes_of_the_card() -> None:
    card = PRO
    assert [mode.value for mode in card.power_modes_w] == [600, 450]
    (mode,) = power.mode_notes(PRO, 450)
    assert "does not boot" in mode.text
    keys = [note.key for note in power.notes(PRO, 450)]
    assert keys == ["cable_decides_mode", "cap_is_lost", "cap_out_of_band"]


@pytest.mark.parametrize(
    ("cards", "cap_w", "kw", "amps", "btu_h", "kwh", "eur"),
    [
        # (cards x cap + 560) x 1.15; / 230; x 3.412142; x 8.76; x 1.54 x 0.1902
        (2, 600, 2.024, 8.8, 6_906, 17_730, 5_193),
        (2, 450, 1.679, 7.3, 5_729, 14_708, 4_308),
        (4, 600, 3.404, 14.8, 11_615, 29_819, 8_734),
        (4, 450, 2.714, 11.8, 9_261, 23_775, 6_964),
        (8, 600, 6.164, 26.8, 21_032, 53_997, 15_816),
        (8, 450, 4.784, 20.8, 16_324, 41_908, 12_275),
        (8, 300, 3.404, 14.8, 11_615, 29_819, 8_734),
    ],
)
def test_servers_by_cards_and_cap(
    cards: int, cap_w: float, kw: float, amps: float, btu_h: float, kwh: float, eur: float
) -> None:
    server_w = power.draw(cards, cap_w, 2, 280, 0.15).server_w
    assert server_w == pytest.approx(kw * 1000)
    assert connection.load(C16, server_w).cord_a == pytest.approx(amps, abs=0.05)
    assert air.cooling(server_w, Rise.from_k(11), Temperature.from_c(25), cards).btu_per_h == pytest.approx(
        btu_h, abs=1
    )
    spent = energy.year((0, 0, server_w), (0, 0, 24), 1.54, 0.1902)
    assert spent.server_kwh == pytest.approx(kwh, abs=1)
    assert spent.cost == pytest.approx(eur, abs=1)
