"""A PDF page as a surface: text that is measured before it is set, and drawings. Lengths in mm, type in pt."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal

from fpdf import FPDF

from sizing.sheet import drawing, fonts
from sizing.sheet.drawing import MM_PER_PT, Bar, Dot, Drawing, Label, Stroke

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
        for style in fonts.FILES:
            self._pdf.add_font(fonts.FAMILY, style, fonts.path(style))
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
        self._pdf.set_font(fonts.FAMILY, "B" if bold else "", size)
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
