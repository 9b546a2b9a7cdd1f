"""Conversations by layout, the chosen precision beside the other one."""

from __future__ import annotations

from typing import Any

from sizing.memory.layouts import Layout
from sizing.size import Sizing
from sizing.texts import say
from sizing.ui import theme, wording

NAME = "layouts"


def build(sizing: Sizing, language: str, *, other: Sizing | None = None) -> dict[str, Any]:
    """Bars a layout, best known first; ``other``: the same scenario in another cache precision, in grey."""
    series = [(sizing, theme.ACCENT)] + ([(other, theme.GREY)] if other else [])
    names = [wording.layout_name(layout, language) for layout in sizing.layouts]
    longest = max([layout.conversations or 0 for each, _ in series for layout in each.layouts] + [1])
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": wording.precision(each.kv_dtype, language),
            "y": names,
            "x": [layout.conversations or 0 for layout in each.layouts],
            "text": [_label(layout, each, other is not None, language) for layout in each.layouts],
            "textposition": "outside",
            "cliponaxis": False,
            "textfont": {"size": 11, "color": theme.TEXT},
            "marker": {"color": colour},
            "hoverinfo": "skip",
        }
        for each, colour in series
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.conversations", language), range=[0, longest * 1.32], nticks=5),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT),
            barmode="group",
            bargap=0.28,
            bargroupgap=0.08,
            margin={"l": 128, "t": 6},
            separators=say("unit.separators", language),
        ),
    }


def _label(layout: Layout, sizing: Sizing, named: bool, language: str) -> str:
    count = wording.conversations(layout, language)
    return f"{count} · {wording.precision(sizing.kv_dtype, language)}" if named else count


def alt(sizing: Sizing, language: str, *, other: Sizing | None = None) -> str:
    """The chart in words."""
    parts = [
        f"{wording.layout_name(layout, language)}: {wording.conversations(layout, language)}"
        for layout in sizing.layouts
    ]
    return say(
        "ui.alt.layouts", language, precision=wording.precision(sizing.kv_dtype, language), parts="; ".join(parts)
    )
