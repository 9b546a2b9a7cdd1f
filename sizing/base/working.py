"""Steps: how a figure came about, in a form that a person reads and a test or a spreadsheet recomputes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sizing.base import poisson, texts
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


@dataclass(frozen=True, slots=True)
class Given:
    """A value that a step takes in.

    name: the name that the expression uses; it carries its unit (``reported_gib``).
    source: key of sources.toml, "input" for what the user chose, or "step" for the result of an earlier step.
    """

    name: str
    value: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Step:
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
        """The result worked out again from the expression and the given values.

        Only arithmetic and FUNCTIONS are allowed; anything else is a ValueError.
        """
        values = {given.name: given.value for given in self.given}
        return float(_evaluate(ast.parse(self.expression, mode="eval").body, values))


def _evaluate(node: ast.AST, values: dict[str, float]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _evaluate(left, values), _evaluate(right, values)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow():
                    return a**b
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_evaluate(arg, values) for arg in args))
    raise ValueError(f"not arithmetic: {ast.unparse(node)}")
