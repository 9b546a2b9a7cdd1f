"""Every source that data or code names is described in sources.toml."""

from __future__ import annotations

import ast
import csv
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sizing import catalogue
from sizing.base.files import data_dir
from sizing.catalogue.loader import default

DATA = data_dir()
CODE = Path(catalogue.__file__).parents[1]
NO_PAPER = {"convention", "input", "step", "brought", "own"}  # ours, or the user's

KEY = r"(?!and\b)[a-z0-9][a-z0-9.-]*[a-z0-9]"
# With a capital letter: "source: of the default" describes a field.
NAMED = re.compile(rf"\bSources?(?: of [\w ]+)?: ({KEY}(?:, {KEY})*)(?=[.,;)\s]|$)")


def named_in_toml(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if (key in ("source", "sources") or key.endswith("_source")) and not isinstance(inner, dict):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from named_in_toml(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named_in_toml(inner)


def named_in_csv(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column, cell in row.items():
                if column in ("source", "sources") or column.endswith("_source"):
                    yield from filter(None, re.split(r"[;\s]+", cell))


def named_in_code(path: Path) -> Iterator[str]:
    """Keys in docstrings ("Source: key") and in constants whose name says SOURCE."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
            for match in NAMED.finditer(" ".join(text.split())):
                yield from match[1].split(", ")
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(key))) if "SOURCE" in name:
                yield key


DATA_FILES = sorted(
    path for path in DATA.rglob("*") if path.suffix in (".toml", ".csv") and path.name != "sources.toml"
)


@pytest.mark.parametrize("path", DATA_FILES, ids=lambda path: str(path.relative_to(DATA)))
def test_sources_of_the_data(path: Path) -> None:
    if path.suffix == ".csv":
        named = set(named_in_csv(path))
    else:
        named = set(named_in_toml(tomllib.loads(path.read_text(encoding="utf-8"))))
    assert named - NO_PAPER <= set(default().sources)
    if path.name != "config_keys.toml":  # names only, no figures
        assert named


@pytest.mark.parametrize("path", sorted(CODE.rglob("*.py")), ids=lambda path: str(path.relative_to(CODE)))
def test_sources_of_the_code(path: Path) -> None:
    assert set(named_in_code(path)) - NO_PAPER <= set(default().sources)


def test_docstrings_are_understood() -> None:
    """The search above finds keys as the docstrings write them, and no words beside them."""
    assert NAMED.findall("... Source of the formulas: model-configs, vllm-kv-rules.") == [
        "model-configs, vllm-kv-rules"
    ]
    assert NAMED.findall("Source: doc-de (rule), and more") == ["doc-de"]
    named = set(named_in_code(CODE / "memory" / "caches.py"))
    assert {"model-configs", "vllm-kv-rules"} <= named


def test_the_keys_are_told_by_the_headings() -> None:
    assert list(default().source_keys) == list(default().sources)


@pytest.mark.parametrize("key", default().sources)
def test_a_source_is_described(key: str) -> None:
    source = catalogue.source(key)
    assert source.key == key
    assert source.read_on >= source.published[:10]
    # An index id of a file store is not the paper: the title names the paper, ``via`` where it was read.
    assert "index id" not in source.title
    assert source.second_hand == bool(source.via)


@pytest.mark.parametrize(
    "key", ["doc-de", "doc-en", "model-configs", "vllm-kv-rules", "memory-budget", "hardware-notes"]
)
def test_the_sources_that_all_start_from(key: str) -> None:
    assert not catalogue.source(key).second_hand
