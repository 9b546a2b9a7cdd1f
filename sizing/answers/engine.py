"""What an engine release says to a sizing: does it start, how many tokens does it print, how many requests run.

The planning rule answers "does it fit"; this answers "does this release start like that, and what will its log say".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.base.units import floor_count, gib
from sizing.base.working import Step
from sizing.memory import budget, vllm
from sizing.memory.budget import Engine, EngineBudget, Widths
from sizing.memory.layouts import Layout

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
    conversations: running at once in all copies; 0 where it does not start, None where the model keeps no cache.
    """

    copies: int
    tp: int
    pp: int
    available_gib: float
    budget: EngineBudget | None
    startup: vllm.Startup
    attention_dp: int = 1

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
        """Requests of full length that one copy runs at once; None where the model keeps no cache."""
        if not self.startup.starts:
            return 0
        if not self.startup.groups:
            return None
        held = floor_count(self.startup.max_concurrency or 0.0)
        # Each attention rank is an engine of its own, with its own cache and its own limit of sequences.
        return self.attention_dp * min(held, self.startup.max_num_seqs or held)

    @property
    def conversations(self) -> int | None:
        """The same in all copies."""
        per_copy = self.conversations_per_copy
        return None if per_copy is None else self.copies * per_copy


@dataclass(frozen=True)
class EngineCard:
    """A card as the engine sees it.

    total_gib: memory that CUDA reports. [GiB]   capability: compute capability.
    """

    total_gib: float
    capability: tuple[int, int]


def engine_card(card: Card, reported_gib: float) -> EngineCard | None:
    """The card as vLLM's CUDA build sees it; None where the card has no compute capability (another maker's)."""
    if card.compute_capability is None:
        return None
    seen = card.cuda_visible_gib
    return EngineCard(seen.value if seen else budget.visible_gib(reported_gib), card.compute_capability)


def settings(scenario: Scenario, card: EngineCard) -> Engine:
    """The scenario's engine settings; 0 stands for the engine's own default."""
    return budget.engine_defaults(
        card.total_gib,
        version=scenario.engine_version,
        compute_capability=card.capability,
        max_num_batched_tokens=scenario.max_num_batched_tokens or None,
        max_num_seqs=scenario.max_num_seqs or None,
    )


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
    return budget.read_widths(checkpoint.config, len(checkpoint.architecture.layers))


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

    layout: (copies, tp, pp).   weights_gib_per_card: on the fullest card. [GiB]
    dcp: decode context parallelism.   attention_dp: cards that run the attention side by side, each an engine of its
    own with the experts split among them. [-]
    The cache gets what the budget leaves, or under the rule "measured" what the scenario's log had.
    """
    copies, tp, pp = layout
    engine = settings(scenario, card)
    drafter = draft(scenario)
    estimate: EngineBudget | None = None
    if scenario.memory_rule == AS_MEASURED:
        available_gib = scenario.measured_kv_gib
    else:
        estimate = budget.engine_budget(
            card.total_gib,
            widths=widths(checkpoint),
            weights_gib=weights_gib_per_card,
            engine=engine,
            tp=tp,
            utilization=scenario.utilization or None,
        )
        available_gib = estimate.typical_gib
    startup = vllm.startup(
        checkpoint.architecture,
        available_kv_gib=available_gib,
        max_model_len=scenario.context_tokens,
        tp=tp,
        pp=pp,
        dcp=dcp,
        kv_dtype=scenario.kv_dtype,
        version=scenario.engine_version,
        compute_capability=card.capability,
        max_num_batched_tokens=engine.max_num_batched_tokens,
        max_num_seqs=engine.max_num_seqs,
        speculative_tokens=scenario.speculative_tokens,
        prefix_caching={"auto": None, "on": True, "off": False}[scenario.prefix_caching],
        card_gib=card.total_gib,
        draft=drafter.architecture if drafter else None,
    )
    return Verdict(copies, tp, pp, available_gib, estimate, startup, attention_dp)


def layout(verdict: Verdict, weights_gib_per_card: float, total_gib: float) -> Layout:
    """A verdict as a layout, with the engine's own pages for the cache of a conversation.

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
        reason, values = f"vllm.refusal.{startup.refusal.key}", tuple(startup.refusal.values.items())
    return Layout(
        copies=verdict.copies,
        tp=verdict.tp,
        pp=verdict.pp,
        fits=startup.starts and not beyond,
        conversations=0 if beyond else verdict.conversations,
        conversations_per_copy=0 if beyond else held,
        weights_gib_per_card=weights_gib_per_card,
        kv_gib_per_card_per_conversation=gib(startup.bytes_per_block * startup.blocks_per_request),
        free_gib_per_card=max(0.0, verdict.available_gib),
        reason_key=reason,
        reason_values=values,
        dcp=startup.dcp,
        attention_dp=verdict.attention_dp,
    )


def refusal(startup: vllm.Startup) -> dict[str, Word]:
    """Why it does not start and what would, as texts of whatever language."""
    why = startup.refusal
    assert why is not None
    mentioned = tuple({**why.values, "flag": why.flag, "number": why.number}.items())
    return {
        "reason": Word(f"vllm.refusal.{why.key}", mentioned),
        "remedy": Word(f"vllm.remedy.{why.key}", mentioned),
    }


def steps(verdict: Verdict) -> tuple[Step, ...]:
    """How the engine's figures came about; empty where it does not start or keeps no cache."""
    return vllm.explain(verdict.startup) if verdict.startup.starts and verdict.startup.groups else ()


def refused(scenario: Scenario, verdict: Verdict | None) -> tuple[Note, ...]:
    """The stop where a release does not start like that; nothing where it does or its rules do not cover it."""
    if verdict is None or verdict.starts:
        return ()
    values = {"version": scenario.engine_version, **refusal(verdict.startup)}
    return (Note("stop", "engine_refuses", "vllm-kv-rules", values),)


def notes(scenario: Scenario, chosen: Verdict | None, best: Layout) -> tuple[Note, ...]:
    """What to say of the engine beside the planning figures: refusals, the limit that binds, and why figures differ.

    chosen: what it says to the best layout, None where its rules do not cover it.
    """
    if chosen is None or not chosen.starts:
        return refused(scenario, chosen)
    values = {"version": scenario.engine_version}
    startup = chosen.startup
    said = []
    planned = best.conversations_per_copy
    engine_count = chosen.conversations_per_copy
    if scenario.memory_rule not in RULES and planned and engine_count is not None and engine_count != planned:
        key = "engine_holds_fewer" if engine_count < planned else "engine_holds_more"
        counts = {**values, "planned": planned * best.copies, "engine": chosen.conversations}
        far = engine_count < planned * FAR_BELOW
        said.append(Note("warn" if far else "hint", key, "vllm-kv-rules", counts))
    if startup.limit == "sequences":
        said.append(Note("warn", "sequences_bind", "vllm-kv-rules", {**values, "max_num_seqs": startup.max_num_seqs}))
    if startup.evidence == "code":
        said.append(Note("hint", "engine_not_in_a_log", "vllm-kv-rules", values))
    return tuple(said)
