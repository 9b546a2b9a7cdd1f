"""Air that carries the server's heat away, against the temperature rise, with what the cards themselves ask for."""

from __future__ import annotations

from typing import Any, Protocol

from sizing.base.texts import say
from sizing.catalogue.scenario import Scenario
from sizing.ui import theme

NAME = "air"
RISES_C = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 16.0, 18.0, 20.0, 25.0)
LOWEST_BAND = 0.2  # of the axis, for two lines of text


class Airflow(Protocol):
    """What has an air figure: a Sizing, or the Siting of a page that knows the height and the inlet."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def cfm(self) -> float: ...
    @property
    def m3_per_h(self) -> float: ...
    @property
    def cards_airflow_cfm(self) -> tuple[tuple[float, float], ...]: ...
    def cfm_at(self, rise_c: float) -> float: ...


def build(sizing: Airflow, language: str) -> dict[str, Any]:
    """One curve, the chosen point, and the cards' own band where their maker states it."""
    chosen_c = sizing.scenario.air_rise_c
    rises = sorted({*RISES_C, chosen_c})
    flows = [sizing.cfm_at(rise) for rise in rises]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": rises,
            "y": flows,
            "line": {"color": theme.GREY_STRONG, "width": 2},
            "hovertemplate": "%{x} °C · %{y:,.0f} CFM<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [chosen_c],
            "y": [sizing.cfm],
            "text": [f"<b>{say('unit.cfm', language, value=sizing.cfm)}</b>"],
            "textposition": "top right",
            "textfont": {"color": theme.ACCENT, "size": 13},
            "marker": {"color": theme.ACCENT, "size": 10},
            "hoverinfo": "skip",
        },
    ]
    top = max(max(flows), *(flow for _, flow in sizing.cards_airflow_cfm), sizing.cfm) * 1.1
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.rise", language), nticks=6),
            theme.axis(say("ui.axis.cfm", language), range=[0, top], nticks=5, automargin=True),
            shapes=_band(sizing),
            annotations=_band_labels(sizing, top, language),
            separators=say("unit.separators", language),
        ),
    }


def _band(sizing: Airflow) -> list[dict[str, Any]]:
    flows = [flow for _, flow in sizing.cards_airflow_cfm]
    if not flows:
        return []
    return [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": min(flows),
            "y1": max(flows),
            "fillcolor": theme.GREY_SOFT,
            "opacity": 0.5,
            "line": {"width": 0},
            "layer": "below",
        }
    ]


def _band_labels(sizing: Airflow, top: float, language: str) -> list[dict[str, Any]]:
    """Inside the band; the upper one above it where the band is too low for two lines."""
    flows = [flow for _, flow in sizing.cards_airflow_cfm]
    low = bool(flows) and max(flows) - min(flows) < LOWEST_BAND * top
    return [
        {
            "xref": "paper",
            "x": 0.01,
            "y": flow,
            "xanchor": "left",
            "yanchor": "bottom" if number == 0 or low else "top",
            "showarrow": False,
            "text": say(
                f"ui.air.{'card_needs' if sizing.scenario.cards == 1 else 'cards_need'}",
                language,
                cards=sizing.scenario.cards,
                inlet_c=inlet_c,
                cfm=flow,
            ),
            "font": {"size": 11, "color": theme.MUTED},
        }
        for number, (inlet_c, flow) in enumerate(sizing.cards_airflow_cfm)
    ]


def alt(sizing: Airflow, language: str) -> str:
    """The chart in words."""
    return say("ui.alt.air", language, cfm=sizing.cfm, m3_per_h=sizing.m3_per_h, rise_c=sizing.scenario.air_rise_c)
