"""The servers by component as a share of what each connection of the region is planned to carry."""

from __future__ import annotations

from typing import Any

from sizing.answers.siting import Siting
from sizing.base.texts import say, tell
from sizing.base.units import kw
from sizing.site.options import OnCircuit
from sizing.ui import theme
from sizing.ui.site_report import words

NAME = "site_connections"

WIDEST = 2.0
"""A bar of twice the planned load is cut off here; how far beyond it is stands beside it in figures."""

TICKS = (0.0, 0.5, 1.0, 1.5, 2.0)

PARTS = (
    ("cards_w", theme.GREY_STRONG, theme.ACCENT),
    ("processors_w", theme.GREY, theme.GREY),
    ("rest_w", theme.GREY_SOFT, theme.GREY_SOFT),
)
"""Component, its colour, its colour on the chosen connection."""


def height(siting: Siting) -> int:
    """Room for two lines of text a connection. [CSS pixels]"""
    return 96 + 33 * len(siting.plan.on_circuits)


def build(siting: Siting, language: str) -> dict[str, Any]:
    """A stacked bar a connection; 100 % is its planned load."""
    rows, chosen = siting.plan.on_circuits, siting.plan.circuit
    names = [_name(one, one.circuit == chosen, language) for one in rows]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "y": names,
            "x": [one.shares[number] for one in rows],
            "marker": {
                "color": [mine if one.circuit == chosen else colour for one in rows],
                "line": {"color": theme.GROUND, "width": 1},
            },
            "customdata": [say("unit.share", language, value=one.shares[number]) for one in rows],
            "hovertemplate": say(f"ui.power.{part}", language) + ": %{customdata}<extra></extra>",
        }
        for number, (part, colour, mine) in enumerate(PARTS)
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.planned_share", language),
                range=[0, WIDEST],
                tickvals=TICKS,
                ticktext=[say("unit.share", language, value=share) for share in TICKS],
            ),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, tickfont={"size": 11}),
            barmode="stack",
            bargap=0.35,
            margin={"l": 8, "t": 34},
            shapes=[_limit_line()],
            annotations=[legend(language), _limit_label(language)],
            separators=say("unit.separators", language),
        ),
    }


def _name(one: OnCircuit, chosen: bool, language: str) -> str:
    """Two lines: the connection, and the load on it, or the limit that is passed."""
    name = words.circuit(one.circuit, language)
    loaded = say("ui.site.of_planned", language, load_kw=kw(one.load_w), planned_kw=kw(one.planned_w))
    if one.connection.fits:
        return f"<b>{name}</b><br>{loaded}" if chosen else f"{name}<br>{loaded}"
    if one.limit.kind not in ("circuit", "site"):
        values = {"load": one.limit.load, "limit": one.limit.limit}
        loaded = say(f"ui.site.over.{one.limit.kind}", language, **values)
    name = f"<b>{name}</b>" if chosen else name
    return f"{name}<br><span style='color:{theme.LIMIT}'>{loaded}</span>"


def _limit_line() -> dict[str, Any]:
    return {
        "type": "line",
        "yref": "paper",
        "x0": 1,
        "x1": 1,
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.LIMIT, "width": 1.5, "dash": "dot"},
    }


def _limit_label(language: str) -> dict[str, Any]:
    return {
        "x": 1,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "showarrow": False,
        "text": say("ui.site.planned", language),
        "font": {"size": 11, "color": theme.LIMIT},
    }


def legend(language: str) -> dict[str, Any]:
    """The components in the order of the bar, above its chart."""
    squares = [
        f"<span style='color:{colour}'>■</span> {say(f'ui.power.{part}_short', language)}" for part, colour, _ in PARTS
    ]
    return {
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "yshift": 16,
        "showarrow": False,
        "text": "  ".join(squares),
        "font": {"size": 11},
    }


def alt(siting: Siting, language: str) -> str:
    """The chart in words."""
    parts = []
    for one in siting.plan.on_circuits:
        loaded = say("ui.site.of_planned", language, load_kw=kw(one.load_w), planned_kw=kw(one.planned_w))
        stopped = ", ".join(words.what(kind, language) for kind in one.connection.stopped_by)
        verdict = say("ui.site.alt_stopped", language, what=stopped) if stopped else say("ui.site.alt_runs", language)
        parts.append(f"{tell(one.circuit.name, language)}: {loaded}, {verdict}")
    return say("ui.alt.site_connections", language, parts="; ".join(parts))
