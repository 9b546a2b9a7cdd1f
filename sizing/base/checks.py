"""Checks of plain numbers that come in."""

from __future__ import annotations

from typing import Any

from sizing.base.errors import SizingError
from sizing.base.numbers import is_number, is_whole
from sizing.base.texts import unit_word


def number(input: str, value: Any, low: float, high: float, unit: str = "", *, above: bool = False) -> float:
    """``value`` as a float, or a SizingError that names the input, its unit and its bounds.

    Both bounds are included; with ``above`` the lower one is not.
    """
    if not is_number(value):
        raise SizingError("site_not_a_number", input=input, value=value, low=low, high=high, unit=unit_word(unit))
    if not low <= value <= high or (above and value == low):
        raise SizingError("site_out_of_range", input=input, value=value, low=low, high=high, unit=unit_word(unit))
    return float(value)


def count(input: str, value: Any, low: int, high: int) -> int:
    """``value`` if it is a whole number within the bounds (both included), else a SizingError."""
    if not is_whole(value) or not low <= value <= high:
        raise SizingError("site_not_a_count", input=input, value=value, low=low, high=high)
    return int(value)
