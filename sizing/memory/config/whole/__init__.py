"""Models that one reader describes whole, since they do not fit "kind of layer times geometry"."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.config.fields import Fields
from sizing.memory.config.whole.compressed import compressed
from sizing.memory.config.whole.encoders import encoder, encoder_decoder
from sizing.memory.config.whole.reading import Reading
from sizing.memory.config.whole.searched import searched_blocks
from sizing.memory.config.whole.shortcut import shortcut_pairs

_READERS: tuple[tuple[str, Callable[[Fields], Reading | None]], ...] = (
    ("max_source_positions", encoder_decoder),
    ("type_vocab_size", encoder),
    ("compress_ratios", compressed),
    ("block_configs", searched_blocks),
    ("zero_expert_num", shortcut_pairs),
)


def whole(fields: Fields) -> Reading | None:
    """What the one reader says that these fields belong to; None where they belong to none."""
    found: Reading | None = None
    by = ""
    for key, reader in _READERS:
        reading = reader(fields)
        if reading is None:
            continue
        if found is not None:
            raise fields.contradiction(by, key)
        found, by = reading, key
    return found
