"""Geometry of the layers that keep a recurrent state. One reader for each family of spellings."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import (
    DeltaNetState,
    KdaState,
    LinearAttentionState,
    Mamba1State,
    Mamba2State,
    ShortConvState,
)
from sizing.memory.config.attention import attention_heads
from sizing.memory.config.class_defaults import PARALLEL_STATES
from sizing.memory.config.fields import HEAD_DIM_MAX, HEADS_MAX, Fields
from sizing.memory.terms import Cache

# Precision of a recurrent state.

_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
_KEYS = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")


def declared(fields: Fields) -> str | None:
    """The type that the config names, or None."""
    key = fields.which(*_KEYS)
    if not key:
        return None
    word = fields.text(key)
    if word not in _BYTES:
        raise fields.unknown_value(key, word)
    return word


def state_bytes(fields: Fields, default: int) -> int:
    """Bytes of an element of the state: by the type named, else the family's usual one. [bytes]"""
    word = declared(fields)
    return _BYTES[word] if word else default


# Delta-rule states: gated DeltaNet and Kimi Delta Attention. In fp32 unless the config says otherwise.

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


# Lightning attention and short convolutions. In the model's own precision.


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


# Mamba and Mamba-2 states in their four spellings. In 16 bit unless the config says otherwise.

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
    if fields.model_type in PARALLEL_STATES and fields.has("mamba_d_head"):
        fields.use("mamba_expand")
        return fields.count("mamba_n_heads", high=HEADS_MAX) * fields.count(
            "mamba_d_head", high=HEAD_DIM_MAX
        ), "mamba_d_head"
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


# (the key that says these fields are this reader's, reader)
_READERS: tuple[tuple[str, Callable[[Fields], Cache]], ...] = (
    ("linear_num_value_heads", gated_delta),
    ("linear_attn_config", kimi_delta),
    ("linear_num_heads", kimi_delta_flat),
    ("mamba_num_heads", mamba2_nemotron),
    ("mamba_n_heads", mamba2_granite),
    ("n_mamba_heads", mamba2_zamba),
    ("mamba_dt_rank", mamba1_jamba),
    ("state_size", plain),
    ("conv_L_cache", short_conv),
    ("attn_type_list", lightning),
    ("layer_group_size", grouped_layers),
)


def state(fields: Fields) -> Cache:
    """The one recurrent state that these fields describe."""
    claims = [(key, reader) for key, reader in _READERS if fields.has(key)]
    if not claims:
        raise fields.missing(_likely(fields))
    for key, reader in claims[1:]:
        if reader is not claims[0][1]:
            raise fields.contradiction(claims[0][0], key)
    return claims[0][1](fields)


def _likely(fields: Fields) -> str:
    """The missing key of the family that the other keys point to."""
    if fields.has("mamba_d_state"):
        return "mamba_n_heads"
    if fields.has("ssm_state_size") or fields.has("hybrid_override_pattern") or fields.has("layers_block_type"):
        return "mamba_num_heads"
    return "linear_num_value_heads"
