"""Phases: which conductor a server loads, and how many servers a circuit takes before its fullest conductor is full.

A three-phase strip feeds its outlets between phase and neutral where that gives 200 to 250 V (400 V: 230 V), and
between two phases where the phases themselves are that far apart (208 V). A server draws from one, two or three of
its three groups of outlets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizing import units
from sizing.notes import Note
from sizing.site import checks, circuits
from sizing.site.circuits import CircuitFacts

LINE_TO_LINE_MAX_V = 250.0
"""Highest voltage of a supply's input: phases up to this far apart feed it directly."""

MOST_SERVERS = 10_000


def between_phases(circuit: CircuitFacts) -> bool:
    """Whether the outlets of a three-phase circuit hang between two phases."""
    return circuit.phases == 3 and circuit.volts <= LINE_TO_LINE_MAX_V


def outlet_volts(circuit: CircuitFacts) -> float:
    """Voltage at an outlet of a circuit. [V]

    400 V between phases are 230.9 V to neutral. Source: servertech-3-phase, raritan-3-phase.
    """
    if circuit.phases == 1 or between_phases(circuit):
        return circuit.volts
    return circuit.volts / math.sqrt(3)


def line_amps(circuit: CircuitFacts, groups_a: tuple[float, float, float]) -> tuple[float, ...]:
    """Current in each conductor of a circuit. [A]

    groups_a: current that each of the three groups of outlets takes. [A] A single-phase circuit has one conductor and
    takes their sum. Between phases, each conductor feeds two groups that are 120 degrees apart: the law of cosines.
    Source: servertech-3-phase.
    """
    first, second, third = groups_a
    if circuit.phases == 1:
        return (first + second + third,)
    if not between_phases(circuit):
        return groups_a
    return tuple(
        math.sqrt(one * one + other * other + one * other)
        for one, other in ((first, third), (first, second), (second, third))
    )


@dataclass(frozen=True, slots=True)
class PhaseLoad:
    """Load of a circuit's conductors. amps: of each. [A]   limit_a: what is planned on each. [A]

    cord_a: current of one cord. [A]   cords: how many hang on each of the three groups of outlets.
    """

    amps: tuple[float, ...]
    limit_a: float
    cord_a: float
    cords: tuple[int, int, int]

    @property
    def fullest_a(self) -> float:
        """The highest of them. [A]"""
        return max(self.amps)

    @property
    def fits(self) -> bool:
        """No conductor is above what is planned on it."""
        return circuits.fits(self.fullest_a, self.limit_a)


def load(
    circuit: CircuitFacts,
    server_w: float,
    servers: int = 1,
    groups_per_server: int = 1,
    planning_factor: float = 1.0,
    power_factor: float = 1.0,
    cords: int | None = None,
) -> PhaseLoad:
    """Conductors of a circuit with ``servers`` servers of ``server_w`` [W], each on 1, 2 or 3 groups of outlets.

    cords: that carry a server and share its load; one in each group where None. Fewer cords than groups use as many
    groups as there are cords, and a count that does not divide loads some groups more than others.
    The servers take the groups in turn, which is the most even way. planning_factor, power_factor: see circuits.
    """
    checks.number("load_w", server_w, 0, 10_000_000, "W")
    checks.count("servers", servers, 0, MOST_SERVERS)
    checks.count("groups_per_server", groups_per_server, 1, 3)
    each = groups_per_server if cords is None else checks.count("cords", cords, 1, 64)
    circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, planning_factor, power_factor)
    cord_a = server_w / power_factor / outlet_volts(circuit) / each
    cords_on = _cords(servers, each, min(each, groups_per_server))
    first, second, third = (count * cord_a for count in cords_on)
    return PhaseLoad(
        line_amps(circuit, (first, second, third)), circuit.amps * planning_factor, cord_a=cord_a, cords=cords_on
    )


def _cords(servers: int, each: int, groups: int) -> tuple[int, int, int]:
    """Cords in each of the three groups of outlets, when each server spreads ``each`` cords over ``groups`` of them."""
    taken = [servers // 3 * each] * 3  # three servers in turn load all groups alike
    step = groups if groups < 3 else each % 3
    for turn in range(servers % 3):
        for cord in range(each):
            taken[(turn * step + cord % groups) % 3] += 1
    return taken[0], taken[1], taken[2]


def servers(
    circuit: CircuitFacts,
    server_w: float,
    groups_per_server: int,
    planning_factor: float,
    power_factor: float = 1.0,
    cords: int | None = None,
) -> int:
    """How many servers of ``server_w`` [W] a circuit takes before its fullest conductor passes what is planned. [-]"""
    checks.number("load_w", server_w, 1, 10_000_000, "W")
    planned = circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, planning_factor, power_factor)
    fewest, most = 0, min(MOST_SERVERS, units.floor_count(planned / server_w) + 1)
    while fewest < most:  # the fullest conductor never falls with one server more
        middle = (fewest + most + 1) // 2
        if load(circuit, server_w, middle, groups_per_server, planning_factor, power_factor, cords).fits:
            fewest = middle
        else:
            most = middle - 1
    return fewest


def notes(circuit: CircuitFacts, placed: PhaseLoad, groups_per_server: int) -> tuple[Note, ...]:
    """What to say about the phases."""
    if circuit.phases == 1:
        return ()
    values = {"groups": groups_per_server, "fullest_a": placed.fullest_a, "limit_a": placed.limit_a}
    if not placed.fits:
        return (Note("stop", "phase_exceeded", "servertech-3-phase", values),)
    if max(placed.amps) > min(placed.amps) * 1.05:
        return (Note("warn", "phases_uneven", "servertech-3-phase", values),)
    return ()
