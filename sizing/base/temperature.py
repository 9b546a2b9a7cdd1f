"""Temperatures and temperature rises as types of their own, so that °C and °F cannot be taken for each other.

A temperature is a point on a scale with an offset (25 °C = 77 °F); a rise is a difference without one (11 K = 19.8 °F).
Only their constructors name a unit, and only sums that make sense exist.
"""

from __future__ import annotations

import re
from typing import overload

from sizing.base import checks
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError

FAHRENHEIT_PER_KELVIN = 1.8
FAHRENHEIT_AT_ZERO_C = 32.0


def _read(text: str, units: str) -> tuple[float, str]:
    """The number and the letter of the unit, C, F or K, of a typed text."""
    pattern = rf"\s*([-+]?\d+(?:[.,]\d+)?)\s*°?\s*([{units}])\s*"
    found = re.fullmatch(pattern, text, re.IGNORECASE) if isinstance(text, str) else None
    if found is None:
        raise SizingError("temperature_without_unit", input="temperature", value=text)
    return float(found[1].replace(",", ".")), found[2].upper()


@dataclass(frozen=True, order=True, kw_only=True)
class Rise:
    """A difference of temperatures. k: in kelvin, which is the step of a degree Celsius. [K]"""

    k: float

    @classmethod
    def from_k(cls, value: float) -> Rise:
        """A rise in kelvin or degrees Celsius. [K]"""
        return cls(k=checks.number("rise_k", value, -200, 200, "K"))

    @classmethod
    def from_f(cls, value: float) -> Rise:
        """A rise in degrees Fahrenheit. [°F]

        >>> Rise.from_f(19.8).k
        11.0
        """
        return cls(k=checks.number("rise_f", value, -360, 360, "°F") / FAHRENHEIT_PER_KELVIN)

    @classmethod
    def read(cls, text: str) -> Rise:
        """A typed rise with its unit; °C and K are the same step.

        >>> Rise.read("19.8 °F").k
        11.0
        """
        number, unit = _read(text, "CFK")
        return cls.from_f(number) if unit == "F" else cls.from_k(number)

    @property
    def f(self) -> float:
        """In degrees Fahrenheit. [°F]"""
        return self.k * FAHRENHEIT_PER_KELVIN


@dataclass(frozen=True, order=True, kw_only=True)
class Temperature:
    """A temperature. c: in degrees Celsius. [°C]"""

    c: float

    @classmethod
    def from_c(cls, value: float) -> Temperature:
        """A temperature in degrees Celsius. [°C]"""
        return cls(c=checks.number("temperature_c", value, -100, 200, "°C"))

    @classmethod
    def from_f(cls, value: float) -> Temperature:
        """A temperature in degrees Fahrenheit. [°F]

        >>> Temperature.from_f(77).c
        25.0
        """
        number = checks.number("temperature_f", value, -148, 392, "°F")
        return cls(c=(number - FAHRENHEIT_AT_ZERO_C) / FAHRENHEIT_PER_KELVIN)

    @classmethod
    def read(cls, text: str) -> Temperature:
        """A typed temperature; the unit is part of it, since 77 alone may be either.

        >>> Temperature.read("77 °F") == Temperature.read("25C")
        True
        """
        number, unit = _read(text, "CF")
        return cls.from_c(number) if unit == "C" else cls.from_f(number)

    @property
    def f(self) -> float:
        """In degrees Fahrenheit. [°F]"""
        return self.c * FAHRENHEIT_PER_KELVIN + FAHRENHEIT_AT_ZERO_C

    def __add__(self, rise: Rise) -> Temperature:
        if not isinstance(rise, Rise):
            return NotImplemented
        return Temperature.from_c(self.c + rise.k)

    @overload
    def __sub__(self, other: Temperature) -> Rise: ...
    @overload
    def __sub__(self, other: Rise) -> Temperature: ...
    def __sub__(self, other: Temperature | Rise) -> Rise | Temperature:
        if isinstance(other, Temperature):
            return Rise.from_k(self.c - other.c)
        if isinstance(other, Rise):
            return Temperature.from_c(self.c - other.k)
        return NotImplemented
