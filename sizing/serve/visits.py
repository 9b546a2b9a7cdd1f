"""Every kernel of the server: made ready ahead, given to a visitor, taken back."""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_core.utils import ensure_async
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from tornado.ioloop import PeriodicCallback
from voila import __version__ as voila_version
from voila.execute import VoilaExecutor

from sizing.base.dataclass import dataclass
from sizing.serve.log import plain

CELL_TIMEOUT_S = 60
WELCOME_TIMEOUT_S = 30
KEEPER_INTERVAL_S = 5.0
ARRIVAL_S = 30.0
"""A page that no browser has connected to for so long was asked for by something else. [s]"""
MOST_SILENT_S = 90.0
"""A kernel that owes an answer and says nothing for so long hangs: the longest calculation takes a few seconds. [s]"""
GIVE_UP_S = 120.0
REFILL_DELAY_S = 5.0  # the page just given out loads first; making the next one ready can wait
STARTS_AT_ONCE = 2 * (os.cpu_count() or 1)

FAULT = "sizing_fault"
"""Key in a cell's metadata: the number of what went wrong in it."""


async def _heard(client: Any, manager: Any) -> None:
    """Wait until what a kernel publishes arrives here. Asking it anything makes it publish that it is busy."""
    give_up = time.monotonic() + WELCOME_TIMEOUT_S
    while time.monotonic() < give_up:
        client.kernel_info()
        try:
            await ensure_async(client.iopub_channel.get_msg(timeout=0.2))
        except Empty:
            if await ensure_async(manager.is_alive()):
                continue
            raise DeadKernelError("the kernel has ended while it started") from None
        return
    raise TimeoutError("the kernel does not answer")


@dataclass
class Visit:
    """A kernel behind a page.

    cells: with their outputs once they have run.   ticket: of the browser that it was given to.
    """

    kernel_id: str
    page: str
    cells: list[Any] = field(default_factory=list)
    ran: bool = False
    made_ahead: bool = False  # for nobody yet: the browser tells the page its link
    ticket: str = ""
    said_goodbye: bool = False  # its browser is about to leave it
    on_its_way: bool = False  # its page is being made or sent: no browser can be connected yet
    alone_since: float | None = None  # [s] by the clock; None while a browser is connected
    address: str = ""  # of the client that it was given to
    arrived: bool = False  # a browser has connected to it
    socket: Any = None  # its browser's connection
    moved_at: float = field(default_factory=time.monotonic)  # [s] when its visitor last did something
    asked_at: float | None = None  # [s] since when its kernel owes an answer
    heard_of: float = field(default_factory=time.monotonic)  # [s] when its kernel last said something

    def moved(self) -> None:
        """Its visitor has done something, which the kernel has to answer."""
        self.moved_at = time.monotonic()
        if self.asked_at is None or self.heard_of > self.asked_at:
            self.asked_at = self.moved_at

    def hangs_s(self, now: float) -> float:
        """How long its kernel has owed an answer and said nothing. [s]"""
        return 0.0 if self.asked_at is None or self.heard_of > self.asked_at else now - self.asked_at

    @property
    def number(self) -> str:
        """What a visitor can quote and the log says."""
        return self.kernel_id[:8]


class Visits:
    """The server's kernels, by id.

    kernels: Jupyter's kernel manager.   pages: notebooks by file name, in the order of how much they are wanted.
    ready: how many kernels to keep prepared.   idle_s: a visitor who does nothing for so long is gone. [s]
    away_s: so is a browser that is not connected for so long. [s]
    """

    def __init__(
        self, kernels: Any, pages: Mapping[str, Any], log: Any, *, ready: int, idle_s: float, away_s: float, limit: int
    ) -> None:
        self.kernels = kernels
        self.pages = pages
        self.log: logging.Logger = log
        self.ready = ready
        self.idle_s = idle_s
        self.away_s = away_s
        self.limit = limit
        self.visits: dict[str, Visit] = {}  # given out, by kernel
        self.prepared: dict[str, list[Visit]] = {}  # not given out, by page
        self.starting = 0
        self.failing = False  # the last kernel that was asked for could not be started
        self._failing_since: float | None = None
        self.give_up: Callable[[], None] | None = None
        self.counts: Counter[str] = Counter(
            pages_total=0, moves_total=0, refused_total=0, died_total=0, hung_total=0, answer_seconds_total=0
        )
        # Before anyone has come, the first pages are wanted about equally.
        self._wanted: dict[str, float] = {page: 1.0 / (10 + k) for k, page in enumerate(pages)}
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)
        self._filling: asyncio.Task[None] | None = None
        self._keeper = PeriodicCallback(self.look_after, 1000 * min(KEEPER_INTERVAL_S, away_s / 3, idle_s / 3))

    def begin_work(self) -> None:
        """Make the first kernels ready, and look after all from now on."""
        self._keeper.start()
        self._fill(delay_s=0)

    def on_their_way(self, address: str) -> int:
        """Places that a client has taken and no browser has reached yet."""
        return sum(visit.address == address and not visit.arrived for visit in self.visits.values())

    def taken(self) -> int:
        """Places taken by visitors."""
        return len(self.visits) + self.starting

    def num_ready(self) -> int:
        """Kernels that wait for a visitor."""
        return sum(map(len, self.prepared.values()))

    async def begin(self, page: str, query: str, ticket: str, address: str = "") -> Visit:
        """A kernel for a visitor: a prepared one, or a new one whose cells have not run. OSError where none starts.

        query: of the address; a new kernel builds its page for it, a prepared one hears of it from the browser.
        address: of the client.
        """
        self._wanted[page] += 1.0
        self.starting += 1
        try:
            visit = await self._take(page)
            if visit is None:
                visit = await self._start(page, query)
        finally:
            self.starting -= 1
        visit.ticket, visit.address = ticket, address
        visit.on_its_way = True
        visit.moved_at = time.monotonic()
        self.visits[visit.kernel_id] = visit
        self.counts["pages_total"] += 1
        self._fill(REFILL_DELAY_S)
        return visit

    async def _take(self, page: str) -> Visit | None:
        while waiting := self.prepared.get(page):
            visit = waiting.pop(0)
            if await self.alive(visit.kernel_id):
                return visit
            await self._shut_down(visit, "ended before it was used")
        return None

    async def _start(self, page: str, query: str = "") -> Visit:
        environment = {**os.environ, "SERVER_SOFTWARE": f"voila/{voila_version}", "QUERY_STRING": query}
        environment["OPENBLAS_NUM_THREADS"] = "1"
        async with self._starts:
            try:
                # A tidy-up of the system's temporary folder must not end the server for ever.
                Path(self.kernels.connection_dir).mkdir(mode=0o700, parents=True, exist_ok=True)
                kernel_id = await ensure_async(
                    self.kernels.start_kernel(kernel_name="python3", path="", env=environment)
                )
            except Exception:
                self.failing = True
                raise
        self.failing = False
        return Visit(kernel_id, page)

    async def run(self, visit: Visit) -> None:
        """Run the page's cells; one that fails ends the page and carries the visit's number."""
        notebook = copy.deepcopy(self.pages[visit.page])
        manager = self.kernels.get_kernel(visit.kernel_id)
        executor = VoilaExecutor(notebook, km=manager, timeout=CELL_TIMEOUT_S, store_widget_state=False)
        # A busy machine brings what a cell shows long after the word that it is done; without it the page is empty.
        executor.iopub_timeout = CELL_TIMEOUT_S
        executor.kc = manager.client()
        executor.kc.start_channels()
        try:
            await _heard(executor.kc, manager)
            for index, cell in enumerate(notebook.cells):
                visit.cells.append(cell)
                await executor.execute_cell(cell, None, index, store_history=False)
        except Exception as error:
            told = isinstance(error, CellExecutionError | CellTimeoutError | DeadKernelError)
            self.log.error("fault %s: page %s: %s", visit.number, visit.page, error, exc_info=None if told else error)
            fault = visit.cells.pop() if visit.cells else copy.deepcopy(notebook.cells[0])
            fault.outputs = []
            fault.metadata[FAULT] = visit.number
            visit.cells.append(fault)
        finally:
            executor.kc.stop_channels()
            visit.ran = True

    async def end(self, visit: Visit, why: str) -> None:
        """Take a kernel back from its visitor."""
        if self.visits.pop(visit.kernel_id, None):
            await self._shut_down(visit, why)

    async def end_if_gone(self, visit: Visit) -> None:
        """Take a kernel back whose browser has said good-bye and is not connected any more."""
        if visit.said_goodbye and not self._connected(visit):
            await self.end(visit, "closed")

    async def _shut_down(self, visit: Visit, why: str) -> None:
        self.log.info("page %s (%s) given back: %s", visit.number, visit.page, why)
        if visit.kernel_id in self.kernels:
            try:
                await ensure_async(self.kernels.shutdown_kernel(visit.kernel_id, now=True))
            except Exception as error:
                self.log.warning("page %s: its kernel did not end in order: %s", visit.number, plain(error))

    async def alive(self, kernel_id: str) -> bool:
        """The kernel is there and runs."""
        return kernel_id in self.kernels and await ensure_async(self.kernels.get_kernel(kernel_id).is_alive())

    async def look_after(self) -> None:
        """Take back kernels whose visitors are gone, and those that have died."""
        now = time.monotonic()
        for visit in list(self.visits.values()):
            if not await self.alive(visit.kernel_id):
                self.log.warning("page %s (%s): its kernel has died", visit.number, visit.page)
                self.counts["died_total"] += 1
                await self.end(visit, "dead")
                continue
            if visit.on_its_way:
                continue
            if visit.hangs_s(now) > MOST_SILENT_S:
                self.log.error("page %s (%s): its kernel does not answer", visit.number, visit.page)
                self.counts["hung_total"] += 1
                await self.end(visit, "hangs")
            elif self._connected(visit):
                visit.alone_since = None
                visit.arrived = True
                if now - visit.moved_at > self.idle_s:
                    await self.end(visit, "nobody touches it")
            elif visit.alone_since is None:
                visit.alone_since = now
            elif now - visit.alone_since > (self.away_s if visit.arrived else min(self.away_s, ARRIVAL_S)):
                await self.end(visit, "no browser is connected")
        await self._heal()

    async def _heal(self) -> None:
        """A server that cannot start kernels and has no visitor left ends, for its keeper to start it again."""
        if not self.failing:
            self._failing_since = None
            return
        now = time.monotonic()
        self._failing_since = self._failing_since or now
        if now - self._failing_since > GIVE_UP_S and not self.visits and self.give_up is not None:
            self.log.error("no kernel could be started for %.0f s: the server ends", GIVE_UP_S)
            self.give_up()

    def _connected(self, visit: Visit) -> bool:
        return bool(self.kernels._kernel_connections.get(visit.kernel_id, 0))

    async def make_room_for(self, ticket: str) -> None:
        """End what this browser has left behind: a page that is reloaded needs no second place."""
        for visit in [each for each in self.visits.values() if each.ticket == ticket]:
            # One that no browser has reached yet is another tab's, on its way.
            if visit.arrived and not self._connected(visit):
                await self.end(visit, "its browser has opened another page")

    def _fill(self, delay_s: float) -> None:
        if self.ready and (self._filling is None or self._filling.done()):
            self._filling = asyncio.ensure_future(self._make_ready(delay_s))

    async def _make_ready(self, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        for page in self._wanted:
            self._wanted[page] *= 0.98
        while page := self._most_missed():
            try:
                visit = await self._start(page)
                visit.made_ahead = True
            except Exception as error:
                self.log.error("no kernel could be made ready: %s", plain(error))
                return
            await self.run(visit)
            if any(FAULT in cell.metadata for cell in visit.cells):
                await self._shut_down(visit, "it could not be made ready")
                return
            self.prepared.setdefault(page, []).append(visit)

    def _most_missed(self) -> str:
        """The page to make ready next; "" when there are enough. Each page's share follows how often it is opened."""
        if self.num_ready() >= min(self.ready, self.limit - self.taken()):
            return ""
        have = {page: len(self.prepared.get(page, ())) for page in self.pages}
        return max(self.pages, key=lambda page: self._wanted[page] / (have[page] + 1))

    async def close(self) -> None:
        """End every kernel."""
        self._keeper.stop()
        if self._filling is not None:
            self._filling.cancel()
        everyone: Sequence[Visit] = [*self.visits.values(), *(each for row in self.prepared.values() for each in row)]
        self.visits.clear()
        self.prepared.clear()
        await asyncio.gather(*(self._shut_down(visit, "the server stops") for visit in everyone))


# How many visitors the server takes, and who is next when it is full.

FORGOTTEN_S = 30.0
"""A waiting page asks again every few seconds; after this silence its turn is given away. [s]"""
MOST_WAITING = 1000
MOST_WAITING_EACH = 100
"""Of one address: an office behind one, and no flood."""
LEAST_ON_THEIR_WAY = 8
"""Pages that one address is given at least before a browser has connected to the first of them; else a quarter."""

VISITOR_MIB = 40
"""Memory to set aside for one visitor: what a kernel and its share of the server take, rounded up. [MiB]"""
SERVER_MIB = 700
"""Memory of the server and of the process that kernels are forked from. [MiB]"""
VISITORS_A_CORE = 40
"""A move takes some 35 ms of a core, server and kernel together: forty visitors who each move something every three
seconds take half of one, which leaves room for those who are just opening a page."""


class Places:
    """Places for visitors, given in the order of asking, to one of each address in turn.

    limit: of visitors.   taken: how many places are taken now.   on_their_way: how many of those an address has that no
    browser has reached yet.   each: most of these; 0 for a quarter of all.
    """

    def __init__(
        self,
        limit: int,
        taken: Callable[[], int],
        on_their_way: Callable[[str], int] = lambda _: 0,
        each: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit = limit
        self._taken = taken
        self._on_their_way = on_their_way
        self._each = each or max(LEAST_ON_THEIR_WAY, limit // 4)
        self._clock = clock
        self._waiting: dict[
            str, tuple[str, float]
        ] = {}  # address and when last seen, by ticket, in the order of asking

    def ask(self, ticket: str, address: str = "") -> int:
        """0 for a place; else the number in the queue, from 1 on.

        Whoever is let in takes the place at once: `taken` counts it from then on.
        """
        now = self._clock()
        for each in [each for each, (_, seen) in self._waiting.items() if now - seen > FORGOTTEN_S]:
            del self._waiting[each]
        of_address = sum(each == address for each, _ in self._waiting.values())
        room = len(self._waiting) < MOST_WAITING and of_address < MOST_WAITING_EACH
        if ticket in self._waiting or room:
            self._waiting[ticket] = (address, now)
        free = max(0, self.limit - self._taken())
        order = self._order()
        position = order.index(ticket) if ticket in self._waiting else len(order)
        if position < free and self._on_their_way(address) < self._each:
            self._waiting.pop(ticket, None)
            return 0
        return max(1, position - free + 1)

    def _order(self) -> list[str]:
        """Tickets as they are let in: the first of each address, then the second of each, and so on."""
        turns: dict[str, int] = {}
        turn: dict[str, int] = {}
        for ticket, (address, _) in self._waiting.items():
            turn[ticket] = turns[address] = turns.get(address, -1) + 1
        return sorted(self._waiting, key=turn.__getitem__)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)


FILES_A_VISITOR = 16
FILES_OF_SERVER = 200


def places_of_this_machine() -> int:
    """As many visitors as memory, cores and open files allow, as far as they are given to this process."""
    by_memory = (_memory_mib() - SERVER_MIB) // VISITOR_MIB
    return max(1, min(by_memory, int(VISITORS_A_CORE * _cores()), places_by_files()))


def memory_bytes() -> int:
    """Memory of this process that is its own or shared; 0 where the system does not tell. [bytes]"""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def places_by_files() -> int:
    """As many visitors as the limit of open files bears."""
    try:
        import resource
    except ImportError:  # no such limit on Windows
        return MOST_WAITING
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_WAITING if most == resource.RLIM_INFINITY else max(1, (most - FILES_OF_SERVER) // FILES_A_VISITOR)


def _memory_mib() -> int:
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):  # of a container
        try:
            limits.append(int(Path(name).read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return min(limits, default=4 << 30) >> 20


def _cores() -> float:
    cores = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    try:  # a container's share of them
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return min(cores, int(quota) / int(period))
    except (OSError, ValueError):
        return cores
