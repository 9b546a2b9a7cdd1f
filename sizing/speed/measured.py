"""What a library of measured operations must answer, and what is said where it cannot.

An operation is what a step is made of: a matrix product, attention, an all-reduce.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, Protocol

from sizing.base import texts
from sizing.base.dataclass import dataclass


class Operations(Protocol):
    """One model on one group of cards, as its measured operations have it.

    scaling: what they were scaled by where they were not measured for this card or cache, None where they were.
    expert_parallel: each card keeps whole experts, since their format does not divide over so many.
    """

    scaling: Scaling | None
    expert_parallel: bool

    def decode_ms(self, requests: int, context_tokens: int) -> float:
        """One decoding step of a batch. [ms]"""

    def prefill_ms(self, prompt_tokens: int, history_tokens: int = 0, prompts: int = 1) -> float:
        """Prompts worked through together, each beside a history that the cache holds already. [ms]"""

    def parts(self, requests: int, context_tokens: int) -> tuple[StepPart, ...]:
        """What a decoding step is made of."""


@dataclass(frozen=True)
class Scaling:
    """Why and by how much measured operations of something else stand in, as a text ``scaling.<key>``.

    origin: whose operations they are.   decode, prefill: speed against theirs. [-]
    """

    key: str
    origin: str
    decode: float
    prefill: float

    @property
    def values(self) -> dict[str, Any]:
        """What the sentence names."""
        return {"origin": self.origin, "decode": self.decode, "prefill": self.prefill}


class Scaled:
    """Operations of another card or layout at ``scaling``'s ratios.

    full: speed against theirs at ``full_at`` requests, where it falls on the way there. [-]
    """

    def __init__(self, base: Operations, scaling: Scaling, full: float = 0.0, full_at: int = 1) -> None:
        self.scaling: Scaling | None = scaling
        self.expert_parallel = base.expert_parallel
        self._base, self._one, self._prefill = base, scaling.decode, scaling.prefill
        self._full, self._full_at = full or scaling.decode, full_at

    def _decode(self, requests: int) -> float:
        at = min(1.0, math.log(requests) / math.log(self._full_at)) if self._full_at > 1 else 0.0
        return self._one + at * (self._full - self._one)

    def decode_ms(self, requests: int, context_tokens: int) -> float:
        """One decoding step of ``requests`` that hold ``context_tokens`` each. [ms], [-], [tokens]"""
        return self._base.decode_ms(requests, context_tokens) / self._decode(requests)

    def prefill_ms(self, prompt_tokens: int, history_tokens: int = 0, prompts: int = 1) -> float:
        """``prompts`` of ``prompt_tokens``, each beside ``history_tokens`` in the cache. [ms], [-], [tokens]"""
        return self._base.prefill_ms(prompt_tokens, history_tokens, prompts) / self._prefill

    def parts(self, requests: int, context_tokens: int) -> tuple[StepPart, ...]:
        """What a decoding step is made of; an all-reduce takes what it takes there."""
        ratio = self._decode(requests)
        return tuple(
            part if part.kind == "all_reduce" else StepPart(part.name, part.ms / ratio, part.kind, part.measured)
            for part in self._base.parts(requests, context_tokens)
        )


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
