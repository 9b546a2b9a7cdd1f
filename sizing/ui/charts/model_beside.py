"""Conversations of this model and of others on the same cards, against context length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sizing.answers import wording
from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.ui import theme
from sizing.ui.charts.context import contexts_ticks, short_tokens
from sizing.ui.charts.model_cache import log_axis, points
from sizing.ui.labels import places

NAME = "model_beside"

LONGEST_NAME = 24
DASHES = ("solid", "dash", "dot")


def build(sizing: Sizing, language: str, *, others: Sequence[Sizing] = ()) -> dict[str, Any]:
    """A line a model, each in its best layout at the chosen context; this model's is the accent."""
    shown = [each for each in (sizing, *others) if each.best.conversations is not None]
    lines = [_line(each) for each in shown]
    names = [_plain(each.checkpoint.name) for each in shown]
    colours = [theme.ACCENT if each is sizing else theme.GREY_STRONG for each in shown]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [context for context, _ in line],
            "y": [count for _, count in line],
            "line": {"color": colour, "width": 2.5 if each is sizing else 1.5, "dash": dash},
            "hovertemplate": f"%{{x:,}} · %{{y:,}}<extra>{name}</extra>",
        }
        for each, line, name, colour, dash in zip(shown, lines, names, colours, DASHES, strict=False)
    ]
    chosen = sizing.best.conversations
    marked = [(sizing.scenario.context_tokens, chosen, f"{chosen:,}")] if chosen else []
    labels = [
        {
            "x": place.x,
            "y": place.y,
            "text": name,
            "showarrow": False,
            "xanchor": place.xanchor,
            "yanchor": place.yanchor,
            "font": {"size": 11, "color": colour},
        }
        for place, name, colour in zip(places(lines, names, marked), names, colours, strict=True)
        if place is not None
    ]
    if chosen:
        data.append(_chosen(sizing, language))
    every = {context for line in lines for context, _ in line}
    ticks = contexts_ticks(sorted(every))
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.context", language),
                type="log",
                tickvals=ticks,
                ticktext=[short_tokens(tick) for tick in ticks],
            ),
            log_axis(say("ui.axis.conversations", language), [y for line in data for y in line["y"]], language),
            annotations=labels,
            margin={"r": 20},
            separators=say("unit.separators", language),
        ),
    }


def _line(sizing: Sizing) -> list[tuple[int, int]]:
    """Context and conversations of the best layout, as far as there are any."""
    counts = [(context, sizing.conversations_at(sizing.best, context)) for context in points(sizing)]
    return [(context, count) for context, count in counts if count]


def _plain(name: str) -> str:
    """A name for plotly, which would take some signs for markup."""
    plain = name.replace("<", "‹").replace(">", "›").replace("&", "+")
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1] + "…"


def _chosen(sizing: Sizing, language: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [sizing.scenario.context_tokens],
        "y": [sizing.best.conversations],
        "text": [f"<b>{wording.conversations(sizing.best, language)}</b>"],
        "textposition": "top right",
        "textfont": {"color": theme.ACCENT, "size": 13},
        "marker": {"color": theme.ACCENT, "size": 10},
        "hoverinfo": "skip",
    }


def alt(sizing: Sizing, language: str, *, others: Sequence[Sizing] = ()) -> str:
    """The chart in words: each model's count at the chosen context."""
    parts = [f"{each.checkpoint.name}: {wording.conversations(each.best, language)}" for each in (sizing, *others)]
    return say("ui.alt.model_beside", language, context_tokens=sizing.scenario.context_tokens, parts="; ".join(parts))
