"""Bounds of the numbers that come in."""

from __future__ import annotations

from typing import Any

from sizing.errors import SizingError
from sizing.quantities import is_number, is_whole

LARGEST = 1e9


def number(value: Any, name: str, *, low: float, above: bool = False, high: float = LARGEST) -> float:
    """A finite number from ``low`` (or above it) to ``high``; else a SizingError that names the input."""
    if not is_number(value) or value < low or value > high or (above and value == low):
        raise SizingError("number_out_of_range", input=name, value=value, low=low, high=high)
    return float(value)


def count(value: Any, name: str, low: int) -> int:
    """A whole number of at least ``low``; else a SizingError that names the input."""
    if not is_whole(value) or not low <= value <= LARGEST:
        raise SizingError("count_out_of_range", input=name, value=value, low=low)
    return int(value)
