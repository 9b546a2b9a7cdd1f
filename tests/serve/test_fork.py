"""Kernels out of the nursery, without one, and after its death."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time

import psutil
import pytest

from sizing.serve import nursery
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
async def test_a_page_outlives_the_nursery_but_not_the_server() -> None:
    with running("--notebooks", NOTEBOOKS, "--ready", "0") as server:
        visitor = await Visitor(server.page("sizing", "?lang=en")).open()
        for process in nurseries(server):
            os.kill(process.pid, signal.SIGKILL)
        assert await visitor.edit(cards="8") < 30
        again = await Visitor(server.page("sizing", "?lang=en&n=2")).open()  # from a nursery that came back by itself
        assert again.values["cards"]["raw"] == "2"
        [pid] = server.kernel_pids(again.kernel_id)
        assert psutil.Process(pid).name().startswith("kernel-")
        assert await visitor.edit(cards="4") < 30
        pids = [*server.kernel_pids(visitor.kernel_id), pid]
        server.process.kill()
        give_up = time.monotonic() + 10
        while any(map(psutil.pid_exists, pids)) and time.monotonic() < give_up:
            time.sleep(0.1)
        assert not any(map(psutil.pid_exists, pids))


def test_a_failed_fork_is_one_refusal_and_the_nursery_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a limit of processes: the request is answered with the fault, the next one with a kernel."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    answers = iter([BlockingIOError(11, "Resource temporarily unavailable"), 4242])

    def forked() -> int:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    ended: list[int] = []
    monkeypatch.setattr(nursery.os, "fork", forked)
    monkeypatch.setattr(nursery.os, "pidfd_open", lambda _pid: os.open(os.devnull, os.O_RDONLY))
    monkeypatch.setattr(nursery.os, "_exit", ended.append)
    monkeypatch.setattr(nursery, "num_threads", lambda: 1)
    for _ in range(2):
        ours.send(json.dumps({"name": "kernel-1"}).encode())
    ours.shutdown(socket.SHUT_WR)
    nursery.serve(theirs, 0)
    told = [json.loads(socket.recv_fds(ours, 1000, 1)[0]) for _ in range(2)]
    assert "temporarily unavailable" in told[0]["error"]
    assert told[1] == {"pid": 4242}
    assert ended == [0]


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
