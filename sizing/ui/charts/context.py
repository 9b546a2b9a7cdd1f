"""Conversations against context length, for the layouts worth comparing, with the point chosen."""

from __future__ import annotations

from math import log10
from typing import Any

from sizing.answers import wording
from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.catalogue.inputs import inputs
from sizing.memory.layouts import Layout
from sizing.ui import marks, theme

NAME = "context"
LINES = 3
FEWEST_STOPS = 3
LABEL_AT = (0.1, 0.62, 0.4)  # where along its line each name stands


def compared(sizing: Sizing) -> list[Layout]:
    """The best layout, and others without pipelines that hold a conversation, at most LINES of them."""
    others = [layout for layout in sizing.layouts if layout.pp == 1 and layout.fits and layout != sizing.best]
    return [sizing.best, *others][:LINES]


def _points(sizing: Sizing) -> list[int]:
    longest = sizing.architecture.max_context_tokens
    stops = [int(stop) for stop in inputs()["context_tokens"].stops if longest is None or stop <= longest]
    if longest and len(stops) < FEWEST_STOPS:  # a model of short texts
        stops += [longest // 2**halvings for halvings in range(FEWEST_STOPS + 1) if longest >= 2**halvings]
    halfway = [int(stop * 1.414) for stop in sorted(stops)[:-1]]
    own = [] if wording.beyond_model(sizing) else [sizing.scenario.context_tokens]
    return sorted({*stops, *halfway, *([longest] if longest else []), *own})


def build(sizing: Sizing, language: str) -> dict[str, Any]:
    """A line a layout on logarithmic axes; the chosen context is a labelled point."""
    contexts = _points(sizing)
    if sizing.best.conversations is None:
        return marks.nothing(say("ui.context.no_cache", language))
    if not any(sizing.conversations_at(layout, context) for layout in compared(sizing) for context in contexts):
        return marks.nothing(say("ui.context.none_fits", language))
    data: list[dict[str, Any]] = []
    if sizing.best.conversations is not None:
        for layout in compared(sizing):
            counts = [sizing.conversations_at(layout, context) or None for context in contexts]
            best = layout == sizing.best
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": contexts,
                    "y": counts,
                    "line": {"color": theme.ACCENT if best else theme.GREY, "width": 2.5 if best else 1.5},
                    "hovertemplate": "%{x:,} · %{y:,}<extra>" + wording.layout_name(layout, language) + "</extra>",
                }
            )
        if not wording.beyond_model(sizing):
            data.append(_chosen(sizing, language))
    drawn = [count for line in data for count in line["y"] if count] or [1]
    span = max(drawn) / min(drawn)
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.context", language),
                type="log",
                tickvals=contexts_ticks(contexts),
                ticktext=[short_tokens(tick) for tick in contexts_ticks(contexts)],
            ),
            theme.axis(
                say("ui.axis.conversations", language),
                type="log",
                automargin=True,
                **({"dtick": 1} if span > 20 else {"dtick": "D2"} if span > 4 else {"nticks": 5}),
            ),
            annotations=[*_labels(sizing, data, contexts, language), *_end_label(sizing, language)],
            shapes=[marks.limit_line(contexts[-1])] if wording.beyond_model(sizing) else [],
            margin={"r": 20, "t": 24 if wording.beyond_model(sizing) else 12},
            separators=say("unit.separators", language),
        ),
    }


def _end_label(sizing: Sizing, language: str) -> list[dict[str, Any]]:
    """Where the model ends, if a longer context is asked for."""
    longest = sizing.architecture.max_context_tokens
    if longest is None or not wording.beyond_model(sizing):
        return []
    return [marks.limit_label(say("ui.context.model_ends", language, tokens=longest), log10(longest), "right")]


def contexts_ticks(contexts: list[int]) -> list[int]:
    """Every second power of two, so that labels do not collide; for a model of short texts what there is."""
    powers = [context for context in contexts if context & (context - 1) == 0] or contexts[::2]
    return powers[::2] if len(powers) > 6 else powers


def short_tokens(tokens: int) -> str:
    """8192 as "8K", 1048576 as "1M": binary thousands, as models are named."""
    for size, sign in ((2**20, "M"), (2**10, "K")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{sign}"
    return str(tokens)


def _chosen(sizing: Sizing, language: str) -> dict[str, Any]:
    count = sizing.best.conversations or 0
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [sizing.scenario.context_tokens],
        "y": [count or None],
        "text": [f"<b>{wording.conversations(sizing.best, language)}</b>"],
        "textposition": "top right",
        "textfont": {"color": theme.ACCENT, "size": 13},
        "marker": {"color": theme.ACCENT, "size": 10},
        "hoverinfo": "skip",
    }


def _labels(sizing: Sizing, data: list[dict[str, Any]], contexts: list[int], language: str) -> list[dict[str, Any]]:
    """The name of each line beside it: the best above its line, the others below theirs, each at another place."""
    labels = []
    for layout, line, share in zip(compared(sizing), data, LABEL_AT, strict=False):
        drawn = [(context, count) for context, count in zip(contexts, line["y"], strict=True) if count]
        if drawn:
            context, count = drawn[int(share * (len(drawn) - 1))]
            best = layout == sizing.best
            labels.append(
                {
                    "x": log10(context),
                    "y": log10(count),
                    "text": wording.layout_name(layout, language),
                    "showarrow": False,
                    "xanchor": "left" if best else "right",
                    "yanchor": "bottom" if best else "top",
                    "xshift": 6 if best else -4,
                    "font": {"size": 11, "color": theme.ACCENT if best else theme.MUTED},
                }
            )
    return labels


def alt(sizing: Sizing, language: str) -> str:
    """The chart in words: a few points of the best layout."""
    if sizing.best.conversations is None:
        return say("ui.alt.context_no_cache", language)
    points = [
        f"{short_tokens(context)}: "
        + say("unit.integer", language, value=sizing.conversations_at(sizing.best, context))
        for context in contexts_ticks(_points(sizing))
    ]
    return say(
        "ui.alt.context",
        language,
        layout=wording.layout_name(sizing.best, language),
        points="; ".join(points),
    )
