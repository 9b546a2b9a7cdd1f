"""Speed of one conversation against the number of running ones, a line a layout, with the floor and the limit."""

from __future__ import annotations

from math import log10
from typing import Any

from sizing.answers import wording
from sizing.answers.wording import number as written
from sizing.base.texts import say
from sizing.speed import Curve, Speed
from sizing.ui import theme

NAME = "speed_each"
LINES = 3
APART = 0.1  # names closer than this would lie on each other [decades]
LABEL_AT = (0.0, 0.0, 0.0)  # where along its line each name stands


def labelled(found: Speed) -> list[Curve]:
    """The curves that bear their name on the chart: the best, and others that split a copy otherwise."""
    best = found.best
    chosen = [best] if best else []
    for curve in sorted(found.curves, key=lambda each: -each.one.each_tokens_s):
        if len(chosen) < LINES and all(curve.layout.tp != other.layout.tp for other in chosen):
            chosen.append(curve)
    return chosen


def lines(found: Speed, field: str, language: str) -> list[dict[str, Any]]:
    """A line a layout, the best last so that it lies on top. field: of a point."""
    best = found.best
    made = []
    for curve in sorted(found.curves, key=lambda each: each is best):
        estimate = curve.label != "limit"
        name = wording.layout_name(curve.layout, language)
        made.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [point.conversations for point in curve.points],
                "y": [short(getattr(point, field)) for point in curve.points],
                "line": {
                    "color": theme.ACCENT if curve is best else theme.GREY,
                    "width": 2.5 if curve is best else 1.3,
                    "dash": "solid" if estimate else "dot",
                },
                "hovertemplate": "%{x:,} · %{y:,.3~g}<extra>" + name + "</extra>",
            }
        )
    return made


def short(value: float | None) -> float | None:
    """A figure with the digits that a chart can show."""
    return None if value is None else float(f"{value:.4g}")


def limit_line(found: Speed, field: str) -> list[dict[str, Any]]:
    """The physical limit of the best layout, dashed."""
    best = found.best
    if best is None or best.label == "limit" or best.limit is None:
        return []
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [point.conversations for point in best.points],
            "y": [short(getattr(point, field)) for point in best.points],
            "line": {"color": theme.LIMIT, "width": 1.5, "dash": "dash"},
            "hovertemplate": "%{x:,} · %{y:,.3~g}<extra></extra>",
        }
    ]


def label(x: float, y: float, text: str, colour: str, **more: Any) -> dict[str, Any]:
    """A text at a point of logarithmic axes."""
    style = {"x": log10(x), "y": log10(y), "text": text, "showarrow": False, "font": {"size": 11, "color": colour}}
    return style | more


def ticks(values: list[float | None], language: str) -> dict[str, Any]:
    """Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, written out."""
    shown = [value for value in values if value]
    low, high = min(shown, default=1), max(shown, default=10)
    found = [step * 10.0**power for power in range(-2, 7) for step in (1, 2, 5)]
    found = [value for value in found if low / 2.5 <= value <= high * 2.5]
    return {"tickvals": found, "ticktext": [written(value, language) for value in found]}


def running_axis(counts: list[float], language: str) -> dict[str, Any]:
    """The axis of running conversations, from one to the most of any layout."""
    span = [-0.02, log10(max([*counts, 10.0])) + 0.06]
    return theme.axis(
        say("ui.axis.running", language), type="log", range=span, tickangle=0, **ticks([1.0, *counts], language)
    )


def limit_label(found: Speed, line: list[dict[str, Any]], language: str, at: float, side: str) -> list[dict[str, Any]]:
    """The limit's name above its line. at: where along it, from 0 to 1.   side: of the text that meets the line."""
    if not line or found.best is None:
        return []
    number = int(at * (len(line[0]["x"]) - 1))
    text = say("ui.speed.limit", language, layout=wording.layout_name(found.best.layout, language))
    where = {"yanchor": "bottom", "yshift": 2, "xanchor": side, "xshift": 4 if side == "left" else -4}
    return [label(line[0]["x"][number], line[0]["y"][number], text, theme.LIMIT, **where)]


def labels(found: Speed, field: str, language: str) -> list[dict[str, Any]]:
    """Names beside the lines, each at another place."""
    made: list[dict[str, Any]] = []
    for curve, share in zip(labelled(found), LABEL_AT, strict=False):
        best = curve is found.best
        point = curve.points[int(share * (len(curve.points) - 1))]
        height = log10(getattr(point, field))
        if any(abs(height - other["y"]) < APART for other in made):
            continue
        made.append(
            label(
                point.conversations,
                getattr(point, field),
                wording.layout_name(curve.layout, language),
                theme.ACCENT if best else theme.MUTED,
                yanchor="top",
                xanchor="left",
                yshift=-4,
            )
        )
    return made


def build(found: Speed, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes, the floor across, a labelled point where the floor ends."""
    limit = limit_line(found, "limit_each_tokens_s")
    data = [*limit, *lines(found, "each_tokens_s", language)]
    notes = [*labels(found, "each_tokens_s", language), *limit_label(found, limit, language, 0.45, "left")]
    counts = [float(count) for line in data for count in line["x"]]
    values = [value for line in data for value in line["y"]]
    floor = found.floor_tokens_s
    knee = found.best.knee if found.best else None
    if knee is not None:
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [knee.conversations],
                "y": [short(knee.each_tokens_s)],
                "text": [f"<b>{say('unit.integer', language, value=knee.conversations)}</b>"],
                "textposition": "top right",
                "textfont": {"color": theme.ACCENT, "size": 13},
                "marker": {"color": theme.ACCENT, "size": 10},
                "hoverinfo": "skip",
            }
        )
    text = say("ui.speed.floor", language, floor=floor)
    left = knee is not None and log10(knee.conversations) > log10(max([*counts, 10.0])) / 2
    notes.append(
        {
            "xref": "paper", "x": 0.01 if left else 1, "xanchor": "left" if left else "right",
            "y": log10(floor), "yanchor": "bottom", "text": text,
            "showarrow": False, "font": {"size": 11, "color": theme.MUTED},
        }
    )  # fmt: skip
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": floor, "y1": floor}
    return {
        "data": data,
        "layout": theme.layout(
            running_axis(counts, language),
            theme.axis(
                say("ui.axis.each_tokens_s", language), type="log", automargin=True, **ticks([*values, floor], language)
            ),
            annotations=notes,
            shapes=[{**line, "line": {"color": theme.GREY_STRONG, "width": 1, "dash": "dot"}}],
            margin={"r": 20},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: Speed, language: str) -> str:
    """The chart in words: one conversation, the floor, and as many as fit, for each layout."""
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [
        say(
            "ui.alt.speed_layout",
            language,
            layout=wording.layout_name(curve.layout, language),
            one=curve.one.each_tokens_s,
            last=curve.last.each_tokens_s,
            most=curve.last.conversations,
            holds=curve.holds,
        )
        for curve in found.curves
    ]
    return say("ui.alt.speed_each", language, floor=found.floor_tokens_s, parts="; ".join(parts))
