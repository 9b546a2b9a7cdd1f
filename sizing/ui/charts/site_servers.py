"""How many servers the connection, a rack's power and a rack's height take, against the cap."""

from __future__ import annotations

from typing import Any

from sizing.answers.siting import Siting
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.ui import theme
from sizing.ui.site_report import words

NAME = "site_servers"

LINES = (
    ("on_circuit", theme.ACCENT, "solid"),
    ("on_feed", theme.GREY_STRONG, "solid"),
    ("in_rack", theme.GREY_STRONG, "dot"),
)
"""Count of a row, colour and dash of its line."""


def build(siting: Siting, language: str) -> dict[str, Any]:
    """A stepped line for each limit that is asked for; the chosen cap is marked with its counts."""
    rows = siting.plan.at_fine_caps
    caps = [row.cap_w for row in rows]
    data: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    top = 1
    now = siting.plan.site.power_cap_w
    for name, colour, dash in LINES:
        counts = [getattr(row, name) for row in rows]
        if counts[0] is None:
            continue
        top = max(top, *counts)
        text = f"%{{y}} · {words.servers_line(name, siting, language)}<extra></extra>"
        line = {"color": colour, "width": 2, "dash": dash, "shape": "vh"}
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": caps,
                "y": counts,
                "line": line,
                "hovertemplate": "%{x} W: " + text,
            }
        )
        labels.append(_line_label(name, words.servers_line(name, siting, language), caps, counts, now, colour))
    chosen = [row for row in siting.plan.at_caps if row.cap_w == now]
    for row in chosen:
        counts = [getattr(row, name) for name, *_ in LINES if getattr(row, name) is not None]
        data.append(_marks(now, counts))
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.cap_w", language), range=_range(caps), nticks=7),
            theme.axis(say("ui.axis.servers", language), range=[-0.04 * top, top * 1.18], nticks=6, tickformat=",d"),
            margin={"l": 44, "r": 30},
            annotations=labels,
            separators=say("unit.separators", language),
        ),
    }


def _range(caps: list[float]) -> list[float]:
    margin = max(10.0, (caps[-1] - caps[0]) * 0.03)
    return [caps[0] - margin, caps[-1] + margin]


def _line_label(name: str, text: str, caps: list[float], counts: list[int], now: float, colour: str) -> dict[str, Any]:
    """Each label at a place of its own along its line, that of the feed on the side where the chosen cap is not."""
    right = now < caps[0] + 0.55 * (caps[-1] - caps[0])
    place, share = {
        "on_circuit": ("left", 0.0),
        "on_feed": ("left", 0.6) if right else ("left", 0.38),
        "in_rack": ("right", 1.0),
    }[name]
    number = round(share * (len(caps) - 1))
    below = name == "in_rack"
    return {
        "x": caps[number],
        "y": counts[number],
        "xanchor": place,
        "yanchor": "top" if below else "bottom",
        "yshift": -3 if below else 3,
        "showarrow": False,
        "text": text,
        "font": {"size": 11, "color": colour},
    }


def _marks(cap_w: float, counts: list[int]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [cap_w] * len(counts),
        "y": counts,
        "text": [f"<b>{count}</b>" for count in counts],
        "textposition": "top right",
        "textfont": {"size": 12, "color": theme.ACCENT},
        "marker": {"color": theme.ACCENT, "size": 8},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def alt(siting: Siting, language: str) -> str:
    """The chart in words."""
    parts = []
    for row in siting.plan.at_caps:
        counts = [
            f"{getattr(row, name)} {words.servers_line(name, siting, language)}"
            for name, *_ in LINES
            if getattr(row, name) is not None
        ]
        parts.append(f"{say('ui.power.mode', language, cap_w=row.cap_w)}: {', '.join(counts)}")
    return say("ui.alt.site_servers", language, server_kw=kw(siting.plan.draw.server_w), parts="; ".join(parts))
