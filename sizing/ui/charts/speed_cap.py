"""What a power cap costs, as published: a range for each study, side by side and never joined to a curve."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.speed import Speed
from sizing.speed.caps import CapEffect
from sizing.ui import theme

NAME = "speed_cap"


def name(effect: CapEffect, language: str) -> str:
    """A study in a few words."""
    phase = f" · {say(f'ui.speed.phase.{effect.phase}', language)}" if effect.study == "max-q-card" else ""
    return say(f"ui.speed.study.{effect.study}", language) + phase


def percent(effect: CapEffect, language: str) -> str:
    """ "89–98 %", or one figure."""
    low, high = round(effect.low * 100), round(effect.high * 100)
    key = "one" if low == high else "range"
    return say(f"ui.speed.percent_{key}", language, low=low, high=high)


def _row(effect: CapEffect, language: str) -> str:
    return f"{name(effect, language)} · {say('unit.w', language, value=effect.cap_w)}"


def build(found: Speed, language: str) -> dict[str, Any]:
    """A bar from the lowest to the highest share for each study and cap, with its cap and figures beside it."""
    shown = found.shown_cap_effects
    chosen = bool(found.cap_effects)
    data: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    order = list(dict.fromkeys(_row(effect, language) for effect in shown))
    for effect in shown:
        colour = theme.ACCENT if chosen else theme.GREY_STRONG
        key = _row(effect, language)
        low, high = effect.low * 100, effect.high * 100
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [round(low, 1), round(high, 1)],
                "y": [key, key],
                "line": {"color": colour, "width": 5},
                "marker": {"color": colour, "size": 7},
                "hoverinfo": "skip",
            }
        )
        notes.append(
            {
                "x": high, "y": key, "text": percent(effect, language), "xanchor": "left", "xshift": 8,
                "showarrow": False, "font": {"size": 11, "color": theme.TEXT},
            }
        )  # fmt: skip
    lowest = min((effect.low * 100 for effect in shown), default=50.0) - 4
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.kept", language), range=[lowest // 10 * 10, 126], tickvals=[*range(0, 101, 20)]),
            theme.axis(
                autorange="reversed", ticks="", automargin=True, color=theme.TEXT, categoryorder="array",
                categoryarray=order, tickfont={"size": 11},
            ),
            meta={"reach": 102},
            annotations=notes,
            shapes=[
                {
                    "type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 100, "x1": 100,
                    "line": {"color": theme.LINE, "width": 1},
                }
            ],
            margin={"l": 8, "t": 6},
            separators=say("unit.separators", language),
        ),
    }  # fmt: skip


def alt(found: Speed, language: str) -> str:
    """The chart in words."""
    parts = [f"{_row(effect, language)}: {percent(effect, language)}" for effect in found.shown_cap_effects]
    return say("ui.alt.speed_cap" if parts else "ui.alt.speed_cap_none", language, parts="; ".join(parts))
