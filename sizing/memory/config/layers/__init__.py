"""Which layer is of which kind.

Every way in which configs say so is one reader: a function that returns None where its keys are absent. Those that
speak about one model must agree, else the config contradicts itself.
"""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.config.class_defaults import MIXED_BY_DEFAULT
from sizing.memory.config.fields import Fields
from sizing.memory.config.kinds import FULL, SLIDING, STATE, Pattern
from sizing.memory.config.layers import lists, rules, windows

_READERS: tuple[tuple[str, Callable[[Fields], Pattern | None]], ...] = (
    ("layer_types", lists.layer_types),
    ("layers_block_type", lists.layers_block_type),
    ("hybrid_override_pattern", lists.hybrid_override_pattern),
    ("attn_type_list", lists.attn_type_list),
    ("hybrid_layer_pattern", lists.hybrid_layer_pattern),
    ("linear_attn_config", lists.linear_attn_lists),
    ("attn_layer_indices", lists.attn_layer_indices),
    ("full_attention_interval", rules.full_attention_interval),
    ("attn_layer_period", rules.attn_layer_period),
    ("layer_group_size", rules.layer_group_size),
    ("attention_chunk_size", rules.chunk_rule),
    ("global_attn_every_n_layers", windows.global_every_n),
    ("sliding_window_pattern", windows.window_pattern),
    ("mamba_d_ssm", rules.parallel_mamba),
    ("state_size", rules.states_only),
)

# Geometry of recurrent states: some layer keeps one, so that something must say which.
_STATE_KEYS = (
    "conv_L_cache",
    "linear_num_heads",
    "linear_num_value_heads",
    "mamba_d_state",
    "mamba_n_heads",
    "mamba_num_heads",
    "n_mamba_heads",
    "short_conv_kernel_size",
    "ssm_state_size",
)


def pattern(fields: Fields) -> Pattern:
    """Kind of every layer, from whichever keys speak of it; all full where none does."""
    found: Pattern | None = None
    by = ""
    for key, reader in _READERS:
        kinds = reader(fields)
        if kinds is None:
            continue
        if found is None:
            found, by = kinds, key
        elif kinds != found:
            raise fields.contradiction(by, key)
    if found is None:
        if any(fields.has(key) for key in _STATE_KEYS) or fields.model_type in MIXED_BY_DEFAULT:
            raise fields.missing("layer_types")
        return windows.without_a_list(fields)
    if SLIDING in found and not windows.switched_on(fields, listed=True):
        found = tuple(FULL if kind == SLIDING else kind for kind in found)
    if STATE not in found:
        fields.use(*_STATE_KEYS)
    return found
