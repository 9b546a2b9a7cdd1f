"""Conversations of each platform, and what is left of them without one server."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.demand.side_by_side import Compared, SideBySide
from sizing.ui import theme

NAME = "compare_conversations"


def build(found: SideBySide, language: str) -> dict[str, Any]:
    """Two bars a platform, both figures beside them."""
    names = [_name(number, each, language) for number, each in enumerate(found.platforms)]
    held = [each.conversations or 0 for each in found.platforms]
    left = [each.left_without_server or 0 for each in found.platforms]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": say(f"ui.compare.{name}", language),
            "y": names,
            "x": counts,
            "marker": {"color": colour},
            "hoverinfo": "skip",
        }
        for name, counts, colour in (("held", held, theme.ACCENT), ("left", left, theme.GREY))
    ]
    labels = [
        {
            "x": held[number],
            "y": names[number],
            "text": _label(each, language),
            "xanchor": "left",
            "xshift": 4,
            "showarrow": False,
            "font": {"size": 11},
        }
        for number, each in enumerate(found.platforms)
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.conversations", language), range=[0, max([*held, 1]) * 1.7], nticks=5),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT),
            meta={"reach": max([*held, 1])},
            barmode="group",
            bargap=0.3,
            bargroupgap=0.06,
            annotations=labels,
            margin={"l": 8, "t": 6},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: SideBySide, language: str) -> str:
    """The chart in words."""
    parts = [
        f"{_name(number, each, language)}: {_label(each, language)}" for number, each in enumerate(found.platforms)
    ]
    text = "; ".join(parts).replace("<b>", "").replace("</b>", "").replace("<br>", " ")
    return say("ui.alt.compare_conversations", language, parts=text)


def _name(number: int, each: Compared, language: str) -> str:
    platform = each.platform
    key = "ui.compare.short" if platform.servers == 1 else "ui.compare.short_servers"
    key += "_one" if platform.cards == 1 else ""
    return f"{letter(number)} " + say(key, language, servers=platform.servers, cards=platform.cards)


def _label(each: Compared, language: str) -> str:
    if not each.sizing.fits:
        return say("ui.does_not_fit", language)
    if each.conversations is None:
        return say("ui.no_limit", language)
    return say("ui.compare.held_left", language, held=each.conversations, left=each.left_without_server or 0)
