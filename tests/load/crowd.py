"""A crowd of visitors on one server: how long an answer to a move takes, what is lost, what a visitor costs.

``make load`` runs it against a server of its own; the options are those of ``python -m tests.load.crowd --help``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.browser.server import Server, running
from tests.load.visitor import RefusedError, Visitor

PAGES = ("sizing", "sizing", "sizing", "site", "compare", "speed")  # as often as they are opened
MOVES = {
    "context_tokens": ("4096", "8192", "16384", "32768", "65536", "131072"),
    "cards": ("1", "2", "4", "8"),
    "power_cap_w": ("300", "400", "500", "600"),
}


@dataclass
class Outcome:
    """What a crowd met. answers_s: of every move; ready_s: of every page, up to its widgets' state."""

    answers_s: list[float] = field(default_factory=list)
    ready_s: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lost: int = 0

    def share(self, quantile: float) -> float:
        """The answer time that this share of the moves stays below. [s]"""
        ordered = sorted(self.answers_s)
        return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]


async def one_visitor(visitor: Visitor, outcome: Outcome, *, pause_s: float, until: float, rng: random.Random) -> None:
    """Move a control every few seconds until the time is over; afterwards the page must show the last move."""
    last: tuple[str, str] | None = None
    try:
        await asyncio.sleep(rng.uniform(0, pause_s))  # a crowd does not move in step
        while time.monotonic() < until:
            start = time.monotonic()
            inputs = [name for name in MOVES if name in visitor.values]
            name = rng.choice(inputs)
            before = visitor.values[name].get("raw")
            text = rng.choice([text for text in MOVES[name] if text != before])
            outcome.answers_s.append(await visitor.edit(**{name: text}))
            last = (name, text)
            if not shown(visitor, name, text):
                outcome.lost += 1
            await asyncio.sleep(max(0.0, pause_s - (time.monotonic() - start)))
        if last is not None and not shown(visitor, *last):
            outcome.lost += 1
    except Exception as error:
        outcome.errors.append(f"{type(error).__name__}: {error}")


def shown(visitor: Visitor, name: str, text: str) -> bool:
    """The page has taken the move: the input holds it, or says why it cannot."""
    value = visitor.values[name]
    return bool(value.get("error")) or str(value.get("raw", value.get("number"))) in (text, f"{text}.0")


async def come(address: str, outcome: Outcome) -> Visitor | None:
    """A visitor who opens a page; None where that fails."""
    visitor = Visitor(address)
    try:
        await visitor.open()
    except (RefusedError, Exception) as error:
        outcome.errors.append(f"opening: {type(error).__name__}: {error}")
        return None
    outcome.ready_s.append(visitor.ready_s)
    return visitor


async def crowd(
    addresses: Sequence[str],
    *,
    visitors: int,
    seconds: float,
    pause_s: float,
    arrive_per_s: float,
    seed: int = 0,
    leave: bool = False,
) -> tuple[Outcome, list[Visitor]]:
    """Visitors who come one after the other, stay and move. addresses: in turn.   leave: they close their tabs."""
    outcome, rng = Outcome(), random.Random(seed)
    came: list[Visitor] = []
    arrivals = []
    for k in range(visitors):
        arrivals.append(asyncio.ensure_future(come(addresses[k % len(addresses)], outcome)))
        await asyncio.sleep(1 / arrive_per_s)
    came = [visitor for visitor in await asyncio.gather(*arrivals) if visitor is not None]
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(
            one_visitor(visitor, outcome, pause_s=pause_s, until=until, rng=random.Random(rng.random()))
            for visitor in came
        )
    )
    if leave:
        await asyncio.gather(*(visitor.close() for visitor in came))
    return outcome, came


def family(pid: int) -> list[psutil.Process]:
    """A server with all its processes."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def memory_mib(processes: Sequence[psutil.Process]) -> float:
    """Memory of processes together, what they share counted once. [MiB]"""
    total = 0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 2**20


def report(outcome: Outcome, visitors: int, seconds: float) -> str:
    """The crowd in a few lines."""
    lines = [f"{visitors} visitors, {len(outcome.answers_s)} moves in {seconds:.0f} s"]
    if outcome.answers_s:
        lines.append(
            f"move to update: p50 {1000 * outcome.share(0.5):.0f} ms, p95 {1000 * outcome.share(0.95):.0f} ms, "
            f"worst {1000 * max(outcome.answers_s):.0f} ms"
        )
    if outcome.ready_s:
        worst = max(outcome.ready_s)
        lines.append(f"page to widgets: median {statistics.median(outcome.ready_s):.2f} s, worst {worst:.2f} s")
    lines.append(f"errors: {len(outcome.errors)}, lost updates: {outcome.lost}")
    lines += [f"  {error}" for error in outcome.errors[:5]]
    return "\n".join(lines)


async def measure(server: Server, args: argparse.Namespace) -> int:
    """One crowd on one server."""
    empty = memory_mib(family(server.process.pid))
    addresses = [server.page(page) for page in PAGES]
    outcome, came = await crowd(
        addresses, visitors=args.visitors, seconds=args.seconds, pause_s=args.pause, arrive_per_s=args.arrive
    )
    full = memory_mib(family(server.process.pid))
    print(report(outcome, len(came), args.seconds))
    print(f"memory: {empty:.0f} MiB empty, {full:.0f} MiB full, {(full - empty) / max(1, len(came)):.1f} MiB a visitor")
    print(f"load of the machine, this crowd included: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    await asyncio.gather(*(visitor.close() for visitor in came))
    return 1 if outcome.errors or outcome.lost or outcome.share(0.95) > args.limit else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=3, help="between two moves of one visitor [s]")
    parser.add_argument("--arrive", type=float, default=3, help="visitors who come each second")
    parser.add_argument("--limit", type=float, default=1, help="longest 95th percentile of an answer [s]")
    args = parser.parse_args()
    notebooks = Path(__file__).parents[2] / "notebooks"
    options = ["--notebooks", str(notebooks), "--visitors", str(args.visitors + 10), "--ready", "2"]
    with running(*options) as server:
        time.sleep(45)  # everything made ready, as on a server that has been running for a while
        raise SystemExit(asyncio.run(measure(server, args)))


if __name__ == "__main__":
    main()
