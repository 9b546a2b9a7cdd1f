"""States that do not grow with the context: recurrent layers and short convolutions, one class each.

Source of the formulas: model-configs, vllm-kv-rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sizing.memory.terms import Cache, Terms


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


@dataclass(frozen=True)
class LinearAttentionState(Cache):
    """State of lightning attention: one square matrix a head; split over the TP group.

    heads: query heads. [-]   head_dim: width of one. [elements]
    """

    heads: int
    head_dim: int
    state_bytes: int = 2
    kind: ClassVar[str] = "lightning"

    def expression(self, kv_dtype: str) -> str:
        return "heads * head_dim * head_dim * state_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(fixed_bytes=self.heads * self.head_dim * self.head_dim * self.state_bytes // tp)

    def tp_obstacle(self, tp: int) -> str:
        return "" if self.heads % tp == 0 else "state_heads_not_divisible"


@dataclass(frozen=True)
class ShortConvState(Cache):
    """Tail of a short convolution that stands in for attention; split over the TP group.

    channels: width of the convolution. [elements]   conv_kernel: taps; kernel - 1 columns are kept. [-]
    """

    channels: int
    conv_kernel: int
    conv_bytes: int = 2
    kind: ClassVar[str] = "conv"

    def expression(self, kv_dtype: str) -> str:
        return "(conv_kernel - 1) * channels * conv_bytes"

    def terms(self, kv_dtype: str, tp: int = 1) -> Terms:
        return Terms(fixed_bytes=(self.conv_kernel - 1) * self.channels * self.conv_bytes // tp)

    def tp_obstacle(self, tp: int) -> str:
        return "" if self.channels % tp == 0 else "state_heads_not_divisible"
