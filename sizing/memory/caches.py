"""The kinds of cache a layer can hold, one class each. A new kind of attention is one class here.

Each class says what one conversation takes on one card of a tensor-parallel group, as ``Terms``: a part that grows
with the context, parts that grow up to a window, and a fixed part. All sizes are physical, before an engine's paging
(for that see sizing.memory.vllm). Source of the formulas: model-configs, vllm-kv-rules.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from sizing.errors import SizingError
from sizing.memory.precision import ELEMENT_BYTES


@dataclass(frozen=True, slots=True)
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
class Cache:
    """Base of all kinds."""

    kind: ClassVar[str] = ""
    """Name of the kind; its title is the text ``cache.<kind>``."""

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        """What one conversation takes on one card of a group of ``tp`` cards."""
        raise NotImplementedError

    def tp_obstacle(self, tp: int) -> str:
        """Key of the reason (``reason.<key>``) why ``tp`` cards cannot split this cache, or ""."""
        return ""

    def expression(self, kv_dtype: str) -> str:
        """Arithmetic for the bytes of one layer and one conversation, over ``values`` and ``context_tokens``."""
        raise NotImplementedError

    def values(self, kv_dtype: str) -> dict[str, float]:
        """What ``expression`` puts in, by name."""
        numbers: dict[str, float] = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"element_bytes": ELEMENT_BYTES[kv_dtype], **numbers}


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


@dataclass(frozen=True)
class DeltaNetState(Cache):
    """Recurrent state of gated DeltaNet or KDA, with the tail of its convolution; split over the TP group.

    k_heads, v_heads: heads. [-]   k_dim, v_dim: width of one. [elements]
    conv_kernel: taps of the convolution; kernel - 1 columns are kept. [-]
    state_bytes, conv_bytes: bytes of an element of the state and of the convolution's tail. [bytes]
    """

    k_heads: int
    v_heads: int
    k_dim: int
    v_dim: int
    conv_kernel: int
    state_bytes: int = 4
    conv_bytes: int = 2
    kind: ClassVar[str] = "deltanet"

    @property
    def conv_channels(self) -> int:
        """Channels of the convolution: queries, keys and values. [-]"""
        return 2 * self.k_heads * self.k_dim + self.v_heads * self.v_dim

    def expression(self, kv_dtype: str) -> str:
        channels = "2 * k_heads * k_dim + v_heads * v_dim"
        return f"v_heads * k_dim * v_dim * state_bytes + (conv_kernel - 1) * ({channels}) * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        state = self.v_heads * self.k_dim * self.v_dim * self.state_bytes
        conv = (self.conv_kernel - 1) * self.conv_channels * self.conv_bytes
        return Terms(fixed_bytes=(state + conv) // tp)

    def tp_obstacle(self, tp: int) -> str:
        return "" if self.v_heads % tp == 0 and self.k_heads % tp == 0 else "state_heads_not_divisible"


@dataclass(frozen=True)
class KdaState(DeltaNetState):
    """Kimi Delta Attention: the same state with one gate a channel."""

    kind: ClassVar[str] = "kda"


@dataclass(frozen=True)
class Mamba2State(Cache):
    """Mamba-2 state and the tail of its convolution; split over the TP group.

    heads, head_dim, state_dim: the state is heads x head_dim x state_dim. [-]
    groups: groups of B and C; a single group is copied to every card. [-]
    """

    heads: int
    head_dim: int
    state_dim: int
    groups: int
    conv_kernel: int
    state_bytes: int = 2
    conv_bytes: int = 2
    kind: ClassVar[str] = "mamba2"

    def expression(self, kv_dtype: str) -> str:
        channels = "heads * head_dim + 2 * groups * state_dim"
        return f"heads * head_dim * state_dim * state_bytes + (conv_kernel - 1) * ({channels}) * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        state = self.heads * self.head_dim * self.state_dim * self.state_bytes // tp
        groups = max(self.groups, tp) if self.groups == 1 else self.groups
        channels = (self.heads * self.head_dim + 2 * groups * self.state_dim) // tp
        return Terms(fixed_bytes=state + (self.conv_kernel - 1) * channels * self.conv_bytes)

    def tp_obstacle(self, tp: int) -> str:
        if self.heads % tp:
            return "state_heads_not_divisible"
        return "" if self.groups == 1 or self.groups % tp == 0 else "state_groups_not_divisible"


@dataclass(frozen=True)
class Mamba1State(Cache):
    """Mamba-1 state and the tail of its convolution; split over the TP group.

    inner_dim: expanded width. [elements]   state_dim: states a channel. [-]
    """

    inner_dim: int
    state_dim: int
    conv_kernel: int
    state_bytes: int = 2
    conv_bytes: int = 2
    kind: ClassVar[str] = "mamba1"

    def expression(self, kv_dtype: str) -> str:
        return "inner_dim * state_dim * state_bytes + (conv_kernel - 1) * inner_dim * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        state = self.inner_dim * self.state_dim * self.state_bytes
        conv = (self.conv_kernel - 1) * self.inner_dim * self.conv_bytes
        return Terms(fixed_bytes=(state + conv) // tp)

    def tp_obstacle(self, tp: int) -> str:
        return "" if self.inner_dim % tp == 0 else "state_heads_not_divisible"
