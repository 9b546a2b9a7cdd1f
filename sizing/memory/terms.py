"""What one conversation takes as a function of its context, and the base of all kinds of cache."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, Literal

from sizing.base.dataclass import dataclass

# Precisions of the KV cache and what one element takes.

KvDtype = Literal["bf16", "fp8", "nvfp4"]
KV_DTYPES: tuple[str, ...] = ("auto", "bf16", "fp8", "nvfp4")
ALSO = {"bfloat16": "bf16", "fp8_e4m3": "fp8"}  # as engines spell them

# nvfp4: half a byte a value and one FP8 scale for each 16 values (source: vllm-kv-rules, page bytes per layer).
ELEMENT_BYTES: dict[str, float] = {"bf16": 2.0, "fp8": 1.0, "nvfp4": 0.5 + 1 / 16}


@dataclass(frozen=True)
class Terms:
    """Cache of one conversation as a function of its context.

    growing_bytes_per_token: for every token of the context. [bytes/token]
    windows: (bytes per token, window), counted for min(context, window) tokens. [bytes/token], [tokens]
    fixed_bytes: whatever the context. [bytes]
    """

    growing_bytes_per_token: float = 0.0
    windows: tuple[tuple[float, int], ...] = ()
    fixed_bytes: int = 0

    def __add__(self, other: Terms) -> Terms:
        by_window: dict[int, float] = {}
        for rate, window in self.windows + other.windows:
            by_window[window] = by_window.get(window, 0.0) + rate
        return Terms(
            self.growing_bytes_per_token + other.growing_bytes_per_token,
            tuple((rate, window) for window, rate in sorted(by_window.items())),
            self.fixed_bytes + other.fixed_bytes,
        )

    def times(self, count: int) -> Terms:
        """The same for ``count`` layers."""
        return Terms(
            self.growing_bytes_per_token * count,
            tuple((rate * count, window) for rate, window in self.windows),
            self.fixed_bytes * count,
        )

    def bytes(self, context_tokens: int) -> float:
        """Cache of one conversation of ``context_tokens``. [bytes]"""
        total = self.growing_bytes_per_token * context_tokens + self.fixed_bytes
        for rate, window in self.windows:
            total += rate * min(context_tokens, window)
        return total


@dataclass(frozen=True)
class Cache(ABC):
    """Base of all kinds."""

    kind: ClassVar[str] = ""
    """Name of the kind; its title is the text ``cache.<kind>``."""
    is_state: ClassVar[bool] = False
    """Whether it is the same whatever the context: a recurrent state or a convolution's tail."""
    picks: ClassVar[bool] = False
    """Whether it picks the tokens that are read of the other caches of its layer."""
    read_whole: ClassVar[bool] = True
    """Whether a step reads all of it for certain, unless another cache of its layer picks."""

    @abstractmethod
    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        """What one conversation takes on one card of a group of ``tp`` cards."""

    def tp_obstacle(self, tp: int) -> str:
        """Key of the reason (``reason.<key>``) why ``tp`` cards cannot split this cache, or ""."""
        return ""

    @abstractmethod
    def expression(self, kv_dtype: str) -> str:
        """Arithmetic for the bytes of one layer and one conversation, over ``values`` and ``context_tokens``."""

    def values(self, kv_dtype: str) -> dict[str, float]:
        """What ``expression`` puts in, by name."""
        numbers: dict[str, float] = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"element_bytes": ELEMENT_BYTES[kv_dtype], **numbers}
