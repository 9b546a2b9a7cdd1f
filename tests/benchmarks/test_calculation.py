"""What the calculation costs, as ratios against a baseline of the same run. Run with ``make bench``."""

from __future__ import annotations

import asyncio
import compileall
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
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


def test_the_first_sizing(benchmark: Any, folder: Path, request: pytest.FixtureRequest) -> None:
    ours, theirs = benchmark.pedantic(
        lambda: (
            _processor_s("sizing.size(sizing.Scenario())", "import sizing", folder),
            _processor_s("import pandas"),
        ),
        rounds=1,
    )
    benchmark.extra_info["ratio_to_pandas"] = ours / theirs
    print(f"\nfirst size() {ours * 1e3:.0f} ms, import pandas {theirs * 1e3:.0f} ms, ratio {ours / theirs:.2f}")
    assert ours < (0.2 if request.node.callspec.id == "with bytecode" else 0.4) * theirs


def test_size_takes_a_fifth_of_a_millisecond(benchmark: Any) -> None:
    scenarios = [sizing.Scenario(cards=cards, context_tokens=2**power) for cards in (1, 4, 8) for power in (12, 15)]
    for scenario in scenarios:
        sizing.size(scenario)
    benchmark(lambda: [sizing.size(scenario) for scenario in scenarios])
    print(f"\nsize() {benchmark.stats['min'] / len(scenarios) * 1e3:.2f} ms")
    assert benchmark.stats["min"] / len(scenarios) < 0.2e-3


def test_reading_a_config_takes_an_eighth_of_parsing_40_000_numbers(benchmark: Any) -> None:
    """0.15 ms where the standard library's parser takes 1.9 ms."""
    layers = ["linear_attention", "linear_attention", "linear_attention", "full_attention"] * 16
    config = {
        "model_type": "qwen3_5_text", "hidden_size": 5120, "num_attention_heads": 24, "num_key_value_heads": 4,
        "head_dim": 256, "num_hidden_layers": 64, "layer_types": layers, "linear_num_key_heads": 16,
        "linear_num_value_heads": 48, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4, "max_position_embeddings": 262_144, "vocab_size": 248_320,
    }  # fmt: skip
    text = json.dumps([*range(40_000)])

    def seconds(call: Callable[[], Any]) -> float:
        begin = time.process_time()
        for _ in range(20):
            call()
        return (time.process_time() - begin) / 20

    sizing.read_config(config)
    ours = min(seconds(lambda: sizing.read_config(config)) for _ in range(9))
    theirs = min(seconds(lambda: json.loads(text)) for _ in range(9))
    benchmark.pedantic(lambda: sizing.read_config(config), rounds=20)
    benchmark.extra_info["ratio_to_json"] = ours / theirs
    print(f"\nread_config() {ours * 1e3:.3f} ms, json.loads() {theirs * 1e3:.3f} ms, ratio {ours / theirs:.3f}")
    assert ours < theirs / 8


SWEEP: dict[str, Any] = {
    "checkpoints": ["nvidia/Llama-3.3-70B-Instruct-FP8", "openai/gpt-oss-120b", "Qwen/Qwen3-32B", "Qwen/Qwen3-8B"],
    "cards": ["rtx-pro-6000-server"],
    "context_tokens": [16 * step for step in range(1, 8129)],
    "kv_dtypes": ["bf16", "fp8"],
}


@pytest.mark.parametrize(("contexts", "least"), [(8128, 1_500_000), (240, 750_000)])
def test_sweep_makes_one_and_a_half_million_scenarios_a_second(benchmark: Any, contexts: int, least: int) -> None:
    asked = SWEEP | {"context_tokens": SWEEP["context_tokens"][:contexts]}
    rows = len(sizing.sweep(**asked))
    assert rows == 64 * contexts

    def run() -> float:
        begin = time.process_time()
        sizing.sweep(**asked)
        return rows / (time.process_time() - begin)

    rates = [run() for _ in range(7)]
    benchmark.pedantic(run, rounds=1)
    print(f"\nsweep {max(rates) / 1e6:.2f} million scenarios a second of processor time over {rows:,}")
    assert max(rates) > least


@pytest.mark.parametrize("cards", [1, 4, 8])
def test_a_move_of_the_page(benchmark: Any, cards: int) -> None:
    """As in a kernel: a loop runs, so that what may come a moment later does; measured operations are loaded."""
    from sizing.ui.pages.sizing import SizingPage

    async def moves() -> list[float]:
        page = SizingPage(f"n={cards}")
        page.state.settle()
        taken = []
        for number in range(120):
            begin = time.process_time()
            page.form.hear("edit", {"context_tokens": str(1024 + 397 * number)})
            taken.append(time.process_time() - begin)
        return sorted(taken[20:])

    taken, unit = benchmark.pedantic(lambda: (asyncio.run(moves()), _processor_s("import pandas")), rounds=1)
    benchmark.extra_info["ratio_to_pandas"] = taken[50] / unit
    print(
        f"\none move with {cards} cards: {taken[0] * 1e3:.1f} to {taken[50] * 1e3:.1f} ms of processor time, "
        f"best and median, ratio of the median to import pandas {taken[50] / unit:.3f}"
    )
    assert taken[50] < unit / 10
