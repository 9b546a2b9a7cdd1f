"""What speculative decoding adds to a copy: the cache of the layers that draft, and a draft model's weights."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.errors import SizingError
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import Cache, Terms


@dataclass(frozen=True)
class Speculation:
    """The layers that draft. They stand on the last stage of a pipeline.

    layers: the model's own prediction layers, or those of a draft model.
    weights_bytes: of a draft model; the model's own prediction layers are part of its checkpoint. [bytes]
    states: layers whose recurrent state the engine keeps once more for each drafted token, to step back to.
    """

    layers: tuple[Layer, ...] = ()
    weights_bytes: float = 0.0
    states: tuple[Layer, ...] = ()

    def terms(self, kv_dtype: str, tp: int) -> Terms:
        """Cache of one conversation in these layers, on one card of a group of ``tp``."""
        total = Terms()
        for layer in self.layers:
            for cache in layer.caches:
                total += cache.terms(kv_dtype, tp)
        return total + self._more_states(kv_dtype, tp)

    def _more_states(self, kv_dtype: str, tp: int) -> Terms:
        total = Terms()
        for layer in self.states:
            for cache in layer.caches:
                total += Terms(fixed_bytes=cache.terms(kv_dtype, tp).fixed_bytes)
        return total


NONE = Speculation()


def speculation(architecture: Architecture, tokens: int, draft: Architecture | None, draft_bytes: float) -> Speculation:
    """What drafting ``tokens`` at a time adds; nothing where none are drafted.

    draft, draft_bytes: a draft model and its weights; without one the model's own prediction layers draft.
    SizingError where the model has none.
    """
    if not tokens:
        return NONE
    recurrent = tuple(layer for layer in architecture.layers if any(_is_state(cache) for cache in layer.caches))
    states = tuple(Layer(tuple(cache for cache in layer.caches if _is_state(cache))) for layer in recurrent) * tokens
    if draft is not None:
        return Speculation(draft.layers, draft_bytes, states)
    if not architecture.mtp_layers:
        raise SizingError("no_prediction_layers", input="speculative_tokens", value=tokens)
    return Speculation(architecture.mtp_layers, states=states)


def _is_state(cache: Cache) -> bool:
    """A cache that is the same whatever the context, and no keys of an encoder."""
    terms = cache.terms("bf16")
    return bool(terms.fixed_bytes) and not terms.growing_bytes_per_token and not hasattr(cache, "kv_heads")
