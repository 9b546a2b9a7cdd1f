"""Our estimate against published results: the ratio, a dot a result, with one to one as a line."""

from __future__ import annotations

from statistics import median
from typing import Any

from sizing.base.texts import say, tell
from sizing.speed.accuracy import Accuracy, Compared
from sizing.ui import theme
from sizing.ui.charts.speed_each import ticks

NAME = "evidence_speed"


def build(found: Accuracy, language: str) -> dict[str, Any]:
    """Published rate across, ratio up; stated conditions in the accent, assumed ones in grey and hollow."""
    data: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    for assumed in (True, False):
        part = found.part(assumed=assumed)
        if not part:
            continue
        data.append(_dots(part, language, assumed=assumed))
        key = "assumed" if assumed else "stated"
        text = say(f"ui.evidence.ratio_{key}", language, count=len(part), ratio=median(each.ratio for each in part))
        labels.append(
            {
                "xref": "paper", "yref": "paper", "x": 1, "y": 1 if not assumed else 0.91, "xanchor": "right",
                "showarrow": False, "text": text,
                "font": {"size": 11, "color": theme.TEXT if assumed else theme.ACCENT},
            }
        )  # fmt: skip
    x = [value for trace in data for value in trace["x"]]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.published", language), type="log", tickangle=0, **ticks(x, language)),
            theme.axis(say("ui.axis.ratio", language), rangemode="tozero", automargin=True, nticks=6),
            annotations=labels,
            shapes=[
                {
                    "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1,
                    "line": {"color": theme.GREY_STRONG, "width": 1, "dash": "dot"},
                }
            ],
            margin={"t": 14, "r": 20},
            separators=say("unit.separators", language),
        ),
    }  # fmt: skip


def _dots(part: tuple[Compared, ...], language: str, *, assumed: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [each.result.value for each in part],
        "y": [round(each.ratio, 3) for each in part],
        "text": [_name(each, language) for each in part],
        "marker": {
            "color": theme.GREY_STRONG if assumed else theme.ACCENT,
            "size": 8,
            "symbol": "circle-open" if assumed else "circle",
        },
        "hovertemplate": "%{text}: %{x:,} · %{y:.2f}<extra></extra>",
    }


def _name(each: Compared, language: str) -> str:
    """ "gpt-oss-120b, 8 × 1,024": the model, requests and tokens."""
    tokens = say("unit.integer", language, value=each.result.context_tokens)
    return f"{tell(each.result.model, language)}, {each.result.concurrency} × {tokens}"


def alt(found: Accuracy, language: str) -> str:
    """The chart in words."""
    parts = []
    for assumed in (False, True):
        part = found.part(assumed=assumed)
        if part:
            ratios = [each.ratio for each in part]
            key = "assumed" if assumed else "stated"
            values = {"count": len(part), "ratio": median(ratios), "low": min(ratios), "high": max(ratios)}
            parts.append(say(f"ui.alt.evidence_speed_{key}", language, **values))
    return " ".join(parts) or say("ui.evidence.no_kernels", language)
