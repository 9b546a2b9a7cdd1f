"""The steps behind a placement: what a card offers, what a slice offers, and the share of each engine."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.base.units import KIB, gib
from sizing.base.working import Given, Step
from sizing.sharing.needs import STEPS
from sizing.sharing.placement import Placement

RULES = "vllm-kv-rules"


def working(placement: Placement) -> tuple[Step, ...]:
    """Every step, in reading order."""
    return (*_cards(placement), *_slices(placement), *_shares(placement))


def _rule(placement: Placement) -> tuple[Given, Given]:
    rule = placement.room.rule
    return (
        Given("share", rule.share, "", rule.share_source),
        Given("reserve_gib", rule.reserve_gib, "GiB", rule.reserve_source),
    )


def _cards(placement: Placement) -> Iterator[Step]:
    room, card = placement.room, placement.card
    stated = card.cuda_visible_gib
    source = stated.source if stated else "memory-budget"
    reported = Given(
        "reported_gib", room.reported_gib, "GiB", card.memory_mib.source if card.memory_mib else card.source
    )
    yield Step(
        "usable_gib_per_card",
        "share * reported_gib - reserve_gib",
        (*_rule(placement), reported),
        room.usable_gib,
        "GiB",
        room.rule.share_source,
    )
    yield Step(
        "sharing_limit_gib",
        "share * visible_gib",
        (_rule(placement)[0], Given("visible_gib", room.visible_gib, "GiB", source)),
        room.rule.share * room.visible_gib,
        "GiB",
        RULES,
    )


def _slices(placement: Placement) -> Iterator[Step]:
    used = {engine.profile for engine in placement.engines if engine.profile}
    for profile in placement.profiles:
        if profile.name in used:
            slice_gib = Given("slice_gib", profile.memory_gib, "GiB", profile.source)
            yield Step(
                "sharing_usable_slice_gib",
                "share * slice_gib - reserve_gib",
                (*_rule(placement), slice_gib),
                placement.room.rule.share * profile.memory_gib - placement.room.rule.reserve_gib,
                "GiB",
                placement.room.rule.share_source,
            )


def _shares(placement: Placement) -> Iterator[Step]:
    room = placement.room
    for engine in placement.engines:
        if engine.kind != "share":
            continue
        each = placement.needs[engine.service]
        model = each.service
        from sizing import catalogue

        size = catalogue.checkpoint(model.checkpoint).weight_bytes
        given = (
            Given("weights_gib", gib(each.weights_kib * KIB), "GiB", size.source if size else "model-configs"),
            Given("conversations", engine.conversations or 0, "", "step"),
            Given("kv_gib", gib(each.kv_kib * KIB), "GiB", "step"),
            Given("reserve_gib", gib(room.reserve_kib * KIB), "GiB", room.rule.reserve_source),
            Given("visible_gib", room.visible_gib, "GiB", "step"),
        )
        yield Step(
            "sharing_share",
            f"ceil((weights_gib + conversations * kv_gib + reserve_gib) / visible_gib * {STEPS}) / {STEPS}",
            given,
            engine.share,
            "",
            RULES,
        )
