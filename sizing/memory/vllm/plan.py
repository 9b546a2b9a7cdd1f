"""The plan: everything about a start that memory and length do not decide; made once for a model and settings."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.memory.architecture import Architecture
from sizing.memory.caches import CrossAttention
from sizing.memory.vllm import classes
from sizing.memory.vllm.checks import check, check_shared_tokens, drafting
from sizing.memory.vllm.grouping import Group, groups
from sizing.memory.vllm.hybrid import States
from sizing.memory.vllm.layers import cut
from sizing.memory.vllm.precision import resolve
from sizing.memory.vllm.refusals import Refusal, RefusesError
from sizing.memory.vllm.requests import Demand
from sizing.memory.vllm.settings import Settings

_KEPT = 256


@dataclass(frozen=True, slots=True)
class Plan:
    """How the cache is cut up.

    refusal: why nothing starts, whatever the memory; the rest is then empty.
    precision: what the cache is kept in, by the engine's name.
    groups: in the order of the model.   stage_block_bytes: one block on a card of each stage. [bytes]
    block_size: of the layers that grow. [tokens]   states: how recurrent states are kept.
    batches: batches in flight. [-]   retained_tokens: kept below windows for drafting. [tokens]
    source_tokens: positions an encoder hands over, 0 without one. [tokens]
    """

    refusal: Refusal | None
    precision: str
    groups: tuple[Group, ...] = ()
    stage_block_bytes: tuple[int, ...] = ()
    block_size: int = 0
    states: States | None = None
    batches: int = 1
    retained_tokens: int = 0
    source_tokens: int = 0

    def demand(self, settings: Settings, max_model_len: int, batch_tokens: int) -> Demand:
        """What a request of this length holds. [tokens]"""
        return Demand(
            max_model_len,
            settings.dcp,
            self.batches * batch_tokens,
            self.retained_tokens,
            self.encoder_tokens(settings, batch_tokens),
            self.states,
        )

    def encoder_tokens(self, settings: Settings, batch_tokens: int) -> int:
        """Positions of an encoder's output that a request is charged, 0 without an encoder. [tokens]"""
        return batch_tokens if self.source_tokens and settings.release.cross_by_batch else self.source_tokens


def plan(architecture: Architecture, draft: Architecture | None, settings: Settings, asynchronous: bool) -> Plan:
    """The plan of a model with these settings, kept with the model."""
    kept = architecture.derived
    key = ("vllm", settings, asynchronous, draft)
    found: Plan | None = kept.get(key)
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        found = kept[key] = _plan(architecture, draft, settings, asynchronous)
    return found


def _plan(architecture: Architecture, draft: Architecture | None, settings: Settings, asynchronous: bool) -> Plan:
    try:
        architecture = classes.as_read(architecture)
        check(architecture, settings)
        precision = resolve(architecture, settings)
        made = cut(architecture, drafting(architecture, draft, settings), precision, settings)
        check_shared_tokens(made.layers, settings)
        found = groups(made.layers, settings)
    except RefusesError as refuses:
        return Plan(refuses.refusal, settings.kv_dtype)
    crossed = [c.source_tokens for layer in architecture.layers for c in layer.caches if isinstance(c, CrossAttention)]
    return Plan(
        None,
        precision,
        found,
        _stage_block_bytes(found, settings),
        made.block_size,
        made.states,
        batches_in_flight(architecture, settings, asynchronous),
        _retained_tokens(architecture, settings) if draft is None else 0,
        max(crossed, default=0),
    )


def _stage_block_bytes(found: tuple[Group, ...], settings: Settings) -> tuple[int, ...]:
    if not found:
        return ()
    several = len(found) == 1 and len({spec.layout for spec in found[0].specs}) > 1
    if several and not settings.release.stages_narrowed:
        return (found[0].whole_bytes,) * settings.pp
    return tuple(max(group.stage_bytes[stage] for group in found) for stage in range(settings.pp))


def batches_in_flight(architecture: Architecture, settings: Settings, asynchronous: bool) -> int:
    """Batches whose tokens windows still hold. [-]"""
    rules = settings.release
    if not rules.every_batch_held:
        return 1
    if not asynchronous:
        return settings.pp
    second = rules.second_runner == "all" or (
        rules.second_runner == "dense" and classes.early_second_runner(architecture)
    )
    if second:
        return settings.pp + 1
    return 2 if settings.pp == 1 else settings.pp


def _retained_tokens(architecture: Architecture, settings: Settings) -> int:
    """Several draft modules read ahead of each other, so that a window frees its end later. [tokens]"""
    modules = min(len(classes.draft_layers(architecture)), settings.speculative_tokens)
    return settings.speculative_tokens - 1 if modules > 1 and settings.release.every_batch_held else 0
