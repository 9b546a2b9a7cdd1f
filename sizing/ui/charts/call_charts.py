"""The charts of a call: how often how many requests run at once, and what is needed beside what the server holds."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.demand.call import Call
from sizing.sheet.figures import marks
from sizing.sheet.figures.marks import Plot, label
from sizing.sheet.figures.theme import ACCENT, GREY, GREY_SOFT, GREY_STRONG, TEXT, axis

# What is needed at the peak beside what the server holds, at each length that it may be counted at.

_COLOURS = {"needed": GREY_STRONG, "full": ACCENT}


def _need(call: Call, language: str) -> dict[str, Any]:
    """Horizontal bars: needed, and held at the full context and at the two means of the mix."""
    rows = _rows(call)
    if not rows:
        return marks.nothing(say("call.chart.nothing", language))
    values = [value for _, value in rows]
    bars = marks.bars(
        [_name(call, name, language) for name, _ in rows],
        values,
        [_COLOURS.get(name, GREY_SOFT) for name, _ in rows],
        "%{y}: %{text}",
        text=[say("unit.integer", language, value=value) for value in values],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12, "color": TEXT},
        width=0.62,
    )
    most = max(values) or 1
    return marks.figure(
        [bars],
        axis(say("ui.axis.conversations", language), range=[0, marks.steady(most * 1.18)], rangemode="tozero"),
        marks.names_axis(),
        language,
        shapes=[marks.upright(call.needed)] if call.needed and len(rows) > 1 else [],
    )


def _need_alt(call: Call, language: str) -> str:
    rows = _rows(call)
    if not rows:
        return say("call.chart.nothing", language)
    parts = "; ".join(
        f"{_name(call, name, language)}: {say('unit.integer', language, value=value)}" for name, value in rows
    )
    return say("call.alt.need", language, parts=parts)


def _name(call: Call, name: str, language: str) -> str:
    wished = name == "needed" and call.scenario.wanted_conversations
    return say(f"call.bar.{'wished' if wished else name}", language)


def _rows(call: Call) -> list[tuple[str, int]]:
    rows: list[tuple[str, int | None]] = [("needed", call.needed or None), ("full", call.holds)]
    servers = call.scenario.servers
    if counts := call.counts:
        for name, count in (("final", counts.at_mean_final_length), ("resident", counts.at_mean_resident_length)):
            rows.append((name, None if count is None else count * servers))
    return [(name, value) for name, value in rows if value is not None]


# How often how many requests run at once: the peak, and what the server holds.


def _peak(call: Call, language: str) -> dict[str, Any]:
    """Bars of the share of moments, the peak marked; the limit where it lies within the chart."""
    chances = call.chances
    if not chances or call.demand is None:
        return marks.nothing(say("call.chart.nobody", language))
    counts, shares = [count for count, _ in chances], [share for _, share in chances]
    peak, shapes, labels = call.demand.peak, [], []
    if call.holds is not None and counts[0] <= call.holds <= counts[-1]:
        shapes.append(marks.upright(call.holds))
        labels.append(marks.limit_label(say("call.chart.holds", language, value=call.holds), call.holds, "center"))
    if peak in counts:
        said = say("call.chart.peak", language, value=peak)
        labels.append(label(said, peak, dict(chances)[peak], ACCENT, size=12, yanchor="bottom"))
    columns = {
        "type": "bar",
        "x": counts,
        "y": shares,
        "marker": {"color": [ACCENT if count == peak else GREY for count in counts]},
        "hovertemplate": say("call.chart.hover", language) + "<extra></extra>",
    }
    return marks.figure(
        [columns],
        axis(say("call.axis.running", language), rangemode="tozero"),
        axis(say("call.axis.share", language), tickformat=".0%" if max(shares) >= 0.05 else ".1%"),
        language,
        labels=labels,
        shapes=shapes,
        bargap=0.15,
        margin={"t": 24},
    )


def _peak_alt(call: Call, language: str) -> str:
    if call.demand is None:
        return say("call.chart.nobody", language)
    percent = 100 * call.scenario.peak_percentile
    return say("call.alt.peak", language, mean=call.demand.mean, peak=call.demand.estimated_peak, percent=percent)


call_need = Plot("call_need", _need, _need_alt)
call_peak = Plot("call_peak", _peak, _peak_alt)
