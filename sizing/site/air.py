"""Air: what carries the heat away, from the physics of air."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal, Protocol

from sizing.base import checks, units
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.temperature import Rise, Temperature
from sizing.base.working import Step, derive
from sizing.site import circuits

SEA_LEVEL_PA = 101_325.0
GAS_CONSTANT_J_PER_KG_K = 287.05287  # dry air
HEAT_CAPACITY_J_PER_KG_K = 1_005.0  # dry air at constant pressure, near room temperature
ZERO_C_IN_K = 273.15
ROOM_C = 20.0

# The standard atmosphere's fall of pressure with height below 11 km: p = p0 * (1 - LAPSE * height) ** EXPONENT.
PRESSURE_LAPSE_PER_M = 2.25577e-5
PRESSURE_EXPONENT = 5.25588

SOURCE = "icao-standard-atmosphere"


def pressure(altitude_m: float) -> Step:
    """Air pressure at a height. [Pa]

    altitude_m: above sea level, -500 to 11,000 [m]. Source: icao-standard-atmosphere.

    >>> round(pressure(1000).result)
    89875
    """
    checks.number("altitude_m", altitude_m, -500, 11_000, "m")
    return derive(
        "pressure_pa",
        "sea_level_pa * (1 - lapse_per_m * altitude_m) ** exponent",
        "Pa",
        SOURCE,
        sea_level_pa=(SEA_LEVEL_PA, "Pa", SOURCE),
        lapse_per_m=(PRESSURE_LAPSE_PER_M, "1/m", SOURCE),
        altitude_m=(altitude_m, "m", "input"),
        exponent=(PRESSURE_EXPONENT, "", SOURCE),
    )


def density(pressure: Step, air_c: float = ROOM_C) -> Step:
    """Density of dry air in a room at a pressure. [kg/m³]

    Pressure follows the height; the temperature is the room's, since a hall is heated or cooled to it.
    air_c: temperature of the air that the fans move [°C]. Source: icao-standard-atmosphere.

    >>> round(density(pressure(0)).result, 3)
    1.204
    """
    checks.number("air_c", air_c, -40, 80, "°C")
    return derive(
        "density_kg_per_m3",
        "pressure_pa / (gas_constant_j_per_kg_k * (air_c + zero_c_in_k))",
        "kg/m³",
        SOURCE,
        pressure_pa=pressure,
        gas_constant_j_per_kg_k=(GAS_CONSTANT_J_PER_KG_K, "J/(kg·K)", SOURCE),
        air_c=(air_c, "°C", SOURCE),
        zero_c_in_k=(ZERO_C_IN_K, "K", SOURCE),
    )


def flow(heat_w: float, rise_k: float, density_kg_per_m3: float) -> Step:
    """Air that carries a heat away. [CFM], cubic feet a minute

    heat_w: [W]. rise_k: how much warmer the air leaves than it came, in kelvin or degrees Celsius, never Fahrenheit.
    [K]   density_kg_per_m3: of the air. Source: icao-standard-atmosphere.
    """
    return derive(
        "cfm",
        "heat_w / (density_kg_per_m3 * heat_capacity_j_per_kg_k * rise_k) * cfm_per_m3_per_s",
        "CFM",
        SOURCE,
        heat_w=(checks.number("heat_w", heat_w, 0, 10_000_000, "W"), "W", "step"),
        density_kg_per_m3=(density_kg_per_m3, "kg/m³", SOURCE),
        heat_capacity_j_per_kg_k=(HEAT_CAPACITY_J_PER_KG_K, "J/(kg·K)", SOURCE),
        rise_k=(checks.number("rise_k", rise_k, 0.1, 100, "K"), "K", "input"),
        cfm_per_m3_per_s=(units.CFM_PER_M3_PER_S, "CFM/(m³/s)", SOURCE),
    )


def cfm(heat_w: float, rise_k: float, altitude_m: float = 0.0, air_c: float = ROOM_C) -> float:
    """Air that carries a heat away. [CFM]

    heat_w: [W]. rise_k: [K]. altitude_m: of the site [m]. air_c: temperature of the incoming air [°C].
    One kilowatt at 11 K comes out at the field's 160 CFM within one percent. Source: icao-standard-atmosphere.

    >>> round(cfm(1000, 11))
    159
    """
    return flow(heat_w, rise_k, density(pressure(altitude_m), air_c).result).result


# Air of a server: what its heat needs, what its cards need, whether the first covers the second, and where it ends.

HEAT_SOURCE = "hardware-notes"
BTU_PER_H_PER_TON = 12_000.0  # a ton of refrigeration, by definition

Basis = Literal["published", "interpolated", "assumed"]


class FlowAtInlet(Protocol):
    """Air that a card asks for at an inlet temperature. [°C], [CFM]"""

    @property
    def inlet_c(self) -> float: ...
    @property
    def cfm(self) -> float: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class CardNeed:
    """Air that one card asks for. cfm: at the height of the site. [CFM]

    basis: "published" at a temperature that its maker states, "interpolated" between two of them, "assumed" below the
    lowest, where the figure of the lowest is kept, or away from sea level, where the same mass of air is taken.
    """

    cfm: float
    basis: Basis
    source: str


@dataclass(frozen=True)
class Cooling:
    """Air of one server.

    cfm, m3_per_h: what carries its heat away at the chosen rise. [CFM], [m³/h]   density_kg_per_m3: of that air.
    btu_per_h: its heat. [BTU/h]   tons: of refrigeration.   exhaust: temperature behind it.
    card_need: of one card, None where its maker states none.   cards_cfm: of all cards. [CFM]
    covers: the chassis' air covers the cards' need; None where that is not known.
    """

    heat_w: float
    cfm: float
    m3_per_h: float
    density_kg_per_m3: float
    btu_per_h: float
    tons: float
    exhaust: Temperature
    card_need: CardNeed | None
    cards_cfm: float | None
    covers: bool | None
    notes: tuple[Note, ...]
    working: tuple[Step, ...]


def card_need(inlet: Temperature, points: Sequence[FlowAtInlet], altitude_m: float = 0.0) -> CardNeed:
    """Air that one card asks for at an inlet temperature, from the points that its maker states (at least two).

    altitude_m: of the site [m]. Between points it is a straight line. Above the warmest point there is no figure, and a
    SizingError says so.
    """
    if not isinstance(inlet, Temperature):
        raise SizingError("temperature_without_unit", input="inlet", value=inlet)
    ordered = sorted(points, key=lambda point: point.inlet_c)
    coldest, warmest = ordered[0], ordered[-1]
    thinner = SEA_LEVEL_PA / pressure(altitude_m).result
    if inlet.c > warmest.inlet_c:
        raise SizingError("inlet_above_card", input="inlet", value_c=inlet.c, warmest_c=warmest.inlet_c)
    basis: Basis = "published"
    cfm = next((point.cfm for point in ordered if point.inlet_c == inlet.c), 0.0)
    if inlet.c < coldest.inlet_c:
        cfm, basis = coldest.cfm, "assumed"
    elif not cfm:
        for low, high in itertools.pairwise(ordered):
            if low.inlet_c < inlet.c < high.inlet_c:
                share = (inlet.c - low.inlet_c) / (high.inlet_c - low.inlet_c)
                cfm, basis = low.cfm + share * (high.cfm - low.cfm), "interpolated"
    return CardNeed(cfm * thinner, "assumed" if altitude_m else basis, coldest.source)


def cooling(
    heat_w: float,
    rise: Rise,
    inlet: Temperature,
    cards: int,
    points: Sequence[FlowAtInlet] = (),
    altitude_m: float = 0.0,
) -> Cooling:
    """Air of one server: heat_w [W], the rise it may take, its inlet, its cards, their need, its height.

    points: of the cards' need, as their maker states them.   altitude_m: of the site. [m]

    The volume is counted at 20 °C, as fans are rated; the inlet decides the exhaust and the cards' need.
    """
    if not isinstance(rise, Rise):
        raise SizingError("temperature_without_unit", input="rise", value=rise)
    checks.count("cards", cards, 0, 1024)
    heat = (heat_w, "W", "step")
    thin = pressure(altitude_m)
    dense = density(thin)
    moved = flow(heat_w, rise.k, dense.result)
    per_m3_per_s = (units.CFM_PER_M3_PER_S, "CFM/(m³/s)", SOURCE)
    hourly = derive(
        "m3_per_h", "cfm / cfm_per_m3_per_s * 3600", "m³/h", SOURCE, cfm=moved, cfm_per_m3_per_s=per_m3_per_s
    )
    per_kw = derive("cfm_per_kw", "cfm / heat_w * 1000", "CFM/kW", "doc-de", cfm=moved, heat_w=heat)
    need, notes = _need(inlet, points, altitude_m)
    all_cards = covers = None
    steps = [thin, dense, moved, hourly, per_kw]
    if need is not None:
        each, counted = (need.cfm, "CFM", need.source), (cards, "", "input")
        asked = derive("cards_cfm", "cards * need_cfm", "CFM", need.source, cards=counted, need_cfm=each)
        steps.append(asked)
        all_cards = asked.result
        covers = circuits.fits(all_cards, moved.result)
        values = {"cards_cfm": all_cards, "cfm": moved.result, "need_cfm": need.cfm, "inlet_c": inlet.c}
        for key in (f"card_air_{need.basis}", "air_covers" if covers else "air_short"):
            notes.append(Note("hint" if covers else "warn", key, need.source, values))
    per_w = (units.BTU_PER_H_PER_W, "(BTU/h)/W", HEAT_SOURCE)
    heat_btu = derive("btu_per_h", "heat_w * btu_per_h_per_w", "BTU/h", HEAT_SOURCE, heat_w=heat, btu_per_h_per_w=per_w)
    per_ton = (BTU_PER_H_PER_TON, "(BTU/h)/ton", HEAT_SOURCE)
    tons = derive(
        "tons", "btu_per_h / btu_per_h_per_ton", "tons", HEAT_SOURCE, btu_per_h=heat_btu, btu_per_h_per_ton=per_ton
    )
    degrees = {"inlet_c": (inlet.c, "°C", "input"), "rise_k": (rise.k, "K", "input")}
    exhaust = derive("exhaust_c", "inlet_c + rise_k", "°C", SOURCE, **degrees)
    return Cooling(
        heat_w=heat_w,
        cfm=moved.result,
        m3_per_h=hourly.result,
        density_kg_per_m3=dense.result,
        btu_per_h=heat_btu.result,
        tons=tons.result,
        exhaust=inlet + rise,
        card_need=need,
        cards_cfm=all_cards,
        covers=covers,
        notes=tuple(notes),
        working=(*steps, heat_btu, tons, exhaust),
    )


def _need(inlet: Temperature, points: Sequence[FlowAtInlet], altitude_m: float) -> tuple[CardNeed | None, list[Note]]:
    if not points:
        return None, [Note("hint", "card_air_not_stated")]
    try:
        return card_need(inlet, points, altitude_m), []
    except SizingError as error:
        if error.key != "inlet_above_card":
            raise
        return None, [Note("stop", "inlet_above_card", points[0].source, error.values)]
