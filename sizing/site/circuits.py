"""Circuits: what a connection carries, and what of it may be planned."""

from __future__ import annotations

from typing import Protocol

from sizing.base import checks
from sizing.base.errors import SizingError
from sizing.base.working import Step, derive

SOURCE = "doc-de"
NEAR = 1e-12  # a rounding of binary fractions decides nothing


class CircuitFacts(Protocol):
    """What a circuit of the catalogue carries: volts are between conductors for three phases."""

    @property
    def name(self) -> str: ...
    @property
    def volts(self) -> float: ...
    @property
    def phases(self) -> int: ...
    @property
    def amps(self) -> float: ...
    @property
    def continuous_a(self) -> float | None: ...


def share_of(circuit: CircuitFacts, planning_share: float) -> float:
    """Share of a circuit's rating that is planned: ``planning_share``, and never more than its country allows. [-]

    A rule such as 80 % of the breaker for lasting load is not taken off a share that already keeps to it.
    """
    allowed = circuit.amps if circuit.continuous_a is None else circuit.continuous_a
    return min(planning_share, allowed / circuit.amps)


def planned(circuit: CircuitFacts, planning_share: float, power_factor: float = 1.0, source: str = SOURCE) -> Step:
    """What is planned on a circuit. [W]

    circuit: volts between the conductors of one phase, or between phases for three [V]; amps of a conductor [A].
    planning_share: share of the rating that is used, above 0 to 1. power_factor: W for each VA of the load; 1 takes
    them as equal, as the documents do. source: of the rating. On three phases the load must be spread over all three.
    Source: doc-de (three phases: √3 times volts times amperes).
    """
    checks.number("volts", circuit.volts, 100, 1_000, "V")
    checks.number("amps", circuit.amps, 1, 1_000, "A")
    share = share_of(circuit, checks.number("planning_share", planning_share, 0.01, 1))
    checks.number("power_factor", power_factor, 0.1, 1)
    if circuit.phases not in (1, 3) or isinstance(circuit.phases, bool):
        raise SizingError("site_phases", input="phases", value=circuit.phases)
    expression = "volts * amps * planning_share" if circuit.phases == 1 else "sqrt(3) * volts * amps * planning_share"
    given = {
        "volts": (circuit.volts, "V", source),
        "amps": (circuit.amps, "A", source),
        "planning_share": (share, "", "input" if share == planning_share else source),
    }
    if power_factor != 1:
        expression += " * power_factor"
        given["power_factor"] = (power_factor, "", "input")
    return derive("planned_w", expression, "W", SOURCE, **given)


def fits(load: float, limit: float) -> bool:
    """Whether a load stays within a limit, both in one unit."""
    return load <= limit * (1 + NEAR)


def no_margin(load: float, limit: float) -> bool:
    """Whether a load is just its limit, both in one unit."""
    return fits(load, limit) and load >= limit * (1 - NEAR)
