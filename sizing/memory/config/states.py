"""Recurrent states, one reader for each family of spellings."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache, DeltaNetState, KdaState, Mamba1State, Mamba2State
from sizing.memory.config.fields import HEADS_MAX, Fields

_DTYPE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
KERNEL_MAX = 64


def state_dtype_bytes(fields: Fields, default: int) -> int:
    """Bytes of an element of the recurrent state, where the config names its type. [bytes]"""
    key = fields.which("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
    if not key:
        return default
    word = str(fields.get(key))
    if word not in _DTYPE_BYTES:
        raise fields.unknown_value(key, fields.get(key))
    return _DTYPE_BYTES[word]


def gated_delta(fields: Fields) -> Cache | None:
    """Gated DeltaNet (Qwen3-Next, 3.5 and later): fp32 unless the config says otherwise."""
    if not fields.has("linear_num_value_heads"):
        return None
    return DeltaNetState(
        k_heads=fields.count("linear_num_key_heads", high=HEADS_MAX),
        v_heads=fields.count("linear_num_value_heads", high=HEADS_MAX),
        k_dim=fields.count("linear_key_head_dim", high=HEADS_MAX),
        v_dim=fields.count("linear_value_head_dim", high=HEADS_MAX),
        conv_kernel=fields.count("linear_conv_kernel_dim", high=KERNEL_MAX),
        state_bytes=state_dtype_bytes(fields, 4),
    )


def kimi_delta(fields: Fields) -> Cache | None:
    """Kimi Delta Attention: one number of heads for keys and values, fp32 state."""
    inner = fields.table_at("linear_attn_config")
    if inner is None:
        return None
    heads = inner.count("num_heads", high=HEADS_MAX)
    dim = inner.count("head_dim", high=HEADS_MAX)
    kernel = inner.count("short_conv_kernel_size", high=KERNEL_MAX)
    return KdaState(heads, heads, dim, dim, kernel, state_bytes=state_dtype_bytes(fields, 4))


def mamba2(fields: Fields) -> Cache | None:
    """Mamba-2 as Nemotron-H spells it."""
    if not fields.has("mamba_num_heads"):
        return None
    return Mamba2State(
        heads=fields.count("mamba_num_heads", high=HEADS_MAX),
        head_dim=fields.count("mamba_head_dim", high=HEADS_MAX),
        state_dim=fields.count("ssm_state_size", high=HEADS_MAX),
        groups=fields.count("n_groups", high=HEADS_MAX),
        conv_kernel=fields.count("conv_kernel", high=KERNEL_MAX),
        state_bytes=state_dtype_bytes(fields, 2),
    )


def mamba2_named_d(fields: Fields) -> Cache | None:
    """Mamba-2 as Falcon-H1, Granite 4 and Bamba spell it."""
    if not fields.has("mamba_n_heads"):
        return None
    heads = fields.count("mamba_n_heads", high=HEADS_MAX)
    inner = fields.optional_count("mamba_d_ssm") or (
        fields.count("mamba_expand", high=64) * fields.count("hidden_size")
    )
    if inner % heads:
        raise fields.contradiction("mamba_n_heads", "mamba_d_ssm" if fields.has("mamba_d_ssm") else "mamba_expand")
    says = None if fields.get("mamba_d_head") == "auto" else fields.optional_count("mamba_d_head", high=HEADS_MAX)
    if says is not None and says * heads != inner:
        raise fields.contradiction("mamba_d_head", "mamba_n_heads")
    return Mamba2State(
        heads=heads,
        head_dim=inner // heads,
        state_dim=fields.count("mamba_d_state", high=HEADS_MAX),
        groups=fields.count("mamba_n_groups", high=HEADS_MAX),
        conv_kernel=fields.count("mamba_d_conv", high=KERNEL_MAX),
        state_bytes=state_dtype_bytes(fields, 2),
    )


def mamba1(fields: Fields) -> Cache | None:
    """Mamba-1 (Jamba)."""
    if not fields.has("mamba_d_state") or fields.has("mamba_n_heads") or not fields.has("mamba_dt_rank"):
        return None
    return Mamba1State(
        inner_dim=fields.count("mamba_expand", high=64) * fields.count("hidden_size"),
        state_dim=fields.count("mamba_d_state", high=HEADS_MAX),
        conv_kernel=fields.count("mamba_d_conv", high=KERNEL_MAX),
        state_bytes=state_dtype_bytes(fields, 2),
    )


_READERS: tuple[Callable[[Fields], Cache | None], ...] = (gated_delta, kimi_delta, mamba2, mamba2_named_d, mamba1)


def state(fields: Fields) -> Cache:
    """The one recurrent state that these fields describe."""
    found = [cache for reader in _READERS if (cache := reader(fields)) is not None]
    if not found:
        raise fields.missing("mamba_n_heads" if fields.has("mamba_d_state") else "linear_num_value_heads")
    return found[0]
