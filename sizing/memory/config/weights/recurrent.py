"""Weights of the layers that keep a state."""

from __future__ import annotations

from sizing.memory.caches import Cache, DeltaNetState, KdaState, Mamba1State, Mamba2State, ShortConvState
from sizing.memory.config.fields import Fields
from sizing.memory.config.weights.modules import Linear, Part, UntoldError


def recurrent_part(fields: Fields, cache: Cache) -> Part:
    """Projections, convolution and small vectors of one layer, from the geometry of its state."""
    width = fields.count("hidden_size")
    linears: tuple[Linear, ...]
    if isinstance(cache, KdaState):
        return _kimi_delta(fields, cache, width)
    if isinstance(cache, DeltaNetState):
        keys, values = cache.k_heads * cache.k_dim, cache.v_heads * cache.v_dim
        linears = (
            Linear("linear.in_proj_qkv", 2 * keys + values, width),
            Linear("linear.in_proj_z", values, width),
            Linear("linear.out_proj", width, values),
        )
        # Two scalars a head, the convolution, decay and time step, one norm.
        plain = 2 * cache.v_heads * width + cache.conv_channels * cache.conv_kernel + 2 * cache.v_heads + cache.v_dim
        return Part(linears, plain)
    if isinstance(cache, Mamba2State):
        inner = cache.heads * cache.head_dim
        channels = inner + 2 * cache.groups * cache.state_dim
        linears = (
            Linear("linear.in_proj", inner + channels + cache.heads, width),
            Linear("linear.out_proj", width, inner),
        )
        return Part(linears, channels * (cache.conv_kernel + 1) + 3 * cache.heads + inner)
    if isinstance(cache, Mamba1State):
        rank = _step_rank(fields, width)
        inner, states = cache.inner_dim, cache.state_dim
        linears = (
            Linear("linear.in_proj", 2 * inner, width),
            Linear("linear.x_proj", rank + 2 * states, inner),
            Linear("linear.dt_proj", inner, rank),
            Linear("linear.out_proj", width, inner),
        )
        return Part(linears, inner * (cache.conv_kernel + 1 + 1 + states + 1) + rank + 2 * states)
    if isinstance(cache, ShortConvState):
        linears = (Linear("conv.in_proj", 3 * width, width), Linear("conv.out_proj", width, width))
        return Part(linears, cache.channels * cache.conv_kernel)
    raise UntoldError


def _kimi_delta(fields: Fields, cache: KdaState, width: int) -> Part:
    """Decay and output gate come through a narrow projection each; the gate may be of full rank instead."""
    inner = cache.v_heads * cache.v_dim
    table = fields.table_at("linear_attn_config")
    full_gate = table is not None and table.flag("use_full_rank_gate")
    names = ("q_proj", "k_proj", "v_proj")
    linears = (*(Linear(f"linear.{name}", inner, width) for name in names), Linear("linear.o_proj", width, inner))
    gate = inner * width if full_gate else cache.v_dim * (width + inner)
    decay = cache.v_dim * (width + inner) + cache.v_heads * width
    return Part(linears, gate + decay + 3 * inner * cache.conv_kernel + cache.v_dim + inner + cache.v_heads)


def _step_rank(fields: Fields, width: int) -> int:
    key = "mamba_dt_rank" if fields.has("mamba_dt_rank") else "time_step_rank"
    return -(-width // 16) if fields.get(key) == "auto" else fields.count(key)
