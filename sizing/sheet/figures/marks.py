"""The marks that every chart is made of: bars, lines, points, labels, rules, and the axes they stand on.

Each is a plain dict as plotly reads it, so that a kernel needs no plotly; `sizing.sheet.plotting` draws the same for
paper. A figure does not know how wide it is drawn: both find out what its labels have room for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from math import ceil, floor, log10
from typing import Any

from sizing.answers import wording
from sizing.base.dataclass import dataclass
from sizing.base.texts import say
from sizing.sheet.figures import theme
from sizing.sheet.figures.theme import ACCENT, GROUND, LIMIT, MUTED, TEXT, axis

Mark = dict[str, Any]


@dataclass(frozen=True)
class Plot:
    """A chart that pages place with ``Figure``.

    name: unique; its heading is the text ``ui.chart.<name>``.
    build: gives the figure of a result in a language.   alt: the same in words.   height: of a result. [CSS pixels]
    sees: what of a result the chart and its working depend on, where it is not all: the same is not drawn again.
    """

    name: str
    build: Callable[..., dict[str, Any]]
    alt: Callable[..., str]
    height: Callable[[Any], int] | None = None
    sees: Callable[[Any], object] | None = None


def figure(
    data: Sequence[Mark],
    x: Mark,
    y: Mark,
    language: str,
    *,
    labels: Sequence[Mark] = (),
    shapes: Sequence[Mark] = (),
    **more: Any,
) -> dict[str, Any]:
    """Marks on two axes. more: what the layout changes."""
    more = {"annotations": list(labels), "shapes": list(shapes), "separators": say("unit.separators", language)} | more
    return {"data": list(data), "layout": theme.layout(x, y, **more)}


def nothing(text: str) -> dict[str, Any]:
    """A figure that says in a sentence why there is nothing to draw."""
    said = label(text, 0.5, 0.5, MUTED, paper="xy", size=13)
    return {"data": [], "layout": theme.layout(axis(visible=False), axis(visible=False), annotations=[said])}


# Traces.


def bars(names: Sequence[str], values: Sequence[float], colour: str | list[str], hover: str = "", **more: Any) -> Mark:
    """Horizontal bars, one a name. hover: plotly template, nothing is shown where it is ""."""
    made = {"type": "bar", "orientation": "h", "y": list(names), "x": list(values), "marker": {"color": colour}}
    return made | _hover(hover) | more


def segment(
    name: str,
    names: Sequence[str],
    values: Sequence[float],
    labels: Sequence[tuple[str, str]],
    colours: tuple[str, str],
    hover: str,
) -> Mark:
    """One part of horizontal stacked bars, with its label inside.

    labels: of each bar, the long one and the short one; the longest is shown that its segment has room for.
    colours: of the segment, and of the text on it.   hover: plotly template of the value, with its unit.
    """
    colour, on = colours
    more = {"name": name, "text": [long for long, _ in labels], "meta": [short for _, short in labels]}
    return bars(names, values, colour, f"{name}: {hover}", **more, **inside(on), marker=outlined(colour))


def inside(on: str | list[str]) -> Mark:
    """How text stands in the middle of bars. on: its colour."""
    return {
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 11, "color": on},
    }


def outlined(colour: str | list[str], edge: str = GROUND) -> Mark:
    """The marker of bars that touch each other."""
    return {"color": colour, "line": {"color": edge, "width": 1}}


def line(
    x: Sequence[float],
    y: Sequence[float | None],
    colour: str,
    width: float,
    hover: str = "",
    *,
    dash: str = "solid",
    shape: str | None = None,
    name: str = "",
) -> Mark:
    """A line through points. dash, shape: as plotly names them.   name: stands beside the hovered point."""
    style: Mark = {"color": colour, "width": width, "dash": dash} | ({"shape": shape} if shape else {})
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": style} | _hover(hover, name)


def dots(x: Sequence[float], y: Sequence[Any], colour: str, size: int, hover: str = "", **marker: Any) -> Mark:
    """Points without text."""
    made = {"type": "scatter", "mode": "markers", "x": list(x), "y": list(y)}
    return made | {"marker": {"color": colour, "size": size, **marker}} | _hover(hover)


def chosen(x: float, y: float | None, text: str, *, place: str = "top right") -> Mark:
    """The visitor's choice as a labelled point."""
    return {
        **dots([x], [y], ACCENT, 10),
        "mode": "markers+text",
        "text": [f"<b>{text}</b>"],
        "textposition": place,
        "textfont": {"color": ACCENT, "size": 13},
    }


def _hover(template: str, name: str = "") -> Mark:
    return {"hovertemplate": f"{template}<extra>{name}</extra>"} if template else {"hoverinfo": "skip"}


# Texts and lines that belong to no trace.


def label(
    text: str,
    x: float,
    y: float | str,
    colour: str | None = None,
    side: str | None = None,
    *,
    paper: str = "",
    size: int = 11,
    **more: Any,
) -> Mark:
    """A text at a point, in logarithms on logarithmic axes.

    side: which end of the text stands there, "left", "center" or "right".   paper: the axes, "x", "y" or "xy", along
    which the point is given as a share of the plot.
    """
    font = {"size": size} | ({"color": colour} if colour else {})
    made = {"x": x, "y": y, "text": text, "showarrow": False, "font": font}
    return made | ({"xanchor": side} if side else {}) | {f"{each}ref": "paper" for each in paper} | more


def beside(text: str, x: float, name: str, colour: str | None = None) -> Mark:
    """What stands right of a bar's end; the axis is made to reach as far as it needs."""
    return label(text, x, name, colour, "left", xshift=4)


def limit_label(text: str, x: float, side: str) -> Mark:
    """What a limit line is, above the chart. side: "left", "center" or "right" of x."""
    return label(text, x, 1.02, LIMIT, side, paper="y", yanchor="bottom")


def upright(x: float, colour: str = LIMIT, *, width: float = 1.5, dash: str = "dot", top: float = 1.02) -> Mark:
    """A vertical line over the whole height, a limit by its colour."""
    return _rule("y", x, x, 0, top, colour, width, dash)


def level(y: float, colour: str, *, width: float = 1, dash: str = "dot") -> Mark:
    """A horizontal line over the whole width."""
    return _rule("x", 0, 1, y, y, colour, width, dash)


def _rule(paper: str, x0: float, x1: float, y0: float, y1: float, colour: str, width: float, dash: str) -> Mark:
    style = {"color": colour, "width": width, "dash": dash}
    return {"type": "line", f"{paper}ref": "paper", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": style}


def pairs(
    data: Sequence[Mark], reach: float, labels: Sequence[Mark], language: str, *, room: float, **more: Any
) -> dict[str, Any]:
    """Conversations as bars in groups, with their figures beside them.

    reach: end of the longest bar; a scale of nothing says nothing.   room: the axis as a multiple of it, before the
    labels are measured.
    """
    shown, reach = reach > 0, max(reach, 1)
    x = axis(say("ui.axis.conversations", language), range=[0, steady(reach * room)], nticks=5, showticklabels=shown)
    more = {"meta": {"reach": reach, "ends": ENDS}, "barmode": "group", "margin": {"l": 8, "t": 6}} | more
    return figure(data, x, names_axis(), language, labels=labels, **more)


# Axes.


ENDS = (1, 1.5, 2, 3, 5, 7, 10)
"""Where an axis may end, times a power of ten. A page's chart gets them along, since it measures its labels first."""


def steady(most: float) -> float:
    """An end of an axis at or above ``most`` that stays while a slider moves a little: one of ENDS x 10^n.

    >>> [steady(value) for value in (211, 300, 301, 0.8)]
    [300.0, 300.0, 500.0, 1.0]
    """
    if most <= 0:
        return 1.0
    power = 10.0 ** floor(log10(most))
    return next(step * power for step in ENDS if most <= step * power * (1 + 1e-9))


def names_axis(**more: Any) -> Mark:
    """The axis of horizontal bars: names from the top down, no grid."""
    style: Mark = {"autorange": "reversed", "ticks": "", "showgrid": False, "automargin": True, "color": TEXT}
    return axis(**style | more)


def tokens_axis(contexts: Sequence[int], language: str) -> Mark:
    """The logarithmic axis of context lengths."""
    ticks = token_ticks(contexts)
    named = [short_tokens(tick) for tick in ticks]
    return axis(say("ui.axis.context", language), type="log", tickvals=ticks, ticktext=named)


def token_ticks(contexts: Sequence[int]) -> list[int]:
    """Every second power of two, so that labels do not collide; for a model of short texts what there is."""
    powers = [context for context in contexts if context & (context - 1) == 0] or list(contexts[::2])
    return powers[::2] if len(powers) > 6 else powers


def short_tokens(tokens: int) -> str:
    """8192 as "8K", 1048576 as "1M": binary thousands, as models are named.

    >>> short_tokens(8192)
    '8K'
    """
    for size, sign in ((2**20, "M"), (2**10, "K")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{sign}"
    return str(tokens)


def log_axis(title: str, values: Sequence[float | None], language: str) -> Mark:
    """A logarithmic axis with whole figures at its ticks: 1, 2 and 5 of each power of ten, or the powers alone."""
    drawn = [value for value in values if value]
    low, high = floor(log10(min(drawn, default=1))), ceil(log10(max(drawn, default=1)))
    steps = (1, 2, 5) if high - low <= 2 else (1,)
    ticks = [step * 10.0**power for power in range(low, high + 1) for step in steps]
    text = [say("ui.model.tick", language, value=tick) for tick in ticks]
    return axis(title, type="log", automargin=True, tickvals=ticks, ticktext=text)


def plain_ticks(values: Sequence[float | None], language: str) -> Mark:
    """Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, written out."""
    shown = [value for value in values if value]
    low, high = min(shown, default=1), max(shown, default=10)
    found = [step * 10.0**power for power in range(-2, 7) for step in (1, 2, 5)]
    found = [value for value in found if low / 2.5 <= value <= high * 2.5]
    return {"tickvals": found, "ticktext": [wording.number(value, language) for value in found]}


def gap(bars: int) -> float:
    """Share of a bar's place that stays empty: a single bar does not fill the chart."""
    return 0.3 if bars > 2 else 0.45 if bars == 2 else 0.65


# Where the names of lines stand on a chart with logarithmic axes: beside their line, clear of everything else.


# A chart as small as it gets beside another, so that a label that is clear there is clear on a wider one. [CSS pixels]
PLOT_WIDTH, PLOT_HEIGHT = 330.0, 170.0
CHARACTER, LINE_HEIGHT, GAP = 6.3, 15.0, 5.0

Points = Sequence[tuple[float, float]]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top. [CSS pixels]"""


@dataclass(frozen=True)
class LabelPlace:
    """Anchor of a label, in the axes' logarithms, and which side of it the text stands."""

    x: float
    y: float
    xanchor: str
    yanchor: str


def places(
    lines: Sequence[Points], names: Sequence[str], kept_free: Sequence[tuple[float, float, str]] = ()
) -> list[LabelPlace | None]:
    """A place for each line's name, None for a line without points.

    lines: points (x, y) above 0.   kept_free: marked points with the text over them.
    """
    points = [point for line in lines for point in line]
    scale = _Scale(points or [(1.0, 1.0)])
    drawn = [[scale.at(*point) for point in line] for line in lines]
    taken = [_above(scale.at(x, y), text) for x, y, text in kept_free]
    found: list[LabelPlace | None] = []
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
        found.append(LabelPlace(*scale.back(x, y), xanchor, yanchor))
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
