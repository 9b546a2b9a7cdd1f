"""The kinds of cache a layer can hold, one class each. A new kind of attention is one class here.

Each class says what one conversation takes on one card of a tensor-parallel group, as ``Terms``: a part that grows
with the context, parts that grow up to a window, and a fixed part. All sizes are physical, before an engine's paging
(for that see the engines' folders). Source of the formulas: model-configs, vllm-kv-rules.
"""

from __future__ import annotations

from typing import ClassVar

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
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
    ratio: tokens that one key stands for. [tokens]
    """

    index_dim: int
    ratio: int = 1
    kind: ClassVar[str] = "indexer"
    picks: ClassVar[bool] = True

    def expression(self, kv_dtype: str) -> str:
        return "(index_dim + 4) / ratio * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=(self.index_dim + 4) / self.ratio)


@dataclass(frozen=True)
class BlockIndexer(Cache):
    """Keys of the indexer that picks blocks for grouped attention: 16 bit, whole on every card (MiniMax-M3, Qwen4).

    index_dim: width of the index keys of a token. [elements]
    ratio: tokens that one key stands for. [tokens]
    """

    index_dim: int
    ratio: int = 1
    kind: ClassVar[str] = "block_indexer"
    picks: ClassVar[bool] = True

    def expression(self, kv_dtype: str) -> str:
        return "index_dim * 2 / ratio * context_tokens"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(growing_bytes_per_token=self.index_dim * 2 / self.ratio)


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
    picks: ClassVar[bool] = True

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


# States that do not grow with the context: recurrent layers and short convolutions.


@dataclass(frozen=True)
class _State(Cache):
    """Base of the states. split: fields that the cards of a TP group share evenly."""

    is_state: ClassVar[bool] = True
    split: ClassVar[tuple[str, ...]] = ()

    def tp_obstacle(self, tp: int) -> str:
        return "state_heads_not_divisible" if any(getattr(self, name) % tp for name in self.split) else ""


@dataclass(frozen=True)
class DeltaNetState(_State):
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
    split: ClassVar[tuple[str, ...]] = ("v_heads", "k_heads")

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


@dataclass(frozen=True)
class KdaState(DeltaNetState):
    """Kimi Delta Attention: the same state with one gate a channel."""

    kind: ClassVar[str] = "kda"


@dataclass(frozen=True)
class Mamba2State(_State):
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
    split: ClassVar[tuple[str, ...]] = ("heads",)

    def expression(self, kv_dtype: str) -> str:
        channels = "heads * head_dim + 2 * groups * state_dim"
        return f"heads * head_dim * state_dim * state_bytes + (conv_kernel - 1) * ({channels}) * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        state = self.heads * self.head_dim * self.state_dim * self.state_bytes // tp
        groups = max(self.groups, tp) if self.groups == 1 else self.groups
        channels = (self.heads * self.head_dim + 2 * groups * self.state_dim) // tp
        return Terms(fixed_bytes=state + (self.conv_kernel - 1) * channels * self.conv_bytes)

    def tp_obstacle(self, tp: int) -> str:
        uneven = "" if self.groups == 1 or self.groups % tp == 0 else "state_groups_not_divisible"
        return super().tp_obstacle(tp) or uneven


@dataclass(frozen=True)
class Mamba1State(_State):
    """Mamba-1 state and the tail of its convolution; split over the TP group.

    inner_dim: expanded width. [elements]   state_dim: states a channel. [-]
    """

    inner_dim: int
    state_dim: int
    conv_kernel: int
    state_bytes: int = 2
    conv_bytes: int = 2
    kind: ClassVar[str] = "mamba1"
    split: ClassVar[tuple[str, ...]] = ("inner_dim",)

    def expression(self, kv_dtype: str) -> str:
        return "inner_dim * state_dim * state_bytes + (conv_kernel - 1) * inner_dim * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        state = self.inner_dim * self.state_dim * self.state_bytes
        conv = (self.conv_kernel - 1) * self.inner_dim * self.conv_bytes
        return Terms(fixed_bytes=(state + conv) // tp)


@dataclass(frozen=True)
class LinearAttentionState(_State):
    """State of lightning attention: one square matrix a head; split over the TP group.

    heads: query heads. [-]   head_dim: width of one. [elements]
    """

    heads: int
    head_dim: int
    state_bytes: int = 2
    kind: ClassVar[str] = "lightning"
    split: ClassVar[tuple[str, ...]] = ("heads",)

    def expression(self, kv_dtype: str) -> str:
        return "heads * head_dim * head_dim * state_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(fixed_bytes=self.heads * self.head_dim * self.head_dim * self.state_bytes // tp)


@dataclass(frozen=True)
class ShortConvState(_State):
    """Tail of a short convolution that stands in for attention; split over the TP group.

    channels: width of the convolution. [elements]   conv_kernel: taps; kernel - 1 columns are kept. [-]
    """

    channels: int
    conv_kernel: int
    conv_bytes: int = 2
    kind: ClassVar[str] = "conv"
    split: ClassVar[tuple[str, ...]] = ("channels",)
    read_whole: ClassVar[bool] = False

    def expression(self, kv_dtype: str) -> str:
        return "(conv_kernel - 1) * channels * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(fixed_bytes=(self.conv_kernel - 1) * self.channels * self.conv_bytes // tp)
