"""A step's expression as a spreadsheet's formula, and which cell each of its values comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from sizing.base.dataclass import dataclass
from sizing.base.working import Given, Step
from sizing.catalogue.scenario import Scenario

_BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}

# One for each of sizing.base.working.FUNCTIONS. floor_count forgives the rounding of binary fractions, and so must the
# spreadsheet.
_CALLS: dict[str, Callable[[list[str]], str]] = {
    "floor": lambda args: f"INT({args[0]}*(1+1E-12)+1E-12)",
    "ceil": lambda args: f"-INT(-{args[0]})",
    "min": lambda args: f"MIN({','.join(args)})",
    "max": lambda args: f"MAX({','.join(args)})",
    "sqrt": lambda args: f"SQRT({args[0]})",
    "poisson": lambda args: f"IF({args[0]}<0,0,POISSON({args[0]},{args[1]},TRUE))",
}


def translate(expression: str, cells: Mapping[str, str]) -> str:
    """An expression of a Step as a formula over cells. cells: name in the expression -> name or address of its cell.

    Every operation stands in brackets: a spreadsheet's minus binds tighter than its power, and its powers run from
    left to right. ValueError for anything that is not arithmetic.

    >>> translate("a * 2 ** -b", {"a": "x_a", "b": "x_b"})
    '=(x_a*(2^(-x_b)))'
    """
    return "=" + _written(ast.parse(expression, mode="eval").body, cells)


def _written(node: ast.AST, cells: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=int() | float() as number):
            return repr(number).upper()
        case ast.Name(id=name):
            return cells[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{_written(operand, cells)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return f"({_written(left, cells)}{_BINARY[type(op)]}{_written(right, cells)})"
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS:
            return f"({_CALLS[name]([_written(arg, cells) for arg in args])})"
    raise ValueError(f"not arithmetic: {ast.unparse(node)}")


@dataclass(frozen=True)
class Cell:
    """A cell of the working. name: its defined name.   formula: "" where the value stands by itself."""

    name: str
    value: float
    formula: str


@dataclass(frozen=True)
class Linked:
    """A step with its cells. inputs: one for each value that it takes in."""

    step: Step
    inputs: tuple[Cell, ...]
    result: Cell


def link(steps: Sequence[Step], scenario: Scenario) -> tuple[Linked, ...]:
    """Every step with its cells: what comes from the scenario or from a step above is a formula that names it.

    Names start with the number of the step, so that none of them reads as the address of a cell.
    """
    found: list[Linked] = []
    for number, step in enumerate(steps, 1):
        used: set[int] = set()
        cells = []
        for given in step.given:
            formula = _from(given, found, used, scenario)
            cells.append(Cell(f"s{number:02d}_{given.name}", given.value, formula))
        names = {given.name: cell.name for given, cell in zip(step.given, cells, strict=True)}
        formula = translate(step.expression, names)
        found.append(Linked(step, tuple(cells), Cell(f"s{number:02d}_is_{step.name}", step.result, formula)))
    return tuple(found)


def input_name(name: str) -> str:
    """Defined name of an input's cell."""
    return f"in_{name}"


# What a step calls an input that the scenario calls otherwise.
_FIXED = ("cards",)  # another number of cards would need another layout
_ALIASES = {"cap_w": "power_cap_w", "planning_factor": "planning_share", "rise_k": "air_rise_c"}
# What a step calls the result of another that is called otherwise, where the value itself does not say so.
_RESULTS = {"heat_w": "server_w", "weights_gib": "weights_gib_estimated"}


def _from(given: Given, before: Sequence[Linked], used: set[int], scenario: Scenario) -> str:
    """The formula of a value that stands elsewhere in the workbook, "" where it stands nowhere else.

    Of several steps of one name, such as layers of several windows, it is the last one of that value that is free.
    """
    if given.name in _FIXED:
        return ""
    if given.source == "input":
        name = _ALIASES.get(given.name, given.name)
        value = getattr(scenario, name, None)
        return f"={input_name(name)}" if isinstance(value, (int, float)) and value == given.value else ""
    if given.source != "step":
        return ""
    names = (given.step or given.name, _RESULTS.get(given.name))
    origin = [
        number
        for number, each in enumerate(before)
        if each.step.name in names and each.step.result == given.value and number not in used
    ]
    if not origin:
        return ""
    used.add(origin[-1])
    return f"={before[origin[-1]].result.name}"
