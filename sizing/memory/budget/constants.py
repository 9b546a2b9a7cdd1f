"""The figures of data/budget.toml, checked as they are read."""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class BudgetDataError(ValueError):
    """A fault in data/budget.toml: ours, found by the tests."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with its unit and origin.

    source: key of sources.toml.   basis: how it was chosen where no source prints it, else "".
    """

    value: float
    unit: str
    source: str
    read_on: str
    basis: str = ""


def _path() -> Path:
    package = Path(__file__).resolve().parents[2]
    installed = package / "_data" / "budget.toml"
    return installed if installed.exists() else package.parent / "data" / "budget.toml"


@functools.cache
def tables() -> dict[str, Any]:
    """The whole file."""
    with _path().open("rb") as file:
        return tomllib.load(file)


def figure(table: dict[str, Any], name: str, unit: str) -> Figure:
    """The figure ``name`` of a table, which must stand there in this unit with its source."""
    try:
        found = Figure(**table[name])
    except (KeyError, TypeError) as error:
        raise BudgetDataError(f"budget.toml: {name}: {error}") from None
    if found.unit != unit or not found.source or not math.isfinite(found.value):
        raise BudgetDataError(f"budget.toml: {name} = {found}: wanted a finite number in {unit!r} with a source")
    return found
