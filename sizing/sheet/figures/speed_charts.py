"""The charts of speed: of one conversation, of all together, the first token, where speed ends, what a cap costs."""

from __future__ import annotations

from math import log10
from typing import Any

from sizing.answers import wording
from sizing.base.texts import say
from sizing.sheet.figures import marks
from sizing.sheet.figures.marks import Plot, beside, label
from sizing.sheet.figures.theme import ACCENT, GREY, GREY_SOFT, GREY_STRONG, LIMIT, LINE, MUTED, TEXT, axis
from sizing.speed import Curve, Speed
from sizing.speed.caps import CapEffect

# What the charts of running conversations share.


def _short(value: float | None) -> float | None:
    """A figure with the digits that a chart can show."""
    return None if value is None else float(f"{value:.4g}")


def _curve(curve: Curve, field: str, colour: str, width: float, dash: str, name: str = "") -> marks.Mark:
    """A line of a layout. field: of a point."""
    counts = [point.conversations for point in curve.points]
    values = [_short(getattr(point, field)) for point in curve.points]
    return marks.line(counts, values, colour, width, "%{x:,} · %{y:,.3~g}", dash=dash, name=name)


def _curves(found: Speed, field: str, language: str) -> list[marks.Mark]:
    """The physical limit of the best layout, dashed, if it is known; a line a layout, the best last, thus on top."""
    best, made = found.best, []
    if best is not None and best.label != "limit" and best.limit is not None:
        made.append(_curve(best, f"limit_{field}", LIMIT, 1.5, "dash"))
    for curve in sorted(found.curves, key=lambda each: each is best):
        colour, width = (ACCENT, 2.5) if curve is best else (GREY, 1.3)
        dash = "dot" if curve.label == "limit" else "solid"
        made.append(_curve(curve, field, colour, width, dash, wording.layout_name(curve.layout, language)))
    return made


def _at(x: float, y: float, text: str, colour: str, side: str, **more: Any) -> marks.Mark:
    """A text at a point of logarithmic axes."""
    return label(text, log10(x), log10(y), colour, side, **more)


def _limit_name(found: Speed, data: list[marks.Mark], language: str, at: float, side: str) -> list[marks.Mark]:
    """The limit's name above its line. at: where along it, from 0 to 1.   side: of the text that meets the line."""
    line = data[0] if data else None
    if found.best is None or line is None or line["line"]["color"] != LIMIT:
        return []
    number = int(at * (len(line["x"]) - 1))
    text = say("ui.speed.limit", language, layout=wording.layout_name(found.best.layout, language))
    shift = 4 if side == "left" else -4
    return [_at(line["x"][number], line["y"][number], text, LIMIT, side, yanchor="bottom", yshift=2, xshift=shift)]


def _speeds(
    data: list[marks.Mark], key: str, counts: list[float], values: list[float | None], language: str, **more: Any
) -> dict[str, Any]:
    """A figure over running conversations, from one to the most of any layout. key: of the upright axis."""
    span = [-0.02, log10(max([*counts, 10.0])) + 0.06]
    across = {"type": "log", "range": span, "tickangle": 0, **marks.plain_ticks([1.0, *counts], language)}
    up = axis(say(f"ui.axis.{key}", language), type="log", automargin=True, **marks.plain_ticks(values, language))
    return marks.figure(data, axis(say("ui.axis.running", language), **across), up, language, margin={"r": 20}, **more)


def _drawn(data: list[marks.Mark]) -> tuple[list[float], list[float | None]]:
    return [float(count) for line in data for count in line["x"]], [value for line in data for value in line["y"]]


# Speed of one conversation against the number of running ones, a line a layout, with the floor and the limit.

_LINES = 3
_APART = 0.1  # names closer than this would lie on each other [decades]


def _named(found: Speed) -> list[Curve]:
    """The curves that bear their name on the chart: the best, and others that split a copy otherwise."""
    chosen = [found.best] if found.best else []
    for curve in sorted(found.curves, key=lambda each: -each.one.each_tokens_s):
        if len(chosen) < _LINES and all(curve.layout.tp != other.layout.tp for other in chosen):
            chosen.append(curve)
    return chosen


def _each(found: Speed, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes, the floor across, a labelled point where the floor ends."""
    data = _curves(found, "each_tokens_s", language)
    counts, values = _drawn(data)
    labels: list[marks.Mark] = []
    for curve in _named(found):
        one, colour = curve.points[0], ACCENT if curve is found.best else MUTED
        if all(abs(log10(one.each_tokens_s) - other["y"]) >= _APART for other in labels):
            name = wording.layout_name(curve.layout, language)
            labels.append(_at(one.conversations, one.each_tokens_s, name, colour, "left", yanchor="top", yshift=-4))
    labels += _limit_name(found, data, language, 0.45, "left")
    floor, knee = found.floor_tokens_s, found.best.knee if found.best else None
    if knee is not None:
        text = say("unit.integer", language, value=knee.conversations)
        data.append(marks.chosen(knee.conversations, _short(knee.each_tokens_s), text))
    left = knee is not None and log10(knee.conversations) > log10(max([*counts, 10.0])) / 2
    x, side = (0.01, "left") if left else (1, "right")
    said = say("ui.speed.floor", language, floor=floor)
    labels.append(label(said, x, log10(floor), MUTED, side, paper="x", yanchor="bottom"))
    shapes = [marks.level(floor, GREY_STRONG)]
    return _speeds(data, "each_tokens_s", counts, [*values, floor], language, labels=labels, shapes=shapes)


def _each_alt(found: Speed, language: str) -> str:
    """One conversation, the floor, and as many as fit, for each layout."""
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [
        say(
            "ui.alt.speed_layout",
            language,
            layout=wording.layout_name(curve.layout, language),
            one=curve.one.each_tokens_s,
            last=curve.last.each_tokens_s,
            most=curve.last.conversations,
            holds=curve.holds,
        )
        for curve in found.curves
    ]
    return say("ui.alt.speed_each", language, floor=found.floor_tokens_s, parts="; ".join(parts))


# Tokens a second of all conversations together against their number, a line a layout, with the limit.


def _total(found: Speed, language: str) -> dict[str, Any]:
    """Lines on logarithmic axes; each ends where the cache is full."""
    data = _curves(found, "total_tokens_s", language)
    counts, values = _drawn(data)
    labels = _limit_name(found, data, language, 0.5, "right")
    if (best := found.best) is not None:
        last, middle = best.last, best.points[len(best.points) // 3]
        name, text = wording.layout_name(best.layout, language), _full(best, language)
        place = middle.conversations, middle.total_tokens_s * 0.7
        labels.append(_at(*place, name, ACCENT, "left", yanchor="top", xshift=8))
        end = [last.conversations], [_short(last.total_tokens_s)]
        data.append(marks.dots(*end, ACCENT, 9, symbol="line-ns-open"))
        # Below the other layouts' ends, which lie close to this one.
        labels.append(_at(last.conversations, last.total_tokens_s * 0.5, text, ACCENT, "right", yanchor="top"))
    return _speeds(data, "total_tokens_s", counts, values, language, labels=labels)


def _full(best: Curve, language: str) -> str:
    key = "engine_full" if best.by_engine else "cache_full"
    return say(f"ui.speed.{key}", language, conversations=best.last.conversations)


def _total_alt(found: Speed, language: str) -> str:
    """Each layout alone and full."""
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [
        say(
            "ui.alt.speed_total_layout",
            language,
            layout=wording.layout_name(curve.layout, language),
            one=curve.one.total_tokens_s,
            total=curve.last.total_tokens_s,
            most=curve.last.conversations,
        )
        for curve in found.curves
    ]
    return say("ui.alt.speed_total", language, parts="; ".join(parts))


# Where memory ends before speed does, and the other way round: what fits and what keeps the floor, by layout.


def ends(curve: Curve, language: str) -> str:
    """ "56 of 156: speed"."""
    return say(f"ui.speed.ends.{curve.ends}", language, holds=curve.holds, most=curve.last.conversations)


def _ends(found: Speed, language: str) -> dict[str, Any]:
    """Two bars a layout: what runs at once in grey, what keeps the floor in front of it."""
    names = [wording.layout_name(curve.layout, language) for curve in found.curves]
    most = [curve.last.conversations for curve in found.curves]
    best = [curve is found.best for curve in found.curves]
    wide, narrow = (0.62, 0.34) if len(names) > 2 else (0.3, 0.16)
    data = [
        marks.bars(names, most, GREY_SOFT, width=wide),
        marks.bars(
            names, [curve.holds for curve in found.curves], [ACCENT if own else GREY for own in best], width=narrow
        ),
    ]
    labels = [
        beside(ends(curve, language), reach, name, ACCENT if own else TEXT)
        for name, curve, reach, own in zip(names, found.curves, most, best, strict=True)
    ]
    return marks.pairs(data, max(most, default=0), labels, language, room=2.3, barmode="overlay")


def _ends_alt(found: Speed, language: str) -> str:
    if not found.curves:
        return say("ui.speed.nothing", language)
    parts = [f"{wording.layout_name(curve.layout, language)}: {ends(curve, language)}" for curve in found.curves]
    return say("ui.alt.speed_ends", language, floor=found.floor_tokens_s, parts="; ".join(parts))


# Time to the first token against clients: while there is a place in the cache, and beyond it, where they wait.

_STEPS = 6


def _waiting(found: Speed) -> list[tuple[int, float]]:
    """Clients beyond the cache and the time to the first token of the last of them. [-], [s]"""
    best, asked = found.best, found.sizing.scenario.waiting_clients
    if best is None or not asked:
        return []
    counts = sorted({max(1, asked * step // _STEPS) for step in range(1, _STEPS + 1)})
    return [(count, best.waiting(count)[1]) for count in counts]


def _first(found: Speed, language: str) -> dict[str, Any]:
    """One line while there is a place, another in the limit's colour beyond it."""
    best = found.best
    data, labels, shapes = [], [], []
    if best is not None:
        full = best.last.conversations
        points = [(point.conversations, point.ttft_ms / 1000) for point in best.points]
        beyond = [points[-1], *((full + count, seconds) for count, seconds in _waiting(found))]
        for line, colour, dash in ((points, ACCENT, "solid"), (beyond, LIMIT, "dash")):
            seconds = [_short(y) for _, y in line]
            data.append(marks.line([x for x, _ in line], seconds, colour, 2.5, "%{x:,} · %{y:,.3~g} s", dash=dash))
        shapes.append(marks.upright(full, GREY_STRONG, width=1, top=1))
        labels.append(label(_full(best, language), full, 0.28, MUTED, "right", paper="y", xshift=-4))
        if len(beyond) > 1:
            x, y = beyond[-1]
            waits = say("ui.speed.waits", language, seconds=y)
            labels.append(
                label(f"<b>{waits}</b>", x, _short(y) or 0, LIMIT, "right", size=12, yanchor="bottom", xshift=-4)
            )
    return marks.figure(
        data,
        axis(say("ui.axis.clients", language), rangemode="tozero", nticks=6),
        axis(say("ui.axis.first_token_s", language), rangemode="tozero", automargin=True, nticks=6),
        language,
        labels=labels,
        shapes=shapes,
        margin={"t": 18, "r": 20},
    )


def _first_alt(found: Speed, language: str) -> str:
    best = found.best
    if best is None:
        return say("ui.speed.nothing", language)
    waiting = found.sizing.scenario.waiting_clients
    first, last = best.waiting(waiting)
    return say(
        "ui.alt.speed_first" if waiting else "ui.alt.speed_first_no_wait",
        language,
        one=best.one.ttft_ms / 1000,
        most=best.last.conversations,
        full=best.last.ttft_ms / 1000,
        waiting=waiting,
        first=first,
        last=last,
    )


# What a power cap costs, as published: a range for each study, side by side and never joined to a curve.


def study_name(effect: CapEffect, language: str) -> str:
    """A study in a few words."""
    phase = f" · {say(f'ui.speed.phase.{effect.phase}', language)}" if effect.study == "max-q-card" else ""
    return say(f"ui.speed.study.{effect.study}", language) + phase


def percent(effect: CapEffect, language: str) -> str:
    """ "89–98 %", or one figure."""
    low, high = round(effect.low * 100), round(effect.high * 100)
    key = "one" if low == high else "range"
    return say(f"ui.speed.percent_{key}", language, low=low, high=high)


def _row(effect: CapEffect, language: str) -> str:
    return f"{study_name(effect, language)} · {say('unit.w', language, value=effect.cap_w)}"


def _cap(found: Speed, language: str) -> dict[str, Any]:
    """A bar from the lowest to the highest share for each study and cap, with its cap and figures beside it."""
    shown, colour = found.shown_cap_effects, ACCENT if found.cap_effects else GREY_STRONG
    data, labels = [], []
    for effect in shown:
        name, low, high = _row(effect, language), effect.low * 100, effect.high * 100
        span = marks.dots([round(low, 1), round(high, 1)], [name, name], colour, 7)
        data.append(span | {"mode": "lines+markers", "line": {"color": colour, "width": 5}})
        labels.append(beside(percent(effect, language), high, name, TEXT) | {"xshift": 8})
    order = list(dict.fromkeys(_row(effect, language) for effect in shown))
    lowest = min((effect.low * 100 for effect in shown), default=50.0) - 4
    return marks.figure(
        data,
        axis(say("ui.axis.kept", language), range=[lowest // 10 * 10, 126], tickvals=[*range(0, 101, 20)]),
        marks.names_axis(showgrid=True, categoryorder="array", categoryarray=order, tickfont={"size": 11}),
        language,
        labels=labels,
        shapes=[marks.upright(100, LINE, width=1, dash="solid", top=1)],
        meta={"reach": 102},
        margin={"l": 8, "t": 6},
    )


def _cap_alt(found: Speed, language: str) -> str:
    parts = [f"{_row(effect, language)}: {percent(effect, language)}" for effect in found.shown_cap_effects]
    return say("ui.alt.speed_cap" if parts else "ui.alt.speed_cap_none", language, parts="; ".join(parts))


speed_each = Plot("speed_each", _each, _each_alt)
speed_total = Plot("speed_total", _total, _total_alt)
speed_ends = Plot("speed_ends", _ends, _ends_alt)
speed_first = Plot("speed_first", _first, _first_alt)
speed_cap = Plot("speed_cap", _cap, _cap_alt)
