"""What a service needs: every way to run one copy of it that holds what it is asked for."""

from __future__ import annotations

import functools
import math
from typing import Literal

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.base.units import KIB, bytes_from_gib, gib
from sizing.catalogue.amounts import reported_memory, usable_memory, weights
from sizing.catalogue.scenario import Scenario
from sizing.catalogue.slices import SliceProfile
from sizing.memory import budget, engines, layouts
from sizing.sharing.plan import Service

# The share of a card that an engine asks for, in the engine's own arithmetic. An engine asks for ceil(total x
# utilization) of what CUDA sees of the whole card, and does not start where less is free at that moment. Two engines
# on a card therefore have to be given shares that add up, whatever they need. Source: vllm-kv-rules.

STEPS = 10_000
"""A share is given with four decimals: a ten-thousandth of the card is the smallest step."""


@dataclass(frozen=True)
class Room:
    """What one card offers, in whole KiB where engines share it.

    rule: share and reserve.   reported_gib: by the driver.   usable_gib: for weights and cache of one engine. [GiB]
    visible_kib: total that CUDA sees.   limit_kib: what all engines of a card may ask for together: share x total.
    context_kib: what the driver takes for each engine's contexts, which older releases do not count as the engine's.
    step_kib: one step of a share, which rounding a share up may cost.   reserve_kib: of each engine. [KiB]
    engine: whose rules count.
    visible_stated: a source states what CUDA sees of this card; otherwise the usual gap to the driver's figure counts.
    """

    rule: budget.MemoryRule
    reported_gib: float
    usable_gib: float
    visible_kib: int
    limit_kib: int
    context_kib: int
    step_kib: int
    reserve_kib: int
    visible_stated: bool
    engine: str

    @property
    def visible_gib(self) -> float:
        """Total that CUDA sees. [GiB]"""
        return gib(self.visible_kib * KIB)


def room(scenario: Scenario) -> Room:
    """What one card of a scenario offers under its memory rule."""
    card = catalogue.card(scenario.card)
    reported = reported_memory(card).value_gib
    stated = card.cuda_visible_gib
    visible = kib(stated.value if stated else budget.visible_gib(reported), down=True)
    usable = usable_memory(scenario, card)
    own = scenario.memory_rule == budget.CUSTOM
    rule = budget.resolve_rule(
        scenario.memory_rule,
        share=scenario.memory_share if own else None,
        reserve_gib=scenario.memory_reserve_gib if own else None,
    )
    return Room(
        rule=rule,
        reported_gib=reported,
        usable_gib=usable,
        visible_kib=visible,
        limit_kib=math.floor(rule.share * visible * (1 + 1e-12)),
        context_kib=kib(engines.engine(scenario.engine).contexts_gib()),
        step_kib=-(-visible // STEPS),
        reserve_kib=kib(rule.reserve_gib),
        visible_stated=stated is not None,
        engine=scenario.engine,
    )


def kib(value_gib: float, *, down: bool = False) -> int:
    """GiB as whole KiB, rounded up, or down for what is offered."""
    exact = bytes_from_gib(value_gib) / KIB
    return math.floor(exact) if down else math.ceil(exact * (1 - 1e-15))


def utilization(need_kib: int, visible_kib: int) -> float:
    """The share that gives an engine at least ``need_kib`` of a card, with four decimals. [-]

    >>> utilization(25 * 2**20, 100 * 2**20)
    0.25
    """
    return -(-need_kib * STEPS // visible_kib) / STEPS


def requested_gib(total_gib: float, share: float) -> float:
    """What an engine asks for at start: ceil(total x utilization), of what CUDA sees. [GiB]"""
    return gib(math.ceil(bytes_from_gib(total_gib) * share))


Isolation = Literal["whole", "slice", "share"]
WHOLE, SLICE, SHARE = "whole", "slice", "share"
ALLOWED = {WHOLE: (WHOLE,), SLICE: (WHOLE, SLICE), SHARE: (WHOLE, SLICE, SHARE)}
"""What each wish for isolation allows: more is always welcome."""
LARGEST_COPY_CARDS = 8
SLICE_NOT_KNOWN = "sharing.refused.slice_not_known"
"""The low end of what a slice reports is too small and the high end is not: neither "fits" nor "does not fit"."""


@dataclass(frozen=True)
class Option:
    """One way to run one copy.

    kind: "whole" cards (tp x pp of them), a MIG "slice" (profile), or a "share" of a card.
    conversations: that the copy holds there; None where the model keeps no cache. For a share, what it is asked for.
    need_kib: for a share: weights, cache of those conversations, reserve, and one step of rounding. [KiB]
    """

    kind: Isolation
    conversations: int | None
    tp: int = 1
    pp: int = 1
    profile: int = -1
    need_kib: int = 0

    @property
    def cards(self) -> int:
        """Whole cards that it takes. [-]"""
        return self.tp * self.pp if self.kind == WHOLE else 0


@dataclass(frozen=True)
class Need:
    """A service with every option for a copy of it.

    weights_gib: of one copy, estimated where the files' size is not known. [GiB]   kv_dtype: resolved.
    weights_kib: the same in whole KiB. [KiB]
    kv_gib: cache of one conversation on one card. [GiB]   kv_kib: the same in whole KiB, 0 without a cache.
    options: those that hold what is asked, fewest resources first.   refused: for each kind of option, why none does.
    """

    service: Service
    name: str
    weights_gib: float
    weights_kib: int
    kv_dtype: str
    kv_gib: float
    kv_kib: int
    options: tuple[Option, ...]
    refused: tuple[Note, ...]

    def of_kind(self, kind: Isolation) -> tuple[Option, ...]:
        """Options of one kind."""
        return tuple(option for option in self.options if option.kind == kind)


def copy_layout(
    service: Service, kv_dtype: str, weights_gib: float, split: tuple[int, int], usable_gib: float
) -> layouts.Layout:
    """One copy split over TP x PP cards. weights_gib: of the copy. [GiB]   usable_gib: of a card or slice. [GiB]"""
    return layouts.evaluate(
        (1, *split),
        layouts.stages(catalogue.checkpoint(service.checkpoint).architecture, kv_dtype, *split),
        weights_bytes=bytes_from_gib(weights_gib),
        usable_gib_per_card=usable_gib,
        context_tokens=service.context_tokens,
    )


def need(service: Service, room: Room, profiles: tuple[SliceProfile, ...], largest_copy: int) -> Need:
    """Every option for a service. largest_copy: cards that a copy may span, those of one server. [-]

    SizingError: a checkpoint that cannot be read, or a precision that its cache cannot have.
    """
    model = catalogue.checkpoint(service.checkpoint)
    architecture = model.architecture
    kv_dtype = architecture.resolve_kv_dtype(service.kv_dtype)
    weights_bytes, _ = weights(model)
    wanted = service.wanted_per_copy
    kv_bytes = architecture.terms(kv_dtype)[0].bytes(service.context_tokens)
    kv_kib, weights_kib = math.ceil(kv_bytes / KIB), math.ceil(weights_bytes / KIB)
    found: list[Option] = []
    refused: list[Note] = []
    asked = ALLOWED[service.isolation]

    consider = functools.partial(copy_layout, service, kv_dtype, gib(weights_bytes))

    def why_not(layout: layouts.Layout, where: str | Word) -> Note | None:
        if not layout.fits:
            values = {"where": where, **dict(layout.reason_values)}
            return Note("stop", f"sharing.refused.{layout.reason_key}", "", values)
        if layout.conversations is not None and layout.conversations < wanted:
            values = {"where": where, "holds": layout.conversations, "wanted": wanted}
            return Note("stop", "sharing.refused.too_few", "", values)
        return None

    def in_slice(profile: SliceProfile, memory_gib: float) -> layouts.Layout | Note:
        usable = room.rule.usable_gib(memory_gib)
        if usable <= 0:
            return Note("stop", "sharing.refused.slice_too_small", "", {"where": profile.name})
        layout = consider((1, 1), usable)
        return why_not(layout, profile.name) or layout

    if SHARE in asked:
        held = None if not kv_kib else wanted
        own_kib = weights_kib + room.reserve_kib + room.step_kib
        need_kib = own_kib + (held or 0) * kv_kib
        if need_kib <= room.limit_kib and need_kib + room.context_kib <= room.visible_kib:
            found.append(Option("share", held, need_kib=need_kib))
    if SLICE in asked:
        for number, profile in enumerate(profiles):
            at_least, at_most = in_slice(profile, profile.memory_gib), in_slice(profile, profile.most_gib)
            if isinstance(at_most, Note):
                refused.append(at_most)
            elif isinstance(at_least, Note):
                values = {"where": profile.name, "low_gib": profile.memory_gib, "high_gib": profile.most_gib}
                refused.append(Note("warn", SLICE_NOT_KNOWN, profile.source, values))
            else:
                found.append(Option("slice", at_least.conversations, profile=number))
    for cards in range(1, min(largest_copy, LARGEST_COPY_CARDS) + 1):
        best: Option | None = None
        for _, tp, pp in layouts.splits(cards):
            if tp * pp != cards or layouts.obstacle(architecture, tp, pp, room.engine):
                continue
            layout = consider((tp, pp), room.usable_gib)
            where = f"TP={tp} × PP={pp}" if cards > 1 else Word("sharing.refused.one_card")
            if reason := why_not(layout, where):
                refused.append(reason)
            elif best is None or (layout.conversations or 0) > (best.conversations or 0):
                best = Option("whole", layout.conversations, tp=tp, pp=pp)
        if best:
            found.append(best)
    return Need(
        service=service,
        name=model.name,
        weights_gib=gib(weights_bytes),
        weights_kib=weights_kib,
        kv_dtype=kv_dtype,
        kv_gib=gib(kv_bytes),
        kv_kib=kv_kib,
        options=tuple(found),
        refused=tuple(refused),
    )


def share_conversations(each: Need, room: Room, given_kib: int) -> int:
    """Conversations that a share of ``given_kib`` holds, weights, reserve and rounding paid. [-]"""
    own_kib = each.weights_kib + room.reserve_kib + room.step_kib
    return max(0, given_kib - own_kib) // each.kv_kib if each.kv_kib else 0
