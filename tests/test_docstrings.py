"""Docstrings of the calculation keep to the signature: every parameter by name, every returned number with its unit.

Held are public functions that take or return a number. What does not keep to it yet is counted by room; a count may
only fall, and a new function keeps to it from the start.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests import house

CALCULATION = tuple(room for room in house.FLOOR if room not in ("ui", "sheet", "serve"))

UNNAMED = {
    "base": 19,
    "memory": 104,
    "catalogue": 1,
    "speed": 13,
    "answers": 9,
    "sharing": 16,
    "demand": 15,
    "models": 6,
}
"""Functions by room whose docstring leaves a parameter out."""
UNBRACKETED = {
    "base": 13,
    "memory": 16,
    "catalogue": 1,
    "site": 6,
    "speed": 2,
    "answers": 3,
    "sharing": 2,
    "demand": 15,
    "models": 2,
}
"""Functions by room that return a number and say no unit in [brackets]; a count has one too, e.g. [cards]."""

Function = tuple[str, ast.FunctionDef]


def is_number(annotation: ast.expr | None) -> bool:
    kinds = {kind.strip() for kind in ast.unparse(annotation).split("|")} if annotation else set()
    return bool(kinds & {"int", "float"}) and kinds <= {"int", "float", "None"}


def parameters(function: ast.FunctionDef) -> list[ast.arg]:
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [each for each in given if each.arg not in ("self", "cls")]


def has_numbers(function: ast.FunctionDef) -> bool:
    return is_number(function.returns) or any(is_number(each.annotation) for each in parameters(function))


def functions(body: list[ast.stmt], within: str) -> Iterator[Function]:
    """Public functions and methods that take or return a number, by their full name."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node.body, f"{within}.{node.name}")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and has_numbers(node):
            yield f"{within}.{node.name}", node


def unnamed(function: ast.FunctionDef) -> list[str]:
    """Parameters that the docstring does not name."""
    text = ast.get_docstring(function) or ""
    return [each.arg for each in parameters(function) if not re.search(rf"\b{each.arg}\b", text)]


def unbracketed(function: ast.FunctionDef) -> bool:
    """Whether the function returns a number and its docstring says no unit."""
    return is_number(function.returns) and not re.search(r"\[[^\]\n]+\]", ast.get_docstring(function) or "")


def of_room(room: str) -> list[Function]:
    return [
        each
        for name, path in house.modules().items()
        if house.room(name) == room
        for each in functions(house.tree(path).body, name)
    ]


@pytest.mark.parametrize("room", CALCULATION)
def test_every_parameter_is_named(room: str) -> None:
    found = {name: left_out for name, function in of_room(room) if (left_out := unnamed(function))}
    lines = [f"{name}: {', '.join(left_out)}" for name, left_out in found.items()]
    assert len(found) <= UNNAMED.get(room, 0), "\n  ".join(["parameters not named:", *lines])


@pytest.mark.parametrize("room", CALCULATION)
def test_every_number_returned_has_its_unit(room: str) -> None:
    found = [name for name, function in of_room(room) if unbracketed(function)]
    assert len(found) <= UNBRACKETED.get(room, 0), "\n  ".join(["no unit in [brackets]:", *found])


def test_the_check_itself() -> None:
    code = '''
def heat(load_w: float, share: float) -> float:
    """Heat of load_w. [W]"""
def size_gib(size_bytes: int) -> float | None:
    """What size_bytes are."""
def told(text: str) -> str:
    """No number, so not held."""
'''
    found = dict(functions(ast.parse(code).body, "m"))
    assert {name: (unnamed(each), unbracketed(each)) for name, each in found.items()} == {
        "m.heat": (["share"], False),
        "m.size_gib": ([], True),
    }
