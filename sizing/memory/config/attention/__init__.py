"""Geometry of the layers that attend. One file for each family of spellings; each says whether it is concerned."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import Cache
from sizing.memory.config.attention import block_sparse, dual, grouped, latent
from sizing.memory.config.fields import Fields

Attention = Callable[[int, str], tuple[Cache, ...]]
"""Caches of the layer with this number and kind."""

# In the order of asking: the special before the general.
_READERS: tuple[Callable[[Fields], Attention | None], ...] = (
    latent.expanded_latent,
    latent.latent,
    block_sparse.block_sparse,
    dual.own_window_geometry,
    dual.other_setting,
    dual.own_global_geometry,
    grouped.grouped,
)


def attention(fields: Fields) -> Attention:
    """The geometry that these fields describe, with layers that use another layer's cache left without one."""
    for reader in _READERS:
        if (found := reader(fields)) is not None:
            return _shared(fields, found)
    raise fields.missing("num_attention_heads")


def _shared(fields: Fields, own: Attention) -> Attention:
    layers = fields.layer_count if fields.has("num_kv_shared_layers") or fields.flag("use_cla") else 0
    tail = fields.optional_count("num_kv_shared_layers", low=0, high=max(0, layers - 1)) or 0
    if tail:
        # The last layers read what an earlier layer of their kind has stored (Gemma 3n, Gemma 4).
        return lambda index, kind: own(index, kind) if not layers - tail <= index < layers else ()
    if fields.flag("use_cla"):
        # Of each run of layers the first stores, the others read (cross-layer attention, Hunyuan).
        share = fields.count("cla_share_factor", high=layers)
        return lambda index, kind: own(index, kind) if index % share == 0 else ()
    fields.use("cla_share_factor")
    return own
