"""Connection: every limit between the mains and the server, and which of them stops it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sizing.base import checks, units
from sizing.base.notes import Note
from sizing.base.texts import unit_word
from sizing.site import circuits, supplies
from sizing.site.circuits import CircuitFacts
from sizing.site.supplies import Case, Supplies

# Phases: which conductor a server loads, and how many servers a circuit takes before its fullest conductor is full. A
# three-phase strip feeds its outlets between phase and neutral where that gives 200 to 250 V (400 V: 230 V), and
# between two phases where the phases themselves are that far apart (208 V). A server draws from one, two or three of
# its three groups of outlets.

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


Kind = Literal["circuit", "phase", "bank", "cord", "supply", "site"]


@dataclass(frozen=True, slots=True)
class Strip:
    """A rack strip. bank_a: breaker of one bank of outlets. [A]   banks: how many.

    share: of a breaker that is planned.
    """

    bank_a: float
    banks: int
    share: float


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit. load and limit: in ``unit``.   source: of the limit."""

    kind: Kind
    load: float
    limit: float
    unit: str
    source: str

    @property
    def fits(self) -> bool:
        """The load stays within the limit."""
        return circuits.fits(self.load, self.limit)

    @property
    def used(self) -> float:
        """Load over limit."""
        return self.load / self.limit if self.limit else math.inf


@dataclass(frozen=True, slots=True)
class Connection:
    """Servers at their connection, in the worst case that is planned for: one feed lost where there are two.

    limits: every limit, the fullest first.   stopped_by: the kinds that do not fit.
    va: apparent power of one server. [VA]
    """

    limits: tuple[Limit, ...]
    va: float
    notes: tuple[Note, ...]

    @property
    def fits(self) -> bool:
        """No limit is passed."""
        return not self.stopped_by

    @property
    def stopped_by(self) -> tuple[Kind, ...]:
        """Kinds of the limits that are passed, the fullest first."""
        return tuple(limit.kind for limit in self.limits if not limit.fits)


def va(load_w: float, power_factor: float) -> float:
    """Apparent power of a load. [VA] load_w [W]; power_factor: W for each VA. [-]

    >>> round(va(3404, 0.98))
    3473
    """
    checks.number("load_w", load_w, 0, 10_000_000, "W")
    return load_w / checks.number("power_factor", power_factor, 0.1, 1)


def connect(
    circuit: CircuitFacts,
    server_w: float,
    arrangement: Supplies,
    cord_a: float,
    *,
    servers: int = 1,
    groups_per_server: int = 1,
    planning_factor: float,
    power_factor: float = 1.0,
    strip: Strip | None = None,
    site_cap_w: float | None = None,
    cord_source: str = "iec-60320",
) -> Connection:
    """``servers`` servers of ``server_w`` [W] on a circuit, or on two such circuits as feeds A and B.

    arrangement: the supplies of a server and the feeds that they hang on; each feed carries the whole server. The loss
    of one feed, or of one supply where there is one feed, is planned for.
    cord_a: what one cord carries. [A]   groups_per_server: groups of outlets of a three-phase strip it draws from.
    strip: the rack strip's banks, None where it has none.   site_cap_w: for all servers together. [W]
    """
    checks.number("cord_a", cord_a, 1, 400, "A")
    checks.count("servers", servers, 1, MOST_SERVERS)
    all_w = servers * server_w
    worst = planned_loss(server_w, arrangement)
    cords = worst.working
    placed = load(circuit, server_w, servers, groups_per_server, planning_factor, power_factor, cords)
    planned = circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, planning_factor, power_factor)
    cord_load_a = va(server_w, power_factor) / outlet_volts(circuit) / cords
    limits = [
        Limit("circuit", all_w, planned, "W", circuits.SOURCE),
        Limit("cord", cord_load_a, cord_a, "A", cord_source),
        Limit("supply", server_w, worst.available_w, "W", ""),
    ]
    if circuit.phases == 3:
        limits.append(Limit("phase", placed.fullest_a, placed.limit_a, "A", "servertech-3-phase"))
    if strip is not None:
        on_a_bank = math.ceil(servers * cords / _banks(strip))
        limits.append(Limit("bank", on_a_bank * cord_load_a, strip.bank_a * strip.share, "A", "geist-pdu"))
    if site_cap_w is not None:
        limits.append(Limit("site", all_w, checks.number("site_cap_w", site_cap_w, 1, 1e9, "W"), "W", "input"))
    limits.sort(key=lambda limit: -limit.used)
    return Connection(
        limits=tuple(limits),
        va=va(server_w, power_factor),
        notes=(*_said(limits, circuit), *notes(circuit, placed, min(groups_per_server, cords))),
    )


def planned_loss(server_w: float, arrangement: Supplies) -> Case:
    """The worst loss that is planned for: a feed where there are two, else a supply; a single supply has no spare."""
    found = (case for case in supplies.cases(server_w, arrangement) if case.working)
    return min(found, key=lambda case: case.available_w)


def _banks(strip: Strip) -> int:
    checks.number("bank_a", strip.bank_a, 1, 400, "A")
    checks.number("bank_share", strip.share, 0.01, 1)
    return checks.count("banks", strip.banks, 1, 100)


def most_servers(
    circuit: CircuitFacts,
    server_w: float,
    arrangement: Supplies,
    cord_a: float,
    *,
    groups_per_server: int = 1,
    planning_factor: float,
    power_factor: float = 1.0,
    strip: Strip | None = None,
    site_cap_w: float | None = None,
) -> tuple[int, Kind]:
    """How many servers every limit of a connection lets through, and the limit that ends the count. Inputs as above."""
    worst = planned_loss(server_w, arrangement)
    cord_load_a = va(server_w, power_factor) / outlet_volts(circuit) / worst.working
    if not worst.fits:
        return 0, "supply"
    if not circuits.fits(cord_load_a, cord_a):
        return 0, "cord"
    by_phase = servers(circuit, server_w, groups_per_server, planning_factor, power_factor, worst.working)
    planned = circuits.planned_w(circuit.volts, circuit.phases, circuit.amps, planning_factor, power_factor)
    by_circuit = min(MOST_SERVERS, units.floor_count(planned / server_w))
    counts: list[tuple[int, Kind]] = [(by_circuit, "circuit"), (by_phase, "phase")]
    if strip is not None:
        a_bank = units.floor_count(strip.bank_a * strip.share / cord_load_a)
        counts.append((a_bank * _banks(strip) // worst.working, "bank"))
    if site_cap_w is not None:
        counts.append((units.floor_count(site_cap_w / server_w), "site"))
    return min(counts, key=lambda count: count[0])


def _said(limits: Iterable[Limit], circuit: CircuitFacts) -> list[Note]:
    notes = []
    for limit in limits:
        if not limit.fits and limit.kind != "phase":
            values = {"load": limit.load, "limit": limit.limit, "unit": unit_word(limit.unit), "circuit": circuit.name}
            source = "" if limit.source == "input" else limit.source
            notes.append(Note("stop", f"stopped_by_{limit.kind}", source, values))
    return notes


def feeds(load_a_w: float, load_b_w: float, planned_w: float) -> tuple[Note, ...]:
    """Whether two feeds still stand in for each other. [W]

    load_a_w, load_b_w: what each carries now.   planned_w: what is planned on each. Each may look half empty while
    neither could take over the other.
    """
    checks.number("load_a_w", load_a_w, 0, 10_000_000, "W")
    checks.number("load_b_w", load_b_w, 0, 10_000_000, "W")
    together = load_a_w + load_b_w
    if circuits.fits(together, planned_w):
        return ()
    level: Literal["stop", "warn"] = "warn" if max(load_a_w, load_b_w) <= planned_w else "stop"
    return (Note(level, "feeds_not_redundant", circuits.SOURCE, {"together_w": together, "planned_w": planned_w}),)


HIGH_LINE_V = 200.0
"""Lowest mains voltage that makers rate large supplies for."""


def supply_notes(
    circuit: CircuitFacts, supply_w: float, efficiency: float, cord_a: float, planning_factor: float
) -> tuple[Note, ...]:
    """What one supply at its full rating [W] would take from cord [A] and circuit, and whether the mains suits it.

    efficiency: at full rating. [-] Supplies rarely run full, so that these are hints; the voltage is not.
    """
    volts = outlet_volts(circuit)
    full_a = supplies.input_amps(supply_w, efficiency, volts)
    values = {"supply_w": supply_w, "full_a": full_a, "cord_a": cord_a, "planned_a": circuit.amps * planning_factor}
    found = []
    if volts < HIGH_LINE_V:
        found.append(Note("warn", "mains_below_200_v", "dell-e118s", {"volts": volts}))
    if not circuits.fits(full_a, cord_a):
        found.append(Note("hint", "full_supply_over_cord", "iec-60320", values))
    if not circuits.fits(full_a, circuit.amps * planning_factor):
        found.append(Note("hint", "full_supply_over_circuit", circuits.SOURCE, values))
    return tuple(found)


def power_factor_notes(load_w: float, planned_va: float, power_factor: float, source: str) -> tuple[Note, ...]:
    """Whether a server that fits with W taken as VA still fits with its power factor. load_w [W], planned_va [VA]"""
    apparent = va(load_w, power_factor)
    if circuits.fits(load_w, planned_va) and not circuits.fits(apparent, planned_va):
        values = {"va": apparent, "power_factor": power_factor, "planned_va": planned_va}
        return (Note("warn", "fits_in_w_not_in_va", source, values),)
    return ()
