"""A drawing as inline SVG, which opens everywhere without a script."""

from __future__ import annotations

from sizing.markup import Markup, join, tag
from sizing.sheet.drawing import MM_PER_PT, Bar, Dot, Drawing, Label, Mark, Stroke


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
