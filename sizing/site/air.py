"""Air: what carries the heat away, from the physics of air."""

from __future__ import annotations

from sizing import units
from sizing.site import checks
from sizing.working import Given, Step

SEA_LEVEL_PA = 101_325.0
GAS_CONSTANT_J_PER_KG_K = 287.05287  # dry air
HEAT_CAPACITY_J_PER_KG_K = 1_005.0  # dry air at constant pressure, near room temperature
ZERO_C_IN_K = 273.15
ROOM_C = 20.0

# The standard atmosphere's fall of pressure with height below 11 km: p = p0 * (1 - LAPSE * height) ** EXPONENT.
PRESSURE_LAPSE_PER_M = 2.25577e-5
PRESSURE_EXPONENT = 5.25588

SOURCE = "icao-standard-atmosphere"


def pressure_pa(altitude_m: float) -> float:
    """Air pressure at a height. [Pa]

    altitude_m: above sea level, -500 to 11,000 [m]. Source: icao-standard-atmosphere.

    >>> round(pressure_pa(1000))
    89875
    """
    checks.number("altitude_m", altitude_m, -500, 11_000, "m")
    return SEA_LEVEL_PA * float((1 - PRESSURE_LAPSE_PER_M * altitude_m) ** PRESSURE_EXPONENT)


def density_kg_per_m3(altitude_m: float = 0.0, air_c: float = ROOM_C) -> float:
    """Density of dry air in a room at that height. [kg/m³]

    Pressure follows the height; the temperature is the room's, since a hall is heated or cooled to it.
    altitude_m [m]; air_c: temperature of the air that the fans move [°C]. Source: icao-standard-atmosphere.

    >>> density_kg_per_m3()
    1.204
    """
    checks.number("air_c", air_c, -40, 80, "°C")
    return pressure_pa(altitude_m) / (GAS_CONSTANT_J_PER_KG_K * (air_c + ZERO_C_IN_K))


def m3_per_s(heat_w: float, rise_c: float, altitude_m: float = 0.0, air_c: float = ROOM_C) -> float:
    """Air that carries a heat away. [m³/s]

    heat_w: heat [W]. rise_c: how much warmer the air leaves than it came, in kelvin or degrees Celsius, never
    Fahrenheit [K]. altitude_m [m]. air_c: temperature of the incoming air [°C]. Source: icao-standard-atmosphere.
    """
    checks.number("heat_w", heat_w, 0, 10_000_000, "W")
    checks.number("rise_c", rise_c, 0.1, 100, "K")
    return heat_w / (density_kg_per_m3(altitude_m, air_c) * HEAT_CAPACITY_J_PER_KG_K * rise_c)


def cfm(heat_w: float, rise_c: float, altitude_m: float = 0.0, air_c: float = ROOM_C) -> float:
    """Air that carries a heat away. [CFM], cubic feet a minute

    Inputs as for m3_per_s. One kilowatt at 11 K comes out at the field's 160 CFM within one percent.

    >>> round(cfm(1000, 11))
    159
    """
    return m3_per_s(heat_w, rise_c, altitude_m, air_c) * units.CFM_PER_M3_PER_S


def m3_per_h(heat_w: float, rise_c: float, altitude_m: float = 0.0, air_c: float = ROOM_C) -> float:
    """Air that carries a heat away. [m³/h] Inputs as for m3_per_s.

    >>> round(m3_per_h(1000, 11))
    270
    """
    return m3_per_s(heat_w, rise_c, altitude_m, air_c) * 3600


def cfm_step(heat_w: float, rise_c: float, altitude_m: float = 0.0, air_c: float = ROOM_C) -> Step:
    """The working of cfm."""
    density = density_kg_per_m3(altitude_m, air_c)
    return Step(
        "cfm",
        "heat_w / (density_kg_per_m3 * heat_capacity_j_per_kg_k * rise_k) * cfm_per_m3_per_s",
        (
            Given("heat_w", heat_w, "W", "step"),
            Given("density_kg_per_m3", density, "kg/m³", SOURCE),
            Given("heat_capacity_j_per_kg_k", HEAT_CAPACITY_J_PER_KG_K, "J/(kg·K)", SOURCE),
            Given("rise_k", rise_c, "K", "input"),
            Given("cfm_per_m3_per_s", units.CFM_PER_M3_PER_S, "CFM/(m³/s)", SOURCE),
        ),
        cfm(heat_w, rise_c, altitude_m, air_c),
        "CFM",
        SOURCE,
    )
