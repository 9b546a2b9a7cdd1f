"""A workbook as pages of cells: each value with its style, names that formulas use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

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
