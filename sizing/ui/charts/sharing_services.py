"""Conversations of each service, and what the worst single lost card leaves of them."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing.shared import Shared
from sizing.ui import theme

NAME = "sharing_services"


def build(shared: Shared, language: str) -> dict[str, Any]:
    """Two bars a service: what it holds, and in grey what is left; both figures stand beside them."""
    placement, worst = shared.placement, shared.failures.worst
    names = [_name(shared, number) for number in range(len(placement.needs))]
    held = [placement.conversations(number) or 0 for number in range(len(names))]
    left = [each.conversations or 0 for each in worst]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": say(f"ui.sharing.{name}", language),
            "y": names,
            "x": counts,
            "marker": {"color": colour},
            "hoverinfo": "skip",
        }
        for name, counts, colour in (("held", held, theme.ACCENT), ("left", left, theme.GREY))
    ]
    labels = [
        {
            "x": max(held[number], left[number]),
            "y": name,
            "text": _label(shared, number, language),
            "xanchor": "left",
            "xshift": 4,
            "showarrow": False,
            "font": {"size": 11},
        }
        for number, name in enumerate(names)
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.conversations", language), range=[0, max([*held, 1]) * 1.6], nticks=5),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT),
            meta={"reach": max([*held, 1])},
            barmode="group",
            bargap=0.25,
            bargroupgap=0.05,
            annotations=labels,
            margin={"l": 8, "t": 6},
            separators=say("unit.separators", language),
        ),
    }


def alt(shared: Shared, language: str) -> str:
    """The chart in words."""
    parts = [
        f"{_name(shared, number)}: {_label(shared, number, language)}" for number in range(len(shared.placement.needs))
    ]
    return say("ui.alt.sharing_services", language, parts="; ".join(parts)).replace("<b>", "").replace("</b>", "")


def _name(shared: Shared, number: int) -> str:
    short = shared.plan.services[number].model
    return f"{letter(number)} {short if len(short) <= 22 else short[:21] + '…'}"


def _label(shared: Shared, number: int, language: str) -> str:
    placement = shared.placement
    if number in placement.left_out:
        return say("ui.services.no_place", language)
    left = shared.failures.worst[number]
    held = placement.conversations(number)
    if held is None:
        return say("ui.sharing.no_cache_left", language, copies=left.copies)
    return say("ui.sharing.held_left", language, held=held, left=left.conversations or 0)
