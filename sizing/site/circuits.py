"""Circuits: what a connection carries, and what of it may be planned."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from sizing.base import checks
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.working import Given, Step

SOURCE = "doc-de"


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


def _check(volts: float, phases: int, amps: float) -> None:
    checks.number("volts", volts, 100, 1_000, "V")
    checks.number("amps", amps, 1, 1_000, "A")
    if phases not in (1, 3) or isinstance(phases, bool):
        raise SizingError("site_phases", input="phases", value=phases)


def apparent_va(volts: float, phases: int, amps: float) -> float:
    """What a circuit carries at its full rating. [VA]

    volts: between the two conductors of one phase, between phases for three. phases: 1 or 3. amps: a conductor [A].
    Source: doc-de (three phases: √3 times volts times amperes).

    >>> apparent_va(230, 1, 16)
    3680.0
    """
    _check(volts, phases, amps)
    return float(volts * amps) if phases == 1 else math.sqrt(3) * volts * amps


def planned_w(volts: float, phases: int, amps: float, planning_factor: float, power_factor: float = 1.0) -> float:
    """What is planned on a circuit. [W]

    planning_factor: share of the rating that is used, above 0 to 1. power_factor: W for each VA of the load; 1 takes
    them as equal, as the documents do. On three phases the load must be spread over all three.
    Source: doc-de.

    >>> planned_w(230, 1, 16, 0.8)
    2944.0
    """
    checks.number("planning_factor", planning_factor, 0.01, 1)
    checks.number("power_factor", power_factor, 0.1, 1)
    return apparent_va(volts, phases, amps) * planning_factor * power_factor


def amperes(load_w: float, volts: float, phases: int, power_factor: float = 1.0) -> float:
    """Current in each conductor of a load spread evenly over the phases. [A]

    >>> amperes(3404, 230, 1)
    14.8
    """
    checks.number("load_w", load_w, 0, 10_000_000, "W")
    checks.number("power_factor", power_factor, 0.1, 1)
    return load_w / power_factor / apparent_va(volts, phases, 1.0)


@dataclass(frozen=True, slots=True)
class CircuitFit:
    """One server on one circuit.

    planned_w: what is planned on the circuit [W]. load_w: what the server draws [W]. used: load over planned.
    fits: the server stays within the planned load. working: how planned_w came about.
    """

    name: str
    volts: float
    phases: int
    amps: float
    planned_w: float
    load_w: float
    fits: bool
    working: Step

    @property
    def used(self) -> float:
        """Load as a share of the planned load."""
        return self.load_w / self.planned_w


def fits(load_w: float, limit_w: float) -> bool:
    """Whether a load stays within a limit, both in one unit; a rounding of binary fractions does not decide it."""
    return load_w <= limit_w * (1 + 1e-12)


def check(
    circuit: CircuitFacts, load_w: float, planning_factor: float, source: str = "", power_factor: float = 1.0
) -> CircuitFit:
    """A server of ``load_w`` [W] on one circuit.

    source: where the circuit's rating comes from.   power_factor: W for each VA of the load. [-]
    """
    checks.number("load_w", load_w, 0, 10_000_000, "W")
    planned = planned_w(circuit.volts, circuit.phases, circuit.amps, planning_factor, power_factor)
    expression = "volts * amps * planning_factor" + (" * power_factor" if power_factor != 1 else "")
    factor = (Given("power_factor", power_factor, "", "input"),) if power_factor != 1 else ()
    step = Step(
        "planned_w",
        expression if circuit.phases == 1 else f"sqrt(3) * {expression}",
        (
            Given("volts", circuit.volts, "V", source or SOURCE),
            Given("amps", circuit.amps, "A", source or SOURCE),
            Given("planning_factor", planning_factor, "", "input"),
            *factor,
        ),
        planned,
        "W",
        SOURCE,
    )
    return CircuitFit(
        name=circuit.name,
        volts=circuit.volts,
        phases=circuit.phases,
        amps=circuit.amps,
        planned_w=planned,
        load_w=load_w,
        fits=fits(load_w, planned),
        working=step,
    )


def notes(checked: Iterable[CircuitFit]) -> tuple[Note, ...]:
    """What to say about a server's circuits: the ordinary single-phase ones it exceeds, and the smallest that takes it.

    Only circuits of the list are judged; the caller picks those of one region.
    """
    ordered = sorted(checked, key=lambda fit: fit.planned_w)
    smallest = next((fit for fit in ordered if fit.fits), None)
    exceeded = [fit for fit in ordered if not fit.fits and fit.phases == 1]
    said = []
    if exceeded:
        largest = exceeded[-1]
        values = {"circuit": largest.name, "planned_w": largest.planned_w, "load_w": largest.load_w}
        if smallest is None:
            said.append(Note("stop", "no_circuit_fits", SOURCE, values))
        else:
            said.append(Note("warn", "circuit_exceeded", SOURCE, {**values, "smallest": smallest.name}))
    return tuple(said)
