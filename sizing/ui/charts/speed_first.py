"""Time to the first token against clients: while there is a place in the cache, and beyond it, where they wait."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.speed import Speed
from sizing.ui import theme
from sizing.ui.charts.speed_each import short

NAME = "speed_first"
STEPS = 6


def _waiting(found: Speed) -> list[tuple[int, float]]:
    """Clients beyond the cache and the time to the first token of the last of them. [-], [s]"""
    best, asked = found.best, found.sizing.scenario.waiting_clients
    if best is None or not asked:
        return []
    counts = sorted({max(1, asked * step // STEPS) for step in range(1, STEPS + 1)})
    return [(count, best.waiting(count)[1]) for count in counts]


def build(found: Speed, language: str) -> dict[str, Any]:
    """One line while there is a place, another in the limit's colour beyond it."""
    best = found.best
    data: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    if best is not None:
        full = best.last.conversations
        points = [(point.conversations, point.ttft_ms / 1000) for point in best.points]
        beyond = [points[-1], *((full + count, seconds) for count, seconds in _waiting(found))]
        for line, colour, dash in ((points, theme.ACCENT, "solid"), (beyond, theme.LIMIT, "dash")):
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [x for x, _ in line],
                    "y": [short(y) for _, y in line],
                    "line": {"color": colour, "width": 2.5, "dash": dash},
                    "hovertemplate": "%{x:,} · %{y:,.3~g} s<extra></extra>",
                }
            )
        shapes.append(
            {
                "type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": full, "x1": full,
                "line": {"color": theme.GREY_STRONG, "width": 1, "dash": "dot"},
            }
        )  # fmt: skip
        key = "engine_full" if best.by_engine else "cache_full"
        text = say(f"ui.speed.{key}", language, conversations=full)
        style = {"showarrow": False, "font": {"size": 11, "color": theme.MUTED}}
        notes.append({"x": full, "yref": "paper", "y": 0.28, "xanchor": "right", "xshift": -4, "text": text, **style})
        if len(beyond) > 1:
            last = beyond[-1]
            waits = say("ui.speed.waits", language, seconds=last[1])
            notes.append(
                {
                    "x": last[0], "y": short(last[1]), "xanchor": "right", "yanchor": "bottom", "xshift": -4,
                    "text": f"<b>{waits}</b>", "showarrow": False, "font": {"size": 12, "color": theme.LIMIT},
                }
            )  # fmt: skip
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.clients", language), rangemode="tozero", nticks=6),
            theme.axis(say("ui.axis.first_token_s", language), rangemode="tozero", automargin=True, nticks=6),
            annotations=notes,
            shapes=shapes,
            margin={"t": 18, "r": 20},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: Speed, language: str) -> str:
    """The chart in words."""
    best = found.best
    if best is None:
        return say("ui.speed.nothing", language)
    waiting = found.sizing.scenario.waiting_clients
    first, last = best.waiting(waiting)
    return say(
        "ui.alt.speed_first" if waiting else "ui.alt.speed_first_no_wait",
        language,
        one=best.one.ttft_ms / 1000,
        most=best.last.conversations,
        full=best.last.ttft_ms / 1000,
        waiting=waiting,
        first=first,
        last=last,
    )
