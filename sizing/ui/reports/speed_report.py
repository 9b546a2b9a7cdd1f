"""The written parts of the speed page: answer, notes, tables, ranges, advice, working."""

from __future__ import annotations

from sizing import catalogue
from sizing.answers import wording
from sizing.answers.answer import Answer
from sizing.base.markup import NOTHING, Markup, folded, join, table, tag
from sizing.base.texts import say, tell
from sizing.sheet.figures.speed_charts import ends, percent, speed_cap
from sizing.speed import Curve, Speed
from sizing.speed.alone import Alone
from sizing.speed.arrivals import Waiting, most_per_s
from sizing.speed.caps import CapEffect
from sizing.ui.reports import common


def answer(answered: Answer, language: str, *, stale: bool) -> Markup:
    """The answer in large type, what follows from it, and the figures a call asks for."""
    found, sizing = answered.speed, answered.sizing
    best = found.best
    scenario = sizing.scenario
    subject = say(
        wording.of_cache("ui.speed.subject", sizing),
        language,
        model=sizing.checkpoint.name,
        cards=scenario.cards,
        card=sizing.card.name,
        precision=wording.precision(sizing.kv_dtype, language),
        history=found.request.history_tokens,
        prompt=found.request.prompt_tokens,
        answer=found.request.answer_tokens,
    )
    return common.opening(
        answered,
        subject,
        second_line(found, language),
        tag("p", found.gap.say(language), class_="speed-gap") if found.gap else NOTHING,
        stale=stale,
        language=language,
        shown=figures(found, best, language) if best else (),
    )


def second_line(found: Speed, language: str) -> str:
    """Which of memory and speed ends first, and what the last conversation does to the others."""
    best = found.best
    if best is None:
        return say("ui.speed.second.nothing", language)
    values = {"holds": best.holds, "most": best.last.conversations, "last": best.last.each_tokens_s}
    key = f"{best.ends}_by_engine" if best.by_engine and best.ends in ("speed", "slow") else best.ends
    return say(f"ui.speed.second.{key}", language, floor=found.floor_tokens_s, **values)


def figures(found: Speed, best: Curve, language: str) -> list[tuple[str, str]]:
    """The figures under the answer."""
    at = best.knee or best.one
    shown = [
        ("alone", say("ui.speed.rate", language, value=best.one.each_tokens_s)),
        ("together", say("ui.speed.rate", language, value=at.total_tokens_s)),
        ("first_alone", say("ui.speed.seconds", language, value=best.one.ttft_ms / 1000)),
        ("first_others", say("ui.speed.seconds", language, value=at.ttft_ms / 1000)),
        ("limit_alone", _rate(best.one.limit_each_tokens_s, language)),
        ("basis", label(found, best, language)),
    ]
    return [(say(f"ui.speed.figure.{key}", language), value) for key, value in shown]


def label(found: Speed, curve: Curve, language: str) -> str:
    """What a layout's figures rest on: measured operations, interpolated, limit only."""
    engine = say(f"input.engine.{found.sizing.scenario.engine}", language)
    return say(f"ui.speed.label.{curve.label}", language, engine=engine, release=found.kernels_release)


def _rate(value: float | None, language: str) -> str:
    return say("ui.speed.unknown", language) if value is None else say("ui.speed.rate", language, value=value)


def layouts(found: Speed, language: str) -> Markup:
    """Every layout that fits: alone, at the floor, full."""
    head = [say(f"ui.speed.column.{name}", language) for name in LAYOUT_COLUMNS]
    rows = []
    for curve in found.curves:
        one, last = curve.one, curve.last
        rows.append(
            [
                wording.layout_name(curve.layout, language),
                ends(curve, language),
                label(found, curve, language),
                say("unit.decimal", language, value=one.each_tokens_s),
                say("unit.decimal", language, value=one.limit_each_tokens_s or 0.0),
                say("ui.speed.seconds", language, value=one.ttft_ms / 1000),
                say("unit.decimal", language, value=last.each_tokens_s),
                say("unit.integer", language, value=round(last.total_tokens_s)),
            ]
        )
    chosen = next((number for number, curve in enumerate(found.curves) if curve is found.best), None)
    return table(say("ui.region.speed_layouts", language), head, rows, marked=chosen, numeric=3)


LAYOUT_COLUMNS = ("layout", "ends", "basis", "alone", "limit", "first", "each_full", "total_full")


Loads = tuple[tuple[float, Waiting], ...]


def felt(best: Curve, loads: Loads, language: str) -> Markup:
    """What is felt when requests come at random, and the rate from which on the queue grows without end."""
    most = most_per_s(best)
    head = [say(f"ui.speed.column.{name}", language) for name in ("load", "per_hour", "first_felt", "speed_felt")]
    rows = []
    for share, at in loads:
        first = " / ".join(say("unit.decimal", language, value=value) for value in at.first_token_s)
        speeds = " / ".join(say("unit.decimal", language, value=value) for value in at.tokens_s)
        per_hour = say("unit.integer", language, value=round(share * most * 3600))
        rows.append([say("ui.speed.load_share", language, share=share * 100), per_hour, first, speeds])
    lead = say("ui.speed.queue", language, per_hour=round(most * 3600))
    return join(
        [
            tag("p", lead, class_="speed-lead"),
            table(say("ui.speed.felt_caption", language), head, rows, numeric=1),
        ]
    )


def ranges(found: Speed, alone: Alone | None, language: str, *, loads: Loads = (), pending: bool = False) -> Markup:
    """One user as a range with its causes, and what speculative decoding adds."""
    parts = [tag("h2", say("ui.region.speed_ranges", language))]
    if pending:
        parts.append(tag("p", say("ui.speed.range.pending", language)))
    elif alone is not None and found.best is not None:
        layout = wording.layout_name(found.best.layout, language)
        values = {"layout": layout, "low": alone.low, "high": alone.high}
        parts.append(tag("p", say("ui.speed.range.alone", language, **values), class_="speed-lead"))
        engines = "; ".join(
            say("ui.speed.range.engine", language, engine=say(f"input.engine.{name}", language), rate=rate)
            for name, rate in alone.engines.items()
        )
        causes = [tag("li", say("ui.speed.range.kernels", language, engines=engines))]
        if alone.all_reduce:
            slow, fast = alone.all_reduce
            causes.append(tag("li", say("ui.speed.range.all_reduce", language, slow=slow, fast=fast)))
        else:
            tp = found.best.layout.tp
            key = "no_sums" if tp == 1 else "linked" if found.sizing.card.link else "sums_not_measured"
            causes.append(tag("li", say(f"ui.speed.range.{key}", language, tp=tp)))
        causes.append(tag("li", say("ui.speed.range.fault", language)))
        parts.append(folded("range", say("ui.speed.range.causes", language), lambda: tag("ul", *causes)))
        parts.append(felt(found.best, loads, language))
    parts.append(
        folded("speculative", say("ui.speed.speculative.show", language), lambda: _speculative(found, language))
    )
    return join(parts)


def _speculative(found: Speed, language: str) -> Markup:
    gains = [pair.ratio for pair in found.speculative_gain]
    lead = say("ui.speed.speculative.lead", language, low=min(gains), high=max(gains))
    modules = len(found.sizing.architecture.mtp_layers)
    values = {"modules": modules, "gib": found.speculative_cache_gib, "share": found.speculative_cache_share * 100}
    cost = say(f"ui.speed.speculative.{'cost' if modules else 'no_module'}", language, **values)
    head = [say(f"ui.speed.column.{name}", language) for name in ("context", "requests", "without", "with", "gain")]
    rows = [
        [
            say("unit.integer", language, value=pair.first.context_tokens or 0),
            say("unit.integer", language, value=pair.first.concurrency or 0),
            say("unit.integer", language, value=round(pair.first.value)),
            say("unit.integer", language, value=round(pair.second.value)),
            say("ui.speed.times", language, value=pair.ratio),
        ]
        for pair in found.speculative_gain
    ]
    pairs = table(say("ui.speed.speculative.caption", language), head, rows, numeric=0)
    return join([tag("p", lead, class_="speed-lead"), tag("p", cost), pairs])


def advice(found: Speed, language: str) -> Markup:
    """Which passing of sums runs from which release on, with what to set."""
    if not found.advice:
        return Markup()
    splits = [tag("li", say(f"ui.speed.advice.{kind}", language)) for kind in ("copies", "pairs", "group", "pipelines")]
    return join(
        [
            tag("h2", say("ui.region.speed_advice", language)),
            folded(
                "advice",
                say("ui.speed.advice_show", language),
                lambda: join([tag("ul", *splits), _advice(found, language)]),
            ),
        ]
    )


def _advice(found: Speed, language: str) -> Markup:
    head = [say(f"ui.speed.column.{name}", language) for name in ("engine", "releases", "fact", "flag", "date")]
    rows = [
        [
            fact.engine or say("ui.speed.any_engine", language),
            _releases(fact.first, fact.last, language),
            fact.say(language),
            tag("code", fact.flag) if fact.flag else Markup(),
            join([tell(fact.date, language), " ", tag("small", catalogue.source(fact.source).title)]),
        ]
        for fact in found.advice
    ]
    made = table(say("ui.speed.advice_caption", language), head, rows, numeric=9)
    return tag("div", made, class_="speed-advice")


def _releases(first: str, last: str, language: str) -> str:
    if first:
        return say("ui.speed.from_release", language, release=first)
    return say("ui.speed.until_release", language, release=last) if last else ""


def caps(found: Speed, language: str) -> Markup:
    """The studies behind the ranges of the caps, with their sources."""
    shown = found.shown_cap_effects
    if not shown:
        return Markup()
    return folded("caps", say("ui.speed.caps_show", language), lambda: _caps(shown, found, language))


def _caps(shown: tuple[CapEffect, ...], found: Speed, language: str) -> Markup:
    head = [say(f"ui.speed.column.{name}", language) for name in ("study", "cap", "kept", "pairs", "source")]
    rows = [
        [
            join([say(f"cap_study.{effect.study}", language), " ", tell(effect.note, language)]),
            say("ui.speed.cap_of", language, cap_w=effect.cap_w, base_w=effect.base_w),
            percent(effect, language),
            say("unit.integer", language, value=effect.count),
            catalogue.source(effect.source).title,
        ]
        for effect in shown
    ]
    return table(say("ui.speed.caps_caption", language), head, rows, numeric=9)


def working(name: str, found: Speed, language: str) -> Markup:
    """The steps behind one chart: the point where the floor ends, or the last one."""
    best = found.best
    if name == speed_cap.name:
        return caps(found, language)
    if best is None:
        return Markup()
    point = best.last if name in ("speed_total", "speed_first") else best.knee or best.one
    return common.section(f"working-{name}", lambda: found.steps(best, point), language)


def facts(found: Speed, language: str) -> Markup:
    """The card's bandwidth with its conflict, and what the library takes."""
    used = found.sizing.card.memory_bandwidth_gb_s
    rows = [
        [
            say("ui.speed.fact.used", language),
            say("ui.speed.gb_s", language, value=used.value),
            tell(used.note, language),
            catalogue.source(used.source).title,
        ]
    ]
    rows += [
        [
            say("ui.speed.fact.other", language),
            say("ui.speed.gb_s", language, value=value),
            tell(reason, language),
            catalogue.source(source).title,
        ]
        for value, source, reason in found.other_bandwidths
    ]
    head = [say(f"ui.speed.column.{name}", language) for name in ("fact", "value", "reason", "source")]
    title = say("ui.region.speed_facts", language)
    return folded("speed-facts", title, lambda: table(title, head, rows, numeric=9))
