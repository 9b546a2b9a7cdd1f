"""Mamba and Mamba-2 states in their four spellings. In 16 bit unless the config says otherwise."""

from __future__ import annotations

from sizing.memory.caches import Cache, Mamba1State, Mamba2State
from sizing.memory.config.fields import HEAD_DIM_MAX, HEADS_MAX, Fields
from sizing.memory.config.states.precision import state_bytes

KERNEL_MAX = 256
EXPAND_MAX = 64


def mamba2_nemotron(fields: Fields) -> Cache:
    """Mamba-2 as Nemotron-H spells it."""
    return Mamba2State(
        heads=fields.count("mamba_num_heads", high=HEADS_MAX),
        head_dim=fields.count("mamba_head_dim", high=HEAD_DIM_MAX),
        state_dim=fields.count("ssm_state_size", high=HEADS_MAX),
        groups=fields.count("n_groups", high=HEADS_MAX),
        conv_kernel=fields.count("conv_kernel", high=KERNEL_MAX),
        state_bytes=state_bytes(fields, 2),
    )


def mamba2_granite(fields: Fields) -> Cache:
    """Mamba-2 as Granite 4, Bamba and Falcon-H1 spell it; the last gives its inner width outright."""
    heads = fields.count("mamba_n_heads", high=HEADS_MAX)
    inner, by = _inner_width(fields)
    said = None if fields.get("mamba_d_head") == "auto" else fields.optional_count("mamba_d_head", high=HEAD_DIM_MAX)
    if inner % heads or (said is not None and said * heads != inner):
        raise fields.contradiction("mamba_n_heads", "mamba_d_head" if said is not None else by)
    return Mamba2State(
        heads=heads,
        head_dim=inner // heads,
        state_dim=fields.count("mamba_d_state", high=HEADS_MAX),
        groups=fields.count("mamba_n_groups", high=HEADS_MAX),
        conv_kernel=fields.count("mamba_d_conv", high=KERNEL_MAX),
        state_bytes=state_bytes(fields, 2),
    )


def _inner_width(fields: Fields) -> tuple[int, str]:
    if inner := fields.optional_count("mamba_d_ssm"):
        fields.use("mamba_expand")
        return inner, "mamba_d_ssm"
    return fields.count("mamba_expand", high=EXPAND_MAX) * fields.count("hidden_size"), "mamba_expand"


def mamba2_zamba(fields: Fields) -> Cache:
    """Mamba-2 as Zamba 2 spells it."""
    heads = fields.count("n_mamba_heads", high=HEADS_MAX)
    inner = fields.count("mamba_expand", high=EXPAND_MAX) * fields.count("hidden_size")
    dim = fields.optional_count("mamba_headdim", high=HEAD_DIM_MAX) or inner // heads
    if dim * heads != inner:
        raise fields.contradiction("n_mamba_heads", "mamba_headdim")
    return Mamba2State(
        heads=heads,
        head_dim=dim,
        state_dim=fields.count("mamba_d_state", high=HEADS_MAX),
        groups=fields.count("mamba_ngroups", high=HEADS_MAX),
        conv_kernel=fields.count("mamba_d_conv", high=KERNEL_MAX),
        state_bytes=state_bytes(fields, 2),
    )


def mamba1_jamba(fields: Fields) -> Cache:
    """Mamba-1 as Jamba spells it."""
    return Mamba1State(
        inner_dim=fields.count("mamba_expand", high=EXPAND_MAX) * fields.count("hidden_size"),
        state_dim=fields.count("mamba_d_state", high=HEADS_MAX),
        conv_kernel=fields.count("mamba_d_conv", high=KERNEL_MAX),
        state_bytes=state_bytes(fields, 2),
    )


def plain(fields: Fields) -> Cache:
    """Models of nothing but Mamba layers: Mamba-2 where they have heads, Mamba-1 where they have a step rank."""
    state_dim = fields.count("state_size", high=HEADS_MAX)
    kernel = fields.count("conv_kernel", high=KERNEL_MAX)
    width = fields.count("hidden_size")
    inner = fields.optional_count("intermediate_size") or fields.count("expand", high=EXPAND_MAX) * width
    if fields.has("num_heads"):
        heads = fields.count("num_heads", high=HEADS_MAX)
        dim = fields.count("head_dim", high=HEAD_DIM_MAX)
        if heads * dim != inner:
            raise fields.contradiction("num_heads", "head_dim")
        groups = fields.count("n_groups", high=HEADS_MAX)
        return Mamba2State(heads, dim, state_dim, groups, kernel, state_bytes=state_bytes(fields, 2))
    if fields.get("time_step_rank") != "auto":
        fields.count("time_step_rank")
    return Mamba1State(inner, state_dim, kernel, state_bytes=state_bytes(fields, 2))
