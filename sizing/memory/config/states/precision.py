"""Precision of a recurrent state."""

from __future__ import annotations

from sizing.memory.config.fields import Fields

_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
_KEYS = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")


def declared(fields: Fields) -> str | None:
    """The type that the config names, or None."""
    key = fields.which(*_KEYS)
    if not key:
        return None
    word = fields.text(key)
    if word not in _BYTES:
        raise fields.unknown_value(key, word)
    return word


def state_bytes(fields: Fields, default: int) -> int:
    """Bytes of an element of the state: by the type named, else the family's usual one. [bytes]"""
    word = declared(fields)
    return _BYTES[word] if word else default
