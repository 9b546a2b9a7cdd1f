"""Service: one model that has to run on the server, with what it is asked to hold."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sizing.errors import SizingError
from sizing.memory.sharing.facts import fields

SEPARATOR = "~"
AS_MANY = "max"
ORDER = ("checkpoint", "copies", "context_tokens", "kv_dtype", "conversations", "isolation")


@dataclass(frozen=True, kw_only=True)
class Service:
    """One service. Bounds and defaults stand in data/sharing.toml.

    checkpoint: id of the catalogue.   copies: engines that serve it. [-]
    context_tokens: tokens that each conversation holds. [tokens]   kv_dtype: as in Scenario.
    conversations: wanted at once, over all copies; None for as many as fit. [-]
    isolation: the least it asks for: "share" a card with others, a MIG "slice", or "whole" cards.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Service(checkpoint="BAAI/bge-m3").to_text()
    'BAAI/bge-m3~1~8192~auto~max~share'
    """

    checkpoint: str = "Qwen/Qwen3-32B"
    copies: int = 1
    context_tokens: int = 8192
    kv_dtype: str = "auto"
    conversations: int | None = None
    isolation: str = "share"

    def __post_init__(self) -> None:
        for name in ORDER:
            value = getattr(self, name)
            if name != "conversations" or value is not None:
                object.__setattr__(self, name, fields()[name].check(value))

    @property
    def wanted_per_copy(self) -> int:
        """Conversations that each copy has to hold; one where it is as many as fit. [-]"""
        return -(-self.conversations // self.copies) if self.conversations else 1

    def replace(self, **changes: Any) -> Service:
        """The same service with other values. SizingError for a name that is not a field."""
        _refuse_unknown(changes)
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Every value by name."""
        return {name: getattr(self, name) for name in ORDER}

    def to_text(self) -> str:
        """The service as a link writes it."""
        values = (AS_MANY if value is None else str(value) for value in self.as_dict().values())
        return SEPARATOR.join(values)

    @classmethod
    def from_dict(cls, values: Any) -> Service:
        """The service of a JSON object; fields it does not name are at their default."""
        if not isinstance(values, dict):
            raise SizingError("service_not_readable", input="services", value=repr(values)[:60])
        _refuse_unknown(values)
        return cls(**values)

    @classmethod
    def from_text(cls, text: str) -> Service:
        """The service of a link's part; fields left out at its end are at their default.

        >>> Service.from_text("Qwen/Qwen3-8B~2").copies
        2
        """
        parts = text.split(SEPARATOR)
        if len(parts) > len(ORDER) or not parts[0]:
            raise SizingError("service_not_readable", input="services", value=text[:60])
        return cls(**{name: parse_field(name, part) for name, part in zip(ORDER, parts, strict=False)})


def parse_field(name: str, text: str, decimal: str = ".") -> Any:
    """What a text field or a link means by a value; None is as many conversations as fit."""
    if name == "conversations" and text.strip().lower() in (AS_MANY, ""):
        return None
    return fields()[name].parse(text, decimal)


def _refuse_unknown(values: dict[str, Any]) -> None:
    if unknown := [name for name in values if name not in ORDER]:
        raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(ORDER))


__all__ = ["AS_MANY", "ORDER", "Service", "fields", "parse_field"]
