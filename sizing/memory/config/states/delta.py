"""Delta-rule states: gated DeltaNet and Kimi Delta Attention. In fp32 unless the config says otherwise."""

from __future__ import annotations

from sizing.memory.caches import Cache, DeltaNetState, KdaState
from sizing.memory.config.fields import HEAD_DIM_MAX, HEADS_MAX, Fields
from sizing.memory.config.states.precision import state_bytes

KERNEL_MAX = 256


def gated_delta(fields: Fields) -> Cache:
    """Gated DeltaNet (Qwen3-Next, Qwen3.5 and later, OLMo hybrid)."""
    return DeltaNetState(
        k_heads=fields.count("linear_num_key_heads", high=HEADS_MAX),
        v_heads=fields.count("linear_num_value_heads", high=HEADS_MAX),
        k_dim=fields.count("linear_key_head_dim", high=HEAD_DIM_MAX),
        v_dim=fields.count("linear_value_head_dim", high=HEAD_DIM_MAX),
        conv_kernel=fields.count("linear_conv_kernel_dim", high=KERNEL_MAX),
        state_bytes=state_bytes(fields, 4),
    )


def kimi_delta(fields: Fields) -> Cache:
    """Kimi Delta Attention as its own configs spell it: an object of its own."""
    inner = fields.table_at("linear_attn_config")
    if inner is None:
        raise fields.missing("linear_attn_config")
    heads = inner.count("num_heads", high=HEADS_MAX)
    dim = inner.count("head_dim", high=HEAD_DIM_MAX)
    kernel = inner.count("short_conv_kernel_size", high=KERNEL_MAX)
    return KdaState(heads, heads, dim, dim, kernel, state_bytes=state_bytes(fields, 4))


def kimi_delta_flat(fields: Fields) -> Cache:
    """The same as transformers spells it: beside the other keys."""
    heads = fields.count("linear_num_heads", high=HEADS_MAX)
    dim = fields.count("linear_head_dim", high=HEAD_DIM_MAX)
    kernel = fields.count("linear_conv_kernel_dim", high=KERNEL_MAX)
    return KdaState(heads, heads, dim, dim, kernel, state_bytes=state_bytes(fields, 4))
