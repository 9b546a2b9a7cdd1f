"""The longest context a config allows, as the engine derives it."""

from __future__ import annotations

from typing import Any

from sizing.memory.config.class_defaults import CONTEXT_INCLUDES_SCALING
from sizing.memory.config.fields import TOKENS_MAX, Fields

_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
)
# Scalings that are not yet in the number of positions. The others state the stretched number.
_STRETCHING = ("linear", "dynamic")
_FACTOR_MAX = 10_000


def max_context_tokens(fields: Fields) -> int | None:
    """Tokens that the positions reach, stretched where the scaling says so; None where the config is silent."""
    stated = fields.optional_count("model_max_length", high=TOKENS_MAX)
    if stated is None:
        found = [tokens for key in _KEYS if (tokens := fields.optional_count(key, high=TOKENS_MAX))]
        if not found:
            return None
        stated = min(found)
    if fields.model_type in CONTEXT_INCLUDES_SCALING:
        return stated
    return min(int(stated * _stretch(fields)), TOKENS_MAX)


def _stretch(fields: Fields) -> float:
    for name in ("rope_scaling", "rope_parameters"):
        table = fields.get(name)
        if isinstance(table, dict):
            kind = table.get("rope_type", table.get("type"))
            factor: Any = table.get("factor")
            plain = isinstance(factor, (int, float)) and not isinstance(factor, bool)
            if kind in _STRETCHING and plain and 1 <= factor <= _FACTOR_MAX:
                return float(factor)
    return 1.0
