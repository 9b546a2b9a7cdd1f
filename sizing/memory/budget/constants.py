"""The figures of data/budget.toml, checked as they are read."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

from sizing.catalogue import files


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


@functools.cache
def tables() -> dict[str, Any]:
    """The whole file."""
    return files.read_toml(files.data_dir() / "budget.toml", "budget.toml")


def figure(table: dict[str, Any], name: str, unit: str) -> Figure:
    """The figure ``name`` of a table, which must stand there in this unit with its source."""
    try:
        found = Figure(**table[name])
    except (KeyError, TypeError) as error:
        raise BudgetDataError(f"budget.toml: {name}: {error}") from None
    if found.unit != unit or not found.source or not math.isfinite(found.value):
        raise BudgetDataError(f"budget.toml: {name} = {found}: wanted a finite number in {unit!r} with a source")
    return found
