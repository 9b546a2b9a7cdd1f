"""What a good engineer would say aloud beside a placement, and the steps behind it."""

from __future__ import annotations

from collections.abc import Iterator

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.notes import Note, by_level
from sizing.base.texts import Word
from sizing.base.units import KIB, gib
from sizing.base.working import Step, derive
from sizing.catalogue.listing import letter
from sizing.memory import engines
from sizing.memory.starting import Launch
from sizing.memory.widths import read_widths
from sizing.sharing.needs import SLICE_NOT_KNOWN, STEPS
from sizing.sharing.placement import Placement
from sizing.sharing.plan import mig_driver
from sizing.site import host, power

SENSIBLE_SLICES = (2, 4)  # a card, by the English document


def notes(placement: Placement) -> tuple[Note, ...]:
    """Every note, most serious first."""
    found = [note for question in QUESTIONS for note in question(placement)]
    return by_level(found)


def _left_out(placement: Placement) -> Iterator[Note]:
    for number in placement.left_out:
        each = placement.needs[number]
        values = {"service": letter(number), "name": each.name}
        if each.options:
            yield Note("stop", "sharing.note.no_room", "", values)
        else:
            yield Note("stop", "sharing.note.holds_nowhere", "", values)
            if each.refused:
                last = each.refused[-1]
                because = {"service": letter(number), "reason": Word(last.key, tuple(last.values.items()))}
                yield Note(last.level, "sharing.note.because", last.source, because)
    if not placement.proved:
        yield Note("warn", "sharing.note.not_proved")


def _context(placement: Placement) -> Iterator[Note]:
    for number, each in enumerate(placement.needs):
        model = catalogue.checkpoint(each.service.checkpoint)
        longest = model.architecture.max_context_tokens
        if longest is not None and each.service.context_tokens > longest and each.kv_kib:
            values = {
                "service": letter(number),
                "context_tokens": each.service.context_tokens,
                "longest_tokens": longest,
            }
            yield Note("stop", "sharing.note.context_beyond_model", model.config_source.source, values)


def _server(placement: Placement) -> Iterator[Note]:
    scenario = placement.plan.scenario
    yield from power.cap_notes(placement.card, scenario.power_cap_w)
    yield from host.processor_notes(catalogue.processor(scenario.processor), scenario.processors)


def _shares(placement: Placement) -> Iterator[Note]:
    if any(card.mode == "shared" and len(card.engines) > 1 for card in placement.cards):
        visible, rest = placement.room.visible_gib, 1 - placement.room.rule.share
        source = engines.engine(placement.room.engine).RULES_SOURCE
        yield Note("hint", "sharing.note.start_in_order", source, {"visible_gib": visible})
        yield Note("hint", "sharing.note.shares_add_up", "edutelligence-570", {"rest": rest, "gib": rest * visible})
        yield Note("hint", "sharing.note.no_isolation", "vllm-13633")
        if not placement.room.visible_stated:
            yield Note("hint", "sharing.note.visible_assumed", "memory-budget", {"visible_gib": visible})
        yield Note("hint", "sharing.note.slots_need_time_slicing", "", {"slots": placement.slots})


def _estimate(placement: Placement) -> Iterator[Note]:
    """Engines whose estimated activations and graphs exceed the rule's reserve so far that they would not start."""
    rules = engines.engine(placement.room.engine)
    for engine in placement.engines:
        each = placement.needs[engine.service]
        if not each.kv_kib:
            continue
        total = placement.room.visible_gib
        if engine.profile:
            total = next(profile.memory_gib for profile in placement.profiles if profile.name == engine.profile)
        model = catalogue.checkpoint(each.service.checkpoint)
        try:
            widths = read_widths(model.config, len(model.architecture.layers))
            launch = Launch(
                rules.NEWEST,
                total_gib=total,
                compute_capability=placement.card.compute_capability or (0, 0),
                tp=engine.tp,
                max_num_seqs=max(1, engine.conversations or 1),
                utilization=min(1.0, engine.share),
            )
            found = rules.budget(launch, widths=widths, weights_gib=engine.weights_gib)
        except SizingError:
            continue  # a config that does not state the widths says nothing about activations
        one_gib = engine.cache_gib / engine.conversations if engine.conversations else each.kv_gib
        if found.typical_gib < one_gib:
            values = {
                "service": letter(engine.service),
                "left_gib": max(0.0, found.typical_gib),
                "one_gib": one_gib,
                "batch": rules.completed(launch).max_num_batched_tokens,
                "version": rules.NEWEST,
            }
            yield Note("warn", "sharing.note.estimate_too_tight", "memory-budget", values)


def _slices(placement: Placement) -> Iterator[Note]:
    cut = [card for card in placement.cards if card.mode == "slices"]
    if not cut:
        return
    if driver := mig_driver(placement.card.compute_capability):
        key = "sharing.note.mig_driver_mode" if driver.display_mode else "sharing.note.mig_driver"
        yield Note("hint", key, driver.source, {"release": driver.release, "version": driver.version})
    if any(len(card.slices) > SENSIBLE_SLICES[1] for card in cut):
        yield Note("warn", "sharing.note.fine_slices", "doc-en", {"most": SENSIBLE_SLICES[1]})
    smallest = placement.profiles[0]
    for profile in placement.profiles:
        if profile.derived and any(profile.name in card.slices for card in cut):
            ends = {"name": profile.name, "low_gib": profile.memory_gib, "high_gib": profile.most_gib}
            yield Note("hint", "sharing.note.slice_memory_derived", profile.source, ends)
    if not smallest.derived:
        lost = placement.room.reported_gib - smallest.memory_gib * smallest.count
        reserve = placement.room.rule.reserve_gib
        values = {"count": smallest.count, "lost_gib": lost, "reserve_gib": reserve, "name": smallest.name}
        yield Note("hint", "sharing.note.slices_cost", smallest.source, values)
    yield Note("hint", "sharing.note.no_licence", "doc-de")


def _slice_not_known(placement: Placement) -> Iterator[Note]:
    """Services without a slice of their own for which one may be enough, if its memory were known."""
    for number, each in enumerate(placement.needs):
        if not any(engine.kind == "slice" for engine in placement.engines_of(number)):
            for refused in [note for note in each.refused if note.key == SLICE_NOT_KNOWN][:1]:
                because = {"service": letter(number), "reason": Word(refused.key, tuple(refused.values.items()))}
                yield Note("hint", "sharing.note.because", refused.source, because)


def _split_copies(placement: Placement) -> Iterator[Note]:
    if placement.profiles and any(len(engine.cards) > 1 for engine in placement.engines):
        yield Note("hint", "sharing.note.nccl_not_in_mig", "doc-de")
        yield Note("hint", "sharing.note.nccl_experimental", "nccl-1716")
    crossing = [
        engine for engine in placement.engines if len({placement.cards[card].socket for card in engine.cards}) > 1
    ]
    for engine in crossing:
        yield Note("warn", "sharing.note.crosses_sockets", "", {"service": letter(engine.service)})


def _vgpu(placement: Placement) -> Iterator[Note]:
    vgpu = placement.card.vgpu
    if vgpu is None:
        yield Note("hint", "sharing.note.vgpu_unknown", "", {"card": placement.card.name})
    elif vgpu.supported:
        values = {"card": placement.card.name, "release": vgpu.release, "more": vgpu.note}
        yield Note("hint", f"sharing.note.vgpu{'' if vgpu.release else '_any'}", vgpu.source, values)
    else:
        yield Note("hint", "sharing.note.vgpu_not_listed", vgpu.source, {"card": placement.card.name})


QUESTIONS = (_left_out, _context, _server, _estimate, _split_copies, _shares, _slices, _slice_not_known, _vgpu)

# The steps behind a placement: what a card offers, what a slice offers, and the share of each engine.


def working(placement: Placement) -> Iterator[Step]:
    """Every step, in reading order."""
    room, card = placement.room, placement.card
    rule, rules = room.rule, engines.engine(room.engine).RULES_SOURCE
    share = (rule.share, "", rule.share_source)
    reserve = (rule.reserve_gib, "GiB", rule.reserve_source)
    stated, reported = card.cuda_visible_gib, card.memory_mib or card
    yield derive(
        "usable_gib_per_card",
        "share * reported_gib - reserve_gib",
        "GiB",
        rule.share_source,
        share=share,
        reserve_gib=reserve,
        reported_gib=(room.reported_gib, "GiB", reported.source),
    )
    visible = (room.visible_gib, "GiB", stated.source if stated else "memory-budget")
    yield derive("sharing_limit_gib", "share * visible_gib", "GiB", rules, share=share, visible_gib=visible)
    used = {engine.profile for engine in placement.engines}
    for profile in placement.profiles:
        if profile.name in used:
            yield derive(
                "sharing_usable_slice_gib",
                "share * slice_gib - reserve_gib",
                "GiB",
                rule.share_source,
                share=share,
                reserve_gib=reserve,
                slice_gib=(profile.memory_gib, "GiB", profile.source),
            )
    for engine in placement.engines:
        if engine.kind == "share":
            need = placement.needs[engine.service]
            size = catalogue.checkpoint(need.service.checkpoint).weight_bytes
            yield derive(
                "sharing_share",
                f"ceil((weights_gib + conversations * kv_gib + reserve_gib) / visible_gib * {STEPS}) / {STEPS}",
                "",
                rules,
                weights_gib=(gib(need.weights_kib * KIB), "GiB", size.source if size else "model-configs"),
                conversations=(engine.conversations or 0, "", "step"),
                kv_gib=(gib(need.kv_kib * KIB), "GiB", "step"),
                reserve_gib=(gib(room.reserve_kib * KIB), "GiB", rule.reserve_source),
                visible_gib=(room.visible_gib, "GiB", "step"),
            )
