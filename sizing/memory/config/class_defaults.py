"""What model classes assume where a config is silent: class_defaults.toml, which says what each table means."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _names(trait: str) -> frozenset[str]:
    return frozenset(_TABLE[trait].split())


CONTEXT_INCLUDES_SCALING = _names("context_includes_scaling")
EXPANDS_LATENT = _names("expands_latent")
GATED_ATTENTION = _names("gated_attention")
LAST_LAYER_FULL = _names("last_layer_full")
MIXED_BY_DEFAULT = _names("mixed_by_default")
MTP_OWN_EMBEDDINGS = _names("mtp_own_embeddings")
PARALLEL_STATES = _names("parallel_states")
QKV_BIAS = _names("qkv_bias")
QUERY_KEY_NORM = _names("query_key_norm")
READS_TARGET = _names("reads_target")
SHARES_INDEXER_BY_DEFAULT = _names("shares_indexer_by_default")
TIED = _names("tied")
UNGATED = _names("ungated")

MTP_UNCOUNTED: dict[str, int] = _TABLE["mtp_uncounted"]
NORMS: dict[str, int] = _TABLE["norms"]
REQUIRED: dict[str, list[str]] = {name: keys.split() for name, keys in _TABLE["required"].items()}
QUERY_HEADS: dict[str, int] = _TABLE["query_heads"]
SILENT_WINDOW: dict[str, int] = _TABLE["silent_window"]
WINDOW_RULES: dict[str, tuple[int, int]] = {name: (a, b) for name, (a, b) in _TABLE["window_rules"].items()}
GEOMETRY: dict[str, tuple[int | None, int | None]] = {
    name: (stated.get("kv_heads"), stated.get("head_dim")) for name, stated in _TABLE["geometry"].items()
}
