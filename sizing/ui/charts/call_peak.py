"""How often how many requests run at once: the peak, and what the server holds."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.demand.call import Call
from sizing.ui import marks, theme

NAME = "call_peak"


def build(call: Call, language: str) -> dict[str, Any]:
    """Bars of the share of moments, the peak marked; the limit where it lies within the chart."""
    chances = call.chances
    if not chances or call.demand is None:
        return marks.nothing(say("call.chart.nobody", language))
    counts = [count for count, _ in chances]
    peak = call.demand.peak
    shapes, annotations = [], []
    if call.holds is not None and counts[0] <= call.holds <= counts[-1]:
        shapes.append(marks.limit_line(call.holds))
        annotations.append(marks.limit_label(say("call.chart.holds", language, value=call.holds), call.holds, "center"))
    if peak in counts:
        annotations.append(
            {
                "x": peak,
                "y": dict(chances)[peak],
                "yanchor": "bottom",
                "showarrow": False,
                "text": say("call.chart.peak", language, value=peak),
                "font": {"size": 12, "color": theme.ACCENT},
            }
        )
    return {
        "data": [
            {
                "type": "bar",
                "x": counts,
                "y": [share for _, share in chances],
                "marker": {"color": [theme.ACCENT if count == peak else theme.GREY for count in counts]},
                "hovertemplate": say("call.chart.hover", language) + "<extra></extra>",
            }
        ],
        "layout": theme.layout(
            theme.axis(say("call.axis.running", language), rangemode="tozero"),
            theme.axis(
                say("call.axis.share", language), tickformat=".0%" if max(s for _, s in chances) >= 0.05 else ".1%"
            ),
            shapes=shapes,
            annotations=annotations,
            bargap=0.15,
            margin={"t": 24},
            separators=say("unit.separators", language),
        ),
    }


def alt(call: Call, language: str) -> str:
    """The distribution in a sentence."""
    if call.demand is None:
        return say("call.chart.nobody", language)
    percent = 100 * call.scenario.peak_percentile
    return say("call.alt.peak", language, mean=call.demand.mean, peak=call.demand.estimated_peak, percent=percent)
