"""Wall power of the server at the chosen cap and at the card's modes, against the planned load of the connection."""

from __future__ import annotations

from typing import Any

from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.ui import marks, theme

NAME = "power"

PARTS = (
    ("cards_w", theme.ACCENT, theme.ON_ACCENT),
    ("processors_w", theme.GREY_STRONG, theme.GROUND),
    ("rest_w", theme.GREY_SOFT, theme.TEXT),
)


def caps_w(sizing: Sizing) -> list[float]:
    """The chosen cap first, then the card's modes and its minimum, highest first."""
    card = sizing.card
    others = {mode.value for mode in card.power_modes_w} | {card.power_default_w.value}
    if card.power_min_w:
        others.add(card.power_min_w.value)
    return [sizing.scenario.power_cap_w, *sorted(others - {sizing.scenario.power_cap_w}, reverse=True)]


def build(sizing: Sizing, language: str) -> dict[str, Any]:
    """A stacked bar a cap; the connection's planned load is a line."""
    sized = [
        sizing if cap == sizing.scenario.power_cap_w else sizing.variant(power_cap_w=cap, measured_full_w=0)
        for cap in caps_w(sizing)
    ]
    names = [
        say("ui.power.chosen" if number == 0 else "ui.power.mode", language, cap_w=each.scenario.power_cap_w)
        for number, each in enumerate(sized)
    ]
    planned_kw = kw(sizing.circuit.planned_w)
    reach = max([planned_kw, *(kw(each.server_w) for each in sized)])
    data = [
        marks.segment(
            say(f"ui.power.{part}", language),
            names,
            [kw(getattr(each, part)) for each in sized],
            [_labels(kw(getattr(each, part)), part, language) for each in sized],
            (colour, on),
            "%{x:.2f} kW",
        )
        for part, colour, on in PARTS
    ]
    totals = [
        {
            "x": kw(each.server_w),
            "y": name,
            "xanchor": "left",
            "xshift": 4,
            "showarrow": False,
            "text": f"<b>{say('unit.kw', language, value=kw(each.server_w))}</b>",
            "bgcolor": theme.GROUND,
            "font": {"size": 11, "color": theme.TEXT if each.circuit.fits else theme.LIMIT},
        }
        for name, each in zip(names, sized, strict=True)
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.wall_kw", language), range=[0, reach * 1.28], nticks=6),
            marks.names_axis(),
            meta={"reach": reach * 1.02},
            barmode="stack",
            bargap=0.35,
            margin={"l": 8, "t": 24},
            shapes=[marks.limit_line(planned_kw)],
            annotations=[*totals, _planned_label(sizing, planned_kw, reach, language)],
            separators=say("unit.separators", language),
        ),
    }


def _labels(value_kw: float, part: str, language: str) -> tuple[str, str]:
    """With the part's name and without."""
    figure = say("unit.kw_number", language, value=value_kw)
    return f"{say(f'ui.power.{part}_short', language)} {figure}", figure


def _planned_label(sizing: Sizing, planned_kw: float, reach: float, language: str) -> dict[str, Any]:
    anchor = "right" if planned_kw > 0.7 * reach else "center" if planned_kw > 0.35 * reach else "left"
    text = say("ui.power.planned", language, value=planned_kw, circuit=sizing.circuit.name)
    return marks.limit_label(text, planned_kw, anchor)


def alt(sizing: Sizing, language: str) -> str:
    """The chart in words."""
    sized = [sizing.variant(power_cap_w=cap) for cap in caps_w(sizing)]
    parts = [
        f"{say('ui.power.mode', language, cap_w=each.scenario.power_cap_w)}: "
        f"{say('unit.kw', language, value=kw(each.server_w))}"
        for each in sized
    ]
    return say(
        "ui.alt.power",
        language,
        parts="; ".join(parts),
        planned_kw=kw(sizing.circuit.planned_w),
        circuit=sizing.circuit.name,
    )
