"""The plan of the house: every file of the package, what it imports, and the circles that imports make."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sizing"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)

FLOORS = (
    ("base",),
    ("memory", "serve"),
    ("catalogue",),
    ("site", "speed"),
    ("answers",),
    ("sharing", "demand"),
    ("sheet", "models"),
    ("ui",),
)
"""The rooms by floor, lowest first. A room imports from lower floors alone."""
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS, start=1) for room in rooms}
CONTRACT = "sizing"
"""The package itself: it hands out names of many rooms when they are asked for, and nothing in it asks the package."""


@dataclass(frozen=True, order=True)
class Arrow:
    """One module imports another: at the top of its file, inside a function, or for type checkers alone."""

    source: str
    target: str
    line: int = 0

    def __str__(self) -> str:
        where = f"  ({_path(self.source).relative_to(ROOT)}:{self.line})" if self.line else ""
        return f"{self.source} -> {self.target}{where}"

    @property
    def ends(self) -> str:
        return f"{self.source} -> {self.target}"


def module(path: Path) -> str:
    """Name of a file's module, e.g. "sizing.site.air"."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> Mapping[str, Path]:
    return {module(path): path for path in FILES}


def _path(name: str) -> Path:
    return modules()[name]


def room(name: str) -> str:
    """Room of a module; "" for the package itself."""
    return name.split(".")[1] if "." in name else ""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names(code: ast.Module, package: str) -> list[tuple[str, int]]:
    """Every full name that a file of a package imports, late and for type checkers too, with its line, by name."""
    found: set[tuple[str, int]] = set()
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            found |= {(alias.name, node.lineno) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {(f"{base}.{alias.name}", node.lineno) for alias in node.names}
    return sorted(found)


def _module_of(name: str) -> str:
    """The module that a full name belongs to, e.g. "sizing.site.air" of "sizing.site.air.cfm"; "" if none of ours."""
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name


@cache
def arrows() -> tuple[Arrow, ...]:
    """Every import of one module of the package by another, once. The contract's own are left out."""
    first: dict[tuple[str, str], Arrow] = {}
    for source, path in modules().items():
        if source == CONTRACT:
            continue
        package = source if path.name == "__init__.py" else source.rpartition(".")[0]
        for name, line in names(tree(path), package):
            target = _module_of(name)
            if target and target != source:
                first.setdefault((source, target), Arrow(source, target, line))
    return tuple(sorted(first.values()))


def circles(pairs: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """Sets of more than one in which each reaches each other along the arrows (Tarjan's strong components)."""
    after: dict[str, list[str]] = {}
    for source, target in pairs:
        after.setdefault(source, []).append(target)
        after.setdefault(target, [])
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for following in after[node]:
            if following not in index:
                visit(following)
            if following in stack:
                low[node] = min(low[node], low[following])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    for node in after:
        if node not in index:
            visit(node)
    return found
