"""What is needed at the peak beside what the server holds, at each length that it may be counted at."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.demand.call import Call
from sizing.ui import marks, theme

NAME = "call_need"


def build(call: Call, language: str) -> dict[str, Any]:
    """Horizontal bars: needed, and held at the full context and at the two means of the mix."""
    rows = _rows(call)
    if not rows:
        return marks.nothing(say("call.chart.nothing", language))
    names = [_name(call, name, language) for name, _ in rows]
    values = [value for _, value in rows]
    colours = [
        theme.GREY_STRONG if name == "needed" else theme.ACCENT if name == "full" else theme.GREY_SOFT
        for name, _ in rows
    ]
    most = max(values) or 1
    shapes = [marks.limit_line(call.needed)] if call.needed and len(rows) > 1 else []
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": values,
                "text": [say("unit.integer", language, value=value) for value in values],
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": 12, "color": theme.TEXT},
                "marker": {"color": colours},
                "hovertemplate": "%{y}: %{text}<extra></extra>",
                "width": 0.62,
            }
        ],
        "layout": theme.layout(
            theme.axis(say("ui.axis.conversations", language), range=[0, most * 1.18], rangemode="tozero"),
            marks.names_axis(),
            shapes=shapes,
            separators=say("unit.separators", language),
        ),
    }


def alt(call: Call, language: str) -> str:
    """The bars in words."""
    rows = _rows(call)
    if not rows:
        return say("call.chart.nothing", language)
    parts = "; ".join(
        f"{_name(call, name, language)}: {say('unit.integer', language, value=value)}" for name, value in rows
    )
    return say("call.alt.need", language, parts=parts)


def _name(call: Call, name: str, language: str) -> str:
    wished = name == "needed" and call.scenario.wanted_conversations
    return say(f"call.bar.{'wished' if wished else name}", language)


def _rows(call: Call) -> list[tuple[str, int]]:
    rows: list[tuple[str, int | None]] = [("needed", call.needed or None), ("full", call.holds)]
    servers = call.scenario.servers
    if counts := call.counts:
        for name, count in (("final", counts.at_mean_final_length), ("resident", counts.at_mean_resident_length)):
            rows.append((name, None if count is None else count * servers))
    return [(name, value) for name, value in rows if value is not None]
