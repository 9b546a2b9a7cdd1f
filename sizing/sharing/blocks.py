"""A card of a placement as a column: whose each part of its memory is, from the bottom up."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.base.dataclass import dataclass
from sizing.sharing.board import CardUse, Engine
from sizing.sharing.placement import Placement

PARTS = ("weights", "cache", "left", "reserve", "untouched", "spare")
"""Weights, cache of the conversations that fit, what is left over, the engine's reserve; what no engine touches; what
is free for another engine."""
NOBODY = -1


@dataclass(frozen=True)
class Block:
    """A part of a card. base_gib: where it begins. [GiB]   size_gib: how much it is. [GiB]   service: or NOBODY."""

    part: str
    base_gib: float
    size_gib: float
    service: int


def blocks(placement: Placement, card: CardUse) -> Iterator[Block]:
    """Every block of a card, one on top of another. A slice's memory is its own, whatever the driver reports."""
    sizes = {profile.name: profile.memory_gib for profile in placement.profiles}
    top = 0.0
    for part, size, service in _sizes(placement, card, sizes):
        yield Block(part, top, size, service)
        top += size
    if top < placement.room.reported_gib:
        yield Block("untouched", top, placement.room.reported_gib - top, NOBODY)


def _sizes(placement: Placement, card: CardUse, sizes: dict[str, float]) -> Iterator[tuple[str, float, int]]:
    for engine in card.engines:
        own = engine_parts(engine)
        yield from ((part, size, engine.service) for part, size in own)
        if engine.kind == "slice":
            yield "untouched", sizes[engine.profile] - sum(size for _, size in own), engine.service
    yield from (("spare", sizes[name], NOBODY) for name in card.spare)
    if card.mode in ("free", "shared") and card.free_gib > 0:
        yield "spare", card.free_gib, NOBODY


def engine_parts(engine: Engine) -> tuple[tuple[str, float], ...]:
    """What an engine holds of one of its cards: part and size [GiB]."""
    found = (
        ("weights", engine.weights_gib),
        ("cache", engine.cache_gib),
        ("left", engine.left_gib),
        ("reserve", engine.reserve_gib),
    )
    return tuple((part, size) for part, size in found if size > 0)
