"""Kernels out of the nursery, without one, and after its death."""

from __future__ import annotations

import os
import signal
import sys
import time

import psutil

from tests.browser.server import Server, running, running_command
from tests.load import crowd
from tests.load.visitor import Visitor
from tests.serve.conftest import NOTEBOOKS, health, in_loop

MIB = 2**20


def nurseries(server: Server) -> list[psutil.Process]:
    return [
        process
        for process in crowd.family(server.process.pid)
        if "sizing.serve.nursery" in process.cmdline() and not process.name().startswith("kernel-")
    ]


@in_loop
async def test_a_kernel_shares_most_of_its_memory(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    kernel = psutil.Process(server.kernel_pids(visitor.kernel_id)[0])
    assert kernel.name() == f"kernel-{visitor.kernel_id[:8]}"
    own, all_of_it = kernel.memory_full_info().uss / MIB, kernel.memory_info().rss / MIB
    assert own < 35  # one that is started by itself takes 62
    assert own < 0.7 * all_of_it
    await visitor.close()


@in_loop
async def test_the_nursery_s_death_concerns_its_kernels_only_for_a_moment() -> None:
    with running("--notebooks", NOTEBOOKS, "--ready", "0") as server:
        visitor = await Visitor(server.page("sizing", "?lang=en")).open()
        for process in nurseries(server):
            os.kill(process.pid, signal.SIGKILL)
        give_up = time.monotonic() + 10
        while server.kernel_pids(visitor.kernel_id) and time.monotonic() < give_up:
            time.sleep(0.1)
        assert server.kernel_pids(visitor.kernel_id) == []
        again = await Visitor(server.page("sizing", "?lang=en&n=2")).open()
        assert again.values["cards"]["raw"] == "2"
        assert psutil.Process(server.kernel_pids(again.kernel_id)[0]).name().startswith("kernel-")
        await again.close()


@in_loop
async def test_where_forking_is_not_possible_pages_open_all_the_same() -> None:
    without = (
        "from sizing.serve import fork, main; fork.Nurseries.possible = staticmethod(lambda: False); "
        f"main(['--notebooks', {NOTEBOOKS!r}, '--ready', '1', '--port', '18866', '--no-browser'])"
    )
    with running_command([sys.executable, "-c", without]) as server:
        give_up = time.monotonic() + 60
        while health(server)["ready"] < 1 and time.monotonic() < give_up:
            time.sleep(0.5)
        visitor = await Visitor(server.page("sizing", "?lang=en")).open()
        assert nurseries(server) == []
        assert await visitor.edit(cards="2") < 30
        await visitor.close()
