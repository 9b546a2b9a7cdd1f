"""Connection: every limit between the mains and the server, and which of them stops it."""

from __future__ import annotations

import math
from typing import Literal

from sizing.base import checks, units
from sizing.base.dataclass import dataclass
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
PHASES_SOURCE = "servertech-3-phase"
BANKS_SOURCE = "geist-pdu"


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


@dataclass(frozen=True)
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

    @property
    def uneven(self) -> bool:
        """One conductor carries noticeably more than another."""
        return max(self.amps) > min(self.amps) * 1.05


def load(
    circuit: CircuitFacts,
    server_w: float,
    servers: int = 1,
    groups: int = 1,
    planning_share: float = 1.0,
    power_factor: float = 1.0,
    cords: int | None = None,
) -> PhaseLoad:
    """Conductors of a circuit with ``servers`` servers of ``server_w`` [W], each on 1, 2 or 3 groups of outlets.

    cords: that carry a server and share its load; one in each group where None. Fewer cords than groups use as many
    groups as there are cords, and a count that does not divide loads some groups more than others.
    The servers take the groups in turn, which is the most even way. planning_share, power_factor: see circuits.
    """
    checks.number("load_w", server_w, 0, 10_000_000, "W")
    checks.count("servers", servers, 0, MOST_SERVERS)
    checks.count("groups_per_server", groups, 1, 3)
    each = groups if cords is None else checks.count("cords", cords, 1, 64)
    cord_a = va(server_w, power_factor) / outlet_volts(circuit) / each
    cords_on = _cords(servers, each, min(each, groups))
    first, second, third = (count * cord_a for count in cords_on)
    amps = line_amps(circuit, (first, second, third))
    return PhaseLoad(amps, circuit.amps * circuits.share_of(circuit, planning_share), cord_a=cord_a, cords=cords_on)


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
    groups: int,
    planning_share: float,
    power_factor: float = 1.0,
    cords: int | None = None,
) -> int:
    """Servers of ``server_w`` [W] that a circuit takes before its fullest conductor passes what is planned. [servers]

    groups, planning_share, power_factor, cords: as in `load`.
    """
    checks.number("load_w", server_w, 1, 10_000_000, "W")

    def fits(count: int) -> bool:
        return load(circuit, server_w, count, groups, planning_share, power_factor, cords).fits

    if circuit.phases == 1:
        rated = circuit.amps * circuits.share_of(circuit, planning_share)
        return min(MOST_SERVERS, units.floor_count(rated / load(circuit, server_w).cord_a * power_factor))
    three = load(circuit, server_w, 3, groups, planning_share, power_factor, cords)
    most = 3 * units.floor_count(three.limit_a / three.fullest_a)  # three in turn load all conductors alike
    while most < MOST_SERVERS and fits(most + 1):
        most += 1
    return min(MOST_SERVERS, most)


Kind = Literal["circuit", "phase", "bank", "cord", "supply", "site"]


@dataclass(frozen=True)
class Strip:
    """A rack strip. bank_a: breaker of one bank of outlets. [A]   banks: how many.

    share: of a breaker that is planned.
    """

    bank_a: float
    banks: int
    share: float

    def __post_init__(self) -> None:
        checks.number("bank_a", self.bank_a, 1, 400, "A")
        checks.number("bank_share", self.share, 0.01, 1)
        checks.count("banks", self.banks, 1, 100)

    @property
    def limit_a(self) -> float:
        """What is planned on a bank. [A]"""
        return self.bank_a * self.share


@dataclass(frozen=True)
class Way:
    """How every server hangs on its connection.

    arrangement: its supplies and the feeds that they hang on; each feed carries the whole server.
    cord_a: what one cord carries. [A]   groups: groups of outlets of a three-phase strip that it draws from.
    planning_share, power_factor: see circuits.   strip: the rack strip's banks, None where it has none.
    site_cap_w: for all servers together. [W]
    """

    arrangement: Supplies
    cord_a: float
    planning_share: float
    groups: int = 1
    power_factor: float = 1.0
    strip: Strip | None = None
    site_cap_w: float | None = None
    cord_source: str = "iec-60320"

    def __post_init__(self) -> None:
        checks.number("cord_a", self.cord_a, 1, 400, "A")
        if self.site_cap_w is not None:
            checks.number("site_cap_w", self.site_cap_w, 1, 1e9, "W")

    def load(self, circuit: CircuitFacts, server_w: float, servers: int) -> PhaseLoad:
        """Conductors of a circuit with so many servers of ``server_w`` [W] in the loss that is planned for."""
        cords = planned_loss(server_w, self.arrangement).working
        return load(circuit, server_w, servers, self.groups, self.planning_share, self.power_factor, cords)

    def planned_w(self, circuit: CircuitFacts) -> float:
        """What is planned on a circuit. [W]"""
        return circuits.planned(circuit, self.planning_share, self.power_factor).result


@dataclass(frozen=True)
class Limit:
    """One limit. load, limit: in ``unit``.   source: of the limit."""

    kind: Kind
    load: float
    limit: float
    unit: Literal["W", "A"]
    source: str

    @property
    def used(self) -> float:
        """Load over limit. [-]"""
        return self.load / self.limit

    @property
    def fits(self) -> bool:
        """The load stays within it."""
        return circuits.fits(self.load, self.limit)


@dataclass(frozen=True)
class Connection:
    """Servers on a circuit. limits: the fullest first.   placed: the load of its conductors."""

    limits: tuple[Limit, ...]
    placed: PhaseLoad

    @property
    def fits(self) -> bool:
        """No limit is passed."""
        return all(limit.fits for limit in self.limits)

    @property
    def stopped_by(self) -> tuple[Kind, ...]:
        """The limits that are passed, the worst first."""
        return tuple(limit.kind for limit in self.limits if not limit.fits)

    @property
    def no_margin(self) -> tuple[Kind, ...]:
        """The limits that are just reached."""
        return tuple(limit.kind for limit in self.limits if circuits.no_margin(limit.load, limit.limit))

    @property
    def verdict(self) -> Literal["fits", "no_margin", "stopped"]:
        """In one word; "no_margin" where it holds and a limit is just reached."""
        return "stopped" if not self.fits else "no_margin" if self.no_margin else "fits"

    def limit(self, kind: Kind) -> Limit:
        """One limit that there is."""
        return next(limit for limit in self.limits if limit.kind == kind)


def va(load_w: float, power_factor: float) -> float:
    """Apparent power of a load. [VA] load_w [W]; power_factor: W for each VA. [-]

    >>> round(va(3404, 0.98))
    3473
    """
    checks.number("load_w", load_w, 0, 10_000_000, "W")
    return load_w / checks.number("power_factor", power_factor, 0.1, 1)


def planned_loss(server_w: float, arrangement: Supplies) -> Case:
    """The worst loss, which cords, banks and phases have to carry: a feed where there are two, else a supply.

    server_w: [W]   arrangement: its supplies. Supplies that do not survive it may still carry the load for a while, so
    that a cord is planned for it all the same; that they do not is no redundancy, and no stop.
    """
    found = (case for case in supplies.cases(server_w, arrangement) if case.working)
    return min(found, key=lambda case: case.available_w)


def connect(circuit: CircuitFacts, server_w: float, way: Way, servers: int = 1) -> Connection:
    """``servers`` servers of ``server_w`` [W] on a circuit, or on two such as feeds A and B, each hung in one way."""
    checks.count("servers", servers, 1, MOST_SERVERS)
    all_w, cords = servers * server_w, planned_loss(server_w, way.arrangement).working
    placed = way.load(circuit, server_w, servers)
    limits = [
        Limit("circuit", all_w, way.planned_w(circuit), "W", circuits.SOURCE),
        Limit("cord", placed.cord_a, way.cord_a, "A", way.cord_source),
        Limit("supply", server_w, way.arrangement.available_w, "W", ""),
    ]
    if circuit.phases == 3:
        limits.append(Limit("phase", placed.fullest_a, placed.limit_a, "A", PHASES_SOURCE))
    if way.strip is not None:
        on_a_bank = math.ceil(servers * cords / way.strip.banks)
        limits.append(Limit("bank", on_a_bank * placed.cord_a, way.strip.limit_a, "A", BANKS_SOURCE))
    if way.site_cap_w is not None:
        limits.append(Limit("site", all_w, way.site_cap_w, "W", "input"))
    return Connection(tuple(sorted(limits, key=lambda limit: -limit.used)), placed)


def most_servers(circuit: CircuitFacts, server_w: float, way: Way) -> tuple[int, Kind]:
    """Servers of ``server_w`` [W], hung one way, that all limits of a circuit let through, and which ends it."""
    cords = planned_loss(server_w, way.arrangement).working
    cord_a = way.load(circuit, server_w, 1).cord_a
    if not circuits.fits(server_w, way.arrangement.available_w):
        return 0, "supply"
    if not circuits.fits(cord_a, way.cord_a):
        return 0, "cord"
    counts: list[tuple[int, Kind]] = [
        (min(MOST_SERVERS, units.floor_count(way.planned_w(circuit) / server_w)), "circuit"),
        (servers(circuit, server_w, way.groups, way.planning_share, way.power_factor, cords), "phase"),
    ]
    if way.strip is not None:
        counts.append((units.floor_count(way.strip.limit_a / cord_a) * way.strip.banks // cords, "bank"))
    if way.site_cap_w is not None:
        counts.append((units.floor_count(way.site_cap_w / server_w), "site"))
    return min(counts, key=lambda count: count[0])
