"""Specs: the pages that one cache of one layer takes on one card. Source: vllm-kv-rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Family = Literal["full", "sliding", "chunked", "cross", "state"]


@dataclass(frozen=True, slots=True)
class Spec:
    """One cache of one layer.

    family: how its blocks are counted; latent attention and its indexer count as "full".
    kind: kind of the cache it stands for ("latent", "deltanet", ...).
    layout: heads, widths and precision; caches share blocks only where it is equal.
    block_size: tokens of a block. [tokens]
    page_bytes: one block. [bytes]
    window: tokens that a sliding or chunked layer keeps. [tokens]
    padded: the page is wider than what it holds, so that a longer block does not widen it.
    """

    family: Family
    kind: str
    layout: tuple[int | float | str, ...]
    block_size: int
    page_bytes: int
    window: int = 0
    padded: bool = False

    def with_block_size(self, block_size: int) -> Spec:
        """The same with longer or shorter blocks."""
        return replace(self, block_size=block_size, page_bytes=self.page_bytes * block_size // self.block_size)

    def with_page_bytes(self, page_bytes: int) -> Spec:
        """The same with its page filled up to a width."""
        return replace(self, page_bytes=page_bytes, padded=True)

    def same_slots_as(self, other: Spec) -> bool:
        """Whether two layers always need the same token slots, so that they can share one list of blocks."""
        if self.family != other.family or self.block_size != other.block_size:
            return False
        if self.family == "state":
            return self.page_bytes == other.page_bytes and self.kind == other.kind
        return self.window == other.window


def head_bytes(width: int, precision: str) -> int:
    """One head's key or value of one token. [bytes]

    NVFP4 keeps a scale for each 16 values; scales for each token and head are four bytes.
    """
    match precision:
        case "nvfp4":
            return width // 2 + width // 16
        case "fp8_per_token_head" | "int8_per_token_head":
            return width + 4
        case "fp8":
            return width
    return width * 2
