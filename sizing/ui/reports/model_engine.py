"""What the engine prints, and a log beside it."""

from __future__ import annotations

from typing import Any

from sizing.answers import engine, wording
from sizing.answers.engine_cases import Cases, EngineCase
from sizing.answers.size import Sizing
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import Word, say
from sizing.models.log_check import Check
from sizing.models.log_figures import Compared
from sizing.ui.reports import common
from sizing.ui.reports.sizing_report import engine_memory

COLUMNS = ("case", "available", "tokens", "concurrency", "blocks", "block_size", "request")
WHOLE = ("kv_tokens", "num_blocks", "block_size", "longest_tokens", "state_blocks")


def cases(sizing: Sizing, found: Cases | SizingError, language: str) -> Markup:
    """A table of the assumptions about memory, the refusal where there is one, and what the figures rest on."""
    if isinstance(found, SizingError):
        return tag("p", found.say(language), class_="sizing-second")
    caption = say(
        "ui.model.engine.caption",
        language,
        **engine.named(sizing.scenario),
        layout=wording.layout_name(found.layout, language),
        context_tokens=sizing.scenario.context_tokens,
    )
    head = [say(f"ui.model.column.{column}", language) for column in COLUMNS]
    rows = [_case(case, language) for case in found.cases]
    return join(
        [
            table(caption, head, rows, marked=0),
            _refusals(found, language),
            *(tag("p", line, class_="sizing-small") for line in _lines(sizing, found, language)),
            common.section("working-engine-cases", lambda: found.working, language) if found.working else Markup(),
        ]
    )


def _case(case: EngineCase, language: str) -> list[str]:
    startup = case.startup
    dash = say("ui.model.none", language)
    name = say(f"ui.model.engine.{case.name}", language)
    available = engine_memory(case.available_gib, language)
    if not startup.starts:
        return [name, available, say("ui.does_not_fit", language) if _memory(case) else dash, dash, dash, dash, dash]
    if not startup.keeps_cache:
        return [name, available, dash, dash, dash, dash, dash]
    return [
        name,
        available,
        _whole(startup.kv_tokens, language),
        say("ui.model.engine.concurrency", language, value=startup.max_concurrency or 0.0),
        _whole(startup.num_blocks, language),
        _whole(startup.block_size, language),
        say("unit.gib_exact", language, value=case.request_gib),
    ]


def _memory(case: EngineCase) -> bool:
    refusal = case.startup.refusal
    return refusal is not None and refusal.key in ("no_memory", "memory_missing", "no_context_fits", "context_too_long")


def _refusals(found: Cases, language: str) -> Markup:
    """Each reason once, with the cases that it stops."""
    reasons: dict[str, list[str]] = {}
    for case in found.cases:
        if not case.startup.starts:
            said = f"{case.startup.say_reason(language)} {case.startup.say_remedy(language)}"
            reasons.setdefault(said, []).append(say(f"ui.model.engine.{case.name}", language))
    items = [
        tag(
            "li",
            tag("strong", say("ui.level.stop", language)),
            f" {', '.join(names)}: {said}",
            class_="sizing-note sizing-note-stop",
        )
        for said, names in reasons.items()
    ]
    return tag("ul", *items, class_="sizing-notes") if items else Markup()


def _lines(sizing: Sizing, found: Cases, language: str) -> list[str]:
    """Why engine and planning rule differ, what the engine's pages add, the limit that binds, the evidence."""
    main, split = found.main, found.budget
    lines = []
    if split is not None:
        planned = next(case.available_gib for case in found.cases if case.name == "planning")
        lines.append(
            say(
                "ui.model.engine.share" if split.typical_gib >= 0 else "ui.model.engine.share_missing",
                language,
                requested=split.requested_gib,
                weights=split.weights_gib,
                activation=split.activation_gib,
                non_torch=split.non_torch_gib,
                graphs=split.graphs_gib,
                left=abs(split.typical_gib),
            )
        )
        key = "ui.model.engine.planned" if planned >= 0 else "ui.model.engine.planned_missing"
        lines[-1] += " " + say(key, language, planned=abs(planned))
        if any(part.key == "encoder_cache" for part in sizing.architecture.left_out):
            lines.append(say("ui.model.engine.images", language))
    elif found.budget_error is not None:
        lines.append(say("ui.model.engine.no_estimate", language, what=found.budget_error.say(language)))
    if main.startup.starts and main.request_gib:
        rule_gib = found.rule_request_gib
        if abs(main.request_gib - rule_gib) > 0.01 * rule_gib:
            lines.append(say("ui.model.engine.pages", language, rule_gib=rule_gib, engine_gib=main.request_gib))
    if main.startup.starts:
        lines.append(say("ui.model.engine.limit", language, limit=main.startup.say_limit(language)))
    lines.append(say("ui.model.engine.evidence", language, evidence=main.startup.say_evidence(language)))
    return lines


def _whole(value: int | None, language: str) -> str:
    return say("ui.model.none", language) if value is None else say("unit.integer", language, value=value)


def check(found: Check | None, language: str) -> Markup:
    """Print beside prediction, what explains the difference, and what was read from the log."""
    if found is None:
        return Markup()
    settings = found.setup
    program = Word(f"input.engine.{found.log.engine}")
    shown = {"program": program, "version": settings.version, "tp": settings.tp, "pp": settings.pp}
    caption = say("ui.model.log.caption", language, **shown)
    head = [say(f"ui.model.column.{column}", language) for column in ("figure", "printed", "predicted", "difference")]
    rows = [_compared(each, language) for each in found.compared]
    columns = [say(f"ui.model.column.{column}", language) for column in ("read", "value", "line")]
    read = [
        [say(f"ui.model.log.name.{name}", language), _value(each.value, language), str(each.line)]
        for name, each in found.log.items()
    ]
    return join(
        [
            table(caption, head, rows) if rows else Markup(),
            common.note_list(found.notes, language, "engine"),
            folded("log-read", say("ui.model.log.read", language), lambda: table(columns[0], columns, read)),
        ]
    )


def _compared(each: Compared, language: str) -> list[str]:
    def written(value: float) -> str:
        if each.name in WHOLE:
            return say("unit.integer", language, value=round(value))
        if each.name == "concurrency":
            return say("ui.model.log.times", language, value=value)
        return say("unit.gib_two", language, value=value)

    band = say("ui.model.log.band", language, low=written(each.low), high=written(each.high))
    predicted = band if each.predicted is None else written(each.predicted)
    if each.name == "available_gib":
        predicted += f" ({band})"
    share = each.difference
    if share is None:
        difference = say("ui.model.none", language)
    else:
        key = "percent" if abs(share) >= 0.1 else "percent_fine"
        difference = say(f"ui.model.log.{key}", language, value=share * 100)
    if each.agrees:
        difference += f" · {say('ui.model.log.agrees', language)}"
    return [say(f"ui.model.log.figure.{each.name}", language), written(each.printed), predicted, difference]


def _value(value: Any, language: str) -> str:
    """A value of the log: numbers as this language writes them, texts as they stand and never long."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)[:120]
    return wording.number(float(value), language)


def log_heading(language: str) -> Markup:
    """Heading of the comparison with a log."""
    lead = tag("p", say("ui.model.log.lead", language), class_="sizing-small")
    return join([tag("h2", say("ui.region.log_heading", language)), lead])
