"""What an engine release says to a sizing: does it start, how many tokens does it print, how many requests run.

The planning rule answers "does it fit"; this answers "does this release start like that, and what will its log say".
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.base.units import gib
from sizing.base.working import Step
from sizing.memory import budget, engines
from sizing.memory.architecture import Architecture
from sizing.memory.layouts import Layout
from sizing.memory.starting import EngineBudget, EngineRules, EngineStart, Launch, Remedy, releases
from sizing.memory.widths import Widths, read_widths

if TYPE_CHECKING:
    from sizing.catalogue import Card, Checkpoint
    from sizing.catalogue.scenario import Scenario

# The names of Scenario.memory_rule under which the engine's own figures decide.
AS_IT_STARTS, AS_MEASURED = "engine", "measured"
RULES = (AS_IT_STARTS, AS_MEASURED)

NO_DRAFT = "none"
"""Scenario.draft_model where no other model drafts."""

FAR_BELOW = 0.75
"""Below this share of the planned conversations the engine's count is worth a warning."""


@dataclass(frozen=True)
class Verdict:
    """One layout under one engine release.

    available_gib: left for the cache on each card. [GiB]
    budget: the estimate behind it with its band; None where a log's figure was given or the widths are not known.
    startup: what the engine prints, or why it refuses.
    asked: model, launch and what a launch leaves for the cache, to ask again with another setting.
    conversations: running at once in all copies; 0 where it does not start, None where the model keeps no cache.
    """

    copies: int
    tp: int
    pp: int
    available_gib: float
    budget: EngineBudget | None
    startup: EngineStart
    attention_dp: int = 1
    asked: tuple[Architecture, Launch, Callable[[Launch], float]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def name(self) -> tuple[int, int, int]:
        """(copies, tp, pp), which names the layout."""
        return self.copies, self.tp, self.pp

    @property
    def starts(self) -> bool:
        """This release starts with these settings."""
        return self.startup.starts

    @property
    def conversations_per_copy(self) -> int | None:
        """Requests of full length that one copy runs at once by what is printed; None where it keeps no cache.

        Each attention rank is an engine of its own, with its own cache and its own limit of sequences.
        """
        held = self.startup.requests
        return None if held is None else self.attention_dp * held

    @property
    def conversations(self) -> int | None:
        """The same in all copies. [-]"""
        per_copy = self.conversations_per_copy
        return None if per_copy is None else self.copies * per_copy

    @property
    def runs(self) -> int | None:
        """Requests of full length that really run side by side while they decode; see ``EngineStart``. [-]"""
        held = self.startup.runs
        return None if held is None else self.copies * self.attention_dp * held

    def runs_with(self, available_gib: float) -> int | None:
        """The same where so much is left for the cache; 0 where it then does not start. [-]   available_gib: [GiB]"""
        if self.asked is None:
            return self.runs
        architecture, run, _ = self.asked
        startup = engines.engine(self.startup.engine).start_up(architecture, run, available_gib)
        if not startup.starts:
            return 0
        return None if startup.runs is None else self.copies * self.attention_dp * startup.runs

    @functools.cached_property
    def remedies(self) -> tuple[Remedy, ...]:
        """The single settings that cure a refused start, each with what is then printed."""
        return engines.engine(self.startup.engine).remedies(*self.asked) if self.asked else ()


@dataclass(frozen=True)
class EngineCard:
    """A card as the engine sees it.

    total_gib: memory that CUDA reports. [GiB]   compute_capability: such as (9, 0).
    """

    total_gib: float
    compute_capability: tuple[int, int]


def engine_card(card: Card, reported_gib: float) -> EngineCard | None:
    """The card as the engine's CUDA build sees it; None where it has no compute capability (another maker's).

    reported_gib: by the driver. [GiB]
    """
    if card.compute_capability is None:
        return None
    seen = card.cuda_visible_gib
    return EngineCard(seen.value if seen else budget.visible_gib(reported_gib), card.compute_capability)


def rules(scenario: Scenario) -> EngineRules:
    """The rules of a scenario's engine. SizingError where none are known."""
    return engines.engine(scenario.engine)


def release(scenario: Scenario) -> str:
    """The release of the scenario's engine: the one chosen, or its newest where that one is another engine's."""
    known = releases(scenario.engine)
    return scenario.engine_version if scenario.engine_version in known else known[-1]


def named(scenario: Scenario) -> dict[str, Any]:
    """The engine, its release and its flags, as notes and captions mention them."""
    flags = rules(scenario).FLAGS
    return {
        "program": Word(f"input.engine.{scenario.engine}"),
        "version": release(scenario),
        "share_flag": flags["utilization"],
        "seqs_flag": flags["max_num_seqs"],
        "batch_flag": flags["max_num_batched_tokens"],
        "length_flag": flags["max_model_len"],
    }


def launch(scenario: Scenario, card: EngineCard, layout: tuple[int, int, int] = (1, 1, 1), *, dcp: int = 1) -> Launch:
    """How the scenario's release starts a layout; 0 in the scenario stands for the engine's own default.

    card: as the engine sees it.   layout: (copies, tp, pp).   dcp: decode context parallelism. [-]
    """
    drafter = draft(scenario)
    asked = Launch(
        version=release(scenario),
        total_gib=card.total_gib,
        compute_capability=card.compute_capability,
        tp=layout[1],
        pp=layout[2],
        dcp=dcp,
        max_model_len=scenario.context_tokens,
        kv_dtype=scenario.kv_dtype,
        max_num_batched_tokens=scenario.max_num_batched_tokens or None,
        max_num_seqs=scenario.max_num_seqs or None,
        block_size=scenario.block_size or None,
        speculative_tokens=scenario.speculative_tokens,
        draft=drafter.architecture if drafter else None,
        prefix_caching={"auto": None, "on": True, "off": False}[scenario.prefix_caching],
        utilization=scenario.utilization or None,
    )
    return rules(scenario).completed(asked)


def draft(scenario: Scenario) -> Checkpoint | None:
    """The draft model of the scenario's speculative decoding, None where the model drafts itself or nothing does."""
    if not scenario.speculative_tokens or scenario.draft_model == NO_DRAFT:
        return None
    try:
        return catalogue.checkpoint(scenario.draft_model)
    except SizingError as error:
        raise SizingError(error.key, **{**error.values, "input": "draft_model"}) from None


def widths(checkpoint: Checkpoint) -> Widths:
    """Widths that decide the activations. SizingError where the config does not state them."""
    return read_widths(checkpoint.config, len(checkpoint.architecture.layers))


def verdict(
    scenario: Scenario,
    checkpoint: Checkpoint,
    card: EngineCard,
    layout: tuple[int, int, int],
    weights_gib_per_card: float,
    *,
    dcp: int = 1,
    attention_dp: int = 1,
) -> Verdict:
    """What the scenario's release says to one layout.

    checkpoint: the model.   layout: (copies, tp, pp).   weights_gib_per_card: on the fullest card. [GiB]
    dcp: decode context parallelism.   attention_dp: cards that run the attention side by side, each an engine of its
    own with the experts split among them. [-]
    The cache gets what the budget leaves, or under the rule "measured" what the scenario's log had.
    """
    run = launch(scenario, card, layout, dcp=dcp)
    estimate: EngineBudget | None = None
    wide = None if scenario.memory_rule == AS_MEASURED else widths(checkpoint)
    loaded_gib = weights_gib_per_card
    if wide is not None and wide.expert_padding:
        loaded_gib *= 1 + wide.expert_padding * (checkpoint.architecture.expert_weight_share or 1.0)

    def left_gib(changed: Launch) -> float:
        if wide is None:
            return float(scenario.measured_kv_gib)
        return rules(scenario).budget(changed, widths=wide, weights_gib=loaded_gib).typical_gib

    if wide is not None:
        estimate = rules(scenario).budget(run, widths=wide, weights_gib=loaded_gib)
    available_gib = left_gib(run) if estimate is None else estimate.typical_gib
    startup = rules(scenario).start_up(checkpoint.architecture, run, available_gib)
    asked = (checkpoint.architecture, run, left_gib)
    return Verdict(*layout, available_gib, estimate, startup, attention_dp, asked)


def layout(verdict: Verdict, weights_gib_per_card: float, total_gib: float) -> Layout:
    """A verdict as a layout, with the engine's own pages for the cache of a conversation.

    weights_gib_per_card: on the fullest card. [GiB]
    total_gib: of the card; a log's cache memory that does not fit beside these weights is of another set-up. [GiB]
    """
    startup, held = verdict.startup, verdict.conversations_per_copy
    reason = ""
    values: tuple[tuple[str, Any], ...] = ()
    beyond = startup.starts and weights_gib_per_card + verdict.available_gib > total_gib
    if beyond:
        reason = "measured_beyond_card"
        values = (("weights_gib", weights_gib_per_card), ("kv_gib", verdict.available_gib), ("total_gib", total_gib))
    if not startup.starts:
        assert startup.refusal is not None
        word = startup.refusal.words["reason"]
        reason, values = word.key, word.values
    return Layout(
        copies=verdict.copies,
        tp=verdict.tp,
        pp=verdict.pp,
        fits=startup.starts and not beyond,
        conversations=0 if beyond else verdict.conversations,
        conversations_per_copy=0 if beyond else held,
        weights_gib_per_card=weights_gib_per_card,
        kv_gib_per_card_per_conversation=gib(startup.request_bytes),
        free_gib_per_card=max(0.0, verdict.available_gib),
        reason_key=reason,
        reason_values=values,
        dcp=startup.dcp,
        attention_dp=verdict.attention_dp,
    )


def steps(verdict: Verdict) -> tuple[Step, ...]:
    """How the engine's figures came about; empty where it does not start or keeps no cache."""
    started = verdict.startup
    return engines.engine(started.engine).explain(started) if started.starts and started.keeps_cache else ()


def refused(scenario: Scenario, verdict: Verdict | None) -> tuple[Note, ...]:
    """The stop where a release does not start like that; nothing where it does or its rules do not cover it."""
    if verdict is None or verdict.startup.refusal is None:
        return ()
    values = {**named(scenario), **verdict.startup.refusal.words}
    if verdict.remedies:
        values["remedy"] = verdict.remedies[0].word
    return (Note("stop", "engine_refuses", rules(scenario).RULES_SOURCE, values),)


def notes(scenario: Scenario, chosen: Verdict | None, best: Layout) -> tuple[Note, ...]:
    """What to say of the engine beside the planning figures: refusals, the limit that binds, and why figures differ.

    chosen: what it says to the best layout, None where its rules do not cover it.
    """
    if scenario.engine not in engines.names():
        return (Note("hint", "engine_not_known", values={"engine": Word(f"input.engine.{scenario.engine}")}),)
    if chosen is None or not chosen.starts:
        return refused(scenario, chosen)
    values, source = named(scenario), rules(scenario).RULES_SOURCE
    startup = chosen.startup
    said = []
    planned = best.conversations_per_copy
    engine_count = chosen.conversations_per_copy
    if scenario.memory_rule not in RULES and planned and engine_count is not None and engine_count != planned:
        key = "engine_holds_fewer" if engine_count < planned else "engine_holds_more"
        counts = {**values, "planned": planned * best.copies, "engine": chosen.conversations}
        far = engine_count < planned * FAR_BELOW
        said.append(Note("warn" if far else "hint", key, source, counts))
    if startup.limit == "sequences":
        said.append(Note("warn", "sequences_bind", source, {**values, "max_num_seqs": startup.max_num_seqs}))
    if startup.evidence == "code":
        said.append(Note("hint", "engine_not_in_a_log", source, values))
    return tuple(said)
