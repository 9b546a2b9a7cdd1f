"""size(scenario): the one place where the parts are put together."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from sizing import catalogue
from sizing.answers import engine
from sizing.answers.result import SizingResult
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.units import gib
from sizing.base.working import Step
from sizing.catalogue.amounts import own_figures, reported_memory, usable_memory, weights
from sizing.catalogue.scenario import Scenario
from sizing.memory import budget, layouts
from sizing.memory.architecture import Architecture, Speculation, speculation
from sizing.memory.layouts import Layout, RefusedLayout


class Sizing(SizingResult):
    """Every result of one scenario, with what is said beside it and how it came about."""

    def variant(self, **changes: object) -> Sizing:
        """The sizing of the same scenario with other values."""
        return size(
            self.scenario.replace(**changes), checkpoint=self.checkpoint if "checkpoint" not in changes else None
        )

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a good engineer would say aloud, most serious first."""
        from sizing.answers import notes  # most sizings are never asked for theirs

        return notes.notes(self)

    @functools.cached_property
    def working(self) -> tuple[Step, ...]:
        """The steps behind the figures, in reading order; those of the best layout."""
        from sizing.answers import working

        return working.working(self)


def size(scenario: Scenario, *, checkpoint: catalogue.Checkpoint | None = None) -> Sizing:
    """Every result of one scenario.

    checkpoint: stands in for ``scenario.checkpoint`` where a model is not in the catalogue; the result's scenario
        then holds it.
    SizingError: an id that the catalogue does not have, an architecture that cannot be read, a precision that the
    model cannot use, a model whose weights are neither known nor can be estimated.

    >>> size(Scenario(cards=4, context_tokens=8192, kv_dtype="fp8")).layout(copies=1, tp=4).conversations
    211
    """
    if not isinstance(scenario, Scenario):
        raise SizingError("not_a_scenario", input="scenario", value=type(scenario).__name__)
    if checkpoint is not None:
        scenario = scenario.replace(checkpoint=checkpoint)  # an id that holds the model, where the catalogue has none
    card = catalogue.card(scenario.card)
    model = checkpoint or catalogue.checkpoint(scenario.checkpoint)
    processor = catalogue.processor(scenario.processor)
    architecture = model.architecture
    kv_dtype = architecture.resolve_kv_dtype(scenario.kv_dtype)
    reported = reported_memory(card)
    weights_bytes, estimated = weights(model)
    drafting = drafting_of(scenario, architecture)
    terms = architecture.terms(kv_dtype)[0] + drafting.terms(kv_dtype, 1)
    if scenario.memory_rule in engine.RULES:
        rule, usable, found, refused = _by_engine(scenario, card, model, weights_bytes)
    else:
        rule = budget.resolve_rule(scenario.memory_rule, **own_figures(scenario))
        usable = usable_memory(scenario, card)
        found, refused = _layouts(scenario, architecture, kv_dtype, weights_bytes, usable)
    catalogue.circuit(scenario.circuit)  # an unknown one is a SizingError that names the known ones
    return Sizing(
        scenario=scenario,
        card=card,
        checkpoint=model,
        processor=processor,
        kv_dtype=kv_dtype,
        memory_rule=rule,
        reported_gib_per_card=reported.value_gib,
        memory_derived=reported.derived,
        usable_gib_per_card=usable,
        weights_gib=gib(weights_bytes),
        weights_estimated=estimated,
        kv_terms=terms,
        speculation=drafting,
        kv_gib_per_conversation=gib(terms.bytes(scenario.context_tokens)),
        layouts=found,
        refused_layouts=refused,
    )


def _splits(
    scenario: Scenario, architecture: Architecture
) -> tuple[list[tuple[int, int, int]], tuple[RefusedLayout, ...]]:
    """Every way to use the cards that the engine starts, and those it refuses."""
    open_to: list[tuple[int, int, int]] = []
    refused: list[RefusedLayout] = []
    for copies, tp, pp in layouts.splits(scenario.cards):
        if reason := layouts.obstacle(architecture, tp, pp, scenario.engine):
            refused.append(RefusedLayout(copies, tp, pp, *reason))
        else:
            open_to.append((copies, tp, pp))
    return open_to, tuple(refused)


def _layouts(
    scenario: Scenario, architecture: Architecture, kv_dtype: str, weights_bytes: float, usable_gib_per_card: float
) -> tuple[tuple[Layout, ...], tuple[RefusedLayout, ...]]:
    splits, refused = _splits(scenario, architecture)
    found = [
        layouts.evaluate(
            split,
            card_stages,
            weights_bytes=weights_bytes,
            usable_gib_per_card=usable_gib_per_card,
            context_tokens=scenario.context_tokens,
            dcp=dcp,
            attention_dp=ranks,
        )
        for split, card_stages, dcp, ranks in _ways(scenario, architecture, kv_dtype, splits)
    ]
    return tuple(found), refused


def _ways(
    scenario: Scenario, architecture: Architecture, kv_dtype: str, splits: list[tuple[int, int, int]]
) -> Iterator[tuple[tuple[int, int, int], tuple[layouts.Stage, ...], int, int]]:
    """Each split with the cards of its stages, the context parallelism it can use, and its attention ranks."""
    drafting = drafting_of(scenario, architecture)
    for split in splits:
        dcp = layouts.context_parallel(architecture, split[1], scenario.dcp)
        yield split, layouts.stages(architecture, kv_dtype, split[1], split[2], dcp, drafting), dcp, 1
    ranks = scenario.attention_dp
    if ranks > 1:
        card_stages = layouts.attention_parallel(architecture, kv_dtype, ranks, drafting)
        if scenario.cards % ranks == 0:
            yield (scenario.cards // ranks, 1, 1), card_stages, 1, ranks


def drafting_of(scenario: Scenario, architecture: Architecture) -> Speculation:
    """What the scenario's speculative decoding adds to a copy."""
    draft = engine.draft(scenario)
    return speculation(
        architecture,
        scenario.speculative_tokens,
        draft.architecture if draft else None,
        weights(draft)[0] if draft else 0,
    )


def _by_engine(
    scenario: Scenario, card: catalogue.Card, model: catalogue.Checkpoint, weights_bytes: float
) -> tuple[budget.MemoryRule, float, tuple[Layout, ...], tuple[RefusedLayout, ...]]:
    """Rule, usable memory of the best layout's card, and layouts as an engine release counts them."""
    seen = engine.engine_card(card, reported_memory(card).value_gib)
    if seen is None:
        raise SizingError("engine_card_unknown", input="memory_rule", value=card.name)
    splits, refused = _splits(scenario, model.architecture)
    found: list[tuple[Layout, float]] = []
    for split, card_stages, dcp, ranks in _ways(scenario, model.architecture, "bf16", splits):
        on_card_gib = gib(max(weights_bytes * stage.weight_share + stage.extra_bytes for stage in card_stages))
        verdict = engine.verdict(scenario, model, seen, split, on_card_gib, dcp=dcp, attention_dp=ranks)
        found.append((engine.layout(verdict, on_card_gib, seen.total_gib), on_card_gib + verdict.available_gib))
    rules = engine.rules(scenario)
    utilization = scenario.utilization or rules.rules(engine.release(scenario)).default_utilization
    _, usable = max(found, key=lambda each: (each[0].fits, each[0].conversations or 0, each[0].copies))
    usable = min(usable, utilization * seen.total_gib) if not any(each.fits for each, _ in found) else usable
    # The rule's share is of what the driver reports, so that the bar of a card adds up to it. A log's figure may come
    # from an engine that was given a larger share.
    reported_gib = reported_memory(card).value_gib
    share = max(utilization * seen.total_gib, usable) / reported_gib
    reserve = share * reported_gib - usable
    sources = rules.RULES_SOURCE, rules.BUDGET_SOURCE
    rule = budget.MemoryRule(scenario.memory_rule, share, reserve, *sources, graphs_in_share=True)
    return rule, usable, tuple(layout for layout, _ in found), refused
