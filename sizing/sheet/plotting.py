"""A figure drawn for paper: what plotly and the page's script do with its plain dict in a browser.

It knows the marks of `sizing.sheet.figures.marks`, on linear, logarithmic and named axes: bars, lines, points, labels,
rules, ticks and titles. Like the page, it gives bars the longest label that fits, reaches as far right as the labels
beside them need, and keeps texts inside the drawing; since nobody can hover over paper, it also keeps them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor, log10
from typing import Any, NamedTuple

from sizing.base.texts import say
from sizing.sheet.drawing import MM_PER_PT, Anchor, Bar, Dot, Drawing, Label, Stroke, text_width
from sizing.sheet.figures import theme
from sizing.sheet.figures.theme import paper

_PT = 0.59  # of a page's pixel on paper: type of 11 px becomes 6.5 pt
_MM = _PT * MM_PER_PT
_TICKS, _TITLE = 3.4, 6.8  # baselines of tick labels and of a title below the plot [mm]
_BAR_MOST = 6.0  # height of a bar where few have much room [mm]
_KEY_LINE = 2.9
_ANCHORS: dict[str, Anchor] = {"left": "start", "center": "middle", "right": "end"}


def plotted(
    figure: dict[str, Any], title: str, alt: str, language: str, *, width: float, height: float, key: bool = False
) -> Drawing:
    """The figure as a drawing. width, height: [mm]   key: say below what the colours stand for, in lines as needed."""
    made = Drawing(width, height, title, alt)
    room = _key(made, figure["data"]) if key else 0.0
    _Plot(made, figure["data"], figure["layout"], language, height - room).draw()
    return made


class _Scale(NamedTuple):
    """Between values, in logarithms on a logarithmic axis, and mm."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        return self.raw(log10(value) if self.log else value)

    def raw(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low or 1.0) * (self.end - self.start)


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class _Plot:
    """One figure on a drawing. height: without what stands below it. [mm]"""

    def __init__(
        self, made: Drawing, data: list[dict[str, Any]], layout: dict[str, Any], language: str, height: float
    ) -> None:
        self.made, self.data, self.layout, self.language = made, data, layout, language
        self.bars = [trace for trace in data if trace["type"] == "bar"]
        rows = (name for trace in data for name in trace["y"] if isinstance(name, str))
        self.names = list(dict.fromkeys(rows))
        self.texts: list[_Box] = []
        margin = {side: size * _MM for side, size in layout["margin"].items()}
        title = 0.0 if self.names else 2.0  # an upright axis has its title above it
        self.top, self.bottom = margin["t"] + title, height - margin["b"]
        self.y = self._scale("y", self.bottom, self.top)
        self.left = max((text_width(text, self._size(), bold) for _, text, bold in self._y_ticks()), default=0) + 2.0
        self.right = made.width - min(margin["r"], 3.0)
        self.x = self._scale("x", self.left, self.right)
        if reach := layout.get("meta", {}).get("reach"):
            self.x = self.x._replace(high=max([reach, *self._ends()]))

    def draw(self) -> None:
        """Everything, from the ground up."""
        self._grid()
        self._bars()
        for trace in self.data:
            if trace["type"] == "scatter":
                self._scatter(trace)
        for shape in self.layout.get("shapes", ()):
            self._rule(shape)
        self._axis()
        for label in self.layout.get("annotations", ()):
            self._label(label)

    # Axes.

    def _size(self, which: str = "y") -> float:
        return _PT * float(self.layout[f"{which}axis"].get("tickfont", {}).get("size", 11))

    def _scale(self, which: str, start: float, end: float) -> _Scale:
        spec = self.layout[f"{which}axis"]
        if which == "y" and self.names:
            return _Scale(len(self.names) - 0.5, -0.5, start, end)
        log = spec.get("type") == "log"
        if "range" in spec:
            return _Scale(spec["range"][0], spec["range"][1], start, end, log)
        values = [value for trace in self.data for value in trace[which] if value]
        low, high = min(values, default=1), max(values, default=10)
        low, high = (log10(low), log10(high)) if log else (0.0, float(high))
        room = 0.05 * (high - low) or 0.5
        return _Scale(low if which == "x" else low - log * room, high if which == "x" else high + room, start, end, log)

    def _ticks(self, which: str) -> Iterator[tuple[float, str]]:
        """Values with what stands at them."""
        spec, scale = self.layout[f"{which}axis"], self.x if which == "x" else self.y
        if not spec.get("showticklabels", True):
            return
        found: Iterable[tuple[float, str]]
        if "tickvals" in spec:
            found = zip(spec["tickvals"], spec["ticktext"], strict=True)
        elif scale.log:
            powers = range(floor(scale.low), ceil(scale.high) + 1)
            wanted = (1,) if scale.high - scale.low > 2.5 else (1, 2, 5)
            found = (self._number(step * 10.0**power) for power in powers for step in wanted)
        else:
            step = _nice_step(scale.high - scale.low, spec.get("nticks", 6))
            found = (
                self._number(number * step) for number in range(ceil(scale.low / step), int(scale.high / step) + 1)
            )
        for value, text in found:
            if scale.low - 1e-9 <= (log10(value) if scale.log else value) <= scale.high + 1e-9:
                yield value, text

    def _number(self, value: float) -> tuple[float, str]:
        whole = value == int(value)
        key, value = ("unit.integer", int(value)) if whole else ("unit.exact", value)
        return value, say(key, self.language, value=value)

    def _y_ticks(self) -> Iterator[tuple[float, str, bool]]:
        """Where, what, and whether in bold."""
        if self.names:
            yield from ((number, _plain(name), name.startswith("<b>")) for number, name in enumerate(self.names))
        else:
            yield from ((value, _plain(text), False) for value, text in self._ticks("y"))

    def _grid(self) -> None:
        if self.names:
            return
        for value, text, _ in self._y_ticks():
            y = self.y.at(value)
            self.made.add(Stroke([(self.left, y), (self.right, y)], paper(theme.GRID), 0.2))
            self._text(self.left - 1.2, y + 0.8, text, self._size(), theme.MUTED, "end")
        title = self.layout["yaxis"]["title"]["text"]
        self._text(0, 1.9, title, 11 * _PT, theme.MUTED)

    def _axis(self) -> None:
        spec, bottom = self.layout["xaxis"], self.bottom
        ticks = list(self._ticks("x"))
        self.made.add(Stroke([(self.left, bottom), (self.right, bottom)], paper(theme.LINE), 0.25))
        free, size = 0.0, self._size("x")
        lines = max((len(_lines(text)) for _, text in ticks), default=1)
        pitch = (self.right - self.left) / max(len(ticks), 1)
        if any(text_width(line, size) > pitch for _, text in ticks for line in _lines(text)[1:]):
            lines = 1
        for value, text in ticks:
            x = self.x.at(value)
            if spec["ticks"]:
                self.made.add(Stroke([(x, bottom), (x, bottom + 0.9)], paper(theme.LINE), 0.25))
            half = text_width(_lines(text)[0], size) / 2
            if x - half < free:
                continue
            free = x + half + 0.8
            for number, line in enumerate(_lines(text)[:lines]):
                ink = theme.MUTED if number else spec["color"]
                self._text(x, bottom + _TICKS + number * size * 0.42, line, size, ink, "middle")
        middle = (self.left + self.right) / 2
        self._text(middle, bottom + _TITLE, spec["title"]["text"], 11 * _PT, theme.MUTED, "middle")
        if self.names:
            self.made.add(Stroke([(self.left, self.top), (self.left, bottom)], paper(theme.LINE), 0.25))
            for row, text, bold in self._y_ticks():
                self._text(self.left - 1.5, self.y.at(row) + 0.8, text, self._size(), theme.TEXT, "end", bold)

    def _ends(self) -> Iterator[float]:
        """How far the axis must reach for the labels beside its bars."""
        length, low = self.right - self.left, self.x.low
        for label in self._beside():
            needed = text_width(_plain(label["text"]), label["font"]["size"] * _PT) + (label["xshift"] + 4) * _MM
            yield low + (label["x"] - low) * length / max(length - needed, 0.12 * length)

    def _beside(self) -> Iterator[dict[str, Any]]:
        for label in self.layout["annotations"]:
            if isinstance(label["y"], str) and label.get("xanchor") == "left":
                yield label

    # Marks.

    def _bars(self) -> None:
        mode, gap = self.layout.get("barmode"), self.layout.get("bargap", 0.2)
        groups = len(self.bars) if mode == "group" else 1
        pitch = (self.bottom - self.top) / max(len(self.names), 1)
        starts = dict.fromkeys(self.names, 0.0)
        for number, trace in enumerate(self.bars):
            wide = trace.get("width", 1 - gap)
            high = min(_BAR_MOST, pitch * wide) / groups
            colours, edge = trace["marker"]["color"], trace["marker"].get("line", {}).get("color")
            on = trace.get("textfont", {}).get("color", theme.TEXT)
            for index, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
                colour = paper(colours if isinstance(colours, str) else colours[index])
                if trace.get("orientation") == "h":
                    top = self.y.at(self.names.index(y)) + (number % groups - groups / 2) * high
                    start = self.x.at(starts[y])
                    box = _Box(start, top, min(self.x.at(starts[y] + x), self.right), top + high)
                    starts[y] += x if groups == 1 and mode != "overlay" else 0.0
                else:
                    half = (self.x.at(1) - self.x.at(0)) * wide / 2
                    bases, middle = trace["base"], self.x.at(x)
                    base = bases[index] if isinstance(bases, list | tuple) else bases
                    box = _Box(middle - half, self.y.at(base + y), middle + half, self.y.at(base))
                self.made.add(Bar(box.left, box.top, box.right - box.left, box.bottom - box.top, colour))
                if edge and box.right > box.left:
                    self._outline(box, edge)
                texts = [trace[field][index] for field in ("text", "meta") if field in trace]
                self._inside(box, texts, on)

    def _outline(self, box: _Box, colour: str) -> None:
        (left, top, right, bottom), width = box, 0.2
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self.made.add(Stroke(corners, paper(colour), width, dashed=colour != theme.GROUND))

    def _inside(self, box: _Box, texts: Sequence[str], colour: str) -> None:
        """The longest text that the bar has room for."""
        size = 10 * _PT
        for text in [*texts, *(text.partition("</b>")[0] for text in texts if "</b>" in text)]:
            plain, bold = _plain(text), text.startswith("<b>")
            fits = text_width(plain, size, bold) + 0.8 < box.right - box.left and size * 0.38 < box.bottom - box.top
            if plain and fits:
                middle, base = (box.left + box.right) / 2, (box.top + box.bottom) / 2 + size * 0.13
                self._text(middle, base, plain, size, colour, "middle", bold)
                return

    def _scatter(self, trace: dict[str, Any]) -> None:
        points = [
            (self.x.at(x), self.y.at(y)) for x, y in zip(trace["x"], trace["y"], strict=True) if y is not None and y > 0
        ]
        if "lines" in trace["mode"] and len(points) > 1:
            style = trace["line"]
            dashed = style.get("dash", "solid") != "solid"
            self.made.add(Stroke(points, paper(style["color"]), style["width"] * 0.23, dashed=dashed))
        if "markers" in trace["mode"]:
            for x, y in points:
                self.made.add(Dot(x, y, trace["marker"]["size"] * _MM / 2, paper(trace["marker"]["color"])))
        if "text" in trace["mode"]:
            for (x, y), text in zip(points, trace["text"], strict=True):
                self._free(x + 1.4, y - 1.2, text, trace["textfont"]["size"], trace["textfont"]["color"], "start")

    def _rule(self, shape: dict[str, Any]) -> None:
        """A line over the whole height or width; an area between two of them."""
        if shape.get("xref") != "paper":
            x = [self.x.at(shape[f"x{end}"]) for end in "01"]
            way = [(x[0], self.top - 1.2), (x[1], self.bottom)]
        else:
            y = [min(max(self.y.at(shape[f"y{end}"]), self.top), self.bottom) for end in "01"]
            way = [(self.left, y[0]), (self.right, y[1])]
        if shape["type"] == "rect":
            (left, low), (right, high) = way
            self.made.marks.insert(0, Bar(left, high, right - left, low - high, paper(shape["fillcolor"])))
            return
        self.made.add(Stroke(way, paper(shape["line"]["color"]), 0.35, dashed=True))

    # Texts.

    def _label(self, label: dict[str, Any]) -> None:
        text, size = label["text"], label["font"]["size"]
        colour, anchor = label["font"].get("color", theme.TEXT), _ANCHORS[label.get("xanchor", "center")]
        x = self._place("x", label) + label.get("xshift", 0) * _MM
        if isinstance(label["y"], str):
            y = self.y.at(self.names.index(label["y"])) + 0.8
            self._text(x, y, _plain(text), size * _PT, colour, anchor, text.endswith("</b>"), clear="bgcolor" in label)
            return
        high = size * _PT * MM_PER_PT
        y = self._place("y", label) - label.get("yshift", 0) * _MM
        y += {"bottom": -0.8, "top": high + 0.4}.get(label.get("yanchor", "middle"), high * 0.36)
        self._free(x, y, text, size, colour, anchor)

    def _place(self, which: str, label: dict[str, Any]) -> float:
        scale = self.x if which == "x" else self.y
        if label.get(f"{which}ref") == "paper":
            return scale.start + float(label[which]) * (scale.end - scale.start)
        return scale.raw(label[which])

    def _free(self, x: float, y: float, text: str, size: float, colour: str, anchor: Anchor) -> None:
        """A text where it was asked for, or as near above or below as no other text stands."""
        plain, bold, size = _plain(text), text.startswith("<b>"), size * _PT
        wide, high = text_width(plain, size, bold), size * MM_PER_PT
        asked = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        left = min(max(asked, 0), max(self.made.width - wide, 0))
        for step in (0, -1, 1, -2, 2, -3, 3, -4, 4):
            top = y + step * high * 0.6 - high
            box = _Box(left - 0.5, top, left + wide + 0.5, top + high * 1.25)
            if box.top >= 0 and box.bottom <= self.bottom + 0.5 and not any(box.meets(other) for other in self.texts):
                y = top + high
                break
        self._text(x + left - asked, y, plain, size, colour, anchor, bold, clear=True)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str,
        anchor: Anchor = "start",
        bold: bool = False,
        *,
        clear: bool = False,
    ) -> None:
        """A text. clear: no line shines through it."""
        if text:
            wide, high = text_width(text, size, bold), size * MM_PER_PT
            left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            self.texts.append(_Box(left, y - high, left + wide, y + high * 0.25))
            if clear:
                shown = wide * 0.9  # the estimate is rather wide
                left = x - {"start": 0, "middle": shown / 2, "end": shown}[anchor]
                self.made.add(Bar(left, y - high * 0.8, shown, high, paper(theme.GROUND)))
            self.made.add(Label(x, y, text, size=size, colour=paper(colour), anchor=anchor, bold=bold))


def _key(made: Drawing, data: Sequence[dict[str, Any]]) -> float:
    """What the colours stand for, at the foot of the drawing; its height. [mm]"""
    size, x, lines = 9 * _PT, 0.0, 1
    places: list[tuple[float, int]] = []
    for trace in data:
        wide = 2.6 + text_width(trace["name"], size) + 2
        if x > 0 and x + wide > made.width:
            x, lines = 0.0, lines + 1
        places.append((x, lines))
        x += wide
    for trace, (left, line) in zip(data, places, strict=True):
        y, marker = made.height - 0.6 - (lines - line) * _KEY_LINE, trace["marker"]
        made.add(Bar(left, y - 1.6, 1.9, 1.9, paper(marker["color"])))
        if marker["line"]["color"] != theme.GROUND:
            square = [(left, y - 1.6), (left + 1.9, y - 1.6), (left + 1.9, y + 0.3), (left, y + 0.3), (left, y - 1.6)]
            made.add(Stroke(square, paper(marker["line"]["color"]), 0.2))
        made.add(Label(left + 2.6, y, trace["name"], size=size, colour=paper(theme.MUTED)))
    return lines * _KEY_LINE


def _lines(text: str) -> list[str]:
    return [re.sub(r"<[^>]*>", "", line) for line in text.split("<br>")]


def _plain(text: str) -> str:
    return " ".join(_lines(text))


def _nice_step(reach: float, most: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts ``reach`` into at most ``most`` parts.

    >>> _nice_step(95.6, 5)
    20.0
    """
    size = 10.0 ** floor(log10(reach / most))
    return next(size * part for part in (1, 2, 5, 10) if reach / (size * part) <= most)
