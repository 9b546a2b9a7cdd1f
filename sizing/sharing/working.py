"""The steps behind a placement: what a card offers, what a slice offers, and the share of each engine."""

from __future__ import annotations

from collections.abc import Iterator

from sizing import catalogue
from sizing.base.units import KIB, gib
from sizing.base.working import Step, derive
from sizing.memory import engines
from sizing.sharing.needs import STEPS
from sizing.sharing.placement import Placement


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
