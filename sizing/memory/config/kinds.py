"""What a layer does with its context, before its geometry is known."""

from __future__ import annotations

FULL = "full"  # attends to the whole context
SLIDING = "sliding"  # attends to a window
CHUNKED = "chunked"  # attends inside its chunk
STATE = "state"  # keeps a recurrent state instead of keys and values
PARALLEL = "parallel"  # keeps both, side by side
NONE = "none"  # keeps nothing: an MLP or expert layer

Pattern = tuple[str, ...]
"""Kind of every layer, in the order of the model."""


def every(layers: int, period: int, kind: str, rest: str, offset: int) -> Pattern:
    """``kind`` at every layer whose number modulo ``period`` is ``offset``, ``rest`` elsewhere."""
    return tuple(kind if index % period == offset else rest for index in range(layers))
