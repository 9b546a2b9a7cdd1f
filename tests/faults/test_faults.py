"""Things that break while somebody is looking: each is broken for real, and the page must say so and come back."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.server import Server, running
from tests.browser.visit import visiting
from tests.serve.conftest import ask, health

pytestmark = pytest.mark.browser

NOTEBOOKS = str(Path(__file__).parents[2] / "notebooks")
SAID_MS = 40_000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("--notebooks", NOTEBOOKS, "--ready", "1") as server:
        yield server


def test_a_kernel_killed_in_mid_drag_is_said_and_a_reload_brings_the_inputs_back(
    server: Server, chromium: Browser
) -> None:
    with visiting(chromium, server.page("sizing", "?lang=en&n=2")) as visit:
        page = visit.open().page
        context = page.locator('[data-input="context_tokens"]').get_by_role("slider")
        context.press("ArrowRight")
        visit.settle()
        page.wait_for_function("() => location.search.includes('ctx=')")
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            context.press(key)
            for pid in server.kernel_pids(visit.kernel_id()):
                os.kill(pid, signal.SIGKILL)
        page.get_by_text("This session has ended").wait_for(timeout=SAID_MS)
        before = page.evaluate("location.search")
        page.get_by_role("button", name="Reload the page").click()
        page.wait_for_function("() => document.documentElement.dataset.kernel === 'alive'", timeout=SAID_MS)
        visit.settle()
        assert page.evaluate("location.search") == before
        assert "ctx=" in before
        assert page.locator('[data-input="cards"] input[type=text]').input_value() == "2"


def test_a_restarted_server_is_said_and_the_link_still_opens(chromium: Browser) -> None:
    with contextlib.ExitStack() as first:
        server = first.enter_context(running("--notebooks", NOTEBOOKS, "--ready", "0"))
        with visiting(chromium, server.page("sizing", "?lang=en&n=2&ctx=4096")) as visit:
            page = visit.open().page
            first.close()  # the server ends in order, its kernels with it
            page.locator('[data-input="cards"]').get_by_role("slider").press("ArrowRight")
            page.locator("#sizing-gone").wait_for(timeout=SAID_MS)
            address = page.url
            with running("--notebooks", NOTEBOOKS, "--ready", "0") as again:
                page.goto(address.replace(server.url, again.url))
                page.wait_for_function("() => document.documentElement.dataset.kernel === 'alive'", timeout=SAID_MS)
                assert page.locator('[data-input="context_tokens"] input[type=text]').input_value() == "4,096"


def test_a_server_that_is_killed_leaves_no_kernel(server: Server) -> None:
    with running("--notebooks", NOTEBOOKS, "--ready", "1") as doomed:
        _, body = ask(doomed, "/voila/render/sizing.ipynb?lang=en")
        kernel = body.decode().split('"kernelId": "')[1].split('"')[0]
        assert doomed.kernel_pids(kernel)
        doomed.process.kill()
        give_up = time.monotonic() + 10
        while doomed.kernel_pids(kernel) and time.monotonic() < give_up:
            time.sleep(0.1)
        assert doomed.kernel_pids(kernel) == []


@pytest.fixture
def tiny_disk() -> Iterator[Path]:
    """A file system of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a file system of its own")
    with tempfile.TemporaryDirectory(prefix="full-") as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
        if mounted.returncode:
            pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_is_said_and_pages_open_again_when_there_is_room(
    tiny_disk: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballast = tiny_disk / "ballast"
    monkeypatch.setenv("SIZING_RUNTIME_DIR", str(tiny_disk))
    with running("--notebooks", NOTEBOOKS, "--ready", "0") as server:
        assert ask(server, "/voila/render/sizing.ipynb?lang=en")[0].status == 200
        with contextlib.suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(b"\0" * 4096)
                file.flush()
        response, body = ask(server, "/voila/render/sizing.ipynb?lang=en")
        assert response.status == 500
        assert "This page could not be made." in body.decode()
        number = body.decode().split("Quote number ")[1].split(":")[0]
        assert f"fault {number}: /voila/render/sizing.ipynb" in server.log()
        assert "No space left on device" in server.log()
        assert health(server)["status"] == "failing"
        ballast.unlink()
        with visiting(chromium, server.page("sizing", "?lang=en")) as visit:
            visit.open()
        assert health(server)["status"] == "ok"


def test_the_hub_being_down_is_said_and_the_rest_goes_on(chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # the port that nobody listens on
    with (
        running("--notebooks", NOTEBOOKS, "--ready", "1") as server,
        visiting(chromium, server.page("new_model", "?lang=en")) as visit,
    ):
        page = visit.open().page
        page.get_by_label("Hub").first.wait_for()
        box = page.locator(".sizing-bring-panel input").first
        box.fill("example/model")
        box.press("Enter")
        page.locator(".sizing-bring-error").get_by_text("Hub").wait_for(timeout=SAID_MS)
        assert page.evaluate("document.documentElement.dataset.kernel") == "alive"
