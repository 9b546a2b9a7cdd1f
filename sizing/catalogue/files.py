"""Where the data lies, and how a file of it is read: TOML and CSV into plain values, faults with file and place."""

from __future__ import annotations

import csv
import functools
import io
import tomllib
from pathlib import Path
from typing import Any

from sizing.errors import SizingError


@functools.cache
def data_dir() -> Path:
    """The folder of the data."""
    return find_data(Path(__file__).parents[1])


def find_data(package: Path) -> Path:
    """The data of the package in this folder: ``_data`` inside an installed one, ``data`` beside it in a checkout."""
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"


def read_text(path: Path, place: str) -> str:
    """The text of a file. place: what an error calls the file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error


def read_toml(path: Path, place: str) -> dict[str, Any]:
    """A TOML file as plain values. A key that stands twice is refused here, by the TOML reader."""
    try:
        return tomllib.loads(read_text(path, place))
    except tomllib.TOMLDecodeError as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error


def read_csv(path: Path, place: str) -> tuple[tuple[str, ...], list[tuple[str, dict[str, str]]]]:
    """A CSV file as its columns and its rows, each with its place (file and line).

    Refuses a column that stands twice and a row with more or fewer cells than columns.
    """
    reader = csv.reader(io.StringIO(read_text(path, place), newline=""), strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    try:
        columns = tuple(next(reader, ()))
        if twice := {column for column in columns if columns.count(column) > 1}:
            raise SizingError("data_duplicate", input=f"{place}: line 1", what="column", value=", ".join(sorted(twice)))
        for cells in reader:
            where = f"{place}: line {reader.line_num}"
            if len(cells) != len(columns):
                raise SizingError("data_ragged_row", input=where, cells=len(cells), columns=len(columns))
            rows.append((where, dict(zip(columns, (cell.strip() for cell in cells), strict=True))))
    except csv.Error as error:
        raise SizingError("data_unreadable", input=place, reason=str(error)) from error
    return columns, rows
