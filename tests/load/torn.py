"""Hundreds of visits, half of them torn off without a word: afterwards nothing of them may be left.

``make load`` runs it after the crowd: ``python -m tests.load.torn``.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.browser.server import Server, running
from tests.load import crowd
from tests.load.visitor import Visitor

AWAY_MINUTES = 0.1


@dataclass
class Left:
    """What is left of the visits. failed: visits that did not get their page.

    kernels: names of processes; files: in the server's folder; sockets: more than before the first visit.
    """

    failed: int
    kernels: list[str]
    files: list[str]
    sockets: int
    memory_mib: float


async def visits(count: int, at_once: int) -> Left:
    """So many visits of a server of its own; every second one ends as a lost connection does."""
    folder = str(Path(__file__).parents[2] / "notebooks")
    options = ["--notebooks", folder, "--ready", "0", "--away-minutes", str(AWAY_MINUTES), "--visitors", "1000"]
    with running(*options) as server:
        await one_visit(server, 0, tear=False)  # what is made once is there before the counting
        before = state(server)
        gate, failed = asyncio.Semaphore(at_once), 0

        async def visit(number: int) -> None:
            nonlocal failed
            async with gate:
                try:
                    await one_visit(server, number, tear=number % 2 == 0)
                except Exception as error:
                    failed += 1
                    print(f"visit {number}: {type(error).__name__}: {error}")

        await asyncio.gather(*(visit(number) for number in range(count)))
        give_up = time.monotonic() + 60 * AWAY_MINUTES + 60
        while time.monotonic() < give_up:
            now = state(server)
            if not now.kernels and not now.files and now.sockets <= before.sockets:
                break
            await asyncio.sleep(1)
        return Left(
            failed, now.kernels, now.files, max(0, now.sockets - before.sockets), now.memory_mib - before.memory_mib
        )


async def one_visit(server: Server, number: int, *, tear: bool) -> None:
    page = ("sizing", "site", "compare")[number % 3]
    visitor = await Visitor(server.page(page, "?lang=en")).open()
    await visitor.edit(cards="2")
    if tear:
        visitor.tear()
    else:
        await visitor.close()


def state(server: Server) -> Left:
    """The server as the system sees it."""
    processes = crowd.family(server.process.pid)
    kernels = [process.name() for process in processes if process.name().startswith("kernel-")]
    folders = [Path(name) for name in _folders(server)]
    files = [path.name for folder in folders for path in folder.glob("kernel-*")]
    return Left(0, kernels, files, psutil.Process(server.process.pid).num_fds(), crowd.memory_mib(processes))


def _folders(server: Server) -> set[str]:
    """Where the server keeps its kernels' files, by what it has said."""
    return {
        line.split("files in ")[1].rstrip(".") for line in server.log().splitlines() if "connection files in" in line
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=10)
    args = parser.parse_args()
    start = time.monotonic()
    left = asyncio.run(visits(args.visits, args.at_once))
    print(
        f"{args.visits} visits, half of them torn off, in {time.monotonic() - start:.0f} s: {left.failed} failed; "
        f"left are {len(left.kernels)} kernels, {len(left.files)} files, {left.sockets} open files and sockets of the "
        f"server, {left.memory_mib:.0f} MiB"
    )
    raise SystemExit(1 if left.failed or left.kernels or left.files or left.sockets else 0)


if __name__ == "__main__":
    main()
