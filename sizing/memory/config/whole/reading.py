"""What a reader of a whole model hands over."""

from __future__ import annotations

from dataclasses import dataclass, field

from sizing.memory.architecture import Layer, LeftOut
from sizing.memory.caches import Cache


@dataclass(frozen=True)
class Reading:
    """The layers of a model.

    heads: query heads, 0 where it has none. [-]
    mtp_layer: what one layer for multi-token prediction holds.
    left_out: parts that the layers do not hold.
    kinds: what the estimate of the weights needs to know of each layer, None where there is no estimate for it.
    recurrent: the state that some layers keep.
    """

    layers: tuple[Layer, ...]
    heads: int
    mtp_layer: Layer = field(default_factory=Layer)
    left_out: tuple[LeftOut, ...] = ()
    kinds: tuple[str, ...] | None = None
    recurrent: Cache | None = None
