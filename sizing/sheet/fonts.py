"""The PDF's typeface: Roboto, which has Latin, Greek and Cyrillic letters and figures of equal width."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterable
from pathlib import Path

from sizing.errors import SizingError

FAMILY = "Roboto"
FILES = {"": "Roboto-Regular.ttf", "B": "Roboto-Bold.ttf"}


def path(style: str) -> Path:
    """The file of a style, "" or "B", as the package font-roboto brings it."""
    return Path(str(importlib.resources.files("font_roboto") / "files" / FILES[style]))


@functools.cache
def _signs() -> frozenset[int]:
    from fontTools.ttLib import TTFont

    with TTFont(path("")) as font:
        return frozenset(font.getBestCmap())


def check(input: str, text: str) -> str:
    """The text, where every sign of it can be printed; SizingError with those that cannot."""
    if missing := "".join(dict.fromkeys(sign for sign in text if ord(sign) not in _signs())):
        raise SizingError("sheet_signs", input=input, signs=" ".join(missing[:10]))
    return text


def printable(texts: Iterable[str]) -> set[str]:
    """Signs of these texts that the typeface lacks: none, if a language is to be printed."""
    return {sign for text in texts for sign in text if ord(sign) not in _signs()}
