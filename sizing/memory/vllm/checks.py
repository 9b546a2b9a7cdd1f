"""Checks that the engine makes before it plans: how a model may be split. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, Mamba2State
from sizing.memory.vllm import classes
from sizing.memory.vllm.refusals import RefusesError
from sizing.memory.vllm.settings import Settings


def check(architecture: Architecture, settings: Settings) -> None:
    """Nothing where the model may be split so; RefusesError with the first reason where not."""
    _tensor_parallel(architecture, settings.tp)
    if settings.pp > 1:
        _pipeline(architecture, settings.pp)
    if settings.dcp > 1:
        _context_parallel(architecture, settings)


def drafting(architecture: Architecture, draft: Architecture | None, settings: Settings) -> tuple[Layer, ...]:
    """Layers that speculative decoding adds: the draft model's, else the model's own for multi-token prediction."""
    if not settings.speculative_tokens:
        return ()
    if draft is not None:
        return draft.layers
    own = classes.draft_layers(architecture)
    if not own or not classes.drafts(architecture):
        raise RefusesError("no_draft", "--speculative-config")
    return own


def _tensor_parallel(architecture: Architecture, tp: int) -> None:
    if tp == 1:
        return
    heads = architecture.attention_heads
    if heads % tp:
        works = max(n for n in range(1, tp) if heads % n == 0 and not architecture.tp_obstacle(n))
        raise RefusesError("heads", "--tensor-parallel-size", works, tp=tp, heads=heads)
    obstacle = architecture.tp_obstacle(tp)
    if obstacle:
        works = max(n for n in range(1, tp) if not architecture.tp_obstacle(n))
        raise RefusesError(obstacle, "--tensor-parallel-size", works, tp=tp)
    for layer in architecture.layers:
        for cache in layer.caches:
            if isinstance(cache, Mamba2State) and cache.groups % tp and cache.groups != 1:
                raise RefusesError("state_groups_not_divisible", "--tensor-parallel-size", cache.groups, tp=tp)


def _pipeline(architecture: Architecture, pp: int) -> None:
    if not classes.has_stages(architecture):
        raise RefusesError("no_stages", "--pipeline-parallel-size", 1, pp=pp)
    # A stage of nothing but layers that read another stage's cache has nothing to read.
    shared = [index for index, layer in enumerate(architecture.layers) if not layer.caches]
    if shared and classes.shares_caches(architecture):
        first = architecture.stages(pp)[0]
        if shared[-1] not in first:
            raise RefusesError("shared_across_stages", "--pipeline-parallel-size", 1, pp=pp)


def _context_parallel(architecture: Architecture, settings: Settings) -> None:
    dcp, tp = settings.dcp, settings.tp
    if tp % dcp:
        raise RefusesError("dcp_divides", "--decode-context-parallel-size", 1, dcp=dcp, tp=tp)
    kinds = classes.kinds(architecture)
    if kinds & {"sliding", "chunked", "compressed", "cross", "bounded"}:
        raise RefusesError("dcp_window", "--decode-context-parallel-size", 1, dcp=dcp)
    if "latent" in kinds:
        return
    caches = [cache for layer in architecture.layers for cache in layer.caches]
    kv_heads = max((cache.kv_heads for cache in caches if isinstance(cache, FullAttention)), default=0)
    if kv_heads and (tp <= kv_heads or dcp > tp // kv_heads or (architecture.attention_heads // kv_heads) % dcp):
        works = max(1, tp // kv_heads)
        raise RefusesError("dcp_heads", "--decode-context-parallel-size", works, dcp=dcp, tp=tp, kv_heads=kv_heads)
