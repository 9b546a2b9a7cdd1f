"""Our cache figures against start-up logs: how many lie within which error."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.models.evidence import StartupLog
from sizing.ui import theme

NAME = "evidence_logs"
STEPS = (0.0001, 0.001, 0.003, 0.01, 0.03)
"""Upper ends of the classes of error; the last class is open."""


def classes(logs: tuple[StartupLog, ...], language: str) -> list[tuple[str, int]]:
    """Each class of error with its number of logs."""
    found = []
    low = -1.0
    for high in (*STEPS, float("inf")):
        count = sum(low < abs(log.error) <= high for log in logs)
        key = "over" if high == float("inf") else "within"
        found.append((say(f"ui.evidence.error_{key}", language, value=(low if key == "over" else high) * 100), count))
        low = high
    return found


def build(logs: tuple[StartupLog, ...], language: str) -> dict[str, Any]:
    """A bar a class of error with its number beside it."""
    found = classes(logs, language)
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": [count for _, count in found],
                "y": [label for label, _ in found],
                "marker": {"color": theme.GREY_STRONG},
                "text": [say("unit.integer", language, value=count) for _, count in found],
                "textposition": "outside",
                "cliponaxis": False,
                "hoverinfo": "skip",
            }
        ],
        "layout": theme.layout(
            theme.axis(say("ui.axis.logs", language), nticks=5, tickangle=0),
            theme.axis(autorange="reversed", ticks="", showgrid=False, automargin=True, color=theme.TEXT),
            margin={"l": 8, "t": 6, "r": 30},
            bargap=0.35,
            separators=say("unit.separators", language),
        ),
    }


def alt(logs: tuple[StartupLog, ...], language: str) -> str:
    """The chart in words."""
    parts = [f"{label}: {count}" for label, count in classes(logs, language)]
    return say("ui.alt.evidence_logs", language, count=len(logs), parts="; ".join(parts))
