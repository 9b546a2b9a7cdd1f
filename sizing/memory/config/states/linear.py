"""Lightning attention and short convolutions. In the model's own precision."""

from __future__ import annotations

from sizing.memory.caches import Cache, KdaState, LinearAttentionState, ShortConvState
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.fields import HEAD_DIM_MAX, Fields
from sizing.memory.config.states.precision import state_bytes


def lightning(fields: Fields) -> Cache:
    """Lightning attention (MiniMax-01, Ling and Ring linear): query heads, no grouping."""
    heads = attention_heads(fields)
    dim = fields.optional_count("head_dim", high=HEAD_DIM_MAX) or fields.count("hidden_size") // heads
    if not dim:
        raise fields.contradiction("hidden_size", "num_attention_heads")
    return LinearAttentionState(heads, dim)


def grouped_layers(fields: Fields) -> Cache:
    """Models whose layers come in groups: Kimi delta where they name a short convolution, else lightning attention."""
    if not fields.has("short_conv_kernel_size"):
        return lightning(fields)
    heads = attention_heads(fields)
    dim = fields.count("head_dim", high=HEAD_DIM_MAX)
    kernel = fields.count("short_conv_kernel_size", high=256)
    return KdaState(heads, heads, dim, dim, kernel, state_bytes=state_bytes(fields, 4))


def short_conv(fields: Fields) -> Cache:
    """Gated short convolution (LFM2)."""
    channels = fields.optional_count("conv_dim") or fields.count("hidden_size")
    return ShortConvState(channels, fields.count("conv_L_cache", high=256))
