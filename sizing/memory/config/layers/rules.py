"""Rules that say which layers attend and which keep a state."""

from __future__ import annotations

from sizing.memory.config.fields import HEADS_MAX, LAYERS_MAX, Fields
from sizing.memory.config.kinds import CHUNKED, FULL, PARALLEL, STATE, Pattern, every


def full_attention_interval(fields: Fields) -> Pattern | None:
    """Every n-th layer attends, the others keep a state (gated DeltaNet)."""
    if not fields.has("full_attention_interval"):
        return None
    period = fields.count("full_attention_interval", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, STATE, period - 1)


def attn_layer_period(fields: Fields) -> Pattern | None:
    """Every n-th layer attends from an offset on, the others keep a state (Jamba)."""
    if not fields.has("attn_layer_period"):
        return None
    period = fields.count("attn_layer_period", high=LAYERS_MAX)
    offset = fields.count("attn_layer_offset", low=0, high=period - 1)
    return every(fields.layer_count, period, FULL, STATE, offset)


def layer_group_size(fields: Fields) -> Pattern | None:
    """The last layer of every group attends, the others keep a state (Ling and Ring, linear)."""
    if not fields.has("layer_group_size"):
        return None
    period = fields.count("layer_group_size", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, STATE, period - 1)


def chunk_rule(fields: Fields) -> Pattern | None:
    """Layers with rotary positions attend inside a chunk, those without to everything (Llama 4)."""
    if not fields.has("attention_chunk_size") or fields.has("hybrid_layer_pattern"):
        return None
    layers = fields.layer_count
    if fields.get("no_rope_layers"):
        return tuple(CHUNKED if value else FULL for value in fields.counts("no_rope_layers", layers, high=1))
    period = fields.optional_count("no_rope_layer_interval", high=LAYERS_MAX) or 4
    return every(layers, period, FULL, CHUNKED, period - 1)


def parallel_mamba(fields: Fields) -> Pattern | None:
    """Every layer attends and keeps a state (Falcon-H1)."""
    return (PARALLEL,) * fields.layer_count if fields.has("mamba_d_ssm") else None


def states_only(fields: Fields) -> Pattern | None:
    """Every layer keeps a state (Mamba, Mamba-2)."""
    if not fields.has("state_size") or fields.has("num_attention_heads"):
        return None
    fields.count("state_size", high=HEADS_MAX)
    return (STATE,) * fields.layer_count
