"""Requests of a few sheets, and the tools that read them back."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import sizing
from sizing.demand.people import running
from sizing.sheet import Request

LINK = "https://sizing.example.com/voila/render/call.ipynb?v=1&n=4"

SCENARIOS: dict[str, dict[str, object]] = {
    "department": {},
    "windows": {"checkpoint": "google/gemma-3-27b-it", "cards": 3, "context_tokens": 32768, "circuit": "eu-3ph-32a"},
    "states": {"checkpoint": "Qwen/Qwen3.8-27B", "cards": 2, "kv_dtype": "bf16", "power_cap_w": 450},
    "latent": {"checkpoint": "deepseek-ai/DeepSeek-V3.2", "cards": 8, "card": "h200-nvl", "circuit": "eu-3ph-32a"},
    "compressed": {"checkpoint": "deepseek-ai/DeepSeek-V4-Flash-0731", "context_tokens": 131072},
    "does not fit": {"checkpoint": "moonshotai/Kimi-K2-Instruct", "cards": 1},
    "no cache": {"checkpoint": "BAAI/bge-m3", "cards": 1, "context_tokens": 512},
    "amd": {"card": "mi300x", "power_cap_w": 750, "cards": 8, "circuit": "eu-3ph-63a"},
    "engine": {"memory_rule": "engine"},
}


def request(name: str = "department", **more: object) -> Request:
    """A sheet with everything on it."""
    people = running(staff=500, active_share=0.2, requests_per_hour=6, seconds_per_request=30, peak_percentile=0.95)
    asked: dict[str, object] = {
        "customer": "Example Ltd",
        "remark": "Two racks in the new hall.",
        "link": LINK,
        "made_on": datetime.date(2026, 11, 30),
        "demand": people,
    }
    scenario = sizing.Scenario(**SCENARIOS[name])  # type: ignore[arg-type]
    return Request(sizing.size(scenario), **{**asked, **more})  # type: ignore[arg-type]


@pytest.fixture
def recalculated(tmp_path: Path) -> Callable[[bytes], bytes]:
    """A workbook as LibreOffice writes it after it has worked out every formula anew."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed: apt-get install libreoffice-calc-nogui")

    def work_out(book: bytes) -> bytes:
        (tmp_path / "sheet.xlsx").write_bytes(book)
        home = f"-env:UserInstallation={(tmp_path / 'office').as_uri()}"
        command = [office, home, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
        done = subprocess.run(
            [*command, str(tmp_path / "out"), str(tmp_path / "sheet.xlsx")], capture_output=True, text=True, timeout=180
        )
        made = tmp_path / "out" / "sheet.xlsx"
        assert made.exists(), done.stdout + done.stderr
        return made.read_bytes()

    return work_out
