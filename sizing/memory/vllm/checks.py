"""Checks that the engine makes before it plans: how a model may be split. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

from collections.abc import Sequence

from sizing.memory.architecture import Architecture, Layer
from sizing.memory.vllm import classes
from sizing.memory.vllm.layers import ByHead, LayerSpec
from sizing.memory.vllm.refusals import RefusesError
from sizing.memory.vllm.settings import Settings


def check(architecture: Architecture, settings: Settings) -> None:
    """Nothing where the model may be split so; RefusesError with the first reason, in the engine's order, where not."""
    tp, heads = settings.tp, architecture.attention_heads
    if heads % tp:
        works = max(n for n in range(1, tp) if not heads % n and not architecture.tp_obstacle(n))
        raise RefusesError("heads", "--tensor-parallel-size", works, tp=tp, heads=heads)
    if settings.pp > 1 and not classes.has_stages(architecture):
        raise RefusesError("no_stages", "--pipeline-parallel-size", 1, pp=settings.pp)
    if settings.dcp > 1:
        _context_parallel(architecture, settings)
    if obstacle := architecture.tp_obstacle(tp):
        works = max(n for n in range(1, tp) if not architecture.tp_obstacle(n))
        raise RefusesError(obstacle, "--tensor-parallel-size", works, tp=tp)
    if settings.pp > 1:
        _stages_with_shared_caches(architecture, settings.pp)


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


def stages_refusal(architecture: Architecture, pp: int) -> str:
    """Key of the reason (``vllm.refusal.<key>``) why the model cannot be dealt to ``pp`` stages, or ""."""
    if pp == 1:
        return ""
    if not classes.has_stages(architecture):
        return "no_stages"
    try:
        _stages_with_shared_caches(architecture, pp)
    except RefusesError as refused:
        return refused.refusal.key
    return ""


def _stages_with_shared_caches(architecture: Architecture, pp: int) -> None:
    """A layer finds the cache that it reads on its own stage only."""
    shared = [index for index, layer in enumerate(architecture.layers) if not layer.caches]
    if shared and classes.shares_caches(architecture) and shared[-1] not in architecture.stages(pp)[0]:
        raise RefusesError("shared_across_stages", "--pipeline-parallel-size", 1, pp=pp)


def _context_parallel(architecture: Architecture, settings: Settings) -> None:
    dcp, tp = settings.dcp, settings.tp
    if tp % dcp:
        raise RefusesError("dcp_divides", "--decode-context-parallel-size", 1, dcp=dcp, tp=tp)
    if "latent" in classes.kinds(architecture):
        return
    caches = [cache for layer in architecture.layers for cache in layer.caches]
    kv_heads = max((cache.kv_heads for cache in caches if isinstance(cache, ByHead)), default=0)
    if kv_heads and (tp <= kv_heads or dcp > tp // kv_heads or (architecture.attention_heads // kv_heads) % dcp):
        works = max(1, tp // kv_heads)
        raise RefusesError("dcp_heads", "--decode-context-parallel-size", works, dcp=dcp, tp=tp, kv_heads=kv_heads)


def check_shared_tokens(layers: Sequence[LayerSpec], settings: Settings) -> None:
    """Decode context parallelism deals out the tokens of a context, which a window does not hold in full."""
    if settings.dcp > 1 and any(layer.spec.family in ("sliding", "chunked", "cross") for layer in layers):
        raise RefusesError("dcp_window", "--decode-context-parallel-size", 1, dcp=settings.dcp)
