"""The written parts of the evidence page: what is shown, MLPerf's notice, errors of ours, every source."""

from __future__ import annotations

from collections.abc import Sequence

from sizing import catalogue
from sizing.base.markup import NOTHING, Markup, folded, join, table, tag
from sizing.base.texts import say, tell, unit, written
from sizing.catalogue import Source
from sizing.catalogue.parts import ResultFilters
from sizing.catalogue.results import Published
from sizing.models.evidence import Evidence, LogSummary, PublishedLog, all_sources
from sizing.speed.accuracy import KINDS, Accuracy, summary
from sizing.speed.tables import tables
from sizing.ui.reports import common

RESULT_COLUMNS = ("model", "card", "cards", "cap", "case", "load", "value", "per_card", "from", "source")


def answer(found: Evidence, filters: ResultFilters, language: str, *, stale: bool) -> Markup:
    """What is shown, in one sentence, and MLPerf's notice where a result of it is among it."""
    subject = " · ".join(say(f"input.{name}.{getattr(filters, name)}", language) for name in filters.INPUTS)
    key = "shown" if found.shown else "none"
    values = {"shown": len(found.shown), "total": found.total, "plotted": found.plotted}
    return common.top(
        subject,
        say(f"ui.evidence.{key}", language, **values),
        say("ui.evidence.division", language),
        notice(language) if found.mlperf else NOTHING,
        no=not found.shown,
        stale=stale,
        language=language,
    )


def notice(language: str) -> Markup:
    """What MLCommons asks for beside a result of MLPerf."""
    return tag("p", say("ui.evidence.mlperf_notice", language), class_="evidence-notice")


def results(found: Evidence, language: str) -> Markup:
    """Every result that the filters leave, with what it states and its source."""

    def inside() -> Markup:
        head = [say(f"ui.evidence.column.{name}", language) for name in RESULT_COLUMNS]
        rows = (_result(row, language) for row in found.shown)
        return table(say("ui.region.evidence_results", language), head, rows, numeric=6)

    return folded("results", say("ui.evidence.show_results", language, count=len(found.shown)), inside)


def _result(row: Published, language: str) -> list[str]:
    def number(value: float | None) -> str:
        return "" if value is None else say("unit.decimal", language, value=value)

    load = []
    if row.concurrency is not None:
        key = "ui.evidence.request_one" if row.concurrency == 1 else "ui.evidence.requests"
        load.append(say(key, language, count=row.concurrency))
    if row.context_tokens:
        load.append(say("unit.tokens", language, value=row.context_tokens))
    source = catalogue.source(row.source)
    who = " ".join(tell(part, language) for part in (row.submitter, row.system) if part) or say(
        f"input.result_suite.{row.suite}", language
    )
    split = f" · TP={row.tp}" if row.tp else ""
    run = written(tell(row.round, language), language)
    dates = say("ui.evidence.dates", language, of=run, read=row.read_on)
    return [
        join([tell(row.model, language), " ", tag("small", row.precision)])
        if row.precision
        else tell(row.model, language),
        tell(row.card_as_printed, language),
        f"{row.cards}{split}",
        say("unit.w", language, value=row.power_cap_w) if row.power_cap_w else "",
        tell(row.scenario, language),
        ", ".join(load),
        f"{number(row.value)} {unit(row.unit, language)}",
        number(row.per_card),
        join([who, " ", tag("small", tell(row.software, language))]),
        join([source.title, " ", tag("small", dates)]),
    ]


def speed(found: Accuracy, language: str) -> Markup:
    """Our estimate against published results: by kind, median, worst, each row, and why others are not answered."""
    library = tables().library
    made = say("ui.evidence.made_with", language, library=library.name, version=library.version)
    parts = [tag("h2", say("ui.region.evidence_speed", language)), tag("p", made)]
    for assumed in (False, True):
        part = found.part(assumed=assumed)
        if numbers := summary(part):
            middle, low, high, worst = numbers
            key = "accuracy_assumed" if assumed else "accuracy_stated"
            values = {"count": len(part), "median": middle, "low": low, "high": high, "worst": worst}
            parts.append(tag("p", say(f"ui.evidence.{key}", language, **values), class_="speed-lead"))
    parts.append(tag("ul", *(tag("li", said) for said in by_kind(found, language))))
    head = [say(f"ui.evidence.column.{name}", language) for name in COMPARED_COLUMNS]
    ordered = sorted(found.compared, key=lambda each: -each.factor)
    rows = [
        [
            tell(each.result.model, language),
            tell(each.result.card_as_printed, language),
            f"{say(f'ui.evidence.kind.{each.kind}', language)}, "
            + say("ui.evidence.assumed" if each.assumed else "ui.evidence.stated", language),
            _count(each.result.concurrency, language),
            _count(each.result.context_tokens, language),
            say("unit.decimal", language, value=each.result.value),
            say("unit.decimal", language, value=each.estimate),
            say("ui.evidence.ratio", language, value=each.ratio),
        ]
        for each in ordered
    ]
    caption = say("ui.evidence.compared_caption", language)
    title = say("ui.evidence.show_compared", language, count=len(rows))
    parts.append(folded("compared", title, lambda: table(caption, head, rows, numeric=3)))
    reasons = [
        tag("li", say("ui.evidence.unanswered", language, count=count, reason=say(f"unanswered.{reason}", language)))
        for reason, count in found.unanswered.items()
    ]
    total = sum(found.unanswered.values())
    parts.append(tag("p", say("ui.evidence.unanswered_lead", language, count=total)))
    parts.append(tag("ul", *reasons))
    return join(parts)


def by_kind(found: Accuracy, language: str) -> list[str]:
    """How near the estimates of each kind come, with what is assumed for it, and runs at a power cap apart."""
    said = []
    for kind in KINDS:
        part = found.of_kind(kind)
        if numbers := summary(part):
            near = sum(each.near for each in part)
            values = {"count": len(part), "median": numbers[0], "near": near}
            words = say(f"ui.evidence.kind.{kind}", language), say("ui.evidence.of_kind", language, **values)
            said.append(f"{words[0]}: {words[1]} {say(f'ui.evidence.assumption.{kind}', language)}")
    values = {"count": len(found.caps), "near": found.caps_near}
    return [*said, say("ui.evidence.caps", language, **values)]


def _count(value: int | None, language: str) -> str:
    return "" if value is None else say("unit.integer", language, value=value)


COMPARED_COLUMNS = ("model", "card", "conditions", "requests", "context", "published", "estimate", "ratio")


def logs(found: tuple[PublishedLog, ...], numbers: LogSummary, language: str) -> Markup:
    """Our cache figures against start-up logs, worst first."""
    lead = say(
        "ui.evidence.logs_lead",
        language,
        count=numbers.count,
        near=numbers.near,
        median=numbers.median * 100,
        worst=abs(numbers.worst.error) * 100,
        model=numbers.worst.checkpoint,
        reason=numbers.worst.reason,
    )
    head = [say(f"ui.evidence.column.{name}", language) for name in LOG_COLUMNS]
    rows = [
        [
            log.checkpoint,
            log.version,
            log.thread,
            say("unit.integer", language, value=log.printed),
            say("unit.integer", language, value=log.predicted),
            say("ui.evidence.percent", language, value=log.error * 100),
            tell(log.reason, language),
        ]
        for log in sorted(found, key=lambda log: -abs(log.error))
    ]
    caption = say("ui.evidence.logs_caption", language)
    return join(
        [
            tag("h2", say("ui.region.evidence_logs", language)),
            tag("p", lead, class_="speed-lead"),
            folded(
                "logs",
                say("ui.evidence.show_logs", language, count=len(rows)),
                lambda: table(caption, head, rows, numeric=3),
            ),
        ]
    )


LOG_COLUMNS = ("model", "version", "thread", "printed", "predicted", "error", "why")


def sources(language: str) -> Markup:
    """Every source of every figure, with its dates."""
    listed = all_sources()
    return folded(
        "sources", say("ui.evidence.show_sources", language, count=len(listed)), lambda: _sources(listed, language)
    )


def _sources(listed: Sequence[Source], language: str) -> Markup:
    head = [say(f"ui.evidence.column.{name}", language) for name in ("source", "producer", "published_on", "read_on")]
    rows = [
        [_source(each, language), each.producer, tell(each.published, language), tell(each.read_on, language)]
        for each in listed
    ]
    return table(say("ui.region.evidence_sources", language), head, rows, numeric=9)


def _source(each: Source, language: str) -> Markup:
    parts: list[str] = [each.title]
    if each.via:
        parts.append(tag("small", " " + say("ui.evidence.second_hand", language, via=each.via)))
    if each.url:
        parts.append(tag("small", f" {each.url}"))
    return join(parts)
