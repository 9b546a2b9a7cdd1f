"""What a layer does with its context, before its geometry is known."""

from __future__ import annotations

FULL = "full"  # attends to the whole context
SLIDING = "sliding"  # attends to a window
CHUNKED = "chunked"  # attends inside its chunk
STATE = "state"  # keeps a recurrent state instead of keys and values
PARALLEL = "parallel"  # keeps both, side by side
NONE = "none"  # keeps nothing: an MLP or expert layer
