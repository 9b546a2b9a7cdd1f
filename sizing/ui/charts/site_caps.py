"""Wall power of the servers connected at every cap, by component, and what each cap saves."""

from __future__ import annotations

from typing import Any

from sizing.answers.siting import Siting
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.site.options import AtCap
from sizing.ui import theme
from sizing.ui.charts.site_connections import legend
from sizing.ui.site_report import words

NAME = "site_caps"

PARTS = (
    ("cards_w", theme.GREY_STRONG, theme.GROUND, theme.ACCENT, theme.ON_ACCENT),
    ("processors_w", theme.GREY, theme.TEXT, theme.GREY, theme.TEXT),
    ("rest_w", theme.GREY_SOFT, theme.TEXT, theme.GREY_SOFT, theme.TEXT),
)
"""Component; its colour and that of the text on it; the same for the chosen cap."""


def build(siting: Siting, language: str) -> dict[str, Any]:
    """A stacked bar a cap, the highest first; the chosen connection's planned load is a line where it is in reach."""
    rows, chosen_w = siting.plan.caps, siting.plan.site.power_cap_w
    names = [_name(one, chosen_w, language) for one in rows]
    reach = 1.05 * max((kw(one.load_w) for one in rows), default=1.0)
    planned_kw = kw(_planned_w(siting))
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "y": names,
            "x": [kw(one.parts_w[number]) for one in rows],
            "text": [say("unit.kw_number", language, value=kw(one.parts_w[number])) for one in rows],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "textfont": {"size": 11, "color": [mine_on if one.cap_w == chosen_w else on for one in rows]},
            "marker": {
                "color": [mine if one.cap_w == chosen_w else colour for one in rows],
                "line": {"color": theme.GROUND, "width": 1},
            },
            "hovertemplate": say(f"ui.power.{part}", language) + ": %{x:.2f} kW<extra></extra>",
        }
        for number, (part, colour, on, mine, mine_on) in enumerate(PARTS)
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(_title(siting, language), range=[0, reach], nticks=6),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, tickfont={"size": 11}),
            barmode="stack",
            bargap=0.3,
            uniformtext={"mode": "hide", "minsize": 11},  # a figure that its segment has no room for is left out
            margin={"l": 8, "t": 34},
            shapes=[_line(planned_kw)] if planned_kw < reach else [],
            annotations=[
                legend(language),
                _planned(siting, planned_kw, reach, language),
            ],
            separators=say("unit.separators", language),
        ),
    }


def _title(siting: Siting, language: str) -> str:
    servers = siting.plan.site.servers
    return say("ui.axis.wall_kw" if servers == 1 else "ui.axis.wall_kw_servers", language, servers=servers)


def _planned_w(siting: Siting) -> float:
    return next(one.planned_w for one in siting.plan.on_circuits if one.circuit == siting.plan.circuit)


def _name(one: AtCap, chosen_w: float, language: str) -> str:
    """Two lines: the cap, and what the server draws and saves; in the limit's colour where the connection ends it."""
    name = say(f"ui.site.cap.{'mode' if one.mode else 'cap'}", language, cap_w=one.cap_w)
    drawn = say("unit.kw", language, value=kw(one.load_w))
    if one.saves_w > 0:
        drawn = say("ui.site.saves", language, drawn=drawn, saves_kw=kw(one.saves_w))
    if not one.connection.fits:
        drawn = f"<span style='color:{theme.LIMIT}'>{drawn}</span>"
    return f"<b>{name}</b><br>{drawn}" if one.cap_w == chosen_w else f"{name}<br>{drawn}"


def _line(planned_kw: float) -> dict[str, Any]:
    return {
        "type": "line",
        "yref": "paper",
        "x0": planned_kw,
        "x1": planned_kw,
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.LIMIT, "width": 1.5, "dash": "dot"},
    }


def _planned(siting: Siting, planned_kw: float, longest: float, language: str) -> dict[str, Any]:
    """What the line is, or how far beyond the axis it lies."""
    inside = planned_kw < longest
    text = say("ui.power.planned", language, value=planned_kw, circuit=words.circuit(siting.plan.circuit, language))
    return {
        "x": planned_kw if inside else longest,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "right" if not inside or planned_kw > 0.6 * longest else "center",
        "showarrow": False,
        "text": text if inside else f"{text} →",
        "font": {"size": 11, "color": theme.LIMIT},
    }


def alt(siting: Siting, language: str) -> str:
    """The chart in words."""
    parts = [
        say(
            "ui.site.alt_cap",
            language,
            cap_w=one.cap_w,
            load_kw=kw(one.load_w),
            saves_kw=kw(one.saves_w),
            cards_save_w=one.cards_save_w,
        )
        for one in siting.plan.caps
    ]
    circuit = words.circuit(siting.plan.circuit, language)
    values = {"planned_kw": kw(_planned_w(siting)), "circuit": circuit, "parts": "; ".join(parts)}
    return say("ui.alt.site_caps", language, **values)
