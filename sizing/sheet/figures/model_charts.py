"""The charts of a new model: the map of its layers, its cache against the context, and itself beside other models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sizing.answers import wording
from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.base.units import gib
from sizing.catalogue.inputs import inputs
from sizing.memory import layer_map
from sizing.sheet.figures import marks
from sizing.sheet.figures.marks import Plot, line_names
from sizing.sheet.figures.theme import ACCENT, ACCENT_SOFT, GREY_SOFT, GREY_STRONG, MUTED, TEXT, axis

# Map of the layers: one cell a layer, in the lane of what a longer context does to it.

_COLOURS = {"grows": ACCENT, "windowed": ACCENT_SOFT, "fixed": GREY_STRONG, "none": GREY_SOFT}


def _map(sizing: Sizing, language: str) -> dict[str, Any]:
    """A lane for each part that the model has, named beside it with its number of layers; layer 1 stands left."""
    lanes, total = layer_map.lanes(sizing.architecture), len(sizing.architecture.layers)
    data = [
        {
            "type": "bar",
            "x": list(lane.layers),
            "y": [0.86] * len(lane.layers),
            "base": len(lanes) - 1 - row + 0.07,
            "width": 0.9 if total <= 130 else 1,
            "marker": {"color": _COLOURS[lane.part]},
            "hovertemplate": say("ui.model.map.layer", language, part=_part(lane.part, language)) + "<extra></extra>",
        }
        for row, lane in enumerate(lanes)
    ]
    names_axis = axis(
        range=[-0.03, len(lanes) + 0.03],
        tickvals=[len(lanes) - 0.5 - row for row in range(len(lanes))],
        ticktext=[_lane(lane, total, language) for lane in lanes],
        ticks="",
        showgrid=False,
        showline=False,
        automargin=True,
        color=TEXT,
    )
    layers_axis = axis(say("ui.axis.layer", language), range=[0.4, total + 0.6], showgrid=False, nticks=9)
    return marks.figure(data, layers_axis, names_axis, language, barmode="overlay", margin={"l": 8, "t": 4})


def _map_height(sizing: Sizing) -> int:
    """What the lanes need, so that a cell is never tall."""
    return 60 + 44 * len(layer_map.lanes(sizing.architecture))


def _part(part: str, language: str) -> str:
    return say(f"ui.model.part.{part}", language)


def _lane(lane: layer_map.Lane, total: int, language: str) -> str:
    count = say("ui.model.map.count", language, count=len(lane.layers), total=total)
    return f"<b>{_part(lane.part, language)}</b><br>{count}"


def _map_alt(sizing: Sizing, language: str) -> str:
    """How many layers of each part, and where they stand."""
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
    return say("ui.alt.model_map", language, total=len(sizing.architecture.layers), parts="; ".join(parts))


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


# Cache of one conversation against its context: the whole, and its parts where there are several.

_DASHES: dict[layer_map.Part, str] = {"grows": "solid", "windowed": "dash", "fixed": "dot"}


def _contexts(sizing: Sizing) -> list[int]:
    """The stops up to the model's longest, that one, and the chosen one."""
    longest = sizing.architecture.max_context_tokens
    stops = [int(stop) for stop in inputs()["context_tokens"].stops if longest is None or stop <= longest]
    return sorted({*stops, *([longest] if longest else []), sizing.scenario.context_tokens})


def _cache(sizing: Sizing, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes; the chosen context is a labelled point."""
    contexts, tokens, chosen = _contexts(sizing), sizing.scenario.context_tokens, sizing.kv_gib_per_conversation
    table = [layer_map.parts_bytes(sizing.architecture, sizing.kv_dtype, context) for context in contexts]
    parts = [part for part in _DASHES if part in table[-1]]
    values = [[gib(row[part]) for row in table] for part in parts]
    whole, said = [sum(column) for column in zip(*values, strict=True)], say("unit.gib_exact", language, value=chosen)
    data, labels = [], []

    def line(row: list[float], colour: str, width: float, name: str, dash: str = "solid") -> None:
        shown = [value or None for value in row]
        data.append(marks.line(contexts, shown, colour, width, "%{x:,} · %{y:.3~g} GiB", dash=dash, name=name))

    if len(parts) > 1:
        names = [_part(part, language) for part in parts]
        for part, name, row in zip(parts, names, values, strict=True):
            line(row, GREY_STRONG, 1.5, name, _DASHES[part])
        lines = [[point for point in zip(contexts, row, strict=True) if point[1]] for row in [*values, whole]]
        labels = line_names(lines, [*names, ""], [MUTED] * len(names), [(tokens, chosen, said)] if chosen else [])
    if parts:
        line(whole, ACCENT, 2.5, say("ui.model.whole", language))
        data.append(marks.chosen(tokens, chosen or None, said, place="top left"))
    heights = [y for line in data for y in line["y"]]
    return marks.figure(
        data,
        marks.tokens_axis(contexts, language),
        marks.log_axis(say("ui.axis.gib_per_conversation", language), heights, language),
        language,
        labels=labels,
        margin={"r": 20, "t": 16},
    )


def _cache_alt(sizing: Sizing, language: str) -> str:
    """A few points."""
    if not sizing.kv_gib_per_conversation:
        return say("ui.alt.context_no_cache", language)
    shown = [
        f"{marks.short_tokens(context)}: {say('unit.gib_exact', language, value=gib(sizing.kv_terms.bytes(context)))}"
        for context in marks.token_ticks(_contexts(sizing))
    ]
    return say("ui.alt.model_cache", language, points="; ".join(shown))


# Conversations of this model and of others on the same cards, against context length.

_LONGEST_NAME = 24
_DASHES_BESIDE = ("solid", "dash", "dot")


def _beside(sizing: Sizing, language: str, *, others: Sequence[Sizing] = ()) -> dict[str, Any]:
    """A line a model, each in its best layout at the chosen context; this model's is the accent."""
    shown = [each for each in (sizing, *others) if each.best.conversations is not None]
    lines = [_held(each) for each in shown]
    names = [_plain(each.checkpoint.name) for each in shown]
    colours = [ACCENT if each is sizing else GREY_STRONG for each in shown]
    data = []
    for line, name, colour, dash in zip(lines, names, colours, _DASHES_BESIDE, strict=False):
        x, y = zip(*line, strict=True) if line else ((), ())
        width = 2.5 if colour == ACCENT else 1.5
        data.append(marks.line(x, y, colour, width, "%{x:,} · %{y:,}", dash=dash, name=name))
    tokens, chosen = sizing.scenario.context_tokens, sizing.best.conversations
    labels = line_names(lines, names, colours, [(tokens, chosen, f"{chosen:,}")] if chosen else [])
    if chosen:
        data.append(marks.chosen(tokens, chosen, wording.conversations(sizing.best, language)))
    return marks.figure(
        data,
        marks.tokens_axis(sorted({int(context) for line in lines for context, _ in line}), language),
        marks.log_axis(say("ui.axis.conversations", language), [y for line in data for y in line["y"]], language),
        language,
        labels=labels,
        margin={"r": 20},
    )


def _held(sizing: Sizing) -> list[tuple[float, float]]:
    """Context and conversations of the best layout, as far as there are any."""
    counts = [(context, sizing.conversations_at(sizing.best, context)) for context in _contexts(sizing)]
    return [(context, count) for context, count in counts if count]


def _plain(name: str) -> str:
    """A name for plotly, which would take some signs for markup."""
    plain = name.replace("<", "‹").replace(">", "›").replace("&", "+")
    return plain if len(plain) <= _LONGEST_NAME else plain[: _LONGEST_NAME - 1] + "…"


def _beside_alt(sizing: Sizing, language: str, *, others: Sequence[Sizing] = ()) -> str:
    """Each model's count at the chosen context."""
    parts = [f"{each.checkpoint.name}: {wording.conversations(each.best, language)}" for each in (sizing, *others)]
    return say("ui.alt.model_beside", language, context_tokens=sizing.scenario.context_tokens, parts="; ".join(parts))


model_map = Plot("model_map", _map, _map_alt, _map_height)
model_cache = Plot("model_cache", _cache, _cache_alt)
model_beside = Plot("model_beside", _beside, _beside_alt)
