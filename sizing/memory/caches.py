"""The kinds of cache a layer can hold, one class each. A new kind of attention is one class here.

Each class says what one conversation takes on one card of a tensor-parallel group, as ``Terms``: a part that grows
with the context, parts that grow up to a window, and a fixed part. All sizes are physical, before an engine's paging
(for that see sizing.memory.vllm). Layers that keep a state instead stand in sizing.memory.recurrent and are named
here too. Source of the formulas: model-configs, vllm-kv-rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sizing.base.errors import SizingError
from sizing.memory.recurrent import (
    DeltaNetState,
    KdaState,
    LinearAttentionState,
    Mamba1State,
    Mamba2State,
    ShortConvState,
)
from sizing.memory.terms import ELEMENT_BYTES, Cache, Terms


def heads_per_card(kv_heads: int, tp: int) -> int:
    """KV heads on one card: split over the group, replicated once the group is larger than their number."""
    return max(1, kv_heads // tp)


@dataclass(frozen=True)
class _KvHeads(Cache):
    """Keys and values by head.

    kv_heads: heads that keep keys and values. [-]
    k_dim, v_dim: width of a key and of a value of one head. [elements]
    """

    kv_heads: int
    k_dim: int
    v_dim: int

    def bytes_per_token(self, kv_dtype: str, tp: int) -> float:
        """Keys and values of one token on one card. [bytes]"""
        return heads_per_card(self.kv_heads, tp) * (self.k_dim + self.v_dim) * ELEMENT_BYTES[kv_dtype]

    def tp_obstacle(self, tp: int) -> str:
        return "" if self.kv_heads % tp == 0 or tp % self.kv_heads == 0 else "kv_heads_not_divisible"


@dataclass(frozen=True)
class FullAttention(_KvHeads):
    """Grouped-query or multi-head attention over the whole context."""

    kind: ClassVar[str] = "full"

    def expression(self, kv_dtype: str) -> str:
        return "kv_heads * (k_dim + v_dim) * element_bytes * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=self.bytes_per_token(kv_dtype, tp))


@dataclass(frozen=True)
class SlidingWindow(_KvHeads):
    """Attention over the last ``window`` tokens only."""

    window: int
    kind: ClassVar[str] = "sliding"

    def expression(self, kv_dtype: str) -> str:
        return "kv_heads * (k_dim + v_dim) * element_bytes * min(context_tokens, window)"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(windows=((self.bytes_per_token(kv_dtype, tp), self.window),))


@dataclass(frozen=True)
class ChunkedAttention(SlidingWindow):
    """Attention inside a chunk of ``window`` tokens (Llama 4)."""

    kind: ClassVar[str] = "chunked"


@dataclass(frozen=True)
class BoundedAttention(SlidingWindow):
    """Decoder self-attention of a model that never writes more than ``window`` tokens (Whisper)."""

    kind: ClassVar[str] = "bounded"


@dataclass(frozen=True)
class CrossAttention(_KvHeads):
    """Keys and values of an encoder's output, kept once for each request.

    source_tokens: positions that the encoder hands over. [tokens]
    """

    source_tokens: int
    kind: ClassVar[str] = "cross"

    def expression(self, kv_dtype: str) -> str:
        return "kv_heads * (k_dim + v_dim) * element_bytes * source_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(fixed_bytes=round(self.bytes_per_token(kv_dtype, tp) * self.source_tokens))


@dataclass(frozen=True)
class LatentAttention(Cache):
    """Multi-head latent attention: one compressed vector a token, whole on every card of a TP group.

    latent_dim, rope_dim: kv_lora_rank and qk_rope_head_dim. [elements]
    sparse: an indexer picks the tokens to read, so that the engine packs an FP8 record of its own layout.
    """

    latent_dim: int
    rope_dim: int
    sparse: bool = False
    kind: ClassVar[str] = "latent"

    def expression(self, kv_dtype: str) -> str:
        if kv_dtype == "fp8" and self.sparse:
            return "(latent_dim + latent_dim / 128 * 4 + rope_dim * 2) * context_tokens"
        return "(latent_dim + rope_dim) * element_bytes * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=self.bytes_per_token(kv_dtype))

    def bytes_per_token(self, kv_dtype: str) -> float:
        """One token's record. [bytes]"""
        if kv_dtype == "nvfp4":
            raise SizingError("kv_dtype_refused_latent", input="kv_dtype", value=kv_dtype)
        if kv_dtype == "fp8" and self.sparse:
            # fp8_ds_mla: the latent in FP8 with one fp32 scale for each 128 values, the rotary part in 16 bit.
            return self.latent_dim + self.latent_dim // 128 * 4 + self.rope_dim * 2
        return (self.latent_dim + self.rope_dim) * ELEMENT_BYTES[kv_dtype]


@dataclass(frozen=True)
class SparseIndexer(Cache):
    """Keys of the indexer beside sparse latent attention: FP8 with a 4-byte scale, whatever the KV precision.

    index_dim: width of an index key. [elements]
    """

    index_dim: int
    kind: ClassVar[str] = "indexer"

    def expression(self, kv_dtype: str) -> str:
        return "(index_dim + 4) * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=self.index_dim + 4)


@dataclass(frozen=True)
class BlockIndexer(Cache):
    """Keys of the indexer that picks blocks for grouped attention: 16 bit, whole on every card (MiniMax-M3).

    index_dim: width of an index key. [elements]
    """

    index_dim: int
    kind: ClassVar[str] = "block_indexer"

    def expression(self, kv_dtype: str) -> str:
        return "index_dim * 2 * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=self.index_dim * 2)


@dataclass(frozen=True)
class CompressedAttention(Cache):
    """DeepSeek V4: a window of records, and beyond it one record for each ``ratio`` tokens; whole on every card.

    entry_dim: width of a record, rotary part included. [elements]
    rope_dim: rotary part of it, kept in 16 bit when the rest is FP8. [elements]
    window: tokens kept uncompressed. [tokens]
    ratio: tokens a compressed record stands for; 0 where the layer has the window only. [tokens]
    index_dim: width of the index key a compressed record carries, 0 where it carries none. [elements]
    """

    entry_dim: int
    rope_dim: int
    window: int
    ratio: int
    index_dim: int = 0
    kind: ClassVar[str] = "compressed"

    def entry_bytes(self, kv_dtype: str) -> float:
        """One record. FP8: values, rotary part in 16 bit, a scale for each 64 values, filled up to 8 bytes. [bytes]"""
        if kv_dtype == "nvfp4":
            raise SizingError("kv_dtype_refused_latent", input="kv_dtype", value=kv_dtype)
        if kv_dtype == "fp8":
            values = self.entry_dim - self.rope_dim
            return -(-(values + self.rope_dim * 2 + values // 64) // 8) * 8
        return self.entry_dim * ELEMENT_BYTES[kv_dtype]

    def index_bytes(self, kv_dtype: str) -> float:
        """Index key of one compressed record. [bytes]"""
        if not self.index_dim:
            return 0.0
        return self.index_dim + 4 if kv_dtype == "fp8" else self.index_dim * ELEMENT_BYTES[kv_dtype]

    def expression(self, kv_dtype: str) -> str:
        window = "entry_bytes * min(context_tokens, window)"
        return f"(entry_bytes + index_bytes) / ratio * context_tokens + {window}" if self.ratio else window

    def values(self, kv_dtype: str) -> dict[str, float]:
        sizes = {"entry_bytes": self.entry_bytes(kv_dtype), "index_bytes": self.index_bytes(kv_dtype)}
        return {**super().values(kv_dtype), **sizes}

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        entry = self.entry_bytes(kv_dtype)
        growing = (entry + self.index_bytes(kv_dtype)) / self.ratio if self.ratio else 0.0
        return Terms(growing_bytes_per_token=growing, windows=((entry, self.window),))


__all__ = [
    "BlockIndexer",
    "BoundedAttention",
    "Cache",
    "ChunkedAttention",
    "CompressedAttention",
    "CrossAttention",
    "DeltaNetState",
    "FullAttention",
    "KdaState",
    "LatentAttention",
    "LinearAttentionState",
    "Mamba1State",
    "Mamba2State",
    "ShortConvState",
    "SlidingWindow",
    "SparseIndexer",
    "Terms",
    "heads_per_card",
]
