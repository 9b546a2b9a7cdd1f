"""Checks of plain numbers, shared by the site's calculations."""

from __future__ import annotations

from sizing.base.errors import SizingError
from sizing.base.numbers import is_number, is_whole
from sizing.base.texts import unit_word


def number(input: str, value: float, low: float, high: float, unit: str = "") -> float:
    """``value`` as a float, or a SizingError that names the input, its unit and its bounds (both included)."""
    if not is_number(value):
        raise SizingError("site_not_a_number", input=input, value=value, low=low, high=high, unit=unit_word(unit))
    if not low <= value <= high:
        raise SizingError("site_out_of_range", input=input, value=value, low=low, high=high, unit=unit_word(unit))
    return float(value)


def count(input: str, value: int, low: int, high: int) -> int:
    """``value`` if it is a whole number within the bounds (both included), else a SizingError."""
    if not is_whole(value) or not low <= value <= high:
        raise SizingError("site_not_a_count", input=input, value=value, low=low, high=high)
    return int(value)
