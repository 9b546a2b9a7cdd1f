"""Which notes a sizing calls for. Each function answers one question; the sentences stand in the text catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sizing.answers import engine
from sizing.answers.result import SizingResult
from sizing.answers.wording import layout_split
from sizing.base.notes import Level, Note, by_level
from sizing.base.texts import Word
from sizing.catalogue.inputs import inputs
from sizing.site import host, power
from sizing.site import notes as site_notes

Question = Callable[["SizingResult"], Iterator[Note]]

LARGEST_SERVER_CARDS = 8
RULES_SOURCE = "vllm-kv-rules"


def notes(sizing: SizingResult) -> tuple[Note, ...]:
    """Every note, most serious first, otherwise in the order of the questions."""
    return _answers(sizing, QUESTIONS)


def memory_notes(sizing: SizingResult) -> tuple[Note, ...]:
    """The same without power and connection, for who asks only what a model keeps and how many run."""
    return _answers(sizing, MEMORY_QUESTIONS)


def _answers(sizing: SizingResult, questions: Sequence[Question]) -> tuple[Note, ...]:
    found = [note for question in questions for note in question(sizing)]
    return by_level(found)


def _fits(sizing: SizingResult) -> Iterator[Note]:
    if sizing.fits:
        return
    values = {
        "cards": sizing.scenario.cards,
        "weights_gib": sizing.weights_gib,
        "usable_gib": sizing.usable_gib,
        "kv_gib": sizing.kv_gib_per_conversation,
        "context_tokens": sizing.scenario.context_tokens,
    }
    measured = [layout for layout in sizing.layouts if layout.reason_key == "measured_beyond_card"]
    if measured:
        nearest = min(measured, key=lambda layout: layout.weights_gib_per_card)
        yield Note("stop", "measured_beyond_card", values=dict(nearest.reason_values))
        return
    weights_fit = any(layout.free_gib_per_card > 0 for layout in sizing.layouts)
    yield Note("stop", "no_conversation_fits" if weights_fit else "weights_do_not_fit", values=values)


def _engine(sizing: SizingResult) -> Iterator[Note]:
    if sizing.fits or sizing.by_engine:
        yield from another(sizing)
        yield from engine.notes(sizing.scenario, sizing.verdict_of(sizing.best), sizing.best)


def another(sizing: SizingResult) -> Iterator[Note]:
    """The layout that the memory rule alone would have named, where the engine refuses it and starts another."""
    planned, best = sizing.planned, sizing.best
    verdict = sizing.verdict_of(planned)
    if planned is best or verdict is None or verdict.startup.refusal is None:
        return
    named = (
        f"{each.copies} × {layout_split(each, 'en') or 'TP=1'}" if each.copies > 1 else layout_split(each, "en")
        for each in (planned, best)
    )
    values = {
        **engine.named(sizing.scenario),
        **dict(zip(("planned", "best"), named, strict=True)),
        "conversations": planned.conversations or 0,
        "reason": verdict.startup.refusal.words["reason"],
    }
    yield Note("warn", "engine_starts_another", engine.rules(sizing.scenario).RULES_SOURCE, values)


def context(sizing: SizingResult) -> Iterator[Note]:
    """Whether the context asked for is beyond the model's end."""
    longest, asked = sizing.architecture.max_context_tokens, sizing.scenario.context_tokens
    if longest is not None and asked > longest:
        values = {"context_tokens": asked, "longest_tokens": longest}
        yield Note("stop", "context_beyond_model", sizing.checkpoint.config_source.source, values)


def _interconnect(sizing: SizingResult) -> Iterator[Note]:
    """Custom all-reduce works over a pair on PCIe, and over as many cards as one link joins."""
    link = sizing.card.link
    joined = 2 if link is None else link.largest_group or LARGEST_SERVER_CARDS
    split = max((layout.tp for layout in sizing.layouts if layout.fits), default=1)
    if split > max(2, joined):
        level: Level = "warn" if sizing.best.tp > max(2, joined) else "hint"
        yield Note(level, "tp_beyond_link" if link else "tp_without_all_reduce", "doc-de", {"joined": joined})


def _splitting(sizing: SizingResult) -> Iterator[Note]:
    if sizing.refused_layouts and not any(layout.tp > 1 for layout in sizing.layouts):
        refused = sizing.refused_layouts[0]
        reason = Word(f"reason.{refused.reason_key}", refused.reason_values)
        yield Note("hint", "tp_dead_end", RULES_SOURCE, {"cards": sizing.scenario.cards, "reason": reason})
    if sizing.fits and _replicates(sizing):
        yield Note("hint", "cache_replicated", RULES_SOURCE, {"tp": sizing.best.tp})


def _replicates(sizing: SizingResult) -> bool:
    """TP keeps more cache on the cards of a copy than the conversation has."""
    best = sizing.best
    if best.tp == 1 or best.dcp > 1:
        return False
    whole = sum(terms.bytes(sizing.scenario.context_tokens) for terms in sizing.architecture.terms(sizing.kv_dtype))
    split = sum(
        terms.bytes(sizing.scenario.context_tokens)
        for terms in sizing.architecture.terms(sizing.kv_dtype, best.tp, best.pp)
    )
    return split * best.tp > whole * 1.01


def _cache_precision(sizing: SizingResult) -> Iterator[Note]:
    declared, chosen = sizing.architecture.declared_kv_dtype, sizing.scenario.kv_dtype
    if sizing.kv_gib_per_conversation == 0:
        yield Note("hint", "no_cache")
    elif sizing.kv_dtype == "fp8" and chosen == "fp8" and declared != "fp8":
        yield Note("hint", "fp8_cache_is_asked_for", "memory-budget")
    elif sizing.kv_dtype == "nvfp4":
        yield Note("warn", "nvfp4_cache", "field-reports")
    elif chosen == "auto" and declared == "fp8":
        yield Note("hint", "fp8_cache_is_declared", sizing.checkpoint.config_source.source)
    elif chosen == "bf16" and declared == "fp8":
        yield Note("hint", "declared_fp8_overruled", sizing.checkpoint.config_source.source)


def _model(sizing: SizingResult) -> Iterator[Note]:
    if sizing.weights_estimated:
        yield Note("warn", "weights_estimated", values={"weights_gib": sizing.weights_gib})
    origin = sizing.checkpoint.config_source
    if origin.completeness != "yes":
        yield Note("hint", f"config_{origin.completeness}", origin.source)
    drafts = sizing.scenario.speculative_tokens > 0
    for part in sizing.architecture.left_out:
        if drafts and part.key == "mtp_cache":
            continue  # speculative decoding runs, so that it is counted
        if part.key == "weights_at_least" and not sizing.weights_estimated:
            continue  # the size of the files is known
        level: Level = "warn" if part.key in ("type_unknown", "weights_at_least") else "hint"
        yield Note(level, f"left_out.{part.key}", sizing.checkpoint.config_source.source, {"detail": part.detail})


def _card_memory(sizing: SizingResult) -> Iterator[Note]:
    nominal = sizing.card.memory_gb
    if sizing.memory_derived:
        yield Note("warn", "memory_derived", nominal.source, {"gb": nominal.value})


def _card_power(sizing: SizingResult) -> Iterator[Note]:
    card, cap_w = sizing.card, sizing.scenario.power_cap_w
    first_w, own = inputs()["power_cap_w"].default, card.power_default_w
    if cap_w == own.value != first_w:
        yield Note("hint", "cap_is_the_cards", own.source, {"card": card.name, "cap_w": cap_w})
    yield from power.cap_notes(card, cap_w)
    yield from power.mode_notes(card, cap_w)


def _processors(sizing: SizingResult) -> Iterator[Note]:
    yield from host.processor_notes(sizing.processor, sizing.scenario.processors)


def _connection(sizing: SizingResult) -> Iterator[Note]:
    yield from site_notes.connected(sizing.site)


def _parallel(sizing: SizingResult) -> Iterator[Note]:
    """Kinds of parallelism that were asked for and that nothing here can use."""
    scenario = sizing.scenario
    if scenario.dcp > 1 and all(layout.dcp == 1 for layout in sizing.layouts):
        yield Note("warn", "dcp_unused", RULES_SOURCE, {"dcp": scenario.dcp})
    ranks = scenario.attention_dp
    if ranks > 1 and all(layout.attention_dp == 1 for layout in sizing.layouts):
        yield Note("warn", "attention_dp_unused", RULES_SOURCE, {"ranks": ranks, "cards": scenario.cards})


def _demand(sizing: SizingResult) -> Iterator[Note]:
    if sizing.fits:
        yield Note("hint", "count_running_requests", "doc-de")


QUESTIONS = (
    _fits,
    _engine,
    context,
    _card_memory,
    _card_power,
    _processors,
    _connection,
    _interconnect,
    _splitting,
    _parallel,
    _cache_precision,
    _model,
    _demand,
)
MEMORY_QUESTIONS = tuple(question for question in QUESTIONS if question not in (_card_power, _processors, _connection))
