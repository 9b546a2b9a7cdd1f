"""Energy: kilowatt-hours and money of a year, from how many hours of a day the server spends in which state."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.base import checks, units
from sizing.base.errors import SizingError
from sizing.base.working import Given, Step

DAYS_PER_YEAR = 365.0
HOURS_PER_DAY = 24.0
SOURCE = "hardware-notes"


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of a year. hours: of a day idle, in typical use, at full load. [h]   server_kwh: of the server. [kWh]

    site_kwh: with cooling and distribution, PUE times that. [kWh]   cost: of site_kwh, in the currency of the price.
    mean_w: mean draw of the server. [W]
    """

    hours: tuple[float, float, float]
    server_kwh: float
    site_kwh: float
    cost: float
    mean_w: float
    working: tuple[Step, ...]


def idle_hours(typical_h: float, full_h: float, off_h: float) -> float:
    """What the other hours leave of a day. [h] SizingError where they are more than a day.

    >>> idle_hours(8, 4, 0)
    12.0
    """
    for name, spent in (("typical", typical_h), ("full", full_h), ("off", off_h)):
        checks.number(f"hours_{name}", spent, 0, HOURS_PER_DAY, "h")
    asked = typical_h + full_h + off_h
    if asked > HOURS_PER_DAY * (1 + 1e-12):
        raise SizingError("hours_beyond_day", input="hours", hours=asked)
    return max(0.0, HOURS_PER_DAY - asked)


def year(
    draws_w: tuple[float, float, float],
    hours: tuple[float, float, float],
    pue: float,
    price_per_kwh: float,
    pue_source: str = "input",
    price_source: str = "input",
) -> Energy:
    """Energy and cost of a year.

    draws_w: idle, typical, full. [W]   hours: of a day in each; the rest of the day it is off. [h]
    pue: energy of the site over that of the server, 1 or more. [-]   price_per_kwh: in any currency.

    >>> round(year((0, 0, 3404), (0, 0, 24), 1.54, 0.1902).cost)
    8734
    """
    for name, draw_w, spent in zip(("idle", "typical", "full"), draws_w, hours, strict=True):
        checks.number(f"{name}_w", draw_w, 0, 10_000_000, "W")
        checks.number(f"hours_{name}", spent, 0, HOURS_PER_DAY, "h")
    if sum(hours) > HOURS_PER_DAY * (1 + 1e-12):
        raise SizingError("hours_beyond_day", input="hours", hours=sum(hours))
    checks.number("pue", pue, 1, 5)
    checks.number("price_per_kwh", price_per_kwh, 0, 1_000)
    day_wh = sum(draw_w * spent for draw_w, spent in zip(draws_w, hours, strict=True))
    server_kwh = units.kw(day_wh) * DAYS_PER_YEAR
    site_kwh = server_kwh * pue
    given = [
        Given(f"{name}_{kind}", value, unit, source)
        for kind, values, unit, source in (("w", draws_w, "W", "step"), ("h", hours, "h", "input"))
        for name, value in zip(("idle", "typical", "full"), values, strict=True)
    ]
    steps = (
        Step(
            "server_kwh",
            "(idle_w * idle_h + typical_w * typical_h + full_w * full_h) / 1000 * 365",
            tuple(given),
            server_kwh,
            "kWh",
            SOURCE,
        ),
        Step(
            "site_kwh",
            "server_kwh * pue",
            (Given("server_kwh", server_kwh, "kWh", "step"), Given("pue", pue, "", pue_source)),
            site_kwh,
            "kWh",
            SOURCE,
        ),
        Step(
            "energy_cost",
            "site_kwh * price_per_kwh",
            (
                Given("site_kwh", site_kwh, "kWh", "step"),
                Given("price_per_kwh", price_per_kwh, "a kWh", price_source),
            ),
            site_kwh * price_per_kwh,
            "a year",
            SOURCE,
        ),
    )
    return Energy(hours, server_kwh, site_kwh, site_kwh * price_per_kwh, day_wh / HOURS_PER_DAY, steps)
