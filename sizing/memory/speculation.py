"""What speculative decoding adds to a copy: the cache of the layers that draft, and a draft model's weights."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.errors import SizingError
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import Terms


@dataclass(frozen=True)
class Speculation:
    """The layers that draft. They stand on the last stage of a pipeline.

    layers: the model's own prediction layers, or those of a draft model.
    weights_bytes: of a draft model; the model's own prediction layers are part of its checkpoint. [bytes]
    """

    layers: tuple[Layer, ...] = ()
    weights_bytes: float = 0.0

    def terms(self, kv_dtype: str, tp: int) -> Terms:
        """Cache of one conversation in these layers, on one card of a group of ``tp``."""
        total = Terms()
        for layer in self.layers:
            for cache in layer.caches:
                total += cache.terms(kv_dtype, tp)
        return total


NONE = Speculation()


def speculation(architecture: Architecture, tokens: int, draft: Architecture | None, draft_bytes: float) -> Speculation:
    """What drafting ``tokens`` at a time adds; nothing where none are drafted.

    draft, draft_bytes: a draft model and its weights; without one the model's own prediction layers draft.
    SizingError where the model has none.
    """
    if not tokens:
        return NONE
    if draft is not None:
        return Speculation(draft.layers, draft_bytes)
    if not architecture.mtp_layers:
        raise SizingError("no_prediction_layers", input="speculative_tokens", value=tokens)
    return Speculation(architecture.mtp_layers)
