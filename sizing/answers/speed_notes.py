"""What a good engineer would say beside a speed: each function answers one question (``speed_note.<key>``)."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answers import engine
from sizing.answers import notes as sizing_notes
from sizing.answers.size import Sizing
from sizing.base.notes import Note, by_level
from sizing.catalogue.results import speculative_pairs
from sizing.site import power
from sizing.speed import Speed, caps
from sizing.speed.accuracy import accuracy
from sizing.speed.band import band
from sizing.speed.curve import INTERPOLATED, LIMIT_ONLY
from sizing.speed.tables import tables

KERNELS_SOURCE = "aiconfigurator-core"


def sizing_of(found: Speed) -> Sizing:
    """The sizing whose speed it is; the room of speeds knows only what it asks of one."""
    assert isinstance(found.sizing, Sizing)
    return found.sizing


def notes(found: Speed) -> tuple[Note, ...]:
    """Every note, most serious first."""
    said = [
        note
        for question in (_refused, _request, _kernels, _band, _floor, _cap, _bandwidth, _speculative)
        for note in question(found)
    ]
    return by_level(said)


def _refused(found: Speed) -> Iterator[Note]:
    """What the engine or the card does not accept, as the sizing page says it: no speed here is then to be had."""
    sizing = sizing_of(found)
    yield from sizing_notes.context(sizing)
    if found.best is not None:
        yield from engine.refused(sizing.scenario, sizing.verdict_of(found.best.layout))
    yield from sizing_notes.another(sizing)
    yield from power.cap_notes(sizing.card, sizing.scenario.power_cap_w)


def _request(found: Speed) -> Iterator[Note]:
    asked = found.request
    if asked.cut:
        values = {
            "prompt_tokens": asked.prompt_tokens,
            "answer_tokens": asked.answer_tokens,
            "context_tokens": found.sizing.scenario.context_tokens,
        }
        yield Note("warn", "speed_note.cut", values=values)


def _kernels(found: Speed) -> Iterator[Note]:
    best = found.best
    if best is None:
        return
    if best.label == LIMIT_ONLY:
        yield Note("warn", "speed_note.limit_only", KERNELS_SOURCE)
        if best.limit is not None and best.limit.needs.experts is not None:
            picked, total = best.limit.needs.experts
            yield Note("hint", "speed_note.experts", values={"picked": picked, "total": total})
        return
    if best.scaling is not None:
        yield Note("warn", f"scaling.{best.scaling.key}", KERNELS_SOURCE, best.scaling.values)
    if best.label == INTERPOLATED:
        yield Note("hint", "speed_note.interpolated", KERNELS_SOURCE, {"share": best.measured_share * 100})
    if best.line.operations is not None and best.line.operations.expert_parallel:
        yield Note("hint", "speed_note.expert_parallel", KERNELS_SOURCE)
    if found.sizing.scenario.speculative_tokens:
        yield Note("warn", "speed_note.drafting", values={"tokens": found.sizing.scenario.speculative_tokens})
    yield Note("hint", "speed_note.kernels_only", KERNELS_SOURCE)
    if any(point.at_limit for point in best.points):
        yield Note("hint", "speed_note.at_limit", KERNELS_SOURCE)


def _band(found: Speed) -> Iterator[Note]:
    """What published runs of the kind make of the estimate, and those of this very model on this very card."""
    best = found.best
    if best is None or best.bound_only:
        return
    kind = band(found.sizing.scenario.engine)
    low, typical, high = kind.speeds(best.one)
    values = {"low": low, "typical": typical, "high": high, "count": kind.count, "sources": kind.sources}
    held = {"holds": kind.holds(best, found.floor_tokens_s), "floor": found.floor_tokens_s, "step": kind.step_ms}
    yield Note("warn", f"speed_note.band{'' if kind.same else '_other'}", KERNELS_SOURCE, values | held)
    for run in accuracy().of_kind("user"):
        load = tables().loads[run.result.suite, run.result.family]
        asked = load.checkpoint, run.result.card, run.result.cards
        if asked == (found.sizing.checkpoint.id, found.sizing.card.id, found.sizing.scenario.cards):
            said = {"published": run.result.value, "requests": run.result.concurrency, "estimate": run.estimate}
            yield Note("warn", "speed_note.published", run.result.source, said)


def _floor(found: Speed) -> Iterator[Note]:
    best = found.best
    if best is not None and best.ends == "slow":
        yield Note("warn", "speed_note.slow", values={"floor": found.floor_tokens_s, "each": best.one.each_tokens_s})


def _cap(found: Speed) -> Iterator[Note]:
    cap_w, reference = found.sizing.scenario.power_cap_w, tables().library.reference_cap_w
    exact = tuple(effect for effect in found.cap_effects if effect.cap_w == cap_w)
    span = caps.span(exact or found.cap_effects)
    if cap_w < reference and span and found.best is not None and found.best.label != LIMIT_ONLY:
        values = {"cap_w": cap_w, "reference_w": reference, "low": span[0] * 100, "high": span[1] * 100}
        counted = "_counted" if found.best.line.kept else ""
        yield Note("warn", f"speed_note.capped{counted}", "hardware-notes", values)


def _bandwidth(found: Speed) -> Iterator[Note]:
    used = found.sizing.card.memory_bandwidth_gb_s
    for value, source, _ in found.other_bandwidths:
        values = {"used": used.value, "other": value, "more": (value / used.value - 1) * 100}
        yield Note("hint", "speed_note.bandwidth", source, values)
    system = tables().systems.get(found.sizing.card.id)
    if system and system.bandwidth_gb_s != used.value and found.best and found.best.label != LIMIT_ONLY:
        yield Note("hint", "speed_note.library_bandwidth", system.source, {"taken": system.bandwidth_gb_s})


def _speculative(found: Speed) -> Iterator[Note]:
    modules = len(found.sizing.architecture.mtp_layers)
    gains = [pair.ratio for pair in speculative_pairs()]
    if modules and gains:
        values = {"modules": modules, "low": min(gains), "high": max(gains)}
        yield Note("hint", "speed_note.speculative", "rtx6kpro", values)
