"""The written parts of the sizing page: answer, notes, tables, working, facts of the card."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sizing import catalogue
from sizing.answers import engine, sentence, wording
from sizing.answers import working as steps
from sizing.answers.answer import Answer
from sizing.answers.size import Sizing, size
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import say
from sizing.base.working import Step
from sizing.catalogue.scenario import Scenario
from sizing.memory.layouts import Layout
from sizing.ui.reports import common


def answer(found: Answer, other: Sizing | None, language: str, *, stale: bool) -> Markup:
    """The answer as a sentence in large type, two lines under it, and the figures that a call asks for."""
    sizing = found.sizing
    figures = [
        ("conversations", sentence.count(found, language)),
        ("memory", wording.conversations(sizing.best, language)),
        ("per_conversation", say("unit.gib_exact", language, value=sizing.kv_gib_per_conversation)),
        ("usable", say("unit.gib", language, value=sizing.usable_gib)),
        ("weights", say("unit.gib", language, value=sizing.weights_gib)),
        ("server", say("unit.kw", language, value=sizing.server_w / 1000)),
        ("air", say("unit.cfm_m3", language, cfm=sizing.cfm, m3_per_h=sizing.m3_per_h)),
    ]
    return common.opening(
        found,
        wording.subject(sizing, language),
        wording.other_precision(sizing, other, language),
        stale=stale,
        language=language,
        shown=[
            (say(f"ui.figure_name.{name}", language), value, name == "weights" and sizing.weights_estimated)
            for name, value in figures
        ],
    )


def working(name: str, sizing: Sizing, language: str) -> Markup:
    """The steps behind one chart's figures, folded away."""
    return common.section(f"working-{name}", lambda: list(_STEPS[name](sizing)), language)


_STEPS: dict[str, Callable[[Sizing], Iterable[Step]]] = {
    "layouts": lambda sizing: sizing.working[: -len(steps.site(sizing))],
    "context": steps.cache,
    "memory": lambda sizing: (*steps.memory(sizing), *steps.layout(sizing, sizing.best)),
    "power": lambda sizing: (step for step in steps.site(sizing) if step.name != "cfm"),
    "air": lambda sizing: (step for step in steps.site(sizing) if step.name == "cfm"),
}


def layouts_table(sizing: Sizing, other: Sizing | None, language: str) -> Markup:
    """Every layout with what it holds, and the splits that the engine would not start."""
    others = {layout.name: layout for layout in other.layouts} if other else {}
    head = [say(f"ui.column.{column}", language) for column in ("layout", "weights", "free", "kv")]
    key = wording.of_cache("ui.column.conversations", sizing)
    head.append(say(key, language, precision=wording.precision(sizing.kv_dtype, language)))
    if other:
        head.append(say("ui.column.conversations", language, precision=wording.precision(other.kv_dtype, language)))
    rows = []
    for layout in sizing.layouts:
        row = [
            wording.layout_name(layout, language),
            say("unit.gib", language, value=layout.weights_gib_per_card),
            say("unit.gib", language, value=layout.free_gib_per_card),
            say("unit.gib_exact", language, value=layout.kv_gib_per_card_per_conversation),
            wording.conversations(layout, language),
        ]
        if other:
            row.append(wording.conversations(others[layout.name], language))
        rows.append(row)
    chosen = sizing.layouts.index(sizing.best)
    # Columns show what each layout lacks; the reason is said once, of the layout that comes nearest.
    why = "" if sizing.best.fits else say("ui.why_not", language, reason=sizing.best.say_reason(language))
    refused = [
        tag("li", f"{wording.layout_name(each, language)}: {each.say_reason(language)}")
        for each in sizing.refused_layouts
    ]
    return join(
        [
            table(say("ui.region.table", language), head, rows, marked=chosen),
            tag("p", why, class_="sizing-small") if why else Markup(),
            tag("p", say("ui.refused", language)) if refused else Markup(),
            tag("ul", *refused, class_="sizing-refused") if refused else Markup(),
        ]
    )


def facts(sizing: Sizing, language: str) -> Markup:
    """The card's and the checkpoint's figures with their sources, conflicting figures side by side."""
    summary = say("ui.facts_summary", language, card=sizing.card.name)
    return folded("facts", summary, lambda: _facts(sizing, language))


def _facts(sizing: Sizing, language: str) -> Markup:
    card = sizing.card
    rows = [
        common.fact(say(f"ui.fact.{name}", language), figure, "", language)
        for name, figure in (
            ("memory_gb", card.memory_gb),
            ("memory_mib", card.memory_mib),
            ("bandwidth", card.memory_bandwidth_gb_s),
            ("power_default", card.power_default_w),
            ("power_min", card.power_min_w),
            ("power_max", card.power_max_w),
            ("weights", sizing.checkpoint.weight_bytes),
        )
        if figure is not None
    ]
    rows.append(_link(card, language))
    head = [say(f"ui.column.{column}", language) for column in ("fact", "used", "others", "source")]
    return table(say("ui.region.facts", language), head, rows, numeric=9)


def _link(card: catalogue.Card, language: str) -> list[str]:
    """How cards reach each other: a direct link, or the slot alone."""
    slot = card.pcie
    pcie = f"PCIe {slot.generation}.0" + (f" x{slot.lanes}" if slot.lanes else "") if slot else "PCIe"
    known = card.link or slot
    said = say(f"ui.link.{card.link.kind if card.link else 'none'}", language, pcie=pcie)
    return [say("ui.fact.link", language), said, "", wording.source_title(known.source if known else "own", language)]


# The two tables of the German document, whose figures were lost in print: recomputed by its own rule.
SHAPES = ((4, 1), (2, 2), (1, 4))
AT_32K = (
    ("openai/gpt-oss-120b", "bf16"),
    ("Qwen/Qwen3.8-27B", "bf16"),
    ("nvidia/Llama-3.3-70B-Instruct-FP8", "fp8"),  # counted there at 5 GiB a conversation
)
AT_8K = ("nvidia/Llama-3.3-70B-Instruct-FP8", "nvidia/Llama-3.3-70B-Instruct-NVFP4")


def documents(language: str) -> Markup:
    """Four cards by the planning rule: three models at 32K, and Llama 3.3 70B at 8K in both precisions."""
    return folded("documents", say("ui.region.documents", language), lambda: _documents(language))


def _documents(language: str) -> Markup:
    head = [say("ui.column.model", language), *(say(f"ui.column.shape_{copies}", language) for copies, _ in SHAPES)]

    def row(model: str, context_tokens: int, kv_dtype: str) -> list[str]:
        name = f"{catalogue.checkpoint(model).name}, {wording.precision(kv_dtype, language)}"
        return [name, *_counts(model, context_tokens, kv_dtype, language)]

    long = [row(model, 32768, kv_dtype) for model, kv_dtype in AT_32K]
    short = [row(model, 8192, kv_dtype) for model in AT_8K for kv_dtype in ("bf16", "fp8")]
    captions = (say(f"ui.documents.{name}", language) for name in ("at_32k", "at_8k"))
    return join(table(caption, head, rows) for caption, rows in zip(captions, (long, short), strict=True))


def _counts(model: str, context_tokens: int, kv_dtype: str, language: str) -> list[str]:
    sized = size(Scenario(checkpoint=model, cards=4, context_tokens=context_tokens, kv_dtype=kv_dtype))
    return [wording.conversations(sized.layout(copies=copies, tp=tp), language) for copies, tp in SHAPES]


ENGINE_COLUMNS = ("layout", "available", "tokens", "concurrency", "block", "limit", "planned")


def engine_section(sizing: Sizing, language: str) -> Markup:
    """A table of the layouts, what sets the limit, and the working of the best one."""
    heading = say("ui.engine.caption", language, **engine.named(sizing.scenario))
    verdicts = sizing.verdicts
    if not verdicts:
        return join([tag("h2", heading), tag("p", say("ui.engine.none", language, card=sizing.card.name))])
    rows = [_engine_row(layout, verdict, language) for layout, verdict in zip(sizing.layouts, verdicts, strict=True)]
    chosen = sizing.layouts.index(sizing.best)
    best = verdicts[chosen]
    starts = best.startup.starts and best.startup.keeps_cache
    head = [say(f"ui.engine.column.{column}", language) for column in ENGINE_COLUMNS]
    return join(
        [
            table(heading, head, rows, marked=chosen),
            tag("p", say("ui.engine.band", language), class_="sizing-small"),
            common.section("working-engine", lambda: engine.steps(best), language) if starts else Markup(),
        ]
    )


def engine_memory(available_gib: float, language: str) -> str:
    """Memory for the cache; where less than none is left, how much is missing. [GiB]"""
    if available_gib >= 0:
        return say("unit.gib", language, value=available_gib)
    return say("ui.engine.missing", language, value=-available_gib)


def _engine_row(layout: Layout, verdict: engine.Verdict, language: str) -> list[str]:
    startup = verdict.startup
    available = engine_memory(verdict.available_gib, language)
    if verdict.budget is not None and verdict.available_gib >= 0:
        available += " " + say(
            "ui.engine.from_to", language, low=verdict.budget.pessimistic_gib, high=verdict.budget.optimistic_gib
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
