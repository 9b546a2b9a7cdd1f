"""What memory, engine and site say of one scenario, as a plain value; its notes and working stand in files above."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Self

from sizing import catalogue
from sizing.answers import engine
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.drawn import Drawn
from sizing.base.errors import SizingError
from sizing.base.units import bytes_from_gib
from sizing.catalogue.scenario import Scenario
from sizing.memory import budget, layouts
from sizing.memory.architecture import Architecture, Speculation
from sizing.memory.layouts import Layout, RefusedLayout
from sizing.memory.terms import Terms

if TYPE_CHECKING:
    from sizing.site.options import OnCircuit
    from sizing.site.plan import SitePlan


@dataclass(frozen=True)
class CardMemory:
    """Where the memory of the fullest card goes in one layout, in the order of the bar; they add up to reported_gib.

    weights_gib, cache_used_gib, cache_free_gib: used by the conversations that fit, and what they leave over. [GiB]
    reserve_gib: kept for CUDA graphs and activations. driver_gib: the share the engine does not touch. [GiB]
    overflow_gib: what the weights or the first conversation need beyond the card; 0 where the layout fits. [GiB]
    """

    weights_gib: float
    cache_used_gib: float
    cache_free_gib: float
    reserve_gib: float
    driver_gib: float
    overflow_gib: float


@dataclass(frozen=True)
class SizingResult(
    Drawn,
    Shown,
    facts=(
        "scenario",
        "fits",
        "best",
        "usable_gib_per_card",
        "weights_gib",
        "kv_gib_per_conversation",
        "kv_dtype",
        "rated_w",
        "server_w",
        "cfm",
    ),
    lists=("layouts", "circuits", "notes", "working"),
):
    """Every result of one scenario.

    kv_dtype: the precision that the scenario's choice means here.
    reported_gib_per_card: as the driver reports it. usable_gib_per_card: for weights and cache. [GiB]
    memory_derived: the card's maker prints no figure in MiB, so the reported one is worked out from its GB.
    weights_gib: of one copy. weights_estimated: from the config, since the size of the files is not known. [GiB]
    kv_terms, kv_gib_per_conversation: of one conversation over all cards of a copy, before any replication. [GiB]
    speculation: layers that draft, and a draft model's weights.
    layouts: every way to use all the cards; refused_layouts: splits the engine would not start.
    recommended: the layout that `sizing.answer` recommends; None in a sizing that no answer stands on.
    """

    scenario: Scenario
    card: catalogue.Card
    checkpoint: catalogue.Checkpoint
    processor: catalogue.Processor
    kv_dtype: str
    memory_rule: budget.MemoryRule
    reported_gib_per_card: float
    memory_derived: bool
    usable_gib_per_card: float
    weights_gib: float
    weights_estimated: bool
    kv_terms: Terms
    speculation: Speculation
    kv_gib_per_conversation: float
    layouts: tuple[Layout, ...]
    refused_layouts: tuple[RefusedLayout, ...]
    recommended: Layout | None = None

    @property
    def architecture(self) -> Architecture:
        """Cache geometry of the checkpoint."""
        return self.checkpoint.architecture

    @property
    def usable_gib(self) -> float:
        """Memory of all cards for weights and cache. [GiB]"""
        return self.usable_gib_per_card * self.scenario.cards

    @functools.cached_property
    def site(self) -> SitePlan:
        """Power, connection, air and host of the server: the only verdict on them."""
        from sizing.site.plan import site_plan  # only where asked: the memory of a server needs no site

        return site_plan(self.scenario, bytes_from_gib(self.weights_gib))

    @property
    def cards_w(self) -> float:
        """Cards at their cap. [W]"""
        return self.site.draw.cards_w

    @property
    def rated_w(self) -> float:
        """Cards at their cap and processors at their rating. [W]"""
        return self.site.draw.rated_w

    @property
    def server_w(self) -> float:
        """The whole server, or what was measured at the wall at full load. [W]"""
        return self.site.draw.server_w

    @property
    def cfm(self) -> float:
        """Air that carries the server's heat away. [CFM]"""
        return self.site.cooling.cfm

    @property
    def m3_per_h(self) -> float:
        """The same. [m³/h]"""
        return self.site.cooling.m3_per_h

    @functools.cached_property
    def circuits(self) -> tuple[OnCircuit, ...]:
        """Every circuit of the catalogue with the servers connected on it."""
        from sizing.site import options

        listed = (catalogue.circuit(id) for id in catalogue.circuit_ids())
        return tuple(options.on_circuit(self.site, circuit) for circuit in listed)

    @property
    def circuit(self) -> OnCircuit:
        """The one chosen."""
        return self.site.on_chosen

    @property
    def fits(self) -> bool:
        """At least one layout holds the weights and a conversation."""
        return any(layout.fits for layout in self.layouts)

    @functools.cached_property
    def planned(self) -> Layout:
        """The layout with the most conversations by the memory rule, the one with more copies where two are level."""
        return max(self.layouts, key=_most)

    @functools.cached_property
    def best(self) -> Layout:
        """The layout that answers: the planned one, or where the engine's release refuses it the best that it starts.

        Where it starts none that fits, or its rules do not cover card or model, it is the planned one.
        """
        if self.recommended is not None:
            return self.recommended
        if self.by_engine or not self.planned.fits or self.starts(self.planned) is not False:
            return self.planned
        open_to = [layout for layout in self.layouts if layout.fits and self.starts(layout)]
        return max(open_to, key=_most, default=self.planned)

    def answered(self, layout: Layout) -> Self:
        """The same sizing with the layout that `sizing.answer` recommends as its best one."""
        told = dataclasses.replace(self, recommended=layout)
        told.__dict__["_asked"] = self._asked  # what the engine said holds for both
        return told

    def starts(self, layout: Layout) -> bool | None:
        """The scenario's engine release starts this layout; None where its rules do not cover card or model."""
        verdict = self.verdict_of(layout)
        return None if verdict is None else verdict.starts

    def verdict_of(self, layout: Layout) -> engine.Verdict | None:
        """What the engine release says to one layout; None where its rules do not cover card or model."""
        key = (*layout.name, layout.attention_dp)
        if key not in self._asked:
            try:
                self._asked[key] = _verdict(self, layout, self.scenario.context_tokens)
            except SizingError:
                self._asked[key] = None
        return self._asked[key]

    @functools.cached_property
    def _asked(self) -> dict[tuple[int, ...], engine.Verdict | None]:
        return {}

    def layout(self, *, copies: int = 1, tp: int = 1, pp: int = 1) -> Layout:
        """One layout by name. SizingError where these cards and this model have none such."""
        return layouts.choose(self.layouts, copies, tp, pp)

    def conversations_at(self, layout: Layout, context_tokens: int) -> int | None:
        """Conversations of another length that the same layout holds; None where the model keeps no cache. [-]"""
        if self.by_engine:
            return _verdict(self, layout, context_tokens).conversations
        return _evaluate(self, layout, context_tokens).conversations

    @property
    def by_engine(self) -> bool:
        """The layouts hold what an engine release says, and not what a planning rule leaves."""
        return self.scenario.memory_rule in engine.RULES

    @functools.cached_property
    def verdicts(self) -> tuple[engine.Verdict, ...]:
        """What the scenario's engine release says to each layout; empty where its rules do not cover card or model."""
        found = [self.verdict_of(layout) for layout in self.layouts]
        return tuple(verdict for verdict in found if verdict is not None) if None not in found else ()

    def card_memory(self, layout: Layout) -> CardMemory:
        """Where the memory of the layout's fullest card goes."""
        held = (layout.conversations_per_copy or 0) / layout.attention_dp
        used = held * layout.kv_gib_per_card_per_conversation
        usable, reserve = self.usable_gib_per_card, self.memory_rule.reserve_gib
        driver = self.reported_gib_per_card * (1 - self.memory_rule.share)
        if self.by_engine:
            # The engine takes its reserve from a share of what CUDA sees, and it differs from layout to layout.
            usable = layout.weights_gib_per_card + self._available_gib(layout)
            reserve = max(0.0, self.reported_gib_per_card - driver - usable)
            driver = max(0.0, self.reported_gib_per_card - usable - reserve)
            overflow = max(layout.weights_gib_per_card, usable) - self.reported_gib_per_card
        else:
            overflow = layout.weights_gib_per_card - usable
        overflow = max(0.0, overflow, layout.weights_gib_per_card - usable)
        if not layout.fits and not overflow:
            overflow = max(0.0, layout.kv_gib_per_card_per_conversation - layout.free_gib_per_card)
        return CardMemory(
            weights_gib=layout.weights_gib_per_card,
            cache_used_gib=used,
            cache_free_gib=max(0.0, layout.free_gib_per_card - used),
            reserve_gib=reserve,
            driver_gib=driver,
            overflow_gib=overflow,
        )

    def _available_gib(self, layout: Layout) -> float:
        """What the engine leaves for the cache; below 0 where the weights leave less than nothing. [GiB]"""
        verdict = self.verdict_of(layout)
        assert verdict is not None  # the layouts of an engine's rule are made of its verdicts
        return verdict.available_gib


def _most(layout: Layout) -> tuple[bool, int, int]:
    return layout.fits, layout.conversations or 0, layout.copies


def _verdict(sizing: SizingResult, layout: Layout, context_tokens: int) -> engine.Verdict:
    seen = engine.engine_card(sizing.card, sizing.reported_gib_per_card)
    if seen is None:
        raise SizingError("engine_card_unknown", input="memory_rule", value=sizing.card.name)
    scenario = sizing.scenario
    if context_tokens != scenario.context_tokens:
        scenario = scenario.replace(context_tokens=context_tokens)
    return engine.verdict(
        scenario,
        sizing.checkpoint,
        seen,
        layout.name,
        layout.weights_gib_per_card,
        dcp=layout.dcp,
        attention_dp=layout.attention_dp,
    )


def _evaluate(sizing: SizingResult, layout: Layout, context_tokens: int) -> Layout:
    drafting = sizing.speculation
    if layout.attention_dp > 1:
        ranks = layout.attention_dp
        card_stages = layouts.attention_parallel(sizing.architecture, sizing.kv_dtype, ranks, drafting)
    else:
        card_stages = layouts.stages(sizing.architecture, sizing.kv_dtype, layout.tp, layout.pp, layout.dcp, drafting)
    return layouts.evaluate(
        layout.name,
        card_stages,
        weights_bytes=bytes_from_gib(sizing.weights_gib),
        usable_gib_per_card=sizing.usable_gib_per_card,
        context_tokens=context_tokens,
        dcp=layout.dcp,
        attention_dp=layout.attention_dp,
    )
