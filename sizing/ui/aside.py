"""Work that takes long, beside the page: the page stays alive, hears how far it is, and can end it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from sizing.ui.browser import in_browser

Report = Callable[[Any], None]
Cancelled = Callable[[], bool]

MOST_THREADS = 2
"""Of one page: the work that is wanted, and one that is asked to end. Whatever comes meanwhile waits, the last wins."""
LATER_S = 0.05
"""Where there are no threads: what the page says of the work goes out before the work begins."""


class Aside:
    """One piece of work at a time; a new one replaces the last, whose result is then no longer wanted.

    What the work reports and returns is handed over in the kernel's own thread, where widgets may be changed. A
    browser's Python has no threads: the work runs in between, beside the page all the same, but cannot be ended.
    """

    def __init__(self) -> None:
        self._count = 0
        self._busy = False
        self._threads: list[threading.Thread] = []
        self._next: Callable[[], None] | None = None

    @property
    def busy(self) -> bool:
        """Work that is still wanted is under way."""
        return self._busy

    def start(
        self,
        work: Callable[[Report, Cancelled], Any],
        *,
        progress: Callable[[Any], None],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run ``work(report, cancelled)`` in a thread; the others are called with what it reports and how it ends."""
        self._count += 1
        number = self._count
        hand_over = _handover()

        def wanted(call: Callable[[Any], None], value: Any, last: bool) -> None:
            if number != self._count:
                return
            if last:
                self._busy = False
            call(value)

        def run() -> None:
            try:
                result = work(lambda step: hand_over(wanted, progress, step, False), lambda: number != self._count)
            except Exception as error:
                hand_over(wanted, failed, error, True)
            else:
                hand_over(wanted, done, result, True)

        self._busy = True
        if in_browser():
            asyncio.get_running_loop().call_later(LATER_S, run)
            return
        self._next = run
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) < MOST_THREADS:
            self._threads.append(threading.Thread(target=self._work, name="aside", daemon=True))
            self._threads[-1].start()

    def _work(self) -> None:
        """A thread's life: what is wanted, then what came meanwhile."""
        while (run := self._next) is not None:
            self._next = None
            run()

    def cancel(self) -> None:
        """The work is no longer wanted: it is asked to end, and nothing of it is heard any more."""
        self._count += 1
        self._busy = False

    def wait(self, timeout_s: float) -> None:
        """Until its threads have ended. [s]"""
        for thread in self._threads:
            thread.join(timeout_s)


def _handover() -> Callable[..., None]:
    """How another thread calls something in this one: by its event loop, or straight where none runs."""
    loop = None
    if not in_browser():
        with contextlib.suppress(RuntimeError):
            loop = asyncio.get_running_loop()
    if loop is None:
        lock = threading.Lock()

        def straight(call: Callable[..., None], *values: Any) -> None:
            with lock:
                call(*values)

        return straight

    def by_loop(call: Callable[..., None], *values: Any) -> None:
        loop.call_soon_threadsafe(call, *values)

    return by_loop
