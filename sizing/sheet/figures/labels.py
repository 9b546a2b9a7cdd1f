"""Where the names of lines stand on a chart with logarithmic axes: beside their line, clear of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from math import log10

from sizing.base.dataclass import dataclass
from sizing.sheet.figures.marks import Mark, label

# A chart as small as it gets beside another, so that a label that is clear there is clear on a wider one. [CSS pixels]
PLOT_WIDTH, PLOT_HEIGHT = 330.0, 170.0
CHARACTER, LINE_HEIGHT, GAP = 6.3, 15.0, 5.0

Points = Sequence[tuple[float, float]]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top. [CSS pixels]"""


@dataclass(frozen=True)
class Place:
    """Anchor of a label, in the axes' logarithms, and which side of it the text stands."""

    x: float
    y: float
    xanchor: str
    yanchor: str


def places(
    lines: Sequence[Points], names: Sequence[str], kept_free: Sequence[tuple[float, float, str]] = ()
) -> list[Place | None]:
    """A place for each line's name, None for a line without points.

    lines: points (x, y) above 0.   kept_free: marked points with the text over them.
    """
    points = [point for line in lines for point in line]
    scale = _Scale(points or [(1.0, 1.0)])
    drawn = [[scale.at(*point) for point in line] for line in lines]
    taken = [_above(scale.at(x, y), text) for x, y, text in kept_free]
    found: list[Place | None] = []
    for number, (line, name) in enumerate(zip(drawn, names, strict=True)):
        choices = _choices(line, len(name) * CHARACTER)
        if not choices:
            found.append(None)
            continue
        inside = [choice for choice in choices if _inside(choice[1])]
        least, best = float("inf"), choices[0]
        for choice in inside or choices:
            trouble = _trouble(choice[1], number, drawn, taken, least)
            if trouble < least:
                least, best = trouble, choice
            if not least:
                break
        taken.append(best[1])
        (x, y), _, xanchor, yanchor = best
        found.append(Place(*scale.back(x, y), xanchor, yanchor))
    return found


def line_names(
    lines: Sequence[Points], names: Sequence[str], colours: Sequence[str], marked: Sequence[tuple[float, float, str]]
) -> list[Mark]:
    """Names beside their lines. colours: one a name; a line beyond them is kept clear, and bears none."""
    return [
        label(name, place.x, place.y, colour, place.xanchor, yanchor=place.yanchor)
        for place, name, colour in zip(places(lines, names, marked), names, colours, strict=False)
        if place is not None
    ]


class _Scale:
    """Between values and pixels of the smallest plot."""

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        xs, ys = [log10(x) for x, _ in points], [log10(y) for _, y in points]
        self.left, self.bottom = min(xs), min(ys)
        self.per_x = PLOT_WIDTH / max(max(xs) - self.left, 1e-9)
        self.per_y = PLOT_HEIGHT / max(max(ys) - self.bottom, 1e-9)

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (log10(x) - self.left) * self.per_x, (log10(y) - self.bottom) * self.per_y

    def back(self, x: float, y: float) -> tuple[float, float]:
        """A hair inside the plot: plotly hides a label whose anchor lies outside by as little as a rounding."""
        x, y = min(max(x, 0.5), PLOT_WIDTH - 0.5), min(max(y, 0.5), PLOT_HEIGHT - 0.5)
        return x / self.per_x + self.left, y / self.per_y + self.bottom


Choice = tuple[tuple[float, float], Box, str, str]


def _choices(line: Sequence[tuple[float, float]], width: float) -> list[Choice]:
    """Above or below each point of a line, the text to its left or right; points near the middle first."""
    middle = len(line) / 2
    order = sorted(range(len(line)), key=lambda index: abs(index - middle))
    found: list[Choice] = []
    for index, xanchor, yanchor in product(order, ("left", "right"), ("bottom", "top")):
        x, y = line[index]
        left = x if xanchor == "left" else x - width
        bottom = y + GAP if yanchor == "bottom" else y - GAP - LINE_HEIGHT
        found.append(((x, y), (left, bottom, left + width, bottom + LINE_HEIGHT), xanchor, yanchor))
    return found


def _inside(box: Box) -> bool:
    return box[0] >= 0 and box[2] <= PLOT_WIDTH and box[1] >= -LINE_HEIGHT and box[3] <= PLOT_HEIGHT + LINE_HEIGHT


def _above(point: tuple[float, float], text: str) -> Box:
    """The box of a marked point with its text on either side above it."""
    width = len(text) * CHARACTER * 1.2
    return point[0] - width, point[1] - 8, point[0] + width, point[1] + 26


def _trouble(
    box: Box, own: int, lines: Sequence[Sequence[tuple[float, float]]], taken: Sequence[Box], enough: float
) -> float:
    """How much a label would cover: other labels most, other lines next, its own line last.

    enough: so much that no more needs to be counted.
    """
    trouble = 0.0
    for other in taken:
        if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
            trouble += 10
    for number, line in enumerate(lines):
        if trouble >= enough:
            break
        trouble += sum(_crosses(box, start, end) for start, end in pairwise(line)) * (3 if number != own else 1.5)
    return trouble


def _crosses(box: Box, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether a stretch of a line, which runs from left to right, comes into the box or close to it."""
    left, right = max(box[0] - 2, start[0]), min(box[2] + 2, end[0])
    if left > right:
        return False
    slope = (end[1] - start[1]) / (end[0] - start[0]) if end[0] > start[0] else 0.0
    one, other = start[1] + slope * (left - start[0]), start[1] + slope * (right - start[0])
    return min(one, other) <= box[3] + 1 and max(one, other) >= box[1] - 1
