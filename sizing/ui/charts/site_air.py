"""Air that carries the heat away at the site, with the cards' need at its inlet: the sizing page's chart, and more."""

from __future__ import annotations

from typing import Any

from sizing.answers.siting import Siting
from sizing.base.texts import say
from sizing.ui import theme
from sizing.ui.charts import air
from sizing.ui.site_report import words

NAME = "site_air"


def build(siting: Siting, language: str) -> dict[str, Any]:
    """The curve at this height, the chosen rise in both units, the cards' band, and their need at this inlet."""
    figure = air.build(siting, language)
    layout, chosen = figure["layout"], figure["data"][1]
    flow = say("unit.cfm_m3", language, cfm=siting.cfm, m3_per_h=siting.m3_per_h)
    chosen["text"] = [f"<b>{flow}</b>"]
    for (inlet_c, cfm), label in zip(siting.cards_airflow_cfm, layout["annotations"], strict=True):
        label["text"] = say("ui.site.cards_need", language, cfm=cfm, inlet_c=inlet_c)
    need = siting.plan.cooling.cards_cfm
    if need is not None:
        layout["shapes"] = [*layout["shapes"], _line(need)]
        layout["annotations"] = [*layout["annotations"], _label(siting, need, language)]
    return figure


def _line(cfm: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": cfm,
        "y1": cfm,
        "line": {"color": theme.ACCENT, "width": 1.5, "dash": "dot"},
    }


def _label(siting: Siting, cfm: float, language: str) -> dict[str, Any]:
    inlet = siting.plan.site.inlet
    return {
        "xref": "paper",
        "x": 0.99,
        "y": cfm,
        "xanchor": "right",
        "yanchor": "top",
        "showarrow": False,
        "text": say("ui.site.cards_need_here", language, cfm=cfm, inlet=words.degrees(inlet.c, inlet.f, language)),
        "font": {"size": 11, "color": theme.ACCENT},
    }


def alt(siting: Siting, language: str) -> str:
    """The chart in words."""
    cool = siting.plan.cooling
    text = air.alt(siting, language)
    if cool.cards_cfm is None:
        return text
    inlet = siting.plan.site.inlet
    here = words.degrees(inlet.c, inlet.f, language)
    key = "ui.alt.site_air_one" if siting.scenario.cards == 1 else "ui.alt.site_air"
    return f"{text} {say(key, language, cfm=cool.cards_cfm, inlet=here, cards=siting.scenario.cards)}"
