"""Conversations by layout, the chosen precision beside the other one."""

from __future__ import annotations

from typing import Any

from sizing.answers import wording
from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.ui import marks, theme

NAME = "layouts"


def build(sizing: Sizing, language: str, *, other: Sizing | None = None) -> dict[str, Any]:
    """Bars a layout, best known first; ``other``: the same scenario in another cache precision, in grey."""
    series = [(sizing, theme.ACCENT)] + ([(other, theme.GREY)] if other else [])
    names = [wording.layout_name(layout, language) for layout in sizing.layouts]
    counts = [[layout.conversations or 0 for layout in each.layouts] for each, _ in series]
    longest = [max(column) for column in zip(*counts, strict=True)]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": wording.precision(each.kv_dtype, language),
            "y": names,
            "x": row,
            "marker": {"color": colour},
            "hoverinfo": "skip",
        }
        for (each, colour), row in zip(series, counts, strict=True)
    ]
    labels = [
        {
            "x": reach,
            "y": name,
            "text": _label(number, [each for each, _ in series], language),
            "xanchor": "left",
            "xshift": 4,
            "showarrow": False,
            "font": {"size": 11},
        }
        for number, (name, reach) in enumerate(zip(names, longest, strict=True))
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.conversations", language),
                range=[0, max([*longest, 1]) * 1.9],
                nticks=5,
                showticklabels=any(longest),  # a scale of nothing says nothing
            ),
            marks.names_axis(),
            meta={"reach": max([*longest, 1])},
            barmode="group",
            bargap=marks.gap(len(names)),
            bargroupgap=0.08,
            annotations=labels,
            margin={"l": 8, "t": 6},
            separators=say("unit.separators", language),
        ),
    }


def _label(number: int, sizings: list[Sizing], language: str) -> str:
    """ "**211** FP8 · 105 16-bit", or why there is no count."""
    layouts = [each.layouts[number] for each in sizings]
    if len(sizings) == 1 or not any(layout.fits for layout in layouts):
        return f"<b>{wording.conversations(layouts[0], language)}</b>"
    parts = [
        f"{wording.conversations(layout, language)} {wording.precision(each.kv_dtype, language)}"
        for layout, each in zip(layouts, sizings, strict=True)
    ]
    return f"<b>{parts[0]}</b> · {parts[1]}"


def alt(sizing: Sizing, language: str, *, other: Sizing | None = None) -> str:
    """The chart in words."""
    parts = [
        f"{wording.layout_name(layout, language)}: {wording.conversations(layout, language)}"
        for layout in sizing.layouts
    ]
    return say(
        wording.of_cache("ui.alt.layouts", sizing),
        language,
        precision=wording.precision(sizing.kv_dtype, language),
        parts="; ".join(parts),
    )
