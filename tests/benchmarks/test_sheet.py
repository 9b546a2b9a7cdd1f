"""What a sheet costs, in processor time, so that a busy machine measures the same. Run with ``make bench``."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sizing
from sizing.sharing import preset
from sizing.sharing.shared import shared
from sizing.sheet.request import Request
from sizing.sheet.sheets import KINDS, prepare, sheet

ROOT = Path(__file__).parents[2]
LIMITS_S = {"html": 0.1, "xlsx": 0.2, "pdf": 0.5}


def model() -> Request:
    return Request(sizing.answer(sizing.Scenario()), customer="Example Ltd")


def services() -> Request:
    placed = shared(preset("dozen"))
    return Request(sizing.answer(placed.plan.scenario), shared=placed, customer="Example Ltd")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("make", [model, services], ids=["model", "services"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_sheet_is_made_while_one_waits(kind: Any, make: Any, language: str, benchmark: Any) -> None:
    prepare(kind)
    sheet(make(), kind)  # what is read once for all sheets

    def best_s() -> float:
        found = []
        for _ in range(5):
            request = make()
            begin = time.process_time()
            sheet(request, kind)
            found.append(time.process_time() - begin)
        return min(found)

    took_s = benchmark.pedantic(best_s, rounds=1)
    print(f"\n{kind}, {make.__name__}, {language}: {took_s * 1e3:.0f} ms of processor time")
    assert took_s < LIMITS_S[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_first_sheet_of_a_kernel_waits_for(kind: str) -> None:
    """Loading the libraries, which `prepare` can do before anyone asks."""
    code = (
        "import time, sizing; from sizing.sheet.sheets import prepare; begin = time.process_time();"
        f"prepare({kind!r}); print(time.process_time() - begin)"
    )
    took_s = min(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout)
        for _ in range(3)
    )
    print(f"\nprepare {kind}: {took_s * 1e3:.0f} ms of processor time")
    assert took_s < 3
