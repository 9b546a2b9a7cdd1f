"""A workbook as pages of cells: each value with its style, names that formulas use, steps as formulas."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from sizing.base.dataclass import dataclass
from sizing.base.working import Given, Step
from sizing.catalogue.scenario import Scenario
from sizing.sheet import drawing
from sizing.sheet.content import Content

_NUMBER = {"num_format": "#,##0.####"}
STYLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "wrap": {"text_wrap": True},
    "head": {"bold": True, "font_color": drawing.MUTED, "bottom": 1, "bottom_color": drawing.LINE},
    "bold": {"bold": True},
    "large": {"bold": True, "font_size": 16},
    "quiet": {"font_color": drawing.MUTED, "text_wrap": False},
    "figure": _NUMBER,
    "result": {**_NUMBER, "bold": True},
    "share": {"num_format": "0.00%"},
    "given": {**_NUMBER, "bg_color": "#fff7d6"},
    "code": {"font_name": "Courier New", "font_size": 9},
    "link": {"font_color": drawing.ACCENT, "underline": 1},
}


class Formula(NamedTuple):
    """A formula with its result, which is shown where nothing recalculates."""

    text: str
    result: float


Value = str | float | Formula | None
"""What a cell holds; None for nothing. Text stays text, whatever it looks like."""


class Cells:
    """The workbook of a sheet."""

    def __init__(self, book: Workbook, content: Content) -> None:
        self.book, self.content = book, content
        base = {"font_name": "Arial", "font_size": 10, "valign": "top"}
        self.styles = {name: book.add_format(base | more) for name, more in STYLES.items()}

    def page(self, name: str) -> Worksheet:
        """A new page, called as the section ``name`` is."""
        page = self.book.add_worksheet(self.content.say(f"sheet.section.{name}")[:31])
        page.hide_gridlines(2)
        page.set_paper(9)
        page.fit_to_pages(1, 0)
        return page

    def widths(self, page: Worksheet, widths: Sequence[float]) -> None:
        """Widths of the columns from the left. [signs]"""
        for column, width in enumerate(widths):
            page.set_column(column, column, width, self.styles["plain"])

    def header(self, page: Worksheet, row: int, names: Sequence[str]) -> None:
        """Heads of columns by their names; "" for a column without one."""
        self.row(page, row, *((self.content.say(f"sheet.column.{name}") if name else "", "head") for name in names))

    def row(self, page: Worksheet, row: int, *cells: tuple[Value, str], start: int = 0) -> None:
        """Cells from the column ``start`` on, each a value and the name of its style."""
        for column, (value, style) in enumerate(cells, start):
            match value:
                case None:
                    continue
                case str():
                    page.write_string(row, column, value, self.styles[style])
                case Formula(text, result):
                    page.write_formula(row, column, text, self.styles[style], result)
                case _:
                    page.write_number(row, column, value, self.styles[style])

    def name(self, page: Worksheet, name: str, row: int, column: int) -> None:
        """Give a cell a name that formulas can use."""
        self.book.define_name(name, f"='{page.get_name()}'!${letter_of(column)}${row + 1}")


def letter_of(column: int) -> str:
    """The letter of one of the first 26 columns, counted from 0."""
    return chr(ord("A") + column)


# A step's expression as a spreadsheet's formula, and which cell each of its values comes from.


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
