"""Marks that several charts share: segments of stacked bars, limit lines with their labels, the axis of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sizing.ui import theme


def segment(
    name: str,
    names: Sequence[str],
    values: Sequence[float],
    labels: Sequence[tuple[str, str]],
    colours: tuple[str, str],
    hover: str,
) -> dict[str, Any]:
    """One part of horizontal stacked bars, with its label inside.

    labels: of each bar, the long one and the short one; the browser takes the longest that its segment has room for.
    colours: of the segment, and of the text on it.   hover: plotly template of the value, with its unit.
    """
    colour, on = colours
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(names),
        "x": list(values),
        "text": [long for long, _ in labels],
        "meta": [short for _, short in labels],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 11, "color": on},
        "marker": {"color": colour, "line": {"color": theme.GROUND, "width": 1}},
        "hovertemplate": f"{name}: {hover}<extra></extra>",
    }


def names_axis() -> dict[str, Any]:
    """The axis of horizontal bars: names from the top down, no grid."""
    return theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT)


def gap(bars: int) -> float:
    """Share of a bar's place that stays empty: a single bar does not fill the chart."""
    return 0.3 if bars > 2 else 0.45 if bars == 2 else 0.65


def limit_line(position: float) -> dict[str, Any]:
    """A dotted vertical line in the limit's colour, over the whole height."""
    return {
        "type": "line",
        "yref": "paper",
        "x0": position,
        "x1": position,
        "y0": 0,
        "y1": 1.02,
        "line": {"color": theme.LIMIT, "width": 1.5, "dash": "dot"},
    }


def nothing(text: str) -> dict[str, Any]:
    """A figure that says in a sentence why there is nothing to draw."""
    return {
        "data": [],
        "layout": theme.layout(
            theme.axis(visible=False),
            theme.axis(visible=False),
            annotations=[
                {
                    "x": 0.5,
                    "y": 0.5,
                    "xref": "paper",
                    "yref": "paper",
                    "showarrow": False,
                    "text": text,
                    "font": {"size": 13, "color": theme.MUTED},
                }
            ],
        ),
    }


def limit_label(text: str, x: float, anchor: str) -> dict[str, Any]:
    """What a limit line is, above the chart. anchor: "left", "center" or "right" of x."""
    return {
        "x": x,
        "y": 1.02,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": anchor,
        "showarrow": False,
        "text": text,
        "font": {"size": 11, "color": theme.LIMIT},
    }
