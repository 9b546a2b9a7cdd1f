"""How many visitors the server takes, and who is next when it is full."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

FORGOTTEN_S = 30.0
"""A waiting page asks again every few seconds; after this silence its turn is given away. [s]"""
MOST_WAITING = 1000

VISITOR_MIB = 40
"""Memory to set aside for one visitor: what a kernel and its share of the server take, rounded up. [MiB]"""
SERVER_MIB = 700
"""Memory of the server and of the process that kernels are forked from. [MiB]"""
VISITORS_A_CORE = 40
"""A move takes some 35 ms of a core, server and kernel together: forty visitors who each move something every three
seconds take half of one, which leaves room for those who are just opening a page."""


class Places:
    """Places for visitors, given in the order of asking.

    limit: of visitors.   taken: how many places are taken now.
    """

    def __init__(self, limit: int, taken: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self._taken = taken
        self._clock = clock
        self._waiting: dict[str, float] = {}  # last seen by ticket, in the order of asking

    def ask(self, ticket: str) -> int:
        """0 for a place; else the number in the queue, from 1 on.

        Whoever is let in takes the place at once: `taken` counts it from then on.
        """
        now = self._clock()
        for each in [each for each, seen in self._waiting.items() if now - seen > FORGOTTEN_S]:
            del self._waiting[each]
        free = self.limit - self._taken()
        if ticket not in self._waiting and len(self._waiting) < MOST_WAITING:
            self._waiting[ticket] = now
        order = list(self._waiting)
        position = order.index(ticket) if ticket in self._waiting else len(order)
        if position < free:
            self._waiting.pop(ticket, None)
            return 0
        if ticket in self._waiting:
            self._waiting[ticket] = now
        return position - max(0, free) + 1

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)


def places_of_this_machine() -> int:
    """As many visitors as memory and cores allow, both as far as they are given to this process."""
    by_memory = (_memory_mib() - SERVER_MIB) // VISITOR_MIB
    return max(1, min(by_memory, int(VISITORS_A_CORE * _cores())))


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
