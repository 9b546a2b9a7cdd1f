"""Numbers as people type them."""

from __future__ import annotations

import pytest

from sizing.base.numbers import parse_number


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("8192", ".", 8192),
        ("8,192", ".", 8192),
        ("8.192", ",", 8192),
        ("8 192", ".", 8192),
        ("8K", ".", 8192),
        ("128k", ".", 131072),
        ("1M", ".", 1048576),
        ("0.9", ".", 0.9),
        ("0,9", ".", 0.9),
        ("0.9", ",", 0.9),
        ("90 %", ".", 0.9),
        ("1,234.5", ".", 1234.5),
        ("1.234,5", ",", 1234.5),
        ("1,048,576", ".", 1048576),
        ("-3", ".", -3),
        ("0.125", ",", 0.125),
    ],
)
def test_reads(text: str, decimal: str, value: float) -> None:
    assert parse_number(text, decimal) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "four", "8..2", "1,23,456.7,8", "nan", "inf", "1e400", "--3", "9" * 400, "8Q"])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a number|separators"):
        parse_number(text)
