"""Starts the pages' server the way a person does, on a free port, and stops it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT_S = 60


@dataclass(frozen=True)
class Server:
    """A running server: its address, its process and what it has written."""

    url: str
    process: subprocess.Popen[bytes]
    log_path: Path

    def page(self, name: str, query: str = "") -> str:
        """Address of one notebook's page."""
        return f"{self.url}voila/render/{name}.ipynb{query}"

    def log(self) -> str:
        """Everything written so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def kernel_pids(self, kernel_id: str) -> list[int]:
        """Processes of one kernel."""
        pids: list[int] = []
        # A forked kernel carries its number as its name; one that was started by itself, its id in its command line.
        for pattern in (["-x", f"kernel-{kernel_id[:8]}"], ["-f", f"ipykernel_launcher.*{kernel_id}"]):
            found = subprocess.run(["pgrep", *pattern], capture_output=True, text=True)
            pids += map(int, found.stdout.split())
        return pids


def running(*arguments: str) -> contextlib.AbstractContextManager[Server]:
    """The workbook's server for the time of a with-statement. arguments: of the console command."""
    return running_command([_beside_python("sizing-workbook"), *arguments])


def running_plain_voila(folder: Path) -> contextlib.AbstractContextManager[Server]:
    """Voilà as it comes, on a folder of notebooks: the yardstick."""
    return running_command([_beside_python("voila"), str(folder), "--Voila.ip=127.0.0.1"])


def _beside_python(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@contextlib.contextmanager
def running_command(command: list[str]) -> Iterator[Server]:
    """A server that this command starts, for the time of a with-statement."""
    with tempfile.TemporaryDirectory(prefix="sizing-test-") as folder:
        log_path = Path(folder) / "log.txt"
        with log_path.open("wb") as log:
            process = subprocess.Popen(
                [*command, "--no-browser", "--port=18866"],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        try:
            yield Server(_address(process, log_path), process, log_path)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: subprocess.Popen[bytes], log_path: Path) -> str:
    give_up = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < give_up and process.poll() is None:
        found = re.search(r"http://\S+", log_path.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[0].replace("localhost", "127.0.0.1")
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{log_path.read_text(encoding='utf-8', errors='replace')}")
