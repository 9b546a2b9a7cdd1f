"""Geometry of the layers that keep a recurrent state. One reader for each family of spellings."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache
from sizing.memory.config.fields import Fields
from sizing.memory.config.states import delta, linear, mamba

# (the key that says these fields are this reader's, reader)
_READERS: tuple[tuple[str, Callable[[Fields], Cache]], ...] = (
    ("linear_num_value_heads", delta.gated_delta),
    ("linear_attn_config", delta.kimi_delta),
    ("linear_num_heads", delta.kimi_delta_flat),
    ("mamba_num_heads", mamba.mamba2_nemotron),
    ("mamba_n_heads", mamba.mamba2_granite),
    ("n_mamba_heads", mamba.mamba2_zamba),
    ("mamba_dt_rank", mamba.mamba1_jamba),
    ("state_size", mamba.plain),
    ("conv_L_cache", linear.short_conv),
    ("attn_type_list", linear.lightning),
    ("layer_group_size", linear.grouped_layers),
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
