"""A release is one entry of a table, an engine one folder and one table: each is added in a copy, and is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sizing.base.errors import SizingError
from sizing.memory import engines
from sizing.memory.starting import EngineRules

ROOT = Path(__file__).parents[2]

RELEASE = """
[[release]]
since = "0.34.0"
choose = ["0.34.0"]
does = { null_block_held = false }
"""
SEES_THE_RELEASE = """
import sizing
from sizing.catalogue.inputs import inputs
from sizing.memory import engines, vllm
assert inputs()["engine_version"].choices[-1] == sizing.Scenario().engine_version == vllm.NEWEST == "0.34.0"
config = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 9}
architecture = sizing.read_config(config)
assert vllm.startup(architecture, available_kv_gib=1, max_model_len=64).starts
vllm.check_version("0.34.1")
try:
    vllm.check_version("0.35.0")
except sizing.SizingError as error:
    assert "0.34" in error.fix()
"""
TOY = '''
"""Another engine: what it offers beyond these is nothing that this test asks."""
NAME = "toy"
from sizing.memory.startup_log import Found, StartupLog
def read_log(text):
    return StartupLog(kv_tokens=Found(int(text.rpartition(" ")[2]), 1))
'''
SEES_THE_ENGINE = """
from sizing.memory import engines
assert engines.names() == ("toy", "vllm")
assert engines.engine("toy").NAME == "toy"
assert engines.read_log("max_total_num_tokens 7").kv_tokens.value == 7
"""


def _run(code: str, root: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its data, to add to."""
    for name in ("sizing", "data"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_a_release_is_one_entry_of_one_table(copy: Path) -> None:
    table = copy / "data/engines/vllm.toml"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("\n# Releases at least this new", RELEASE + "\n# Releases at least this new"))
    _run(SEES_THE_RELEASE, copy)


def test_an_engine_is_one_folder_and_one_table(copy: Path) -> None:
    (copy / "sizing/memory/toy").mkdir()
    (copy / "sizing/memory/toy/__init__.py").write_text(TOY)
    (copy / "data/engines/toy.toml").write_text('release = [{ since = "1.0.0", choose = ["1.0.0"] }]\n')
    _run(SEES_THE_ENGINE, copy)


@pytest.mark.parametrize("name", engines.names())
def test_every_engine_fills_the_protocol(name: str) -> None:
    rules = engines.engine(name)
    wanted = {each for each in vars(EngineRules) if not each.startswith("_")} | set(EngineRules.__annotations__)
    assert not {each for each in wanted if not hasattr(rules, each)}
    assert name == rules.NAME


def test_an_engine_without_rules_is_named() -> None:
    with pytest.raises(SizingError) as caught:
        engines.engine("sglang")
    assert caught.value.key == "engine_rules_unknown"
    assert "vllm" in caught.value.fix()
