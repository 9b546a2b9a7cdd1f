"""The best placement, exactly: an integer program, solved by HiGHS to proved optimality.

Cards of a kind are alike, so that the program counts cards instead of naming them: groups of whole cards by socket,
cards by the mix of slices they are cut into. Only cards that engines share are told apart. Goals come one after
another: each is brought to its best value, and held there for the next.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
import time
from collections.abc import Iterable, Sequence

from sizing.base.dataclass import dataclass
from sizing.base.errors import extra
from sizing.base.units import KIB
from sizing.catalogue.slices import Geometry, SliceProfile
from sizing.sharing.needs import Need, Option, Room
from sizing.sharing.program import HELD_TIGHT, Maximise, Program

TIME_LIMIT_S = 1.0
"""For one placement, which a visitor waits for. The slowest of 300 random plans took 0.2 s."""

ISOLATION_POINTS = {"whole": 2, "slice": 1, "share": 0}
GOALS = {
    "fit_all": ("placed", "spread", "isolation", "cards"),
    "fewest_cards": ("placed", "spread", "cards", "free"),
    "most_free": ("placed", "spread", "free", "cards"),
    "most_conversations": ("placed", "spread", "conversations", "cards"),
    "count": ("placed",),
    "fewest_changes": ("placed", "cost"),
}


@dataclass(frozen=True)
class Problem:
    """What has to be placed where.

    sockets: cards under each socket of one server.   servers: alike.   mixes: of slices, for one card.
    favourite: number of the service whose conversations count, from 0; -1 for none.
    variants: numbers of needs of which at most one is placed, service by service; () where each stands for itself.
    costs: of placing each need, for the aim "fewest_changes".
    """

    needs: Sequence[Need]
    room: Room
    profiles: Sequence[SliceProfile]
    mixes: Sequence[tuple[int, ...]]
    geometry: Geometry
    sockets: tuple[int, ...]
    servers: int = 1
    aim: str = "fit_all"
    favourite: int = -1
    variants: tuple[tuple[int, ...], ...] = ()
    costs: tuple[int, ...] = ()

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Needs of each service."""
        return self.variants or tuple((number,) for number in range(len(self.needs)))

    @property
    def cards(self) -> int:
        """Cards of one server. [-]"""
        return sum(self.sockets)


@dataclass(frozen=True)
class Spot:
    """Where one copy of a service goes.

    socket: for a group under one socket, else -1.   shared: number of the shared card in its server, else -1.
    extra: conversations beyond what the option counts, for a share of the favourite.
    """

    service: int
    option: Option
    server: int
    socket: int = -1
    shared: int = -1
    extra: int = 0


@dataclass(frozen=True)
class Solution:
    """spots: of every copy that is placed.   cut: per server, how many cards are cut into each mix.

    values: best value of each goal by name; free in KiB.   proved: every goal's value is proved to be the best.
    """

    spots: tuple[Spot, ...]
    cut: tuple[tuple[int, ...], ...]
    values: dict[str, int]
    proved: bool

    def on(self, server: int) -> list[Spot]:
        """The copies of one server."""
        return [spot for spot in self.spots if spot.server == server]


def by_shared_card(spots: Iterable[Spot]) -> dict[int, list[Spot]]:
    """The copies that share a card, by the number of that card."""
    groups: dict[int, list[Spot]] = {}
    for spot in spots:
        if spot.shared >= 0:
            groups.setdefault(spot.shared, []).append(spot)
    return groups


class _Placing:
    """The program of one problem: its columns, and what each goal adds up."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.program = problem, Program()
        self.spots: dict[int, Spot] = {}
        self.extra: dict[tuple[int, int, int], int] = {}
        self.goals: dict[str, dict[int, float]] = {
            name: {} for name in ("placed", "spread", "isolation", "cards", "free", "conversations", "cost")
        }
        self.free_constant_kib = problem.cards * problem.servers * problem.room.limit_kib
        self.cut = [[self.program.column(problem.cards) for _ in problem.mixes] for _ in range(problem.servers)]
        self.bins = [self._bins() for _ in range(problem.servers)]
        copies = 0
        for group in problem.groups:
            copies += self._sharing(group)
            placed = [self._service(number, problem.needs[number], copies) for number in group]
            if len(placed) > 1:
                self.program.row(dict.fromkeys(placed, 1.0), high=1)
        for server in range(problem.servers):
            self._server(server)
        if problem.servers > 1:
            self._spread()
            for left, right in itertools.pairwise(range(problem.servers)):
                self.program.row({**self._used(left), **{c: -w for c, w in self._used(right).items()}}, low=0)

    def _sharing(self, group: Sequence[int]) -> int:
        """Copies of a service that may share cards."""
        needs = [self.problem.needs[number] for number in group]
        return max((need.service.copies for need in needs if need.of_kind("share")), default=0)

    def _bins(self) -> list[int]:
        """Cards that several engines may share: one column each, 1 where it is in use."""
        copies = sum(map(self._sharing, self.problem.groups))
        columns = [self.program.column(1) for _ in range(min(self.problem.cards, copies))]
        for left, right in itertools.pairwise(columns):
            self.program.row({left: 1, right: -1}, low=0)
        return columns

    def _options(self, number: int, need: Need) -> list[Option]:
        """Options that can be part of a best placement: others take more of the same and give nothing for it."""
        if self.problem.aim == "most_conversations" and number == self.problem.favourite:
            return list(need.options)
        socket = max(self.problem.sockets)
        whole = sorted(need.of_kind("whole"), key=lambda option: option.cards)
        kept = [*whole[:1], *[option for option in whole if option.cards > socket][:1]]
        kept = list(dict.fromkeys(kept))
        sizes = [(option, self.problem.profiles[option.profile]) for option in need.of_kind("slice")]
        for option, size in sizes:
            smaller = [
                each
                for other, each in sizes
                if other != option and each.units <= size.units and each.compute <= size.compute
            ]
            if not smaller:
                kept.append(option)
        return [*kept, *need.of_kind("share")]

    def _service(self, number: int, need: Need, before: int) -> int:
        """The columns of one need. before: copies that share, of this service and those before it."""
        problem, copies = self.problem, need.service.copies
        placed = self.program.column(1)
        self.goals["placed"][placed] = 1
        total: dict[int, float] = {placed: -copies}
        favourite = number == problem.favourite
        if problem.costs:
            self.goals["cost"][placed] = -problem.costs[number]
        for option in self._options(number, need):
            for spot in self._places(number, option, before):
                column = self.program.column(1 if spot.shared >= 0 else copies)
                self.spots[column] = spot
                total[column] = 1
                self.goals["isolation"][column] = ISOLATION_POINTS[option.kind]
                if favourite:
                    self.goals["conversations"][column] = option.conversations or 0
                    if spot.shared >= 0 and need.kv_kib:
                        most = problem.room.limit_kib // need.kv_kib
                        more = self.program.column(most)
                        self.program.row({more: 1, column: -most}, high=0)
                        self.extra[number, spot.server, spot.shared] = more
                        self.goals["conversations"][more] = 1
        self.program.row(total, low=0, high=0)
        return placed

    def _places(self, number: int, option: Option, before: int) -> list[Spot]:
        problem = self.problem
        servers = range(problem.servers)
        if option.kind == "share":
            # The shared cards of a server are numbered by the first service on them, which tells no two apart twice.
            return [
                Spot(number, option, server, shared=shared)
                for server in servers
                for shared in range(min(len(self.bins[server]), before))
            ]
        if option.kind == "whole" and 1 < option.cards <= max(problem.sockets):
            return [
                Spot(number, option, server, socket=socket)
                for server in servers
                for socket, size in enumerate(problem.sockets)
                if option.cards <= size
            ]
        if option.cards > problem.cards:
            return []
        return [Spot(number, option, server) for server in servers]

    def _used(self, server: int) -> dict[int, float]:
        """Cards in use in one server."""
        terms: dict[int, float] = {
            column: spot.option.cards
            for column, spot in self.spots.items()
            if spot.server == server and spot.option.kind == "whole"
        }
        return {**terms, **dict.fromkeys(self.cut[server], 1.0), **dict.fromkeys(self.bins[server], 1.0)}

    def _server(self, server: int) -> None:
        problem, room = self.problem, self.problem.room
        used = self._used(server)
        # Cards outside the groups of a socket come from any of them.
        loose = {column: weight for column, weight in used.items() if self._socket(column) < 0}
        taken = [self.program.column(size) for size in problem.sockets]
        self.program.row({**loose, **dict.fromkeys(taken, -1.0)}, low=0, high=0)
        for socket, (size, column) in enumerate(zip(problem.sockets, taken, strict=True)):
            groups = {each: weight for each, weight in used.items() if self._socket(each) == socket}
            self.program.row({**groups, column: 1}, high=size)
        free = self.goals["free"]
        for column, weight in used.items():
            self.goals["cards"][column] = -weight
            free[column] = free.get(column, 0.0) - weight * room.limit_kib / KIB
        self._slices(server)
        for shared, opened in enumerate(self.bins[server]):
            asked: dict[int, float] = {}
            held: dict[int, float] = {}
            for column, spot in self.spots.items():
                if (spot.server, spot.shared) == (server, shared):
                    asked[column] = spot.option.need_kib / KIB
                    held[column] = (spot.option.need_kib + room.context_kib) / KIB
                    self.program.row({column: 1, opened: -1}, high=0)
                    if more := self.extra.get((spot.service, server, shared)):
                        kv_kib = problem.needs[spot.service].kv_kib
                        asked[more] = held[more] = kv_kib / KIB
            self.program.row({**asked, opened: -room.limit_kib / KIB}, high=0)
            self.program.row({**held, opened: -room.visible_kib / KIB}, high=0)
            for column, weight in {**asked, opened: -room.limit_kib / KIB}.items():
                free[column] = free.get(column, 0.0) - weight

    def _slices(self, server: int) -> None:
        problem = self.problem
        unit = unit_kib(problem) / KIB
        for profile, size in enumerate(problem.profiles):
            columns = [
                column
                for column, spot in self.spots.items()
                if spot.server == server and spot.option.kind == "slice" and spot.option.profile == profile
            ]
            offered = {
                column: -float(mix[profile])
                for column, mix in zip(self.cut[server], problem.mixes, strict=True)
                if mix[profile]
            }
            if columns:
                self.program.row({**dict.fromkeys(columns, 1.0), **offered}, high=0)
            for column in columns:
                self.goals["free"][column] = -size.units * unit
        for column in self.cut[server]:
            self.goals["free"][column] += problem.geometry.units * unit

    def _spread(self) -> None:
        """A service survives a server where not all of its copies are there."""
        for number, need in enumerate(self.problem.needs):
            if need.service.copies < 2:
                continue
            spread = self.program.column(1)
            self.goals["spread"][spread] = 1
            columns = [column for column, spot in self.spots.items() if spot.service == number]
            self.program.row({**dict.fromkeys(columns, 1.0), spread: -1}, low=0)
            for server in range(self.problem.servers):
                there = [column for column in columns if self.spots[column].server == server]
                self.program.row({**dict.fromkeys(there, 1.0), spread: 1}, high=need.service.copies)

    def _socket(self, column: int) -> int:
        spot = self.spots.get(column)
        return spot.socket if spot else -1

    def solve(self, until: float) -> Solution:
        """Goal after goal. until: when the search ends, in time.monotonic(). [s]"""
        maximise = _installed()
        proved = True
        values: dict[str, float] = {}
        columns: list[int] | None = None
        for name in GOALS[self.problem.aim]:
            goal = self.goals[name]
            if not goal:
                values[name] = 0
                continue
            columns, certain = self.program.best(goal, columns, maximise, until)
            proved = proved and certain
            value = sum(weight * columns[column] for column, weight in goal.items())
            self.program.row(dict(goal), low=value - HELD_TIGHT)
            values[name] = value
        return self._read(columns or [0] * len(self.program.upper), values, proved)

    def _read(self, columns: list[int], values: dict[str, float], proved: bool) -> Solution:
        spots = []
        for column, spot in self.spots.items():
            more = self.extra.get((spot.service, spot.server, spot.shared)) if spot.shared >= 0 else None
            for _ in range(columns[column]):
                spots.append(dataclasses.replace(spot, extra=columns[more]) if more is not None else spot)
        cut = tuple(tuple(columns[column] for column in row) for row in self.cut)
        whole = {name: round(value) for name, value in values.items() if name != "free"}
        for name in {"cards", "cost"} & whole.keys():
            whole[name] = -whole[name]
        if "free" in values:
            whole["free"] = round(values["free"] * KIB) + self.free_constant_kib
        solution = Solution(tuple(spots), cut, whole, proved)
        _check(self.problem, solution)
        return solution


def _installed() -> Maximise:
    """HiGHS: its wheel, or its build for browsers in a browser. Loaded only when something is placed."""
    if sys.platform == "emscripten":
        from sizing.sharing import highs_browser

        return highs_browser.maximise
    with extra("pages"):
        from sizing.sharing import highs_native
    return highs_native.maximise


def unit_kib(problem: Problem) -> int:
    """What one memory unit of a cut card counts as free: the rule's share of its smallest slice. [KiB]

    All units together never count more than the card when it is not cut.
    """
    if not problem.profiles:
        return 0
    smallest = problem.profiles[0]
    share_kib = int(problem.room.rule.share * smallest.memory_gib / smallest.units * KIB * KIB)
    return min(share_kib, problem.room.limit_kib // problem.geometry.units)


def solve(problem: Problem, until: float | None = None) -> Solution:
    """The best placement by the goals of the problem's aim; the best one found where the time ends before the proof.

    until: when the search ends, in time.monotonic(); TIME_LIMIT_S from now where it is not given. [s]
    """
    return _Placing(problem).solve(time.monotonic() + TIME_LIMIT_S if until is None else until)


def _check(problem: Problem, solution: Solution) -> None:
    """The solver works with binary fractions: what it hands over is checked again in whole KiB."""
    for server in range(problem.servers):
        here = solution.on(server)
        shared = by_shared_card(here)
        for spots in shared.values():
            asked = sum(spot.option.need_kib + spot.extra * problem.needs[spot.service].kv_kib for spot in spots)
            with_contexts = asked + len(spots) * problem.room.context_kib
            if asked > problem.room.limit_kib or with_contexts > problem.room.visible_kib:
                raise RuntimeError("the solver put more on a card than it holds")
        for profile in range(len(problem.profiles)):
            wanted = sum(spot.option.kind == "slice" and spot.option.profile == profile for spot in here)
            offered = sum(count * mix[profile] for count, mix in zip(solution.cut[server], problem.mixes, strict=True))
            if wanted > offered:
                raise RuntimeError("the solver used more slices than there are")
        used = sum(spot.option.cards for spot in here) + sum(solution.cut[server]) + len(shared)
        if used > problem.cards:
            raise RuntimeError("the solver used more cards than there are")
