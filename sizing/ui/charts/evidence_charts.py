"""The charts of the evidence: published rates, our estimates beside them, our cache figures beside start-up logs."""

from __future__ import annotations

from statistics import median
from typing import Any

from sizing.base.texts import say, tell
from sizing.models.evidence import Evidence, PublishedLog, ResultGroup
from sizing.sheet.figures import marks
from sizing.sheet.figures.marks import Plot, label
from sizing.sheet.figures.theme import ACCENT, GREY_STRONG, TEXT, axis
from sizing.speed.accuracy import Accuracy, ComparedSpeed

# Our cache figures against start-up logs: how many lie within which error.

_STEPS = (0.0001, 0.001, 0.003, 0.01, 0.03)
"""Upper ends of the classes of error; the last class is open."""


def error_classes(logs: tuple[PublishedLog, ...], language: str) -> list[tuple[str, int]]:
    """Each class of error with its number of logs."""
    found = []
    low = -1.0
    for high in (*_STEPS, float("inf")):
        count = sum(low < abs(log.error) <= high for log in logs)
        key = "over" if high == float("inf") else "within"
        found.append((say(f"ui.evidence.error_{key}", language, value=(low if key == "over" else high) * 100), count))
        low = high
    return found


def _logs(logs: tuple[PublishedLog, ...], language: str) -> dict[str, Any]:
    """A bar a class of error with its number beside it."""
    names, counts = zip(*error_classes(logs, language), strict=True)
    text = [say("unit.integer", language, value=count) for count in counts]
    return marks.figure(
        [marks.bars(names, counts, GREY_STRONG, text=text, textposition="outside", cliponaxis=False)],
        axis(say("ui.axis.logs", language), nticks=5, tickangle=0),
        marks.names_axis(),
        language,
        margin={"l": 8, "t": 6, "r": 30},
        bargap=0.35,
    )


def _logs_alt(logs: tuple[PublishedLog, ...], language: str) -> str:
    parts = [f"{name}: {count}" for name, count in error_classes(logs, language)]
    return say("ui.alt.evidence_logs", language, count=len(logs), parts="; ".join(parts))


# Published rates per card, by card and case: a dot a result, never joined across unlike loads.


def group_name(group: ResultGroup, language: str) -> str:
    """Card and case in words."""
    case = say(f"ui.evidence.case.{group.case}", language)
    return f"{say(f'input.result_card.{group.card}', language)} · {case}"


def group_span(group: ResultGroup, language: str) -> str:
    """ "3,276–3,739 (19)"."""
    low, high = round(group.values[0]), round(group.values[-1])
    key = "one" if low == high else "span"
    return say(f"ui.evidence.{key}", language, low=low, high=high, count=len(group.rows))


def _results_height(found: Evidence) -> int:
    """A row for each group."""
    return 80 + 32 * max(3, len(found.groups))


def _results(found: Evidence, language: str, *, chosen: str = "") -> dict[str, Any]:
    """A row a group with its dots; the chosen card's in the accent."""
    names = [group_name(group, language) for group in found.groups]
    data, labels = [], []
    for group, name in zip(found.groups, names, strict=True):
        own = group.card == chosen
        values, rows = [round(value, 1) for value in group.values], [name] * len(group.rows)
        hover = "%{x:,.1f} · %{text}"
        mark = marks.dots(values, rows, ACCENT if own else GREY_STRONG, 8, hover, opacity=0.6)
        data.append(mark | {"text": [row.submitter or row.id for row in group.rows]})
        said = f"{name} · {group_span(group, language)}"
        labels.append(label(said, 0, name, ACCENT if own else TEXT, "left", yshift=11) | {"xref": "paper"})
    most = max((group.values[-1] for group in found.groups), default=1.0)
    rows_axis = {"showticklabels": False, "showline": False, "categoryorder": "array", "categoryarray": names}
    return marks.figure(
        data,
        axis(say("ui.axis.per_card", language), range=[0, most * 1.04], nticks=5, tickangle=0),
        marks.names_axis(**rows_axis),
        language,
        labels=labels,
        margin={"l": 12, "t": 10},
    )


def _results_alt(found: Evidence, language: str, *, chosen: str = "") -> str:
    if not found.groups:
        return say("ui.evidence.none", language)
    parts = [f"{group_name(group, language)}: {group_span(group, language)}" for group in found.groups]
    return say("ui.alt.evidence_results", language, parts="; ".join(parts))


# Our estimate against published results: the ratio, a dot a result, with one to one as a line.


def _speed(found: Accuracy, language: str) -> dict[str, Any]:
    """Published rate across, ratio up; stated conditions in the accent, assumed ones in grey and hollow."""
    data, labels = [], []
    for assumed, key in ((True, "assumed"), (False, "stated")):
        part = found.part(assumed=assumed)
        if not part:
            continue
        colour, symbol = (GREY_STRONG, "circle-open") if assumed else (ACCENT, "circle")
        rates, ratios = [each.result.value for each in part], [round(each.ratio, 3) for each in part]
        dots = marks.dots(rates, ratios, colour, 8, "%{text}: %{x:,} · %{y:.2f}", symbol=symbol)
        data.append(dots | {"text": [_run(each, language) for each in part]})
        said = say(f"ui.evidence.ratio_{key}", language, count=len(part), ratio=median(each.ratio for each in part))
        labels.append(label(said, 1, 0.91 if assumed else 1, TEXT if assumed else ACCENT, "right", paper="xy"))
    published = [value for trace in data for value in trace["x"]]
    return marks.figure(
        data,
        axis(say("ui.axis.published", language), type="log", tickangle=0, **marks.plain_ticks(published, language)),
        axis(say("ui.axis.ratio", language), rangemode="tozero", automargin=True, nticks=6),
        language,
        labels=labels,
        shapes=[marks.level(1, GREY_STRONG)],
        margin={"t": 14, "r": 20},
    )


def _run(each: ComparedSpeed, language: str) -> str:
    """ "gpt-oss-120b, 8 × 1,024": the model, requests and tokens."""
    model = tell(each.result.model, language)
    if each.result.concurrency is None or each.result.context_tokens is None:
        return f"{model}, {say(f'ui.evidence.kind.{each.kind}', language)}"
    tokens = say("unit.integer", language, value=each.result.context_tokens)
    return f"{model}, {each.result.concurrency} × {tokens}"


def _speed_alt(found: Accuracy, language: str) -> str:
    parts = []
    for assumed, key in ((False, "stated"), (True, "assumed")):
        if part := found.part(assumed=assumed):
            ratios = [each.ratio for each in part]
            values = {"count": len(part), "ratio": median(ratios), "low": min(ratios), "high": max(ratios)}
            parts.append(say(f"ui.alt.evidence_speed_{key}", language, **values))
    return " ".join(parts)


evidence_logs = Plot("evidence_logs", _logs, _logs_alt)
evidence_results = Plot("evidence_results", _results, _results_alt, _results_height)
evidence_speed = Plot("evidence_speed", _speed, _speed_alt)
