"""A drawing as plain marks, so that PDF and SVG show the very same chart. Lengths in mm, y downwards, type in pt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from sizing.base.dataclass import dataclass
from sizing.base.markup import Markup, join, tag
from sizing.sheet.figures import theme

Anchor = Literal["start", "middle", "end"]

COLOURS = ("GROUND", "TEXT", "MUTED", "LINE", "GRID", "ACCENT", "LIMIT")
GROUND, TEXT, MUTED, LINE, GRID, ACCENT, LIMIT = (theme.paper(getattr(theme, name)) for name in COLOURS)

MM_PER_PT = 0.352778
# Widths of signs as parts of the type size, of a rather wide face, since a page takes what the reader has.
_NARROW, _WIDE, _OTHER, _BOLD = 0.34, 0.92, 0.6, 1.05


@dataclass(frozen=True)
class Bar:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True)
class Stroke:
    """A line through points. width [mm]"""

    points: Sequence[tuple[float, float]]
    colour: str
    width: float
    dashed: bool = False


@dataclass(frozen=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    radius: float
    colour: str


@dataclass(frozen=True)
class Label:
    """Text with its baseline at y. size [pt]"""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Anchor = "start"
    bold: bool = False


Mark = Bar | Stroke | Dot | Label


@dataclass
class Drawing:
    """Marks on a ground of width x height. title: what it shows; alt: the same in words."""

    width: float
    height: float
    title: str
    alt: str
    marks: list[Mark] = field(default_factory=list)

    def add(self, mark: Mark) -> None:
        """One mark more; a bar without a width is none."""
        if not isinstance(mark, Bar) or mark.width > 0:
            self.marks.append(mark)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, a little too wide rather than too narrow. [mm] size [pt]"""
    signs = sum(_NARROW if sign in " .,:;·|'!()[]ijlftr-" else _WIDE if sign in "mwMW—" else _OTHER for sign in text)
    return signs * (_BOLD if bold else 1) * size * MM_PER_PT


# A drawing as inline SVG, which opens everywhere without a script.


def svg(drawing: Drawing) -> Markup:
    """One <svg> with its text alternative."""
    return tag(
        "svg",
        tag("title", drawing.alt),
        join(_mark(mark) for mark in drawing.marks),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_n(drawing.width)} {_n(drawing.height)}",
        role="img",
        aria_label=drawing.alt,
    )


def _mark(mark: Mark) -> Markup:
    match mark:
        case Bar(x, y, width, height, colour):
            return tag("rect", x=_n(x), y=_n(y), width=_n(width), height=_n(height), fill=colour)
        case Stroke(points, colour, width, dashed):
            way = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            dashes = "1 0.8" if dashed else None
            return tag(
                "polyline", points=way, fill="none", stroke=colour, stroke_width=_n(width), stroke_dasharray=dashes
            )
        case Dot(x, y, radius, colour):
            return tag("circle", cx=_n(x), cy=_n(y), r=_n(radius), fill=colour)
        case Label(x, y, text, size, colour, anchor, bold):
            return tag(
                "text",
                text,
                x=_n(x),
                y=_n(y),
                font_size=_n(size * MM_PER_PT),
                fill=colour,
                text_anchor=None if anchor == "start" else anchor,
                font_weight="700" if bold else None,
            )


def _n(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
