"""The working of a sizing: each figure as a step that names formula, values, result and source."""

from __future__ import annotations

from sizing.answers import engine
from sizing.answers.result import SizingResult
from sizing.base import units
from sizing.base.working import Given, Step
from sizing.memory.layouts import Layout
from sizing.memory.terms import Cache
from sizing.site import working as site_working

CACHE_SOURCE = "model-configs"


def working(sizing: SizingResult) -> tuple[Step, ...]:
    """Steps in reading order: memory of a card, weights, cache of a conversation, best layout, power, air."""
    return (*memory(sizing), *cache(sizing), *layout(sizing, sizing.best), *site(sizing))


def memory(sizing: SizingResult) -> tuple[Step, ...]:
    """Usable memory of a card and of all cards, and the weights."""
    card, rule = sizing.card, sizing.memory_rule
    reported, weights = sizing.reported_gib_per_card, sizing.checkpoint.weight_bytes
    if card.memory_mib is not None:
        mib = Given("reported_mib", card.memory_mib.value, "MiB", card.memory_mib.source)
        first = Step("reported_gib", "floor(reported_mib / 1024 * 10 + 0.5) / 10", (mib,), reported, "GiB", "doc-de")
    else:
        nominal = Given("nominal_gb", card.memory_gb.value, "GB", card.memory_gb.source)
        expression = "floor(nominal_gb * 10 ** 9 / 2 ** 30 * 10) / 10"
        first = Step("reported_gib_derived", expression, (nominal,), reported, "GiB", card.memory_gb.source)
    if weights is not None:
        weight = Given("weights_bytes", weights.value, "bytes", weights.source)
    else:
        weight = Given("weights_bytes", units.bytes_from_gib(sizing.weights_gib), "bytes", CACHE_SOURCE)
    return (
        first,
        Step(
            "usable_gib_per_card",
            "share * reported_gib - reserve_gib",
            (
                Given("share", rule.share, "", rule.share_source),
                Given("reported_gib", reported, "GiB", "step", first.name),
                Given("reserve_gib", rule.reserve_gib, "GiB", rule.reserve_source),
            ),
            sizing.usable_gib_per_card,
            "GiB",
            rule.share_source,
        ),
        Step(
            "usable_gib",
            "cards * usable_gib_per_card",
            (
                Given("cards", sizing.scenario.cards, "", "input"),
                Given("usable_gib_per_card", sizing.usable_gib_per_card, "GiB", "step"),
            ),
            sizing.usable_gib,
            "GiB",
            rule.share_source,
        ),
        Step(
            "weights_gib_estimated" if sizing.weights_estimated else "weights_gib",
            "weights_bytes / 2 ** 30",
            (weight,),
            sizing.weights_gib,
            "GiB",
            weight.source,
        ),
    )


def cache(sizing: SizingResult) -> tuple[Step, ...]:
    """Cache of one conversation: a step for each kind and geometry of layer, and their sum."""
    counts: dict[Cache, int] = {}
    for layer in (*sizing.architecture.layers, *sizing.speculation.layers, *sizing.speculation.states):
        for held in layer.caches:
            counts[held] = counts.get(held, 0) + 1
    context, source = sizing.scenario.context_tokens, sizing.checkpoint.config_source.source
    found: list[Step] = []
    for held, layers in counts.items():
        expression = held.expression(sizing.kv_dtype)
        values = {**held.values(sizing.kv_dtype), "context_tokens": float(context)}
        given = [Given("layers", layers, "", source)]
        for name, value in values.items():
            if name in expression:
                where = "input" if name == "context_tokens" else CACHE_SOURCE if name == "element_bytes" else source
                given.append(Given(name, value, _unit(name), where))
        result = held.terms(sizing.kv_dtype).times(layers).bytes(context)
        found.append(
            Step(f"cache_{held.kind}", f"layers * ({expression})", tuple(given), result, "bytes", CACHE_SOURCE)
        )
    parts = [Given(f"part_{number}", step.result, "bytes", "step", step.name) for number, step in enumerate(found, 1)]
    total = f"({' + '.join(part.name for part in parts) or '0'}) / 2 ** 30"
    found.append(
        Step("kv_gib_per_conversation", total, tuple(parts), sizing.kv_gib_per_conversation, "GiB", CACHE_SOURCE)
    )
    return tuple(found)


def _unit(name: str) -> str:
    if name.endswith("_bytes"):
        return "bytes"
    return "tokens" if name.endswith("_tokens") or name == "window" else ""


def layout(sizing: SizingResult, chosen: Layout) -> tuple[Step, ...]:
    """From the memory of the fullest card to the conversations of a layout."""
    free = Step(
        "free_gib_per_card",
        "max(0, usable_gib_per_card - weights_gib_per_card)",
        (
            Given("usable_gib_per_card", _usable_gib(sizing, chosen), "GiB", "step"),
            Given("weights_gib_per_card", chosen.weights_gib_per_card, "GiB", "step"),
        ),
        chosen.free_gib_per_card,
        "GiB",
        "doc-de",
    )
    if chosen.conversations is None:
        return (free,)
    kv = Given("kv_gib_per_card", chosen.kv_gib_per_card_per_conversation, "GiB", "step")
    if sizing.by_engine:
        return (_weights_on_card(sizing, chosen), free, *_by_engine(sizing, chosen))
    ranks = (Given("attention_dp", chosen.attention_dp, "", "input"),) if chosen.attention_dp > 1 else ()
    count = Step(
        "conversations",
        f"copies * {'attention_dp * ' if ranks else ''}floor(free_gib_per_card / kv_gib_per_card)",
        (
            Given("copies", chosen.copies, "", "input"),
            *ranks,
            Given("free_gib_per_card", chosen.free_gib_per_card, "GiB", "step"),
            kv,
        ),
        chosen.conversations,
        "conversations",
        "doc-de",
    )
    return (_weights_on_card(sizing, chosen), free, *_cache_on_card(sizing, chosen), count) if kv.value else (free,)


def _usable_gib(sizing: SizingResult, chosen: Layout) -> float:
    """Usable memory of this layout's card: one figure by a planning rule, its own by an engine."""
    if not sizing.by_engine:
        return sizing.usable_gib_per_card
    return chosen.weights_gib_per_card + chosen.free_gib_per_card


def _by_engine(sizing: SizingResult, chosen: Layout) -> tuple[Step, ...]:
    """The engine's concurrency and its limit of sequences, to the conversations; none where it does not start."""
    verdict = sizing.verdict_of(chosen)
    if verdict is None or not chosen.fits:
        return ()
    startup, source = verdict.startup, engine.rules(sizing.scenario).RULES_SOURCE
    concurrency = startup.max_concurrency or 0.0
    count = Step(
        "conversations",
        "copies * attention_dp * min(floor(max_concurrency), max_num_seqs)",
        (
            Given("copies", chosen.copies, "", "input"),
            Given("attention_dp", chosen.attention_dp, "", "input"),
            Given("max_concurrency", concurrency, "", "step"),
            Given("max_num_seqs", startup.max_num_seqs or concurrency, "", source),
        ),
        chosen.conversations or 0,
        "conversations",
        source,
    )
    return (*engine.steps(verdict), count)


def _cache_on_card(sizing: SizingResult, chosen: Layout) -> tuple[Step, ...]:
    """Cache of one conversation on the fullest card, from what its stage keeps; none where it is split further.

    A card may keep more than its share, since what cannot be split stands whole on each.
    """
    context, held_gib = sizing.scenario.context_tokens, chosen.kv_gib_per_card_per_conversation
    for terms in sizing.architecture.terms(sizing.kv_dtype, chosen.tp, chosen.pp):
        if abs(units.gib(terms.bytes(context)) - held_gib) > 1e-9 * held_gib:
            continue
        given = [
            Given("growing_bytes_per_token", terms.growing_bytes_per_token, "bytes", "step"),
            Given("context_tokens", context, "tokens", "input"),
        ]
        parts = ["growing_bytes_per_token * context_tokens"]
        for number, (rate, window) in enumerate(terms.windows, 1):
            given.append(Given(f"window_bytes_per_token_{number}", rate, "bytes", "step"))
            given.append(Given(f"window_{number}", window, "tokens", sizing.checkpoint.config_source.source))
            parts.append(f"window_bytes_per_token_{number} * min(context_tokens, window_{number})")
        if terms.fixed_bytes:
            given.append(Given("fixed_bytes", terms.fixed_bytes, "bytes", "step"))
            parts.append("fixed_bytes")
        expression = f"({' + '.join(parts)}) / 2 ** 30"
        return (Step("kv_gib_per_card", expression, tuple(given), held_gib, "GiB", CACHE_SOURCE),)
    return ()


def _weights_on_card(sizing: SizingResult, chosen: Layout) -> Step:
    if chosen.attention_dp > 1:
        return Step(
            "weights_gib_per_card",
            "weights_gib * (1 - expert_share + expert_share / attention_dp)",
            (
                Given("weights_gib", sizing.weights_gib, "GiB", "step"),
                Given("expert_share", sizing.architecture.expert_weight_share or 0.0, "", CACHE_SOURCE),
                Given("attention_dp", chosen.attention_dp, "", "input"),
            ),
            chosen.weights_gib_per_card,
            "GiB",
            "vllm-kv-rules",
        )
    layers = len(sizing.architecture.layers)
    on_card_gib = chosen.weights_gib_per_card * chosen.tp
    draft_gib = units.gib(sizing.speculation.weights_bytes)
    # The stage that decides holds these layers; a draft model stands on the last stage alone.
    drafts = any(
        abs(sizing.weights_gib * len(stage) / layers + draft_gib - on_card_gib) < 1e-6 * on_card_gib
        for stage in sizing.architecture.stages(chosen.pp)[-1:]
    )
    draft_gib = draft_gib if drafts else 0.0
    fullest = round((on_card_gib - draft_gib) / sizing.weights_gib * layers) if sizing.weights_gib else 0
    return Step(
        "weights_gib_per_card",
        "(weights_gib * layers_on_card / layers + draft_gib) / tp"
        if draft_gib
        else "weights_gib / tp * layers_on_card / layers",
        (
            Given("weights_gib", sizing.weights_gib, "GiB", "step"),
            Given("tp", chosen.tp, "", "input"),
            Given("layers_on_card", fullest, "", "step"),
            Given("layers", layers, "", sizing.checkpoint.config_source.source),
            *([Given("draft_gib", draft_gib, "GiB", CACHE_SOURCE)] if draft_gib else []),
        ),
        chosen.weights_gib_per_card,
        "GiB",
        "doc-de",
    )


def site(sizing: SizingResult) -> tuple[Step, ...]:
    """Wall power, the chosen connection, and air."""
    return site_working.summary(sizing.site)
