"""Names of layouts, precisions and quantities as a person says them."""

from __future__ import annotations

from sizing import catalogue
from sizing.answers.result import SizingResult
from sizing.base.texts import say, unit
from sizing.memory.layouts import Layout, RefusedLayout


def layout_name(layout: Layout | RefusedLayout, language: str) -> str:
    """ "4 copies, one a card", "2 copies, TP=2", "1 copy, TP=2 × PP=2"."""
    key = "single" if layout.copies == 1 else "many"
    if isinstance(layout, Layout) and layout.attention_dp > 1:
        return say(f"ui.layout.{key}_adp", language, copies=layout.copies, ranks=layout.attention_dp)
    split = "card" if layout.tp * layout.pp == 1 else "tp" if layout.pp == 1 else "pp" if layout.tp == 1 else "both"
    return say(f"ui.layout.{key}_{split}", language, copies=layout.copies, tp=layout.tp, pp=layout.pp)


def layout_phrase(layout: Layout, language: str) -> str:
    """The same inside a sentence: "as one copy over all four cards"."""
    cards = layout.tp * layout.pp * layout.attention_dp
    key = (
        ("one_card" if cards == 1 else "one_both" if cards == 2 else "one_all")
        if layout.copies == 1
        else "each_card"
        if cards == 1
        else "groups"
    )
    return say(f"ui.phrase.{key}", language, copies=layout.copies, cards=cards, split=layout_split(layout, language))


def layout_split(layout: Layout, language: str) -> str:
    """ "TP=4", "PP=2", "TP=2 × PP=2", or "" on a single card."""
    parts = [f"TP={layout.tp}"] * (layout.tp > 1) + [f"PP={layout.pp}"] * (layout.pp > 1)
    parts += [f"DCP={layout.dcp}"] * (layout.dcp > 1) + [f"DP={layout.attention_dp}"] * (layout.attention_dp > 1)
    return " × ".join(parts)


def precision(kv_dtype: str, language: str) -> str:
    """ "16-bit", "FP8", "NVFP4"."""
    return say(f"ui.precision.{kv_dtype}", language)


def of_cache(key: str, sizing: SizingResult) -> str:
    """The key of a text that names the precision of the cache; of its twin where the model keeps no cache."""
    return key if sizing.kv_gib_per_conversation else f"{key}_no_cache"


def conversations(layout: Layout, language: str) -> str:
    """The count of a layout, "does not fit", or "no limit by memory"."""
    if not layout.fits:
        return say("ui.does_not_fit", language)
    if layout.conversations is None:
        return say("ui.no_limit", language)
    return say("unit.integer", language, value=layout.conversations)


def beyond_model(sizing: SizingResult) -> bool:
    """The context asked for is longer than the model's configuration allows, so that no engine starts with it."""
    longest = sizing.architecture.max_context_tokens
    return longest is not None and sizing.scenario.context_tokens > longest


def subject(sizing: SizingResult, language: str) -> str:
    """What an answer speaks of: model, cards and precision of the cache."""
    return say(
        of_cache("ui.headline.subject", sizing),
        language,
        model=sizing.checkpoint.name,
        cards=sizing.scenario.cards,
        card=sizing.card.name,
        precision=precision(sizing.kv_dtype, language),
    )


def other_precision(sizing: SizingResult, other: SizingResult | None, language: str) -> str:
    """What memory holds with the other precision of the cache; "" where that says nothing."""
    if other is None or not sizing.fits or beyond_model(sizing) or other.best.conversations is None:
        return ""
    key = "other_precision" if other.fits else "other_precision_none"
    values = {"precision": precision(other.kv_dtype, language), "conversations": other.best.conversations}
    return say(f"ui.headline.{key}", language, **values)


def connection(sizing: SizingResult, language: str) -> str:
    """Power against the connection: within, just reached, beyond, or stopped by something else than the circuit."""
    plan, chosen = sizing.site, sizing.circuit
    stopped, reached = chosen.connection.stopped_by, chosen.connection.no_margin
    key = "beyond" if "circuit" in stopped else chosen.connection.verdict
    return say(
        f"ui.headline.{'power' if plan.servers == 1 else 'servers'}_{key}",
        language,
        servers=plan.servers,
        server_kw=plan.connected_w / 1000,
        planned_kw=chosen.planned_w / 1000,
        circuit=chosen.name,
        what=", ".join(say(f"ui.site.stop.{kind}", language) for kind in stopped or reached),
    )


HERE = ("input", "step", "brought", "own")
"""What a working names as a source without an entry in sources.toml."""


def number(value: float, language: str) -> str:
    """A figure of the working: whole where it is whole, else with the digits that matter."""
    nearest = round(value)
    if abs(value - nearest) <= 1e-12 * abs(value) and abs(value) < 1e15:  # 3403.9999999999995 is 3,404
        return say("unit.integer", language, value=nearest)
    return say("unit.exact", language, value=value) if abs(value) < 1000 else say("unit.decimal", language, value=value)


def with_unit(value: float, name: str, language: str) -> str:
    """A figure of the working with its unit; "-" and "" stand for none."""
    return f"{number(value, language)} {'' if name == '-' else unit(name, language)}".strip()


def source_title(key: str, language: str) -> str:
    """What a source is called; "your input" and the like for what has no entry in sources.toml."""
    return say(f"ui.working.from_{key}", language) if key in HERE else catalogue.source(key).title
