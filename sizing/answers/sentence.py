"""The answer in words: one sentence that may be read aloud, the same on every page and on the sheet."""

from __future__ import annotations

from sizing.answers import engine
from sizing.answers.answer import Answer
from sizing.answers.wording import beyond_model, connection, layout_phrase
from sizing.base.texts import Word, say
from sizing.memory.layouts import Layout

_NAMED_SHARES = (2, 3, 4)


def engine_name(answer: Answer) -> str:
    """The engine that the scenario names, as it calls itself."""
    return say(f"input.engine.{answer.scenario.engine}")


def promise(answer: Answer, language: str) -> str:
    """What may be promised, in which layout, and what limits it."""
    scenario, best = answer.scenario, answer.promise
    values = {
        "context_tokens": scenario.context_tokens,
        "floor": scenario.floor_tokens_s,
        "layout": layout_phrase(best.layout, language),
    }
    if beyond_model(answer.sizing):
        longest = answer.sizing.architecture.max_context_tokens
        return say("answer.promise.beyond_model", language, longest_tokens=longest, **values)
    if not answer.fits:
        refused = any(layout.fits for layout in answer.sizing.layouts)
        release = {"engine": engine_name(answer), "version": engine.release(scenario)}
        return say("answer.promise.refused" if refused else "answer.promise.no", language, **release)
    if best.conversations is None:
        return say("answer.promise.no_limit", language, **values)
    if best.conversations == 0:
        return say("answer.promise.none", language, each=best.alone_tokens_s, **values)
    key = "at_most" if answer.at_most else "one" if best.conversations == 1 else "many"
    return say(f"answer.promise.{key}", language, conversations=best.conversations, limit=_limit(answer), **values)


def count(answer: Answer, language: str) -> str:
    """The number alone: "36", "at most 143", "no limit by memory"."""
    if answer.conversations is None:
        return say("ui.no_limit", language)
    key = "answer.count.at_most" if answer.at_most and answer.conversations else "unit.integer"
    return say(key, language, value=answer.conversations)


def _limit(answer: Answer) -> Word:
    best = answer.promise
    key = best.limited_by
    if key == "speed":
        key = "speed_physical" if best.curve and best.curve.bound_only else key
    elif answer.pending:
        key += "_pending"
    elif answer.bound_only:
        key += "_alone"
    values = {"engine": engine_name(answer), "floor": answer.scenario.floor_tokens_s}
    return Word(f"answer.limit.{key}", tuple(values.items()))


def need(answer: Answer, language: str) -> str:
    """Whether it meets what is asked for; "" where nothing is asked for or nothing fits."""
    said = []
    if answer.scenario.servers > 1 and answer.promised is not None and answer.fits:
        said.append(say("answer.need.servers", language, servers=answer.scenario.servers, promised=answer.promised))
    if answer.verdict == "on_the_edge":
        verdict = answer.sizing.verdict_of(answer.promise.layout)
        assert verdict is not None and verdict.budget is not None  # noqa: PT018 - the edge is the edge of its band
        band = {"low": verdict.budget.pessimistic_gib, "high": verdict.budget.optimistic_gib}
        said.append(say("answer.need.edge", language, certain=answer.certain or 0, needed=answer.needed, **band))
    elif answer.verdict in ("enough", "not_enough"):
        held = answer.promised is None or answer.promised >= answer.needed
        key = "not_enough" if not held else {None: "enough", True: "survives", False: "not_survived"}[answer.survives]
        key = "enough_alone" if key == "enough" and answer.at_most else key
        missing = answer.needed - (answer.promised or 0)
        said.append(say(f"answer.need.{key}", language, needed=answer.needed, missing=missing))
    return " ".join(said)


def trade_off(answer: Answer, language: str) -> str:
    """What memory alone would hold, and what a lost card takes; where nothing fits, what the nearest layout lacks."""
    layout = answer.promise.layout
    if not answer.fits:
        needs = layout.weights_gib_per_card + layout.kv_gib_per_card_per_conversation
        missing_gib = needs - answer.sizing.usable_gib_per_card
        if missing_gib <= 0:
            return ""
        phrase = layout_phrase(layout, language)
        return say("answer.trade.nearest", language, layout=phrase, missing_gib=missing_gib)
    said = []
    roomy = max(answer.sizing.layouts, key=_memory)
    if roomy.conversations is not None and roomy.conversations > (answer.conversations or 0):
        key = "memory_here" if roomy == layout else "memory"
        phrase = layout_phrase(roomy, language)
        said.append(say(f"answer.trade.{key}", language, memory=roomy.conversations, layout=phrase))
    if answer.scenario.cards > 1:
        copies = layout.copies
        share = Word(f"answer.share.{copies if copies in _NAMED_SHARES else 'other'}", (("copies", copies),))
        said.append(
            say("answer.trade.card_stops", language)
            if copies == 1
            else say("answer.trade.card_takes", language, share=share)
        )
    if layout.tp == 2 and layout.copies > 1 and answer.sizing.card.link is None:
        said.append(say("answer.trade.pairs", language))
    return " ".join(said)


def whole(answer: Answer, language: str) -> str:
    """All that may be read aloud of one scenario: the promise, the need, the site."""
    said = (promise(answer, language), need(answer, language), connection(answer.sizing, language))
    return " ".join(each for each in said if each)


def why(answer: Answer, language: str) -> str:
    """Why this layout."""
    return say(answer.reason.key, language, **dict(answer.reason.values))


def _memory(layout: Layout) -> tuple[bool, int, int]:
    return layout.fits, layout.conversations or 0, layout.copies
