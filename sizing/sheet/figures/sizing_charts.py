"""The charts of one model on one server: layouts, context, memory of a card, power from the wall, air."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log10
from operator import attrgetter
from typing import Any

from sizing.answers import wording
from sizing.answers.result import CardMemory
from sizing.answers.size import Sizing
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.catalogue.inputs import inputs
from sizing.memory.layouts import Layout
from sizing.sheet.figures import marks, theme
from sizing.sheet.figures.marks import Plot, beside, label, line_names
from sizing.sheet.figures.theme import axis
from sizing.site.plan import SitePlan

# Conversations by layout, the chosen precision beside the other one.


def _layouts(sizing: Sizing, language: str, *, other: Sizing | None = None) -> dict[str, Any]:
    """Bars a layout, best known first; ``other``: the same scenario in another cache precision, in grey."""
    series = [(sizing, theme.ACCENT)] + ([(other, theme.GREY)] if other else [])
    sized = [each for each, _ in series]
    names = _names(sizing.layouts, language)
    counts = [[layout.conversations or 0 for layout in each.layouts] for each in sized]
    longest = [max(column) for column in zip(*counts, strict=True)]
    data = [
        marks.bars(names, row, colour, name=wording.precision(each.kv_dtype, language))
        for (each, colour), row in zip(series, counts, strict=True)
    ]
    labels = [
        beside(_counts(number, sized, language), end, name)
        for number, (name, end) in enumerate(zip(names, longest, strict=True))
    ]
    gap = marks.gap(len(names))
    return marks.pairs(data, max(longest), labels, language, room=1.9, bargap=gap, bargroupgap=0.08)


def _names(found: Sequence[Layout], language: str) -> list[str]:
    return [wording.layout_name(layout, language) for layout in found]


def _counts(number: int, sizings: list[Sizing], language: str) -> str:
    """ "**211** FP8 · 105 16-bit", or why there is no count."""
    layouts = [each.layouts[number] for each in sizings]
    if len(sizings) == 1 or not any(layout.fits for layout in layouts):
        return f"<b>{wording.conversations(layouts[0], language)}</b>"
    parts = [
        f"{wording.conversations(layout, language)} {wording.precision(each.kv_dtype, language)}"
        for layout, each in zip(layouts, sizings, strict=True)
    ]
    return f"<b>{parts[0]}</b> · {parts[1]}"


def _layouts_alt(sizing: Sizing, language: str, *, other: Sizing | None = None) -> str:
    parts = [
        f"{wording.layout_name(layout, language)}: {wording.conversations(layout, language)}"
        for layout in sizing.layouts
    ]
    precision = wording.precision(sizing.kv_dtype, language)
    return say(wording.of_cache("ui.alt.layouts", sizing), language, precision=precision, parts="; ".join(parts))


# Conversations against context length, for the layouts worth comparing, with the point chosen.

_LINES = 3
_FEWEST_STOPS = 3


def _compared(sizing: Sizing) -> list[Layout]:
    """The best layout, and others without pipelines that hold a conversation."""
    others = [layout for layout in sizing.layouts if layout.pp == 1 and layout.fits and layout != sizing.best]
    return [sizing.best, *others][:_LINES]


def _points(sizing: Sizing) -> list[int]:
    longest = sizing.architecture.max_context_tokens
    stops = [int(stop) for stop in inputs()["context_tokens"].stops if longest is None or stop <= longest]
    if longest and len(stops) < _FEWEST_STOPS:  # a model of short texts
        stops += [longest // 2**halvings for halvings in range(_FEWEST_STOPS + 1) if longest >= 2**halvings]
    halfway = [int(stop * 1.414) for stop in sorted(stops)[:-1]]
    own = [] if wording.beyond_model(sizing) else [sizing.scenario.context_tokens]
    return sorted({*stops, *halfway, *([longest] if longest else []), *own})


def _context(sizing: Sizing, language: str) -> dict[str, Any]:
    """A line a layout on logarithmic axes; the chosen context is a labelled point."""
    contexts, best = _points(sizing), sizing.best
    if best.conversations is None:
        return marks.nothing(say("ui.context.no_cache", language))
    data, lines, names, colours = [], [], [], []
    for layout in _compared(sizing):
        counts = [sizing.conversations_at(layout, context) or None for context in contexts]
        name, own = wording.layout_name(layout, language), layout == best
        colour, width = (theme.ACCENT, 2.5) if own else (theme.GREY, 1.5)
        data.append(marks.line(contexts, counts, colour, width, "%{x:,} · %{y:,}", name=name))
        lines.append([(context, count) for context, count in zip(contexts, counts, strict=True) if count][::2])
        names.append(name)
        colours.append(theme.ACCENT if own else theme.MUTED)
    if not any(lines):
        return marks.nothing(say("ui.context.none_fits", language))
    beyond, longest = wording.beyond_model(sizing), sizing.architecture.max_context_tokens
    tokens, held, said = (
        sizing.scenario.context_tokens,
        best.conversations or None,
        wording.conversations(best, language),
    )
    labels = line_names(lines, names, colours, [(tokens, held, said)] if held and not beyond else [])
    if beyond and longest is not None:
        text = say("ui.context.model_ends", language, tokens=longest)
        labels.append(marks.limit_label(text, log10(longest), "right"))
    if not beyond:
        data.append(marks.chosen(tokens, held, said))
    values = [count for line in data for count in line["y"] if count]
    span = max(values) / min(values)
    ticks: dict[str, Any] = {"dtick": 1} if span > 20 else {"dtick": "D2"} if span > 4 else {"nticks": 5}
    return marks.figure(
        data,
        marks.tokens_axis(contexts, language),
        axis(say("ui.axis.conversations", language), type="log", automargin=True, **ticks),
        language,
        labels=labels,
        shapes=[marks.upright(contexts[-1])] if beyond else [],
        margin={"r": 20, "t": 24 if beyond else 12},
    )


def _context_alt(sizing: Sizing, language: str) -> str:
    """A few points of the best layout."""
    if sizing.best.conversations is None:
        return say("ui.alt.context_no_cache", language)
    points = [
        f"{marks.short_tokens(context)}: "
        + say("unit.integer", language, value=sizing.conversations_at(sizing.best, context))
        for context in marks.token_ticks(_points(sizing))
    ]
    layout = wording.layout_name(sizing.best, language)
    return say("ui.alt.context", language, layout=layout, points="; ".join(points))


# Memory of the fullest card in each layout, as one stacked bar.

_MEMORY = (
    ("weights_gib", theme.GREY_STRONG, theme.GROUND),
    ("cache_used_gib", theme.ACCENT, theme.ON_ACCENT),
    ("cache_free_gib", theme.ACCENT_SOFT, theme.TEXT),
    ("reserve_gib", theme.GREY_SOFT, theme.TEXT),
    ("driver_gib", theme.GRID, theme.TEXT),
)
"""In the order of the bar: field of CardMemory, colour, colour of the text on it."""


def _memory(sizing: Sizing, language: str, *, rows: Sequence[Layout] = (), reach: float = 0.0) -> dict[str, Any]:
    """A bar a layout; the edge of the usable memory and of the card are lines with their figures.

    rows: the layouts to draw, all where there are none.   reach: end of the axis, 0 for the longest bar's. [GiB]
    """
    layouts = rows or sizing.layouts
    cards = [sizing.card_memory(layout) for layout in layouts]
    names = _names(layouts, language)
    reach = reach or max([sizing.reported_gib_per_card, *(memory.weights_gib for memory in cards)])
    data = []
    for part, colour, on in _MEMORY:
        values = [_shown(memory, part, sizing) for memory in cards]
        labels = [_named(f"ui.memory.{part}_short", "unit.gib_number", value, language) for value in values]
        name = say(f"ui.memory.{part}", language)
        data.append(marks.segment(name, names, values, labels, (colour, on), "%{x:.1f} GiB"))
    # The parts of a card stand above its edge, which lies far left where weights go far beyond it.
    beyond = reach > 1.3 * sizing.reported_gib_per_card
    place = (sizing.usable_gib_per_card, "left") if beyond else (reach * 1.02, "right")
    return marks.figure(
        data,
        axis(say("ui.axis.gib_per_card", language), range=[0, reach * 1.02], nticks=6),
        marks.names_axis(),
        language,
        labels=[marks.limit_label(_parts_of_a_card(sizing, language), *place)],
        shapes=[marks.upright(sizing.usable_gib_per_card)],
        barmode="stack",
        bargap=marks.gap(len(names)),
        margin={"l": 8, "t": 24},
    )


def _shown(memory: CardMemory, part: str, sizing: Sizing) -> float:
    """What is drawn: beyond the card's edge the weights alone, since nothing else is there."""
    value: float = getattr(memory, part)
    overflowing = memory.weights_gib > sizing.usable_gib_per_card
    return 0.0 if overflowing and part != "weights_gib" else value


def _named(key: str, unit: str, value: float, language: str) -> tuple[str, str]:
    """A figure with its part's name and without, nothing for nothing."""
    figure = say(unit, language, value=value) if value else ""
    return f"{say(key, language)} {figure}" if figure else "", figure


def _parts_of_a_card(sizing: Sizing, language: str) -> str:
    return say(
        "ui.memory.usable",
        language,
        usable=sizing.usable_gib_per_card,
        reserve=sizing.memory_rule.reserve_gib,
        driver=sizing.card_memory(sizing.best).driver_gib,
        reported=sizing.reported_gib_per_card,
    )


def _memory_alt(sizing: Sizing, language: str) -> str:
    """The card of the best layout."""
    memory = sizing.card_memory(sizing.best)
    parts = [
        f"{say(f'ui.memory.{part}', language)} {say('unit.gib', language, value=getattr(memory, part))}"
        for part, _, _ in _MEMORY
    ]
    return say("ui.alt.memory", language, layout=wording.layout_name(sizing.best, language), parts="; ".join(parts))


# Wall power of the server at the chosen cap and at the card's modes, against the planned load of the connection.

POWER = (
    ("cards_w", theme.ACCENT, theme.ON_ACCENT),
    ("processors_w", theme.GREY_STRONG, theme.GROUND),
    ("rest_w", theme.GREY_SOFT, theme.TEXT),
)


def at_caps(sizing: Sizing) -> list[SitePlan]:
    """One server at the chosen cap first, then at the card's modes and its minimum, highest first."""
    card, chosen_w = sizing.card, sizing.scenario.power_cap_w
    caps = {mode.value for mode in card.power_modes_w} | {card.power_default_w.value}
    caps |= {card.power_min_w.value} if card.power_min_w else set()
    one = sizing.site.of_servers(1)
    return [one.at_cap(cap_w) for cap_w in (chosen_w, *sorted(caps - {chosen_w}, reverse=True))]


def _power(sizing: Sizing, language: str, *, farthest: float = inf) -> dict[str, Any]:
    """A stacked bar a cap; the connection's planned load is a line.

    farthest: the line is left out, not its label, where it lies more than that many times as far as the longest bar.
    """
    drawn = at_caps(sizing)
    names = [
        say("ui.power.mode" if number else "ui.power.chosen", language, cap_w=each.cap_w)
        for number, each in enumerate(drawn)
    ]
    planned_kw = kw(sizing.circuit.planned_w)
    reach = max(kw(each.draw.server_w) for each in drawn)
    inside = planned_kw <= farthest * reach
    reach = max(reach, planned_kw) if inside else reach
    data, totals = [], []
    for number, (part, colour, on) in enumerate(POWER):
        values = [kw(each.draw.parts_w[number]) for each in drawn]
        labels = [_named(f"ui.power.{part}_short", "unit.kw_number", value, language) for value in values]
        name = say(f"ui.power.{part}", language)
        data.append(marks.segment(name, names, values, labels, (colour, on), "%{x:.2f} kW"))
    for name, each in zip(names, drawn, strict=True):
        text = f"<b>{say('unit.kw', language, value=kw(each.draw.server_w))}</b>"
        colour = theme.TEXT if each.connection.fits else theme.LIMIT
        totals.append(beside(text, kw(each.draw.server_w), name, colour) | {"bgcolor": theme.GROUND})
    side = "right" if planned_kw > 0.7 * reach else "center" if planned_kw > 0.35 * reach else "left"
    planned = say("ui.power.planned", language, value=planned_kw, circuit=sizing.circuit.name)
    end = marks.steady(reach * 1.28)
    limit = marks.limit_label(planned, planned_kw if inside else end, side)
    return marks.figure(
        data,
        axis(say("ui.axis.wall_kw", language), range=[0, end], nticks=6),
        marks.names_axis(),
        language,
        labels=[*totals, limit],
        shapes=[marks.upright(planned_kw)] if inside else [],
        meta={"reach": reach * 1.02, "ends": marks.ENDS},
        barmode="stack",
        bargap=0.35,
        margin={"l": 8, "t": 24},
    )


def _power_alt(sizing: Sizing, language: str) -> str:
    parts = [
        f"{say('ui.power.mode', language, cap_w=each.cap_w)}: {say('unit.kw', language, value=kw(each.draw.server_w))}"
        for each in at_caps(sizing)
    ]
    circuit = sizing.circuit
    values = {"planned_kw": kw(circuit.planned_w), "circuit": circuit.name}
    return say("ui.alt.power", language, parts="; ".join(parts), **values)


# Air that carries the server's heat away, against the temperature rise, with what the cards themselves ask for.

_RISES_C = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 16.0, 18.0, 20.0, 25.0)
_LOWEST_BAND = 0.2  # of the axis, for two lines of text


def _air(sizing: Sizing, language: str) -> dict[str, Any]:
    """One curve, the chosen point, and the cards' own band where their maker states it."""
    cards = sizing.scenario.cards
    key = f"ui.air.{'card_needs' if cards == 1 else 'cards_need'}"
    needs = [say(key, language, cards=cards, inlet_c=inlet, cfm=flow) for inlet, flow in sizing.site.cards_airflow_cfm]
    return air_curve(sizing.site, say("unit.cfm", language, value=sizing.cfm), needs, language)


def air_curve(
    plan: SitePlan,
    said: str,
    needs: Sequence[str],
    language: str,
    labels: Sequence[marks.Mark] = (),
    shapes: Sequence[marks.Mark] = (),
) -> dict[str, Any]:
    """The curve of an air figure. said: the chosen flow.   needs: what the ends of the cards' band are."""
    chosen_c, band = plan.scenario.air_rise_c, [flow for _, flow in plan.cards_airflow_cfm]
    rises = sorted({*_RISES_C, chosen_c})
    flows = [plan.cooling_at(rise).cfm for rise in rises]
    top = marks.steady(max(max(flows), *band, plan.cooling.cfm) * 1.1)
    low = bool(band) and max(band) - min(band) < _LOWEST_BAND * top  # then the upper label stands above the band
    ends = [
        label(text, 0.01, flow, theme.MUTED, "left", paper="x", yanchor="bottom" if number == 0 or low else "top")
        for number, (text, flow) in enumerate(zip(needs, band, strict=True))
    ]
    return marks.figure(
        [
            marks.line(rises, flows, theme.GREY_STRONG, 2, "%{x} °C · %{y:,.0f} CFM"),
            marks.chosen(chosen_c, plan.cooling.cfm, said),
        ],
        axis(say("ui.axis.rise", language), nticks=6),
        axis(say("ui.axis.cfm", language), range=[0, top], nticks=5, automargin=True),
        language,
        labels=[*ends, *labels],
        shapes=[*([_band(min(band), max(band))] if band else []), *shapes],
    )


def _band(low: float, high: float) -> marks.Mark:
    edges = {"xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": high}
    return {
        "type": "rect",
        **edges,
        "fillcolor": theme.GREY_SOFT,
        "opacity": 0.5,
        "line": {"width": 0},
        "layer": "below",
    }


def _air_alt(sizing: Sizing, language: str) -> str:
    return air_alt(sizing.site, language)


def air_alt(plan: SitePlan, language: str) -> str:
    """The air chart in words."""
    cool = plan.cooling
    return say("ui.alt.air", language, cfm=cool.cfm, m3_per_h=cool.m3_per_h, rise_c=plan.scenario.air_rise_c)


layouts = Plot("layouts", _layouts, _layouts_alt)
context = Plot("context", _context, _context_alt)
memory = Plot("memory", _memory, _memory_alt)
power = Plot("power", _power, _power_alt, sees=attrgetter("site"))
air = Plot("air", _air, _air_alt, sees=attrgetter("site"))
