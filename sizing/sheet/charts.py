"""The three charts of the sheet: memory of a card, conversations against context, power from the wall."""

from __future__ import annotations

import math

from sizing.answers.size import Sizing
from sizing.answers.wording import conversations, layout_name
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.catalogue.inputs import inputs
from sizing.memory.layouts import Layout
from sizing.sheet import drawing
from sizing.sheet.drawing import Drawing, text_width

HEIGHT = 50.0
_ROWS_MOST = 8
_OVERFLOW = 1.35
AXIS = 9.0  # room below the plot for ticks and title

_MEMORY = (
    ("weights_gib", drawing.GREY_STRONG, drawing.ON_ACCENT),
    ("cache_used_gib", drawing.ACCENT, drawing.ON_ACCENT),
    ("cache_free_gib", drawing.ACCENT_SOFT, drawing.TEXT),
    ("reserve_gib", drawing.GREY_SOFT, drawing.TEXT),
    ("driver_gib", drawing.GRID, drawing.TEXT),
)
_POWER = (
    ("cards_w", drawing.ACCENT, drawing.ON_ACCENT),
    ("processors_w", drawing.GREY_STRONG, drawing.ON_ACCENT),
    ("rest_w", drawing.GREY_SOFT, drawing.TEXT),
)


def charts(sizing: Sizing, language: str, width: float) -> tuple[Drawing, ...]:
    """Every chart, each ``width`` wide. [mm]"""
    found = [memory(sizing, language, width), power(sizing, language, width)]
    if sizing.best.conversations is not None and sizing.fits:
        found.insert(1, context(sizing, language, width))
    return tuple(found)


def shown_layouts(sizing: Sizing) -> list[Layout]:
    """The best layout first, then those that hold most, as many as a chart takes."""
    others = sorted(
        (layout for layout in sizing.layouts if layout != sizing.best),
        key=lambda layout: (-int(layout.fits), -(layout.conversations or 0), -layout.copies),
    )
    return [sizing.best, *others][:_ROWS_MOST]


def memory(sizing: Sizing, language: str, width: float) -> Drawing:
    """Where the memory of the fullest card goes in each layout; the bold one is the best."""
    rows = shown_layouts(sizing)
    made = Drawing(width, HEIGHT, say("ui.chart.memory", language), _memory_alt(sizing, rows, language))
    names = [layout_name(layout, language) for layout in rows]
    counts = [short_count(layout, language) for layout in rows]
    left = max(text_width(name, 6.5) for name in names) + 2
    right = width - max(text_width(count, 6.5) for count in counts) - 3
    # Weights that overflow are cut at the edge, with their figure, so that what fits stays readable.
    most = max(layout.weights_gib_per_card for layout in rows)
    reach = max(sizing.reported_gib_per_card, min(most, _OVERFLOW * sizing.reported_gib_per_card))
    scale = (right - left) / reach
    pitch, height = _rows(made, len(rows))
    for number, (layout, name, count) in enumerate(zip(rows, names, counts, strict=True)):
        y, chosen = 3 + number * pitch, number == 0
        made.label(left - 1.5, y + height / 2 + 0.9, name, size=6.5, anchor="end", bold=chosen)
        x, held = left, sizing.card_memory(layout)
        overflowing = held.weights_gib > sizing.usable_gib_per_card
        for part, colour, on in _MEMORY:
            value = 0.0 if overflowing and part != "weights_gib" else getattr(held, part)
            long = min(value, reach) * scale
            made.bar(x, y, long, height, colour)
            _inside(made, x, y, long, height, part, say("unit.gib_short", language, value=value), on, language)
            x += long
        colour = drawing.ACCENT if chosen else drawing.TEXT if layout.fits else drawing.LIMIT
        made.label(right + 1.5, y + height / 2 + 0.9, count, size=6.5, colour=colour, bold=chosen)
    bottom = made.height - AXIS
    edge = left + sizing.usable_gib_per_card * scale
    made.stroke([(edge, 1.5), (edge, bottom)], drawing.LIMIT, 0.3, dashed=True)
    _axis(made, left, right, bottom, reach, say("ui.axis.gib_per_card", language), language)
    return made


def short_count(layout: Layout, language: str) -> str:
    """The count of a layout, in words that leave room beside it."""
    if layout.fits and layout.conversations is None:
        return say("sheet.no_limit", language)
    return conversations(layout, language)


def _inside(
    made: Drawing,
    x: float,
    y: float,
    width: float,
    height: float,
    part: str,
    figure: str,
    on: str,
    language: str,
    room: str = "memory",
) -> None:
    """The figure of a segment with its name, the figure alone, or nothing, as the width allows."""
    named = f"{say(f'ui.{room}.{part}_short', language)} {figure}"
    for text in (named, figure):
        if text_width(text, 6) + 1 < width and height > 2.4:
            made.label(x + width / 2, y + height / 2 + 0.8, text, size=6, colour=on, anchor="middle")
            return


def _rows(made: Drawing, count: int) -> tuple[float, float]:
    """Distance of rows and height of a bar. [mm]"""
    pitch = min(9.5, (made.height - AXIS - 3) / count)
    return pitch, min(6.0, pitch * 0.74)


def _memory_alt(sizing: Sizing, rows: list[Layout], language: str) -> str:
    parts = "; ".join(f"{layout_name(layout, language)}: {conversations(layout, language)}" for layout in rows)
    return say("sheet.alt.memory", language, parts=parts, usable=sizing.usable_gib_per_card)


def _axis(made: Drawing, left: float, right: float, bottom: float, reach: float, title: str, language: str) -> None:
    made.stroke([(left, bottom), (right, bottom)], drawing.LINE, 0.25)
    step = nice_step(reach, 5)
    for number in range(int(reach / step) + 1):
        x = left + number * step / reach * (right - left)
        made.stroke([(x, bottom), (x, bottom + 0.9)], drawing.LINE, 0.25)
        key = "unit.integer" if step >= 1 else "unit.exact"
        value = int(number * step) if step >= 1 else number * step
        made.label(x, bottom + 3.4, say(key, language, value=value), size=6, colour=drawing.MUTED, anchor="middle")
    made.label((left + right) / 2, bottom + 6.8, title, size=6.5, colour=drawing.MUTED, anchor="middle")


def nice_step(reach: float, most: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts ``reach`` into at most ``most`` parts.

    >>> nice_step(95.6, 5)
    20.0
    """
    size = 10.0 ** math.floor(math.log10(reach / most))
    return next(size * part for part in (1, 2, 5, 10) if reach / (size * part) <= most)


def context(sizing: Sizing, language: str, width: float) -> Drawing:
    """Conversations against context length on logarithmic axes, the best layout and two others."""
    points = _contexts(sizing)
    lines = compared(sizing)
    held = [[(tokens, sizing.conversations_at(layout, tokens) or 0) for tokens in points] for layout in lines]
    drawn = [[(tokens, count) for tokens, count in line if count] for line in held]
    chosen = sizing.scenario.context_tokens, sizing.best.conversations or 1
    made = Drawing(width, HEIGHT, say("ui.chart.context", language), _context_alt(sizing, drawn[0], language))
    names = [layout_name(layout, language) for layout in lines]
    left, right, top, bottom = 11.0, width - max(text_width(name, 6) for name in names) - 2, 3.0, made.height - AXIS
    longest, shortest = math.log2(points[-1]), math.log2(points[0])
    most = max(2, max(count for line in drawn for _, count in line))
    decades = math.log10(most) * 1.08

    def place(tokens: float, count: float) -> tuple[float, float]:
        share = (math.log2(tokens) - shortest) / (longest - shortest)
        return left + share * (right - left), bottom - math.log10(count) / decades * (bottom - top)

    for power in range(int(math.log10(most)) + 1):
        for factor in (1, 2, 5):
            if factor * 10**power <= most:
                y = place(points[0], factor * 10**power)[1]
                made.stroke([(left, y), (right, y)], drawing.GRID, 0.2)
                text = say("unit.integer", language, value=factor * 10**power)
                if factor == 1 or most < 100:
                    made.label(left - 1.2, y + 0.8, text, size=6, colour=drawing.MUTED, anchor="end")
    powers = [tokens for tokens in points if tokens & (tokens - 1) == 0]
    for tokens in powers[:: max(1, -(-len(powers) // 7))]:
        x = place(tokens, 1)[0]
        made.stroke([(x, bottom), (x, bottom + 0.9)], drawing.LINE, 0.25)
        made.label(x, bottom + 3.4, short_tokens(tokens), size=6, colour=drawing.MUTED, anchor="middle")
    made.stroke([(left, bottom), (right, bottom)], drawing.LINE, 0.25)
    title = say("ui.axis.context", language)
    made.label((left + right) / 2, bottom + 6.8, title, size=6.5, colour=drawing.MUTED, anchor="middle")
    for number in reversed(range(len(drawn))):
        colour = drawing.ACCENT if number == 0 else drawing.GREY
        made.stroke([place(*point) for point in drawn[number]], colour, 0.6 if number == 0 else 0.35)
    lowest = top
    for number, line in enumerate(drawn):
        # At the right edge, level with where the line ends, each below the one above it.
        lowest = max(lowest, place(*line[-1])[1] + 0.8)
        colour, best = (drawing.ACCENT, True) if number == 0 else (drawing.MUTED, False)
        made.label(right + 1.5, lowest, names[number], size=6, colour=colour, bold=best)
        lowest += 2.8
    x, y = place(*chosen)
    made.dot(x, y, 1.0, drawing.ACCENT)
    text = conversations(sizing.best, language)
    made.label(x + 1.6, y - 1.2, text, size=8, colour=drawing.ACCENT, bold=True)
    return made


def compared(sizing: Sizing) -> list[Layout]:
    """The best layout and up to two others that hold something, each with a count of its own, so that lines part."""
    found: dict[int | None, Layout] = {}
    for layout in shown_layouts(sizing):
        if layout.fits:
            found.setdefault(layout.conversations, layout)
    best, *others = found.values()
    return [best, *(others if len(others) < 3 else (others[0], others[-1]))]


def _contexts(sizing: Sizing) -> list[int]:
    longest = sizing.architecture.max_context_tokens
    own = sizing.scenario.context_tokens
    stops = [int(stop) for stop in inputs()["context_tokens"].stops if longest is None or stop <= longest]
    found = sorted({*stops, *([longest] if longest else []), own})
    return found if len(found) > 1 else [max(1, own // 2), own]


def short_tokens(tokens: int) -> str:
    """8192 as "8K", 1048576 as "1M": binary thousands, as models are named.

    >>> short_tokens(8192)
    '8K'
    """
    for size, sign in ((2**20, "M"), (2**10, "K")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{sign}"
    return str(tokens)


def _context_alt(sizing: Sizing, line: list[tuple[int, int]], language: str) -> str:
    points = "; ".join(
        f"{short_tokens(tokens)}: {say('unit.integer', language, value=count)}" for tokens, count in line
    )
    return say("ui.alt.context", language, layout=layout_name(sizing.best, language), points=points)


def power(sizing: Sizing, language: str, width: float) -> Drawing:
    """Power at the chosen cap and at the card's modes against what is planned on the connection."""
    card, chosen_w = sizing.card, sizing.scenario.power_cap_w
    caps = {mode.value for mode in card.power_modes_w} | {card.power_default_w.value}
    caps |= {card.power_min_w.value} if card.power_min_w else set()
    sized = [sizing, *(sizing.variant(power_cap_w=cap) for cap in sorted(caps - {chosen_w}, reverse=True))][:_ROWS_MOST]
    names = [
        say("ui.power.chosen" if number == 0 else "ui.power.mode", language, cap_w=each.scenario.power_cap_w)
        for number, each in enumerate(sized)
    ]
    totals = [say("unit.kw", language, value=kw(each.server_w)) for each in sized]
    parts = "; ".join(f"{name}: {total}" for name, total in zip(names, totals, strict=True))
    planned_kw, circuit = kw(sizing.circuit.planned_w), sizing.circuit.name
    alt = say("ui.alt.power", language, parts=parts, planned_kw=planned_kw, circuit=circuit)
    made = Drawing(width, HEIGHT, say("ui.chart.power", language), alt)
    left = max(text_width(name, 6.5) for name in names) + 2
    right = width - max(text_width(total, 6.5) for total in totals) - 3
    reach = max(kw(each.server_w) for each in sized) * 1.02
    shown = planned_kw <= 1.6 * reach
    reach = max(reach, planned_kw * 1.02) if shown else reach
    scale = (right - left) / reach
    pitch, height = _rows(made, len(sized) + 1)
    for number, (each, name, total) in enumerate(zip(sized, names, totals, strict=True)):
        y, chosen = 3 + (number + 0.6) * pitch, number == 0
        made.label(left - 1.5, y + height / 2 + 0.9, name, size=6.5, anchor="end", bold=chosen)
        x = left
        for part, colour, on in _POWER:
            value = kw(getattr(each, part))
            figure = say("unit.kw_number", language, value=value)
            made.bar(x, y, value * scale, height, colour)
            _inside(made, x, y, value * scale, height, part, figure, on, language, "power")
            x += value * scale
        colour = drawing.TEXT if each.circuit.fits else drawing.LIMIT
        made.label(right + 1.5, y + height / 2 + 0.9, total, size=6.5, colour=colour, bold=chosen)
    bottom = made.height - AXIS
    planned = say("ui.power.planned", language, value=planned_kw, circuit=circuit)
    if shown:
        x = left + planned_kw * scale
        made.stroke([(x, 4.5), (x, bottom)], drawing.LIMIT, 0.35, dashed=True)
        made.label(min(x, width - 1), 3.2, planned, size=6.5, colour=drawing.LIMIT, anchor="end")
    else:
        made.label(width - 1, 3.2, planned, size=6.5, colour=drawing.LIMIT, anchor="end")
    _axis(made, left, right, bottom, reach, say("ui.axis.wall_kw", language), language)
    return made
