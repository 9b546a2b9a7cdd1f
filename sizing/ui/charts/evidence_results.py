"""Published rates per card, by card and case: a dot a result, never joined across unlike loads."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.models.evidence import Evidence, Group
from sizing.ui import theme

NAME = "evidence_results"


def name(group: Group, language: str) -> str:
    """Card and case in words."""
    case = say(f"ui.evidence.case.{group.case}", language)
    return f"{say(f'input.result_card.{group.card}', language)} · {case}"


def span(group: Group, language: str) -> str:
    """ "3,276–3,739 (19)"."""
    low, high = round(group.values[0]), round(group.values[-1])
    key = "one" if low == high else "span"
    return say(f"ui.evidence.{key}", language, low=low, high=high, count=len(group.rows))


def height(found: Evidence) -> int:
    """A row for each group. [CSS pixels]"""
    return 80 + 32 * max(3, len(found.groups))


def build(found: Evidence, language: str, *, chosen: str = "") -> dict[str, Any]:
    """A row a group with its dots; the chosen card's in the accent."""
    names = [name(group, language) for group in found.groups]
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [round(value, 1) for value in group.values],
            "y": [label] * len(group.rows),
            "marker": {
                "color": theme.ACCENT if group.card == chosen else theme.GREY_STRONG,
                "size": 8,
                "opacity": 0.6,
            },
            "text": [row.submitter or row.id for row in group.rows],
            "hovertemplate": "%{x:,.1f} · %{text}<extra></extra>",
        }
        for group, label in zip(found.groups, names, strict=True)
    ]
    labels = [
        {
            "xref": "paper", "x": 0, "y": label, "text": f"{label} · {span(group, language)}", "xanchor": "left",
            "yshift": 11, "showarrow": False,
            "font": {"size": 11, "color": theme.ACCENT if group.card == chosen else theme.TEXT},
        }
        for group, label in zip(found.groups, names, strict=True)
    ]  # fmt: skip
    most = max((group.values[-1] for group in found.groups), default=1.0)
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.per_card", language), range=[0, most * 1.04], nticks=5, tickangle=0),
            theme.axis(
                autorange="reversed", ticks="", showticklabels=False, showgrid=False, showline=False,
                categoryorder="array", categoryarray=names,
            ),
            annotations=labels,
            margin={"l": 12, "t": 10},
            separators=say("unit.separators", language),
        ),
    }  # fmt: skip


def alt(found: Evidence, language: str, *, chosen: str = "") -> str:
    """The chart in words."""
    if not found.groups:
        return say("ui.evidence.none", language)
    parts = [f"{name(group, language)}: {span(group, language)}" for group in found.groups]
    return say("ui.alt.evidence_results", language, parts="; ".join(parts))
