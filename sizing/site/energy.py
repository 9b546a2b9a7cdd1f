"""Energy: kilowatt-hours and money of a year, from how many hours of a day the server spends in which state."""

from __future__ import annotations

from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.working import Step, derive

DAYS_PER_YEAR = 365.0
HOURS_PER_DAY = 24.0
SOURCE = "hardware-notes"


@dataclass(frozen=True)
class Energy(Shown, facts=("hours", "server_kwh", "site_kwh", "cost", "mean_w"), lists=("working",)):
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


def idle_hours(typical_h: float, full_h: float, off_h: float) -> Step:
    """What typical_h, full_h and off_h leave of a day. [h] SizingError where they are more than a day.

    >>> idle_hours(8, 4, 0).result
    12.0
    """
    given = {"typical_h": typical_h, "full_h": full_h, "off_h": off_h}
    for name, spent in given.items():
        checks.number(f"hours_{name[:-2]}", spent, 0, HOURS_PER_DAY, "h")
    _within_a_day(sum(given.values()))
    taken = {name: (spent, "h", "input") for name, spent in given.items()}
    day = (HOURS_PER_DAY, "h", SOURCE)
    return derive("idle_h", "max(0, day_h - typical_h - full_h - off_h)", "h", SOURCE, day_h=day, **taken)


def _within_a_day(hours: float) -> None:
    if hours > HOURS_PER_DAY * (1 + 1e-12):
        raise SizingError("hours_beyond_day", input="hours", hours=hours)


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
    pue_source, price_source: where the two come from.

    >>> round(year((0, 0, 3404), (0, 0, 24), 1.54, 0.1902).cost)
    8734
    """
    for name, draw_w, spent in zip(("idle", "typical", "full"), draws_w, hours, strict=True):
        checks.number(f"{name}_w", draw_w, 0, 10_000_000, "W")
        checks.number(f"hours_{name}", spent, 0, HOURS_PER_DAY, "h")
    _within_a_day(sum(hours))
    checks.number("pue", pue, 1, 5)
    checks.number("price_per_kwh", price_per_kwh, 0, 1_000)
    names = ("idle", "typical", "full")
    drawn = {f"{name}_w": (draw_w, "W", "step") for name, draw_w in zip(names, draws_w, strict=True)}
    spent_h = {f"{name}_h": (spent, "h", "input") for name, spent in zip(names, hours, strict=True)}
    formula = "(idle_w * idle_h + typical_w * typical_h + full_w * full_h) / 1000 * 365"
    server = derive("server_kwh", formula, "kWh", SOURCE, **drawn, **spent_h)
    site = derive("site_kwh", "server_kwh * pue", "kWh", SOURCE, server_kwh=server, pue=(pue, "", pue_source))
    cost = derive(
        "energy_cost",
        "site_kwh * price_per_kwh",
        "a year",
        SOURCE,
        site_kwh=site,
        price_per_kwh=(price_per_kwh, "a kWh", price_source),
    )
    mean_w = server.result / DAYS_PER_YEAR * 1000 / HOURS_PER_DAY
    return Energy(hours, server.result, site.result, cost.result, mean_w, (server, site, cost))
