"""How fast will it feel? Speed against conversations for every layout, with its physical limit and its gaps.

>>> import sizing
>>> found = speed(sizing.size(sizing.Scenario(prompt_tokens=2048, answer_tokens=512)))
>>> found.request.history_tokens
5632
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.units import gib
from sizing.base.working import Step
from sizing.catalogue.results import Pair, speculative_pairs
from sizing.catalogue.scenario import Scenario
from sizing.memory import engines
from sizing.memory.architecture import Architecture
from sizing.memory.layouts import Layout
from sizing.memory.starting import Launch
from sizing.speed import caps, operations
from sizing.speed.band import band
from sizing.speed.caps import CapEffect
from sizing.speed.curve import Curve, LayoutLine, Point, SpeedRequest, curve, request, steps
from sizing.speed.interconnect import Fact, advice
from sizing.speed.limit import limit, other_bandwidths
from sizing.speed.measured import Gap, Operations
from sizing.speed.tables import tables

# An engine that sets no limit by the card ends at 2,048 to 4,096 by its pool. [-] Source: sglang-kv-rules
_MOST_RUNNING = 4096


class Sized(Protocol):
    """What a speed asks of a sizing; see `sizing.answers.size.Sizing`."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def card(self) -> catalogue.Card: ...
    @property
    def checkpoint(self) -> catalogue.Checkpoint: ...
    @property
    def architecture(self) -> Architecture: ...
    @property
    def kv_dtype(self) -> str: ...
    @property
    def kv_gib_per_conversation(self) -> float: ...
    @property
    def reported_gib_per_card(self) -> float: ...
    @property
    def layouts(self) -> Sequence[Layout]: ...
    @property
    def best(self) -> Layout: ...


@dataclass(frozen=True)
class Speed:
    """The speed of one sizing.

    curves: of every layout that fits and of which something is known, as the sizing lists them.
    running_max: requests of a copy that the engine runs at once by default. [-]
    gap: why the chosen layout has no measured operations, or None.   other_bandwidths: conflicting figures. [GB/s]
    """

    sizing: Sized
    request: SpeedRequest
    curves: tuple[Curve, ...]
    running_max: int
    other_bandwidths: tuple[tuple[float, str, str], ...]

    @property
    def floor_tokens_s(self) -> float:
        """Slowest speed of one conversation that is accepted. [tokens/s]"""
        return self.sizing.scenario.floor_tokens_s

    @property
    def best(self) -> Curve | None:
        """The curve of the layout that the sizing answers with; None where nothing is known of it."""
        return next((found for found in self.curves if found.layout == self.sizing.best), None)

    @property
    def gap(self) -> Gap | None:
        """Why there are no measured operations for the best layout, or None."""
        return self.best.gap if self.best else None

    @property
    def cap_effects(self) -> tuple[CapEffect, ...]:
        """What published studies found at this cap, or next to it; empty for a card that none of them ran, and for one
        that is not capped: a card at its own default is no other card held back."""
        cap_w, card = self.sizing.scenario.power_cap_w, self.sizing.card
        return self._around(cap_w) if cap_w < card.power_default_w.value else ()

    def _around(self, cap_w: float) -> tuple[CapEffect, ...]:
        studied = {effect.card for effect in caps.effects()}
        return caps.around(cap_w) if self.sizing.card.id in studied else ()

    @property
    def shown_caps_w(self) -> tuple[float, ...]:
        """Caps to show the cost of: the chosen one, or those the card is also delivered with and can be set to."""
        cap_w, card = self.sizing.scenario.power_cap_w, self.sizing.card
        if self.cap_effects:
            return (cap_w,)
        lower = {mode.value for mode in card.power_modes_w} | ({card.power_min_w.value} if card.power_min_w else set())
        return tuple(sorted((value for value in lower if self._around(value)), reverse=True))

    @property
    def shown_cap_effects(self) -> tuple[CapEffect, ...]:
        """What published studies found at the caps shown: at the chosen one or next to it, else at these alone."""
        found = self.cap_effects or tuple(effect for effect in caps.effects() if effect.cap_w in self.shown_caps_w)
        return tuple(sorted(found, key=lambda effect: (-effect.cap_w, effect.study)))

    @property
    def speculative_gain(self) -> tuple[Pair, ...]:
        """Published runs with and without speculative decoding, alike otherwise."""
        return speculative_pairs()

    @property
    def speculative_cache_gib(self) -> float:
        """Cache that the modules for speculative decoding add to a conversation; 0 where the model has none. [GiB]"""
        caches = [cache for layer in self.sizing.architecture.mtp_layers for cache in layer.caches]
        held = sum(cache.terms(self.sizing.kv_dtype).bytes(self.sizing.scenario.context_tokens) for cache in caches)
        return gib(held)

    @property
    def speculative_cache_share(self) -> float:
        """The same as a share of a conversation's cache. [-]"""
        whole = self.sizing.kv_gib_per_conversation
        return self.speculative_cache_gib / whole if whole else 0.0

    @property
    def kernels_release(self) -> str:
        """Release of the engine whose kernels were measured on this card, or on most where it was not measured."""
        engine, system = self.sizing.scenario.engine, tables().systems.get(self.sizing.card.id)
        return (system.releases.get(engine) if system else None) or tables().engines[engine].release

    def steps(self, found: Curve, point: Point) -> tuple[Step, ...]:
        """The working of one point."""
        return steps(found, point, self.request)

    @property
    def advice(self) -> tuple[Fact, ...]:
        """Facts on passing sums between cards without a direct link, for the layouts that fit."""
        if self.sizing.card.link is not None:
            return ()
        return advice(tuple(found.layout for found in self.curves))

    def curve(self, name: tuple[int, int, int]) -> Curve | None:
        """The curve of a layout by (copies, tp, pp)."""
        return next((found for found in self.curves if found.layout.name == name), None)


def loaded(sizing: Sized) -> bool:
    """Whether a speed can be given at once: the kernels it needs are in memory, or there are none to load."""
    return operations.loaded(sizing.card, sizing.scenario.engine)


def speed(sizing: Sized, *, measured: bool = True) -> Speed:
    """The speed of a sizing: a curve for every layout that fits.

    measured: with measured operations; without them, what stands while they load.

    Measured operations are loaded when they are first asked for, which takes a second or two; a slider that moves
    afterwards asks compiled tables only. Where there are none the physical limit stands alone, and each curve says why.
    """
    scenario = sizing.scenario
    asked = request(scenario)
    running = scenario.max_num_seqs or _default_running(sizing) or _MOST_RUNNING
    slowed = (kept(sizing), band(scenario.engine).step_ms) if measured else (None, 0.0)
    found: list[Curve] = []
    for layout in sizing.layouts:
        if not layout.fits or layout.conversations is None:
            continue
        if one := curve(_line(sizing, layout, asked, running, slowed, measured=measured), scenario.floor_tokens_s):
            found.append(one)
    return Speed(sizing, asked, tuple(found), running, other_bandwidths(sizing.card))


def _default_running(sizing: Sized) -> int | None:
    if sizing.scenario.engine not in engines.names():
        return None
    rules = engines.engine(sizing.scenario.engine)
    launch = Launch(rules.NEWEST, total_gib=sizing.reported_gib_per_card)
    if capability := sizing.card.compute_capability:
        launch = replace(launch, compute_capability=capability)
    return rules.completed(launch).max_num_seqs


def _line(
    sizing: Sized,
    layout: Layout,
    asked: SpeedRequest,
    running: int,
    slowed: tuple[caps.Kept | None, float],
    *,
    measured: bool,
) -> LayoutLine:
    card, model, kv_dtype = sizing.card, sizing.checkpoint, sizing.kv_dtype
    # Attention ranks share out the experts as TP would. What each keeps whole only adds to it, so that the bound holds.
    bound = limit(card, model, kv_dtype=kv_dtype, tp=layout.tp * layout.attention_dp, pp=layout.pp, dcp=layout.dcp)
    found: Operations | Gap
    if measured:
        found = operations.of_layout(card, model, layout, engine=sizing.scenario.engine, kv_dtype=kv_dtype)
    else:
        found = Gap("loading")
    if isinstance(found, Gap):
        return LayoutLine(layout, asked, found, bound, running * layout.attention_dp)
    return LayoutLine(layout, asked, found, bound, running * layout.attention_dp, *slowed)


def kept(sizing: Sized) -> caps.Kept | None:
    """What the scenario's power cap leaves of the speed; None without a cap, and where no study of the chip has it."""
    cap_w, card = sizing.scenario.power_cap_w, sizing.card
    studied = card.id in {effect.card for effect in caps.effects()}
    reference_w = tables().library.reference_cap_w
    if not studied or cap_w >= reference_w or card.power_default_w.value < reference_w:
        return None
    return caps.kept(cap_w)


__all__ = ["Curve", "Gap", "Speed", "speed", "tables"]
