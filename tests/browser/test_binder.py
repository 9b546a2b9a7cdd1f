"""The page as Binder serves it: a Jupyter server with Voilà as its extension, set up by the files in binder/."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.visit import visiting

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PORT = 18960


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server in the repository's root, as repo2docker starts it, with nothing of the user's own configuration."""
    command: list[Path | str] = [
        ROOT / "binder" / "start",
        Path(sys.executable).with_name("jupyter"),
        "server",
        "--no-browser",
        "--allow-root",
    ]
    options = [f"--port={PORT}", "--ServerApp.port_retries=0", "--IdentityProvider.token=visitor"]
    with started([*command, *options], home=tmp_path, port=PORT) as found:
        yield found


@contextlib.contextmanager
def started(command: list[Path | str], *, home: Path, port: int, **variables: str) -> Iterator[str]:
    """A Jupyter server at its address, which reads nothing of the user's own configuration."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_")}
    environment |= {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **variables}
    with (home / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and process.poll() is None:
        try:
            with urllib.request.urlopen(url):
                return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise RuntimeError("the Jupyter server did not start")


def test_the_first_page_opens_there(chromium: Browser, address: str) -> None:
    with visiting(chromium, f"{address}/voila/render/notebooks/sizing.ipynb?token=visitor") as visit:
        visit.open()
        assert 1_000_000 < visit.received_bytes < 2_000_000  # with the one copy of plotly.js, from the kernel
        assert visit.foreign() == []
        assert visit.complaints == []
        assert len(visit.charts()) == 5
        assert visit.page.title() != ""
