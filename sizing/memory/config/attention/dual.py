"""Models whose sliding layers have a geometry of their own."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache
from sizing.memory.config.attention.grouped import attention_heads, checked_group, head_dim, kv_heads, shaped
from sizing.memory.config.fields import HEAD_DIM_MAX, HEADS_MAX, Fields
from sizing.memory.config.kinds import SLIDING

Attention = Callable[[int, str], tuple[Cache, ...]]


def _two(fields: Fields, full: tuple[int, int, int], sliding: tuple[int, int, int]) -> Attention:
    return lambda index, kind: (shaped(fields, kind, *(sliding if kind == SLIDING else full)),)


def own_window_geometry(fields: Fields) -> Attention | None:
    """Keys that begin with swa_, and values narrower than keys (MiMo-V2)."""
    if not fields.has("swa_num_key_value_heads"):
        return None
    heads = attention_heads(fields)
    k_dim = head_dim(fields, heads)
    v_dim = fields.optional_count("v_head_dim", high=HEAD_DIM_MAX) or k_dim
    swa_heads = fields.optional_count("swa_num_attention_heads", high=HEADS_MAX) or heads
    swa_groups = checked_group(
        fields, swa_heads, fields.count("swa_num_key_value_heads", high=HEADS_MAX), "swa_num_key_value_heads"
    )
    swa_k = fields.optional_count("swa_head_dim", high=HEAD_DIM_MAX) or k_dim
    swa_v = fields.optional_count("swa_v_head_dim", high=HEAD_DIM_MAX) or swa_k
    return _two(fields, (kv_heads(fields, heads), k_dim, v_dim), (swa_groups, swa_k, swa_v))


def other_setting(fields: Fields) -> Attention | None:
    """An object with the heads of the other kind of layer (Step 3.5 and later)."""
    other = fields.table_at("attention_other_setting")
    if other is None:
        return None
    kind = other.text("attention_type")
    if kind not in (None, "sliding_attention"):
        raise other.unknown_value("attention_type", kind)
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    own_heads = other.count("num_attention_heads", high=HEADS_MAX)
    own_groups = other.optional_count("num_attention_groups", "num_key_value_heads", high=HEADS_MAX)
    groups = kv_heads(fields, heads)
    own = checked_group(other, own_heads, own_groups or groups, "num_attention_groups")
    own_dim = other.optional_count("head_dim", high=HEAD_DIM_MAX) or dim
    return _two(fields, (groups, dim, dim), (own, own_dim, own_dim))


def own_global_geometry(fields: Fields) -> Attention | None:
    """Full layers with heads and widths of their own (Gemma 4)."""
    if not fields.has("global_head_dim"):
        return None
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    groups = kv_heads(fields, heads)
    wide = fields.count("global_head_dim", high=HEAD_DIM_MAX)
    global_groups = fields.optional_count("num_global_key_value_heads", high=HEADS_MAX)
    if fields.flag("attention_k_eq_v"):
        # The number for global layers is read only where keys serve as values too; both are still stored.
        global_groups = checked_group(fields, heads, global_groups or groups, "num_global_key_value_heads")
    else:
        global_groups = groups
    return _two(fields, (global_groups, wide, wide), (groups, dim, dim))
