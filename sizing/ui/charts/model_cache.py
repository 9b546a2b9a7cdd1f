"""Cache of one conversation against its context: the whole, and its parts where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.base.units import gib
from sizing.catalogue.inputs import inputs
from sizing.memory import layer_map
from sizing.ui import theme
from sizing.ui.charts.context import contexts_ticks, short_tokens
from sizing.ui.labels import places

NAME = "model_cache"

PART_LINES: dict[layer_map.Part, str] = {"grows": "solid", "windowed": "dash", "fixed": "dot"}


def points(sizing: Sizing) -> list[int]:
    """Contexts to draw: the stops up to the model's longest, that one, and the chosen one."""
    longest = sizing.architecture.max_context_tokens
    stops = [int(stop) for stop in inputs()["context_tokens"].stops if longest is None or stop <= longest]
    return sorted({*stops, *([longest] if longest else []), sizing.scenario.context_tokens})


def build(sizing: Sizing, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes; the chosen context is a labelled point."""
    contexts = points(sizing)
    table = [layer_map.parts_bytes(sizing.architecture, sizing.kv_dtype, context) for context in contexts]
    parts = [part for part in PART_LINES if part in table[-1]]
    values = {part: [gib(row[part]) for row in table] for part in parts}
    whole = [sum(column) for column in zip(*values.values(), strict=True)]
    data: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    if len(parts) > 1:
        names = [say(f"ui.model.part.{part}", language) for part in parts]
        for part, name in zip(parts, names, strict=True):
            line = {"color": theme.GREY_STRONG, "width": 1.5, "dash": PART_LINES[part]}
            data.append(_line(contexts, values[part], line, name))
        labels = _labels([*values.values(), whole], names, contexts, sizing, language)
    if parts:
        data.append(_line(contexts, whole, {"color": theme.ACCENT, "width": 2.5}, say("ui.model.whole", language)))
        data.append(_chosen(sizing, language))
    ticks = contexts_ticks(contexts)
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.context", language),
                type="log",
                tickvals=ticks,
                ticktext=[short_tokens(tick) for tick in ticks],
            ),
            log_axis(say("ui.axis.gib_per_conversation", language), [y for line in data for y in line["y"]], language),
            annotations=labels,
            margin={"r": 20, "t": 16},
            separators=say("unit.separators", language),
        ),
    }


def log_axis(title: str, values: Sequence[float | None], language: str) -> dict[str, Any]:
    """A logarithmic axis with whole figures at its ticks: 1, 2 and 5 of each power of ten, or the powers alone."""
    drawn = [value for value in values if value]
    low, high = floor(log10(min(drawn, default=1))), ceil(log10(max(drawn, default=1)))
    steps = (1, 2, 5) if high - low <= 2 else (1,)
    ticks = [step * 10.0**power for power in range(low, high + 1) for step in steps]
    text = [say("ui.model.tick", language, value=tick) for tick in ticks]
    return theme.axis(title, type="log", automargin=True, tickvals=ticks, ticktext=text)


def _line(contexts: list[int], values: list[float], line: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": contexts,
        "y": [value or None for value in values],
        "line": line,
        "hovertemplate": f"%{{x:,}} · %{{y:.3~g}} GiB<extra>{name}</extra>",
    }


def _labels(
    values: Sequence[Sequence[float]], names: Sequence[str], contexts: Sequence[int], sizing: Sizing, language: str
) -> list[dict[str, Any]]:
    """The names of the parts beside their lines, clear of each other and of the whole, which is the last of values."""
    lines = [[(context, value) for context, value in zip(contexts, row, strict=True) if value] for row in values]
    chosen = sizing.kv_gib_per_conversation
    marked = [(sizing.scenario.context_tokens, chosen, say("unit.gib_exact", language, value=chosen))] if chosen else []
    return [
        {
            "x": place.x,
            "y": place.y,
            "text": name,
            "showarrow": False,
            "xanchor": place.xanchor,
            "yanchor": place.yanchor,
            "font": {"size": 11, "color": theme.MUTED},
        }
        for place, name in zip(places(lines, [*names, ""], marked), names, strict=False)
        if place is not None
    ]


def _chosen(sizing: Sizing, language: str) -> dict[str, Any]:
    value = sizing.kv_gib_per_conversation
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [sizing.scenario.context_tokens],
        "y": [value or None],
        "text": [f"<b>{say('unit.gib_exact', language, value=value)}</b>"],
        "textposition": "top left",
        "textfont": {"color": theme.ACCENT, "size": 13},
        "marker": {"color": theme.ACCENT, "size": 10},
        "hoverinfo": "skip",
    }


def alt(sizing: Sizing, language: str) -> str:
    """The chart in words: a few points."""
    if not sizing.kv_gib_per_conversation:
        return say("ui.alt.context_no_cache", language)
    shown = [
        f"{short_tokens(context)}: {say('unit.gib_exact', language, value=gib(sizing.kv_terms.bytes(context)))}"
        for context in contexts_ticks(points(sizing))
    ]
    return say("ui.alt.model_cache", language, points="; ".join(shown))
