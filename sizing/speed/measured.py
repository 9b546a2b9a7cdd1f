"""What a library of measured operations must answer, and what is said where it cannot.

An operation is what a step is made of: a matrix product, attention, an all-reduce.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Protocol

from sizing.base import texts
from sizing.base.dataclass import dataclass


class Operations(Protocol):
    """One model on one group of cards, as its measured operations have it."""

    def decode_ms(self, requests: int, context_tokens: int) -> float:
        """One decoding step of a batch. [ms]"""

    def prefill_ms(self, prompt_tokens: int, history_tokens: int = 0) -> float:
        """One prompt worked through, beside a history that the cache holds already. [ms]"""

    def parts(self, requests: int, context_tokens: int) -> tuple[StepPart, ...]:
        """What a decoding step is made of."""


@dataclass(frozen=True)
class StepPart:
    """One operation of a step. [ms]

    kind: "all_reduce" or "other".   measured: from a table of measured operations, or made of such.
    """

    name: str
    ms: float
    kind: str
    measured: bool


@dataclass(frozen=True)
class Gap:
    """Why there are no measured operations, as a text ``gap.<key>``.

    values: what the sentence names.   detail: the library's own words, for who looks after it; never shown on a page.
    """

    key: str
    values: dict[str, Any] = field(default_factory=dict)
    detail: str = ""

    def say(self, language: str = "en") -> str:
        """The sentence."""
        return texts.say(f"gap.{self.key}", language, **self.values)
