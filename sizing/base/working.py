"""Steps: how a figure came about, in a form that a person reads and a test or a spreadsheet recomputes."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from types import CodeType
from typing import Any

from sizing.base import poisson, texts
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.units import floor_count

# What an expression may call. Each has a twin in a spreadsheet.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": floor_count,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "poisson": poisson.share_within,
}


@dataclass(frozen=True)
class Given:
    """A value that a step takes in.

    name: the name that the expression uses; it carries its unit (``reported_gib``).
    source: key of sources.toml, "input" for what the user chose, or "step" for the result of an earlier step.
    step: name of that step, where it is another than the value's own.
    """

    name: str
    value: float
    unit: str
    source: str
    step: str = ""

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Step(Shown, facts=("title", "formula", "given", "result", "unit", "source")):
    """One figure: formula, values put in, result, source.

    name: names the figure and its title in the text catalogue (``step.<name>``).
    expression: arithmetic over the names in ``given``, in Python's syntax, with floor, ceil, min, max, sqrt, poisson.
    """

    name: str
    expression: str
    given: tuple[Given, ...]
    result: float
    unit: str
    source: str

    @property
    def title(self) -> str:
        """What the figure is, in English."""
        return self.say_title()

    def say_title(self, language: str = "en") -> str:
        """What the figure is."""
        return texts.say(f"step.{self.name}", language)

    @property
    def formula(self) -> str:
        """The expression as a person writes it: × for times, − for minus, ^ for a power."""
        written = self.expression.replace(" ** ", "^")
        return written.replace(" * ", " × ").replace(" - ", " − ").replace(" / ", " ÷ ")

    def recompute(self) -> float:
        """The result worked out again from the expression and the given values."""
        return _value(self.expression, {given.name: given.value for given in self.given})


def derive(name: str, expression: str, unit: str, source: str, **given: Step | tuple[float, str, str]) -> Step:
    """Work a figure out of its formula and keep how: the one way by which a value and its text are the same.

    expression: arithmetic over the names in ``given``, with FUNCTIONS; anything else is a ValueError.
    given: by the name that the expression uses, an earlier step or (value, its unit, its source).

    >>> derive("x", "cards * cap_w", "W", "doc-de", cards=(4, "", "input"), cap_w=(600, "W", "input")).result
    2400.0
    """
    taken = tuple(
        Given(key, each.result, each.unit, "step", each.name) if isinstance(each, Step) else Given(key, *each)
        for key, each in given.items()
    )
    return Step(name, expression, taken, _value(expression, {each.name: each.value for each in taken}), unit, source)


def _value(expression: str, values: dict[str, float]) -> float:
    return float(eval(_compiled(expression), {"__builtins__": {}, **FUNCTIONS}, values))


@functools.lru_cache(maxsize=1024)
def _compiled(expression: str) -> CodeType:
    """The expression as code, once it is known to be nothing but arithmetic."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree.body):
        match node:
            case (
                ast.Constant(value=int() | float()) | ast.Name() | ast.Load() | ast.USub() | ast.UnaryOp(op=ast.USub())
            ):
                continue
            case ast.BinOp() | ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow():
                continue
            case ast.Call(func=ast.Name(id=called), keywords=[]) if called in FUNCTIONS:
                continue
        raise ValueError(f"not arithmetic: {ast.unparse(tree)}")
    return compile(tree, "<formula>", "eval")
