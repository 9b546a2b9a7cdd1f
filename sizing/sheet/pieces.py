"""What a sheet is made of, the same for every kind of file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """An input as the sheet shows it. changed: it is not at its default."""

    name: str
    label: str
    shown: str
    value: float | str
    unit: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A result. value: None where there is no number.   step: name of the step that ends in it, or ""."""

    name: str
    label: str
    shown: str
    value: float | None
    unit: str = ""
    estimate: bool = False
    step: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results: words in the first column, figures in those that follow.

    marked: number of the row that is the choice, None for none.
    edges: where a PDF's columns stand: the left one's left edge, the others' right edges; the last of a wide table is
        its left edge. [mm]
    short, short_rows: heads and rows for a place of half the page's width; () where the table takes all of it.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    edges: tuple[float, ...]
    marked: int | None = None
    short: tuple[str, ...] = ()
    short_rows: tuple[tuple[str, ...], ...] = ()

    @property
    def narrow(self) -> bool:
        """It has a short form."""
        return bool(self.short)
