"""Lightning attention and short convolutions. In the model's own precision."""

from __future__ import annotations

from sizing.memory.caches import Cache, LinearAttentionState, ShortConvState
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.fields import HEAD_DIM_MAX, Fields


def lightning(fields: Fields) -> Cache:
    """Lightning attention (MiniMax-01, Ling and Ring linear): query heads, no grouping."""
    heads = attention_heads(fields)
    dim = fields.optional_count("head_dim", high=HEAD_DIM_MAX) or fields.count("hidden_size") // heads
    if not dim:
        raise fields.contradiction("hidden_size", "num_attention_heads")
    return LinearAttentionState(heads, dim)


def short_conv(fields: Fields) -> Cache:
    """Gated short convolution (LFM2)."""
    channels = fields.optional_count("conv_dim") or fields.count("hidden_size")
    return ShortConvState(channels, fields.count("conv_L_cache", high=256))
