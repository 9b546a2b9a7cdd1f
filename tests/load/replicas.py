"""Several replicas behind nginx on this machine, under a crowd, and one of them killed.

``make replicas`` runs it. The proxy's configuration is ``binder/container/nginx.conf`` itself, with the addresses of
this machine put in.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.browser.server import Server, running
from tests.load import crowd
from tests.load.visitor import Visitor

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextlib.contextmanager
def behind_nginx(servers: list[Server]) -> Iterator[str]:
    """nginx as the operator runs it, in front of these servers; its address."""
    text = (ROOT / "binder" / "container" / "nginx.conf").read_text(encoding="utf-8")
    port = free_port()
    lines = []
    for line in text.splitlines():
        if "server pages-" in line:
            number = int(line.split("pages-")[1].split(":")[0])
            if number > len(servers):
                continue
            line = line.replace(f"pages-{number}:8866", servers[number - 1].url.split("/")[2])
        lines.append(line.replace("listen 8080", f"listen 127.0.0.1:{port}"))
    with tempfile.TemporaryDirectory(prefix="sizing-nginx-") as folder:
        made = Path(folder) / "nginx.conf"
        made.write_text("\n".join(lines).replace("/tmp/sizing-nginx", f"{folder}/nginx"), encoding="utf-8")
        log = Path(folder) / "log.txt"
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["nginx", "-c", str(made), "-p", folder, "-g", "daemon off;"], stdout=output, stderr=output
            )
        try:
            give_up = time.monotonic() + 20
            while process.poll() is None and time.monotonic() < give_up:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.05)
            else:
                raise RuntimeError(f"nginx did not start:\n{log.read_text(encoding='utf-8')}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


@contextlib.contextmanager
def replicas(count: int, places: int) -> Iterator[list[Server]]:
    """So many servers as a replica is started: public, since only the proxy knows them."""
    options = ["--notebooks", str(ROOT / "notebooks"), "--public", "--visitors", str(places), "--ready", "1"]
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(running(*options)) for _ in range(count)]


def home(visitor: Visitor, servers: list[Server]) -> int:
    """The replica that a visitor's kernel lives on."""
    for number, server in enumerate(servers):
        names = {process.name() for process in crowd.family(server.process.pid)}
        if f"kernel-{visitor.kernel_id[:8]}" in names:
            return number
    return -1


async def kill_one(servers: list[Server], proxy: str, *, visitors: int, seconds: float, pause_s: float) -> bool:
    """A crowd; half-way one replica is killed. True when no visitor of the others has noticed."""
    addresses = [f"{proxy}/voila/render/{page}.ipynb" for page in crowd.PAGES]
    outcome, came = await crowd.crowd(addresses, visitors=visitors, seconds=0, pause_s=pause_s, arrive_per_s=3)
    homes = {visitor.kernel_id: home(visitor, servers) for visitor in came}
    print(f"{len(came)} visitors came through nginx; on each replica: {dict(sorted(Counter(homes.values()).items()))}")
    doomed = 0
    results: dict[str, crowd.Outcome] = {visitor.kernel_id: crowd.Outcome() for visitor in came}
    until = time.monotonic() + seconds

    async def stroke() -> None:
        await asyncio.sleep(seconds / 2)
        for process in reversed(crowd.family(servers[doomed].process.pid)):
            with contextlib.suppress(Exception):
                process.send_signal(signal.SIGKILL)
        print(f"replica {doomed} killed with everything in it")

    import random

    moves = [
        crowd.one_visitor(visitor, results[visitor.kernel_id], pause_s=pause_s, until=until, rng=random.Random(k))
        for k, visitor in enumerate(came)
    ]
    await asyncio.gather(stroke(), *moves)
    together = crowd.Outcome()
    for visitor in came:
        if homes[visitor.kernel_id] != doomed:
            one = results[visitor.kernel_id]
            together.answers_s += one.answers_s
            together.errors += one.errors
            together.lost += one.lost
    hurt = [visitor for visitor in came if homes[visitor.kernel_id] == doomed]
    noticed = sum(bool(results[visitor.kernel_id].errors) for visitor in hurt)
    print(f"visitors of the killed replica: {len(hurt)}, of whom {noticed} lost their session")
    print("visitors of the others: " + crowd.report(together, len(came) - len(hurt), seconds))
    back = 0
    for visitor in hurt:
        last = visitor.values["cards"]["raw"] if "cards" in visitor.values else "2"
        again = Visitor(f"{proxy}/voila/render/sizing.ipynb?lang=en&n={last}", cookies=visitor.cookies)
        try:
            await again.open()
            back += again.values["cards"]["raw"] == last
            await again.close()
        except Exception as error:
            print(f"  a reload failed: {error}")
    print(f"their reload opens on another replica with their inputs: {back} of {len(hurt)}")
    for visitor in came:
        visitor.tear()
    return not (outcome.errors or together.errors or together.lost) and back == len(hurt)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--visitors", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=3)
    args = parser.parse_args()
    if shutil.which("nginx") is None:
        raise SystemExit("this needs nginx: apt install nginx-light")
    with replicas(args.replicas, args.visitors) as servers, behind_nginx(servers) as proxy:
        time.sleep(45)
        good = asyncio.run(kill_one(servers, proxy, visitors=args.visitors, seconds=args.seconds, pause_s=args.pause))
    print(f"load of the machine, this crowd included: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
