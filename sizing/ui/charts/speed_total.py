"""Tokens a second of all conversations together against their number, a line a layout, with the limit."""

from __future__ import annotations

from typing import Any

from sizing.answers import wording
from sizing.base.texts import say
from sizing.speed import Speed
from sizing.ui import theme
from sizing.ui.charts import speed_each

NAME = "speed_total"


def build(found: Speed, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes; each ends where the cache is full."""
    limit = speed_each.limit_line(found, "limit_total_tokens_s")
    data = [*limit, *speed_each.lines(found, "total_tokens_s", language)]
    counts = [float(count) for line in data for count in line["x"]]
    values = [value for line in data for value in line["y"]]
    notes = speed_each.limit_label(found, limit, language, 0.5, "right")
    best = found.best
    if best is not None:
        last = best.last
        middle = best.points[len(best.points) // 3]
        where = {"xanchor": "left", "yanchor": "top", "xshift": 8}
        name = wording.layout_name(best.layout, language)
        notes.append(speed_each.label(middle.conversations, middle.total_tokens_s * 0.7, name, theme.ACCENT, **where))
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [last.conversations],
                "y": [speed_each.short(last.total_tokens_s)],
                "marker": {"color": theme.ACCENT, "size": 9, "symbol": "line-ns-open"},
                "hoverinfo": "skip",
            }
        )
        key = "engine_full" if best.by_engine else "cache_full"
        text = say(f"ui.speed.{key}", language, conversations=last.conversations)
        where = {"xanchor": "right", "yanchor": "top"}  # below the other layouts' ends, which lie close to this one
        notes.append(speed_each.label(last.conversations, last.total_tokens_s * 0.5, text, theme.ACCENT, **where))
    return {
        "data": data,
        "layout": theme.layout(
            speed_each.running_axis(counts, language),
            theme.axis(
                say("ui.axis.total_tokens_s", language),
                type="log",
                automargin=True,
                **speed_each.ticks(values, language),
            ),
            annotations=notes,
            margin={"r": 20},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: Speed, language: str) -> str:
    """The chart in words: each layout alone and full."""
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [
        say(
            "ui.alt.speed_total_layout",
            language,
            layout=wording.layout_name(curve.layout, language),
            one=curve.one.total_tokens_s,
            total=curve.last.total_tokens_s,
            most=curve.last.conversations,
        )
        for curve in found.curves
    ]
    return say("ui.alt.speed_total", language, parts="; ".join(parts))
