"""A PDF page as a surface: text that is measured before it is set, and drawings. Lengths in mm, type in pt."""

from __future__ import annotations

import datetime
import functools
import importlib.resources
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fpdf import FPDF

from sizing.base.errors import SizingError
from sizing.sheet import drawing
from sizing.sheet.drawing import MM_PER_PT, Bar, Dot, Drawing, Label, Stroke

# The PDF's typeface: Roboto, which has Latin, Greek and Cyrillic letters and figures of equal width.

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


_LEADING = 1.28
_MEASURED_AT = 10.0


class Canvas:
    """Pages of A4. y is the top of a line of text."""

    def __init__(self, title: str, subject: str, language: str, made_on: datetime.date | None) -> None:
        self._pdf = FPDF(format="A4", unit="mm")
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margin(0)
        self._pdf.c_margin = 0
        self._widths: dict[tuple[str, bool], float] = {}  # of what was measured once, in a type of _MEASURED_AT
        for style in FILES:
            self._pdf.add_font(FAMILY, style, path(style))
        self._pdf.set_title(title)
        self._pdf.set_subject(subject)
        self._pdf.set_lang(language)
        day = made_on or datetime.date(2000, 1, 1)  # fixed, so that the bytes of a sheet without a date stay the same
        self._pdf.set_creation_date(datetime.datetime.combine(day, datetime.time(), datetime.UTC))

    def page(self) -> None:
        """Begin a page."""
        self._pdf.add_page()

    def bytes(self) -> bytes:
        """The file."""
        return bytes(self._pdf.output())

    def _font(self, size: float, bold: bool, colour: str = drawing.TEXT) -> None:
        self._pdf.set_font(FAMILY, "B" if bold else "", size)
        self._pdf.set_text_color(colour)

    def width(self, text: str, size: float, *, bold: bool = True) -> float:
        """Width of a text. [mm]"""
        key = text, bold
        if key not in self._widths:
            self._font(_MEASURED_AT, bold)
            self._widths[key] = float(self._pdf.get_string_width(text))
        return self._widths[key] * size / _MEASURED_AT

    def cut(self, text: str, width: float, size: float) -> str:
        """The text, or as much of it as fits with a sign that it goes on."""
        if self.width(text, size) <= width:
            return text
        while text and self.width(text + "…", size) > width:
            text = text[:-1]
        return text.rstrip() + "…"

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        bold: bool = False,
        colour: str = drawing.TEXT,
        align: Literal["L", "C", "R"] = "L",
    ) -> None:
        """One line. x: its left edge, middle or right edge."""
        self._font(size, bold, colour)
        width = self._pdf.get_string_width(text)
        left = {"L": x, "C": x - width / 2, "R": x - width}[align]
        self._pdf.text(left, y + size * MM_PER_PT, text)

    def block(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        *,
        size: float,
        bold: bool = False,
        colour: str = drawing.TEXT,
    ) -> float:
        """Text broken into lines; its height. [mm]"""
        return self.rich(x, y, width, [(text, bold, colour)], size=size, draw=True)

    def rich(
        self, x: float, y: float, width: float, pieces: Sequence[tuple[str, bool, str]], *, size: float, draw: bool
    ) -> float:
        """Pieces of text with weight and colour, set one after another and broken into lines; the height. [mm]"""
        pitch = size * MM_PER_PT * _LEADING
        at, line, started = x, 0, False
        for text, bold, colour in pieces:
            space = self.width(" ", size, bold=bold)
            for number, part in enumerate(text.split("\n")):
                if number:
                    at, line = x, line + 1
                for word in part.split():
                    for bit in self._bits(word, width, size, bold):
                        wide = self.width(bit, size, bold=bold)
                        if at > x and at + wide > x + width + 1e-6:
                            at, line = x, line + 1
                        if draw:
                            self._font(size, bold, colour)
                            self._pdf.text(at, y + line * pitch + size * MM_PER_PT, bit)
                        at += wide
                        started = True
                    at += space
        return (line + 1) * pitch if started else 0.0

    def _bits(self, word: str, width: float, size: float, bold: bool) -> list[str]:
        """A word, cut where it is wider than a line."""
        if self.width(word, size, bold=bold) <= width:
            return [word]
        bits = [""]
        for sign in word:
            if bits[-1] and self.width(bits[-1] + sign, size, bold=bold) > width:
                bits.append("")
            bits[-1] += sign
        return bits

    def linked(self, x: float, y: float, width: float, link: str, *, size: float) -> None:
        """An address on one line that opens on a click; shown as far as there is room, opened in full."""
        shown = self.cut(link, width, size)
        self.text(x, y, shown, size=size, colour=drawing.ACCENT)
        self._pdf.link(x, y, self.width(shown, size, bold=False), size * MM_PER_PT * _LEADING, link)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = drawing.LINE, width: float = 0.2) -> None:
        """A thin line."""
        self._pdf.set_draw_color(colour)
        self._pdf.set_line_width(width)
        self._pdf.line(x1, y1, x2, y2)

    def draw(self, one: Drawing, x: float, y: float) -> None:
        """A drawing with its upper left corner there."""
        for mark in one.marks:
            match mark:
                case Bar(left, top, width, height, colour):
                    self._pdf.set_fill_color(colour)
                    self._pdf.rect(x + left, y + top, width, height, style="F")
                case Stroke(points, colour, width, dashed):
                    self._pdf.set_draw_color(colour)
                    self._pdf.set_line_width(width)
                    if dashed:
                        self._pdf.set_dash_pattern(1, 0.8)
                    self._pdf.polyline([(x + px, y + py) for px, py in points])
                    self._pdf.set_dash_pattern()
                case Dot(left, top, radius, colour):
                    self._pdf.set_fill_color(colour)
                    self._pdf.circle(x + left, y + top, radius, style="F")
                case Label(left, top, text, size, colour, anchor, bold):
                    align: Literal["L", "C", "R"] = {"start": "L", "middle": "C", "end": "R"}[anchor]  # type: ignore[assignment]
                    baseline = y + top - size * MM_PER_PT
                    self.text(x + left, baseline, text, size=size, bold=bold, colour=colour, align=align)


# Rows of text in two columns of a PDF page: how high they are, how many fit, and in which size of type.

LEFT, RIGHT, TOP, BOTTOM = 14.0, 196.0, 12.0, 285.0
"""Edges of what is printed. [mm]"""
GUTTER = 6.0
WIDTH = RIGHT - LEFT
COLUMN = (WIDTH - GUTTER) / 2
SCALES = (1.0, 0.95, 0.9, 0.86, 0.82, 0.78, 0.74)
"""Smaller type where there is more to say, before anything is left out."""

Piece = tuple[str, bool, str]
"""Text, whether it is bold, colour."""


class Rows:
    """Rows in one size of type, measured once. size [pt]"""

    def __init__(self, canvas: Canvas, rows: Sequence[Sequence[Piece]], size: float) -> None:
        self.canvas, self.rows, self.size = canvas, rows, size
        self.gap = size * 0.16
        self.heights = [canvas.rich(0, 0, COLUMN, row, size=size, draw=False) for row in rows]

    def fitting(self, height: float) -> int:
        """How many rows two columns of this height hold. [mm]"""
        return len(self._places(0, height))

    def needed(self) -> float:
        """The least height of two columns that hold all rows. [mm]"""
        low, high = 0.0, sum(self.heights) + self.gap * len(self.heights) + 0.5
        while high - low > 0.3:
            middle = (low + high) / 2
            low, high = (low, middle) if self.fitting(middle) == len(self.rows) else (middle, high)
        return high

    def draw(self, top: float, height: float) -> int:
        """Draw as many rows as fit; how many there are."""
        places = self._places(top, height)
        for row, (x, y) in zip(self.rows, places, strict=False):
            self.canvas.rich(x, y, COLUMN, row, size=self.size, draw=True)
        return len(places)

    def _places(self, top: float, height: float) -> list[tuple[float, float]]:
        places: list[tuple[float, float]] = []
        x, y = LEFT, top
        for high in self.heights:
            if y + high > top + height + 1e-6:
                if x > LEFT:
                    return places
                x, y = LEFT + COLUMN + GUTTER, top
                if high > height + 1e-6:
                    return places
            places.append((x, y))
            y += high + self.gap
        return places
