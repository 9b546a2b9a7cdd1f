"""Grouped attention that reads blocks which an indexer picks (MiniMax-M3)."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.caches import BlockIndexer, Cache
from sizing.memory.config.attention.grouped import grouped
from sizing.memory.config.fields import HEAD_DIM_MAX, Fields


def block_sparse(fields: Fields) -> Callable[[int, str], tuple[Cache, ...]] | None:
    """Keys and values as ever, and index keys beside them in the layers that the config marks."""
    sparse = fields.table_at("sparse_attention_config")
    if sparse is None or not sparse.flag("use_sparse_attention", default=True):
        return None
    layers = fields.layer_count
    marked = sparse.counts("sparse_attention_freq", layers, high=1)
    if sparse.has("sparse_disable_index_value"):
        without_values = sparse.counts("sparse_disable_index_value", layers, high=1)
        if any(mark and not bare for mark, bare in zip(marked, without_values, strict=True)):
            raise sparse.unknown_value("sparse_disable_index_value", 0)
    plain = grouped(fields)
    indexer = BlockIndexer(sparse.count("sparse_index_dim", high=HEAD_DIM_MAX))
    # Layers past the end are for multi-token prediction and are made like the last one.
    return lambda index, kind: plain(index, kind) + ((indexer,) if marked[min(index, layers - 1)] else ())
