"""Where memory ends before speed does, and the other way round: what fits and what keeps the floor, by layout."""

from __future__ import annotations

from typing import Any

from sizing.answers import wording
from sizing.base.texts import say
from sizing.speed import Curve, Speed
from sizing.ui import theme

NAME = "speed_ends"


def words(curve: Curve, language: str) -> str:
    """ "56 of 156: speed"."""
    return say(f"ui.speed.ends.{curve.ends}", language, holds=curve.holds, most=curve.last.conversations)


def build(found: Speed, language: str) -> dict[str, Any]:
    """Two bars a layout: what runs at once in grey, what keeps the floor in front of it."""
    names = [wording.layout_name(curve.layout, language) for curve in found.curves]
    most = [curve.last.conversations for curve in found.curves]
    holds = [curve.holds for curve in found.curves]
    colours = [theme.ACCENT if curve is found.best else theme.GREY for curve in found.curves]
    bar = {"type": "bar", "orientation": "h", "y": names, "hoverinfo": "skip"}
    labels = [
        {
            "x": reach, "y": name, "text": words(curve, language), "xanchor": "left", "xshift": 4, "showarrow": False,
            "font": {"size": 11, "color": theme.ACCENT if curve is found.best else theme.TEXT},
        }
        for name, curve, reach in zip(names, found.curves, most, strict=True)
    ]  # fmt: skip
    return {
        "data": [
            {**bar, "x": most, "width": 0.62 if len(names) > 2 else 0.3, "marker": {"color": theme.GREY_SOFT}},
            {**bar, "x": holds, "width": 0.34 if len(names) > 2 else 0.16, "marker": {"color": colours}},
        ],
        "layout": theme.layout(
            theme.axis(say("ui.axis.conversations", language), range=[0, max([*most, 1]) * 2.3], nticks=5),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT),
            meta={"reach": max([*most, 1])},
            barmode="overlay",
            annotations=labels,
            margin={"l": 8, "t": 6},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: Speed, language: str) -> str:
    """The chart in words."""
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [f"{wording.layout_name(curve.layout, language)}: {words(curve, language)}" for curve in found.curves]
    return say("ui.alt.speed_ends", language, floor=found.floor_tokens_s, parts="; ".join(parts))
