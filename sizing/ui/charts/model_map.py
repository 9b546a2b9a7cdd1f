"""Map of the layers: one cell a layer, in the lane of what a longer context does to it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.memory import layer_map
from sizing.ui import theme

NAME = "model_map"

COLOURS = {
    "grows": theme.ACCENT,
    "windowed": theme.ACCENT_SOFT,
    "fixed": theme.GREY_STRONG,
    "none": theme.GREY_SOFT,
}


def build(sizing: Sizing, language: str) -> dict[str, Any]:
    """A lane for each part that the model has, named beside it with its number of layers; layer 1 stands left."""
    lanes = layer_map.lanes(sizing.architecture)
    total = len(sizing.architecture.layers)
    data = [
        {
            "type": "bar",
            "x": list(lane.layers),
            "y": [0.86] * len(lane.layers),
            "base": len(lanes) - 1 - row + 0.07,
            "width": 0.9 if total <= 130 else 1,
            "marker": {"color": COLOURS[lane.part]},
            "hovertemplate": say("ui.model.map.layer", language, part=_part(lane.part, language)) + "<extra></extra>",
        }
        for row, lane in enumerate(lanes)
    ]
    ticks = [len(lanes) - 0.5 - row for row in range(len(lanes))]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.layer", language), range=[0.4, total + 0.6], showgrid=False, nticks=9),
            theme.axis(
                range=[-0.03, len(lanes) + 0.03],
                tickvals=ticks,
                ticktext=[_lane(lane, total, language) for lane in lanes],
                ticks="",
                showgrid=False,
                showline=False,
                automargin=True,
                color=theme.TEXT,
            ),
            barmode="overlay",
            margin={"l": 8, "t": 4},
        ),
    }


def height(sizing: Sizing) -> int:
    """What the lanes need, so that a cell is never tall. [CSS pixels]"""
    return 60 + 44 * len(layer_map.lanes(sizing.architecture))


def _part(part: str, language: str) -> str:
    return say(f"ui.model.part.{part}", language)


def _lane(lane: layer_map.Lane, total: int, language: str) -> str:
    name = _part(lane.part, language)
    count = say("ui.model.map.count", language, count=len(lane.layers), total=total)
    return f"<b>{name}</b><br>{count}"


def alt(sizing: Sizing, language: str) -> str:
    """The map in words: how many layers of each part, and where they stand."""
    total = len(sizing.architecture.layers)
    parts = [
        say(
            "ui.model.map.alt_part_one" if len(lane.layers) == 1 else "ui.model.map.alt_part",
            language,
            part=_part(lane.part, language),
            count=len(lane.layers),
            places=_places(lane.layers, language),
        )
        for lane in layer_map.lanes(sizing.architecture)
    ]
    return say("ui.alt.model_map", language, total=total, parts="; ".join(parts))


def _places(layers: tuple[int, ...], language: str) -> str:
    """ "1 to 12", "every 6th from 6", or the first few."""
    steps = {after - before for before, after in pairwise(layers)}
    if len(layers) == 1:
        return str(layers[0])
    if steps == {1}:
        return say("ui.model.map.from_to", language, first=layers[0], last=layers[-1])
    if len(steps) == 1:
        return say("ui.model.map.every", language, step=steps.pop(), first=layers[0])
    shown = ", ".join(str(layer) for layer in layers[:12])
    return shown if len(layers) <= 12 else f"{shown} …"
