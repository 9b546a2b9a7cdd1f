"""What the pages do where Python runs in the visitor's browser, as far as this machine's Python can show it."""

from __future__ import annotations

import asyncio
import http.client
import io
import logging
import math
import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.serve.voila import PAGES
from sizing.sharing import highs_browser, highs_native
from sizing.sharing.program import Program
from sizing.speed import operations, speed
from sizing.ui import aside, browser
from sizing.ui.errors import told
from sizing.ui.pages.new_model import NewModelPage

# What has no build for a browser, or starts threads and sockets.
NOT_THERE = (
    "aiconfigurator_core", "highspy", "httpx2", "huggingface_hub", "numpy", "pandas", "plotly", "tornado", "voila",
)  # fmt: skip


@pytest.fixture
def in_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a browser's Python says of itself."""
    monkeypatch.setattr(sys, "platform", "emscripten")


def test_pages_are_made_without_what_a_browser_lacks() -> None:
    """The call and the shared server ask the solver, which a browser has in another build."""
    names = ["index", *(name for name in PAGES if name not in ("call", "shared_server"))]
    code = (
        "import importlib, sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] in {NOT_THERE!r}: raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        f"for name in {names!r}: importlib.import_module(f'sizing.ui.pages.{{name}}').page('')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]


def test_the_first_cell_hands_over_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QUERY_STRING", "SERVER_SOFTWARE", browser.PUBLIC):
        monkeypatch.setenv(name, "")
    log = logging.getLogger("sizing")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", True)
    browser.start("n=2&ctx=4096")
    assert os.environ["QUERY_STRING"] == "n=2&ctx=4096"
    assert os.environ["SERVER_SOFTWARE"].startswith("voila")
    assert os.environ[browser.PUBLIC]


def test_a_module_that_is_not_there_yet_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("late_package/__init__.py", "")
        archive.writestr("late_package/inside.py", "ANSWER = 42")
    fetched: list[str] = []

    def fetch(url: str) -> bytes:
        fetched.append(url)
        return packed.getvalue()

    monkeypatch.setattr(browser, "_fetch", fetch)
    monkeypatch.setattr(browser, "_python_url", lambda: "https://example.org/pyodide/")
    monkeypatch.setattr(browser.site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.syspath_prepend(tmp_path)
    finder = browser._Later(["late_package/__init__", "late_package/inside"])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    with pytest.raises(ModuleNotFoundError):
        __import__("no_such_package_at_all")
    assert not fetched
    from late_package.inside import ANSWER  # type: ignore[import-not-found]

    assert ANSWER == 42
    assert fetched == ["https://example.org/pyodide/later.zip"]


def test_names_that_come_with_ssl_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(http.client, "HTTPSConnection")
    monkeypatch.delattr(urllib.request, "HTTPSHandler")
    browser._name_what_is_missing()
    assert http.client.HTTPSConnection is http.client.HTTPConnection
    assert urllib.request.HTTPSHandler is urllib.request.HTTPHandler


def test_without_its_solver_the_plan_says_so() -> None:
    with pytest.raises(SizingError) as caught:
        highs_browser.maximise(Program(), {}, None, {})
    assert caught.value.key == "sharing_no_solver"


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"call", "shared_server"}))
def test_only_pages_with_services_bring_the_solver(name: str) -> None:
    """A site without a server loads it for every page that imports the placement."""
    code = f"import sys, sizing.ui.pages.{name}; print('sizing.sharing.placement' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_program_as_arrays() -> None:
    """2a + 3b <= 7 and b >= 1, the goal 5a: by hand, rows one after another."""
    program = Program()
    a, b = program.column(4), program.column(2)
    program.row({a: 2, b: 3}, high=7)
    program.row({b: 1}, low=1)
    assert program.costs({a: 5}) == [5, 0]
    assert program.matrix() == ([0, 2, 3], [a, b, b], [2.0, 3.0, 1.0])
    assert program.best({a: 5}, None, highs_native.maximise, math.inf) == ([2, 1], True)


def test_measured_kernels_are_not_asked_for(in_browser: None) -> None:
    card = sizing.size(sizing.Scenario()).card
    model = sizing.size(sizing.Scenario()).checkpoint
    gap = operations._find(card, model, "vllm", "fp8", (1, 1, 1))
    assert isinstance(gap, operations.Gap)
    assert gap.key == "in_browser"
    assert "browser" in gap.say("en")
    assert "Browser" in gap.say("de")


def test_the_limit_stands_where_there_are_no_kernels(in_browser: None) -> None:
    found = speed(sizing.size(sizing.Scenario(checkpoint="Qwen/Qwen3-14B", cards=2)))
    assert found.best is not None
    assert found.best.last.total_tokens_s > 0


def test_the_hub_is_not_asked_and_the_page_says_why(in_browser: None) -> None:
    page = NewModelPage("")
    page.bring.hear("look_up", "openai/gpt-oss-120b", "", "", "")
    assert page.bring.status["phase"] == "failed"
    assert page.bring.status["what"] == SizingError("hub_in_browser").what("en")


def test_long_work_runs_without_a_thread(in_browser: None) -> None:
    heard: list[Any] = []

    async def visit() -> None:
        work = aside.Aside()
        work.start(
            lambda report, cancelled: (report("half"), "whole")[1],
            progress=heard.append,
            done=heard.append,
            failed=heard.append,
        )
        assert work.busy
        assert heard == []  # what the page says of it goes out first
        await asyncio.sleep(4 * aside.LATER_S)
        assert not work.busy

    asyncio.run(visit())
    assert heard == ["half", "whole"]


def test_a_fault_points_to_the_browsers_console(in_browser: None, caplog: pytest.LogCaptureFixture) -> None:
    what, fix = told(ZeroDivisionError("secret"), "en")
    assert "secret" not in what + fix
    assert "console" in fix
