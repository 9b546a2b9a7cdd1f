"""What an engine release says at its start, layout by layout, beside the planning figures."""

from __future__ import annotations

from sizing.answers import engine, wording
from sizing.answers.size import Sizing
from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.memory.layouts import Layout
from sizing.ui import working

COLUMNS = ("layout", "available", "tokens", "concurrency", "block", "limit", "planned")


def section(sizing: Sizing, language: str) -> Markup:
    """A table of the layouts, what sets the limit, and the working of the best one."""
    version = sizing.scenario.engine_version
    heading = say("ui.engine.caption", language, version=version)
    verdicts = sizing.verdicts
    if not verdicts:
        return join([tag("h2", heading), tag("p", say("ui.engine.none", language, card=sizing.card.name))])
    rows = [_row(layout, verdict, language) for layout, verdict in zip(sizing.layouts, verdicts, strict=True)]
    chosen = sizing.layouts.index(sizing.best)
    best = verdicts[chosen]
    starts = best.startup.starts and best.startup.keeps_cache
    head = [say(f"ui.engine.column.{column}", language) for column in COLUMNS]
    return join(
        [
            table(heading, head, rows, marked=chosen),
            tag("p", say("ui.engine.band", language), class_="sizing-small"),
            working.section("working-engine", lambda: engine.steps(best), language) if starts else Markup(),
        ]
    )


def memory(available_gib: float, language: str) -> str:
    """Memory for the cache; where less than none is left, how much is missing. [GiB]"""
    if available_gib >= 0:
        return say("unit.gib", language, value=available_gib)
    return say("ui.engine.missing", language, value=-available_gib)


def _row(layout: Layout, verdict: engine.Verdict, language: str) -> list[str]:
    startup = verdict.startup
    available = memory(verdict.available_gib, language)
    if verdict.budget is not None and verdict.available_gib >= 0:
        available += " " + say(
            "ui.engine.from_to",
            language,
            low=verdict.budget.pessimistic_gib,
            high=verdict.budget.optimistic_gib,
        )
    planned = wording.conversations(layout, language)
    if startup.starts and not startup.keeps_cache:
        return [wording.layout_name(layout, language), available, "–", "–", "–", startup.say_limit(language), planned]
    if not startup.starts:
        why = f"{startup.say_reason(language)} {startup.say_remedy(language)}"
        return [wording.layout_name(layout, language), available, "–", "–", "–", why, planned]
    return [
        wording.layout_name(layout, language),
        available,
        say("unit.integer", language, value=startup.kv_tokens or 0),
        say("ui.engine.concurrency", language, value=startup.max_concurrency or 0.0),
        say("unit.integer", language, value=startup.block_size or 0),
        startup.say_limit(language),
        planned,
    ]
