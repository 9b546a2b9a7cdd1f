"""Reading numbers the way people type them: "8,192", "8K", "0.9", "90 %", "1 M", in either decimal sign."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import TypeGuard

# Tokens are counted in binary thousands, as model cards do: 8K is 8,192 and 128K is 131,072.
_SUFFIXES = {"": 1, "k": 2**10, "m": 2**20, "%": 0.01}
_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "%": 0.01}
_NUMBER = r"(?P<sign>[+-]?)(?P<digits>[0-9][0-9.,]*|[.,][0-9]+)(?P<suffix>[kKmM%]?)i?"
_SPACES = r"[\s_'’\u00a0\u2009\u202f]"


_WORDS = (
    r"(?P<before>[A-Za-z]*\s*[€$£]?)\s*(?P<number>[+-]?[0-9.,](?:.*[0-9.,])?\s*[kKmM]?)\s*(?P<after>[A-Za-z]*[€$£]?)"
)
_CURRENCIES = {"€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "usd": "USD", "us$": "USD"}
_NO_CENTS = r"[.,][-–—]+(?=\s*[A-Za-z€$£]*$)"  # "30.000,–"


def split_money(text: str) -> tuple[str, str]:
    """An amount without its currency, and the currency: its code, what was typed of an unknown one, or "".

    >>> split_money("€30,000"), split_money("US$ 9k"), split_money("30 000 EUR"), split_money("30.000")
    (('30,000', 'EUR'), ('9k', 'USD'), ('30 000', 'EUR'), ('30.000', ''))
    """
    found = re.fullmatch(_WORDS, re.sub(_NO_CENTS, "", text.strip())) if len(text) <= 60 else None
    if found is None:
        return text.strip(), ""
    words = [word for word in (re.sub(r"\s", "", found["before"]), found["after"]) if word]
    named = {_CURRENCIES.get(word.lower(), word) for word in words}
    if len(named) > 1 or not all(re.fullmatch("[A-Z]{3}|£", word) for word in named):
        return text.strip(), ""
    return found["number"].strip(), named.pop() if named else ""


def is_whole(value: object) -> TypeGuard[int]:
    """A whole number of whatever library (numpy's count as well), and no truth value."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_number(value: object) -> TypeGuard[float]:
    """A finite number of whatever library, and no truth value."""
    if type(value) is float:  # by far the most frequent kinds, and quickly told
        return math.isfinite(value)
    if type(value) is int:
        return True
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return isinstance(value, Integral) or math.isfinite(value)


def write_number(value: float, decimal: str = ".") -> str:
    """A number so that ``parse_number`` gives the very same one: no exponent, no separators, no ".0".

    >>> write_number(600.0), write_number(6.7e-05), write_number(0.9, ",")
    ('600', '0.000067', '0,9')
    """
    from decimal import Decimal  # takes longer to load than this file

    written = format(Decimal(repr(value)), "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return written.replace(".", decimal)


def parse_number(text: str, decimal: str = ".", *, binary: bool = True) -> float:
    """The number that a person means. ValueError where it cannot be told.

    decimal: the language's decimal sign, which settles what a lone separator with three digits behind it means.
    binary: K and M are 1,024 and 1,024 x 1,024, as for tokens; else a thousand and a million.

    >>> parse_number("8,192"), parse_number("8K"), parse_number("0,9"), parse_number("8.192", decimal=",")
    (8192.0, 8192.0, 0.9, 8192.0)
    """
    found = re.fullmatch(_NUMBER, re.sub(_SPACES, "", text)) if len(text) <= 60 else None
    if found is None:
        raise ValueError(f"not a number: {text[:60]!r}")
    value = (
        float(found["sign"] + _plain(found["digits"], decimal))
        * (_SUFFIXES if binary else _DECIMAL)[found["suffix"].lower()]
    )
    if not math.isfinite(value):
        raise ValueError(f"not a number: {text[:60]!r}")
    return value


def _plain(digits: str, decimal: str) -> str:
    """Digits as Python reads them: no separators between thousands, a point before decimals."""
    signs = [sign for sign in digits if sign in ".,"]
    if not signs:
        return digits
    last = signs[-1]
    whole, _, fraction = digits.rpartition(last)
    mixed = len(set(signs)) == 2
    if len(signs) == 1 and (last == decimal or len(fraction) != 3 or not 1 <= len(whole) <= 3 or whole == "0"):
        return f"{whole}.{fraction}"
    if mixed and signs.count(last) == 1:
        _require_groups(whole, "," if last == "." else ".")
        return re.sub("[.,]", "", whole) + f".{fraction}"
    if mixed:
        raise ValueError(f"separators contradict each other: {digits}")
    _require_groups(digits, last)
    return re.sub("[.,]", "", digits)


def _require_groups(digits: str, separator: str) -> None:
    first, *rest = digits.split(separator)
    if not 1 <= len(first) <= 3 or any(len(group) != 3 for group in rest):
        raise ValueError(f"separators out of place: {digits}")
