"""Additions as CONTRIBUTING.md says them: made in a scratch copy of the tree, and looked for in another process."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.house import ROOT


def rows() -> dict[str, str]:
    """What may be added, and what the table of CONTRIBUTING.md says to touch for it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    cells = [re.split(r"(?<!\\)\|", line)[1:4] for line in text.splitlines() if line.startswith("|")]
    return {what.strip(): touch for what, touch, _why in cells[2:]}


def patterns(touch: str) -> list[str]:
    """Paths that a row names between backticks, with a star where it says <something>."""
    named = [name for name in re.findall(r"`([^`]+)`", touch) if "/" in name]
    return [re.sub(r"<[^>]+>", "*", name) + ("**" if name.endswith("/") else "") for name in named]


@dataclass
class Tree:
    """A copy of what runs: package, data and notebooks. touched: files written, by the row that asked for them."""

    root: Path
    row: str = ""
    touched: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("sizing", "data", "notebooks"):
            shutil.copytree(ROOT / name, self.root / name, copy_function=_link)

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """A file as it should be; what it was linked to stays as it is."""
        place = self.root / path
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text), encoding="utf-8")
        self.touched.setdefault(self.row, set()).add(path)

    def change(self, path: str, old: str, new: str) -> None:
        """One place of a file."""
        text = self.read(path)
        assert text.count(old) == 1, f"{path} has {text.count(old)} of {old!r}"
        self.write(path, text.replace(old, new))

    def before(self, path: str, mark: str, text: str) -> None:
        """Text before a mark that a file has once."""
        self.change(path, mark, textwrap.dedent(text) + mark)

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + textwrap.dedent(text))

    def word(self, key: str, english: str, german: str) -> None:
        """A text in both languages, in the first file that has the table it belongs to."""
        table, name = key.rsplit(".", 1)
        for language, text in (("en", english), ("de", german)):
            files = sorted((self.root / "sizing" / "base" / "texts" / language).glob("*.toml"))
            path = next(path for path in files if f"\n[{table}]\n" in "\n" + path.read_text(encoding="utf-8"))
            self.change(str(path.relative_to(self.root)), f"[{table}]\n", f'[{table}]\n{name} = "{text}"\n')

    def run(self, code: str) -> str:
        """What a new process prints that has nothing but this tree."""
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=self.root, env=environment, timeout=300
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@dataclass(frozen=True)
class Walk:
    """One row: what is done to the tree, and Python expressions that are true where the addition is seen."""

    row: str
    add: Callable[[Tree], None]
    seen: Mapping[str, str]
    before: str = ""
    """Code that the expressions need, beside ``sizing`` itself."""


_LOOK = """
import json, traceback
found = {}
for row, before, seen in json.loads(%r):
    found[row] = said = {}
    space = {}
    try:
        exec("import sizing\\n" + before, space)
    except BaseException:
        said["before"] = traceback.format_exc(limit=-3)
        continue
    for name, expression in seen.items():
        try:
            said[name] = bool(eval(expression, space)) or "not so"
        except BaseException:
            said[name] = traceback.format_exc(limit=-3)
print("\\n" + json.dumps(found))
"""


def walked(tree: Tree, walks: list[Walk], tools: str) -> dict[str, dict[str, Any]]:
    """Every addition made, and what was seen of each: True, or what went wrong."""
    for walk in walks:
        tree.row = walk.row
        walk.add(tree)
    asked = json.dumps([[walk.row, tools + walk.before, dict(walk.seen)] for walk in walks])
    answer: dict[str, dict[str, Any]] = json.loads(tree.run(_LOOK % (asked,)).splitlines()[-1])
    return answer


def strays(touched: set[str], touch: str) -> set[str]:
    """Files that had to be touched, and that the row does not name."""
    return {path for path in touched if not any(fnmatch.fnmatchcase(path, each) for each in patterns(touch))}
