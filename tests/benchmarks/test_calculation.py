"""What the calculation costs, as ratios against a baseline of the same run. Run with ``make bench``."""

from __future__ import annotations

import compileall
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sizing

ROOT = Path(__file__).parents[2]


def _processor_s(code: str, before: str = "", folder: Path = ROOT) -> float:
    """Best of seven runs in a fresh interpreter, less the same without ``code``: processor time. [s]"""

    def run(code: str) -> float:
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=environment)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime

    return min(run(f"{before}\n{code}") for _ in range(7)) - min(run(before) for _ in range(7))


@pytest.fixture(params=["with bytecode", "without"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The package as it is after an installation, and as it is in a checkout that nothing may be written to."""
    for name in ("sizing", "data"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    if request.param == "with bytecode":
        compileall.compile_dir(tmp_path / "sizing", quiet=2)
    return tmp_path


def test_import_takes_a_tenth_of_pandas(benchmark: Any, folder: Path) -> None:
    ours, theirs = benchmark.pedantic(
        lambda: (_processor_s("import sizing", folder=folder), _processor_s("import pandas")), rounds=1
    )
    benchmark.extra_info["ratio_to_pandas"] = ours / theirs
    print(f"\nimport sizing {ours * 1e3:.1f} ms, import pandas {theirs * 1e3:.0f} ms, ratio {ours / theirs:.3f}")
    assert ours < theirs / 10


def test_the_first_sizing(benchmark: Any, folder: Path) -> None:
    ours, theirs = benchmark.pedantic(
        lambda: (
            _processor_s("sizing.size(sizing.Scenario())", "import sizing", folder),
            _processor_s("import pandas"),
        ),
        rounds=1,
    )
    benchmark.extra_info["ratio_to_pandas"] = ours / theirs
    print(f"\nfirst size() {ours * 1e3:.0f} ms, import pandas {theirs * 1e3:.0f} ms, ratio {ours / theirs:.2f}")
    assert ours < theirs


def test_size_takes_less_than_a_millisecond(benchmark: Any) -> None:
    scenarios = [sizing.Scenario(cards=cards, context_tokens=2**power) for cards in (1, 4, 8) for power in (12, 15)]
    for scenario in scenarios:
        sizing.size(scenario)
    benchmark(lambda: [sizing.size(scenario) for scenario in scenarios])
    print(f"\nsize() {benchmark.stats['min'] / len(scenarios) * 1e3:.2f} ms")
    assert benchmark.stats["min"] / len(scenarios) < 1e-3


SWEEP: dict[str, Any] = {
    "checkpoints": ["nvidia/Llama-3.3-70B-Instruct-FP8", "openai/gpt-oss-120b", "Qwen/Qwen3-32B", "Qwen/Qwen3-8B"],
    "cards": ["rtx-pro-6000-server"],
    "context_tokens": [16 * step for step in range(1, 8129)],
    "kv_dtypes": ["bf16", "fp8"],
}


def test_sweep_makes_one_and_a_half_million_scenarios_a_second(benchmark: Any) -> None:
    rows = len(sizing.sweep(**SWEEP))
    assert rows == 520_192

    def run() -> float:
        begin = time.process_time()
        sizing.sweep(**SWEEP)
        return rows / (time.process_time() - begin)

    rates = [run() for _ in range(5)]
    benchmark.pedantic(run, rounds=1)
    print(f"\nsweep {max(rates) / 1e6:.2f} million scenarios a second of processor time over {rows:,}")
    assert max(rates) > 1_500_000


@pytest.mark.parametrize("cards", [1, 8])
def test_a_move_of_the_page_takes_less_than_a_frame_of_thought(benchmark: Any, cards: int) -> None:
    from sizing.ui.pages.sizing import SizingPage

    page = SizingPage(f"n={cards}")
    contexts = iter(range(1024, 10_000_000, 7))
    benchmark(lambda: page.form.hear("edit", {"context_tokens": str(next(contexts) % 131072 + 1)}))
    print(f"\none move {benchmark.stats['median'] * 1e3:.1f} ms in the kernel")
    assert benchmark.stats["median"] < 0.1
