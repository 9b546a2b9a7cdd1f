"""What must hold for any numbers."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.base.temperature import Rise, Temperature
from sizing.catalogue import servers, site_facts
from sizing.site import air, chassis, circuits, connection, energy, host, options, power, supplies
from sizing.site.connection import Way

watts = st.floats(1, 200_000)
rises = st.floats(1, 40)
heights = st.floats(0, 4_000)
shares = st.floats(0.1, 1)
amps = st.floats(6, 125)
FACTS = site_facts.power_facts()


@dataclass(frozen=True)
class Any3:
    """Any circuit."""

    name: str
    volts: float
    phases: int
    amps: float
    continuous_a: float | None = None


kinds = st.sampled_from([(120.0, 1), (208.0, 1), (230.0, 1), (208.0, 3), (400.0, 3), (415.0, 3)])


@given(watts, watts, rises, heights)
def test_more_power_never_needs_less_air(a_w: float, b_w: float, rise_k: float, height_m: float) -> None:
    low, high = sorted((a_w, b_w))
    assert air.cfm(low, rise_k, height_m) <= air.cfm(high, rise_k, height_m)


@given(watts, rises, rises, heights, heights)
def test_more_rise_never_needs_more_air_and_more_height_never_less(
    heat_w: float, a_k: float, b_k: float, a_m: float, b_m: float
) -> None:
    assert air.cfm(heat_w, max(a_k, b_k)) <= air.cfm(heat_w, min(a_k, b_k))
    assert air.cfm(heat_w, a_k, min(a_m, b_m)) <= air.cfm(heat_w, a_k, max(a_m, b_m))


@given(kinds, amps, amps, watts, st.integers(1, 3), shares)
def test_a_larger_circuit_never_fits_less(
    kind: tuple[float, int], a: float, b: float, server_w: float, groups: int, share: float
) -> None:
    small, large = (Any3("", kind[0], kind[1], size) for size in sorted((a, b)))
    assert circuits.planned(small, share).result <= circuits.planned(large, share).result
    assert connection.servers(small, server_w, groups, share) <= connection.servers(large, server_w, groups, share)


@given(kinds, amps, watts, watts, st.integers(1, 3), shares)
def test_a_heavier_server_never_fits_more_often(
    kind: tuple[float, int], size: float, a_w: float, b_w: float, groups: int, share: float
) -> None:
    circuit = Any3("", kind[0], kind[1], size)
    low, high = sorted((a_w, b_w))
    assert connection.servers(circuit, high, groups, share) <= connection.servers(circuit, low, groups, share)


@given(kinds, amps, st.floats(100, 20_000), st.integers(1, 3), shares)
def test_the_count_is_the_last_that_fits(
    kind: tuple[float, int], size: float, server_w: float, groups: int, share: float
) -> None:
    circuit = Any3("", kind[0], kind[1], size)
    count = connection.servers(circuit, server_w, groups, share)
    assert connection.load(circuit, server_w, count, groups, share).fits
    assert not connection.load(circuit, server_w, count + 1, groups, share).fits
    if count:  # what fits by phases also fits the circuit as a whole
        assert circuits.fits(count * server_w, circuits.planned(circuit, share).result)


@given(st.integers(1, 16), st.floats(100, 1_400), st.floats(100, 1_400), st.integers(1, 2), st.floats(100, 500), shares)
def test_a_lower_cap_never_raises_power(
    cards: int, a_w: float, b_w: float, processors: int, processor_w: float, rest: float
) -> None:
    low, high = (power.draw(cards, cap, processors, processor_w, rest) for cap in sorted((a_w, b_w)))
    assert low.server_w <= high.server_w
    assert (low.low_w, low.high_w) <= (high.low_w, high.high_w)
    for card in ("rtx-pro-6000-server", "another"):
        below, above = (
            power.states(FACTS, card, cards, cap, processors, processor_w, rest) for cap in sorted((a_w, b_w))
        )
        for name in ("idle", "typical", "full"):
            assert getattr(below, name).server_w <= getattr(above, name).server_w * (1 + 1e-12)


@given(st.integers(1, 16), st.floats(100, 1_400), st.integers(1, 4), st.floats(50, 500), st.floats(0, 0.5))
def test_the_parts_are_the_whole(cards: int, cap_w: float, processors: int, processor_w: float, rest: float) -> None:
    drawn = power.draw(cards, cap_w, processors, processor_w, rest)
    assert drawn.cards_w + drawn.processors_w + drawn.rest_w == pytest.approx(drawn.server_w)
    for step in drawn.working:
        assert step.recompute() == pytest.approx(step.result)


@given(watts, st.integers(1, 12), st.floats(500, 4_000), st.integers(1, 3))
def test_one_supply_more_never_carries_less(load_w: float, count: int, supply_w: float, feeds: int) -> None:
    feeds = min(feeds, count)
    fewer = {case.name: case for case in supplies.cases(load_w, supplies.split(count, supply_w, feeds))}
    more = {case.name: case for case in supplies.cases(load_w, supplies.split(count + 1, supply_w, feeds))}
    for name, case in fewer.items():
        assert case.available_w <= more[name].available_w
        assert case.fits <= more[name].fits
    assert fewer["one_supply_lost"].available_w <= fewer["all_working"].available_w


@given(st.floats(200, 20_000), st.integers(1, 8), st.floats(1_000, 4_000))
def test_what_goes_in_comes_out_or_is_lost(wall_w: float, working: int, supply_w: float) -> None:
    for curve in FACTS.efficiency:
        point = supplies.operating_point(wall_w, working, supply_w, curve)
        if point.output_w is not None and point.loss_w is not None and point.efficiency is not None:
            assert point.output_w + point.loss_w == pytest.approx(wall_w)
            assert point.efficiency == pytest.approx(supplies.efficiency_at(point.load_share, curve))


@given(st.floats(500, 12_000), st.integers(2, 8), st.floats(8, 32), shares, st.floats(0.8, 1))
def test_more_load_never_loosens_a_limit(
    server_w: float, count: int, cord_a: float, share: float, power_factor: float
) -> None:
    circuit = Any3("", 400, 3, 32)
    arranged = supplies.split(count, 3200)
    light, heavy = (
        connection.connect(circuit, load, Way(arranged, cord_a, share, power_factor=power_factor))
        for load in (server_w, server_w * 1.1)
    )
    assert set(light.stopped_by) <= set(heavy.stopped_by)
    assert {limit.kind for limit in light.limits} == {"circuit", "phase", "cord", "supply"}


@given(st.integers(1, 16), st.floats(100, 600), st.floats(100, 600))
def test_a_lower_cap_never_takes_fewer_cards(cards: int, a_w: float, b_w: float) -> None:
    low, high = sorted((a_w, b_w))
    for id in servers.server_ids():
        at_low, at_high = (chassis.takes(servers.server(id), cap) for cap in (low, high))
        if at_high is not None:
            assert at_low is not None
            assert at_low >= at_high


@given(st.floats(25, 45), st.floats(25, 45), st.integers(0, 16), watts)
def test_a_warmer_inlet_never_asks_for_less(a_c: float, b_c: float, cards: int, heat_w: float) -> None:
    points = [_Point(25, 43), _Point(45, 125)]
    low, high = (
        air.cooling(heat_w, Rise.from_k(11), Temperature.from_c(inlet), cards, points) for inlet in sorted((a_c, b_c))
    )
    assert (low.cards_cfm or 0) <= (high.cards_cfm or 0) * (1 + 1e-12)
    assert low.exhaust <= high.exhaust


class _Point:
    source = "nvidia-se-brief"

    def __init__(self, inlet_c: float, cfm: float) -> None:
        self.inlet_c, self.cfm = inlet_c, cfm


@given(st.floats(-90, 190), st.floats(-90, 90))
def test_temperatures_come_back(celsius: float, kelvin: float) -> None:
    assert Temperature.from_f(Temperature.from_c(celsius).f).c == pytest.approx(celsius, abs=1e-9)
    assert Rise.from_f(Rise.from_k(kelvin).f).k == pytest.approx(kelvin, abs=1e-9)


@given(st.integers(1, 64), st.floats(0, 20_000), st.floats(0, 20_000))
def test_more_memory_never_takes_smaller_modules(channels: int, a_gb: float, b_gb: float) -> None:
    host_facts = site_facts.host_facts()
    low, high = (host.full_sets(host_facts, channels, needed) for needed in sorted((a_gb, b_gb)))
    if high:
        assert low[0].total_gb <= high[0].total_gb
    assert len(low) >= len(high)


@given(st.tuples(*[st.floats(0, 8)] * 3), st.tuples(*[st.floats(0, 10_000)] * 3), st.floats(1, 3), st.floats(0, 1))
def test_energy_is_linear(
    hours: tuple[float, float, float], draws: tuple[float, float, float], pue: float, price: float
) -> None:
    once = energy.year(draws, hours, pue, price)
    twice = energy.year(tuple(2 * draw for draw in draws), hours, pue, price)  # type: ignore[arg-type]
    assert twice.cost == pytest.approx(2 * once.cost)
    assert once.site_kwh >= once.server_kwh


@given(st.floats(1_000, 100_000), st.floats(500, 10_000), st.integers(2, 60), st.integers(1, 10))
def test_racks(feed_w: float, server_w: float, rack_u: int, server_u: int) -> None:
    count = options.by_power(feed_w, server_w)
    assert count * server_w <= feed_w * (1 + 1e-9)
    assert (count + 1) * server_w > feed_w * (1 - 1e-9)
    assert options.by_height(rack_u, server_u) * server_u <= rack_u
