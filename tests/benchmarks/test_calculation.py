"""What the calculation costs, as ratios against a baseline of the same run. Run with ``make bench``."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sizing
from sizing import catalogue

ROOT = Path(__file__).parents[2]


def _import_s(module: str) -> float:
    """Best of five imports in a fresh interpreter, less the interpreter's own start. [s]"""

    def run(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
        return time.perf_counter() - begin

    empty = min(run("pass") for _ in range(5))
    return min(run(f"import {module}") for _ in range(5)) - empty


def test_import_takes_less_than_half_of_pandas(benchmark: Any) -> None:
    ours, theirs = benchmark.pedantic(lambda: (_import_s("sizing"), _import_s("pandas")), rounds=1)
    benchmark.extra_info["ratio_to_pandas"] = ours / theirs
    print(f"\nimport sizing {ours * 1e3:.0f} ms, import pandas {theirs * 1e3:.0f} ms, ratio {ours / theirs:.2f}")
    assert ours < theirs / 2


def test_size_takes_less_than_a_millisecond(benchmark: Any) -> None:
    scenarios = [sizing.Scenario(cards=cards, context_tokens=2**power) for cards in (1, 4, 8) for power in (12, 15)]
    for scenario in scenarios:
        sizing.size(scenario)
    benchmark(lambda: [sizing.size(scenario) for scenario in scenarios])
    print(f"\nsize() {benchmark.stats['min'] / len(scenarios) * 1e3:.2f} ms")
    assert benchmark.stats["min"] / len(scenarios) < 1e-3


def test_sweep_makes_a_million_scenarios_a_second(benchmark: Any) -> None:
    lists: dict[str, Any] = {
        "checkpoints": [key for key in catalogue.checkpoint_ids() if catalogue.checkpoint(key).weight_bytes],
        "context_tokens": [1024 * step for step in range(1, 65)],
        "kv_dtypes": ["auto", "bf16", "fp8"],
    }
    table = sizing.sweep(**lists)
    benchmark.pedantic(lambda: sizing.sweep(**lists), rounds=5)
    rate = len(table) / benchmark.stats["min"]
    print(f"\nsweep {rate / 1e6:.2f} million scenarios a second over {len(table):,}")
    assert rate > 1_000_000


@pytest.mark.parametrize("cards", [1, 8])
def test_a_move_of_the_page_takes_less_than_a_frame_of_thought(benchmark: Any, cards: int) -> None:
    from sizing.ui.pages.sizing import SizingPage

    page = SizingPage(f"n={cards}")
    contexts = iter(range(1024, 10_000_000, 7))
    benchmark(lambda: page.form._edit({"context_tokens": str(next(contexts) % 131072 + 1)}))
    print(f"\none move {benchmark.stats['median'] * 1e3:.1f} ms in the kernel")
    assert benchmark.stats["median"] < 0.1
