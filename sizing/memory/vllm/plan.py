"""The plan: everything about a start that memory and length do not decide; made once for a model and settings."""

from __future__ import annotations

from collections.abc import Sequence

from sizing.base.dataclass import dataclass
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import CrossAttention
from sizing.memory.starting import Refusal
from sizing.memory.vllm import classes
from sizing.memory.vllm.grouping import BlockDemand, Group, groups
from sizing.memory.vllm.hybrid import States
from sizing.memory.vllm.layers import ByHead, LayerSpec, cut
from sizing.memory.vllm.operators import capability_text
from sizing.memory.vllm.settings import PACKED, RefusesError, Settings

# Checks that the engine makes before it plans: how a model may be split. Source: vllm-kv-rules, vllm-source.


def check(architecture: Architecture, settings: Settings) -> None:
    """Nothing where the model may be split so; RefusesError with the first reason, in the engine's order, where not."""
    tp, heads = settings.tp, architecture.attention_heads
    if heads % tp:
        works = max(n for n in range(1, tp) if not heads % n and not architecture.tp_obstacle(n))
        raise RefusesError("heads", "--tensor-parallel-size", works, tp=tp, heads=heads)
    stages = classes.stages_refusal(architecture, settings.pp)
    if stages is not None and stages.key == "no_stages":
        raise RefusesError(stages)
    if settings.dcp > 1:
        _context_parallel(architecture, settings)
    if obstacle := architecture.tp_obstacle(tp):
        works = max(n for n in range(1, tp) if not architecture.tp_obstacle(n))
        raise RefusesError(obstacle, "--tensor-parallel-size", works, tp=tp)
    if stages is not None:
        raise RefusesError(stages)


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


# Which precision the cache really gets. Source: vllm-kv-rules, vllm-source.


def resolve(architecture: Architecture, settings: Settings) -> str:
    """The precision by the engine's name; "fp8_ds_mla" is the packed record of sparse and compressed caches.

    RefusesError where this release or card has no such cache for the model.
    """
    kinds = classes.kinds(architecture)
    declared = architecture.declared_kv_dtype if settings.kv_dtype == "auto" else None
    choice = declared or settings.kv_dtype
    if choice == "nvfp4" and kinds & {"latent", "compressed"}:
        raise RefusesError("nvfp4_latent", "--kv-cache-dtype")
    if "compressed" in kinds:
        return _compressed(choice, settings)
    if "latent" in kinds and choice.endswith("per_token_head"):
        raise RefusesError("per_token_head_latent", "--kv-cache-dtype")
    if classes.is_sparse(architecture):
        return _sparse(architecture, choice, declared is not None, settings)
    return architecture.model_dtype if choice == "auto" else choice


def _sparse(architecture: Architecture, choice: str, declared: bool, settings: Settings) -> str:
    major, rules = settings.capability[0], settings.release
    if major not in (9, 10, 12):
        raise RefusesError("sparse_card", capability=capability_text(settings))
    if choice == "auto" and major == 12:
        return PACKED
    if choice == "auto" and major == 10 and rules.sparse_fp8_default and classes.chooses_fp8(architecture):
        return "fp8"
    if choice != "fp8":
        if major == 12:
            raise RefusesError("sparse_16_bit", "--kv-cache-dtype", capability=capability_text(settings))
        if major == 9 and settings.dcp > 1:
            raise RefusesError("sparse_dcp", "--kv-cache-dtype", dcp=settings.dcp)
        return "bf16"
    if major == 9 and declared:
        # A checkpoint asks for plain FP8 by its full name, which only the later of Hopper's kernels reads.
        if not rules.sparse_declared_fp8 or settings.dcp > 1:
            raise RefusesError("sparse_declared", "--kv-cache-dtype")
        return "fp8"
    return "fp8" if major == 10 and rules.sparse_fp8_plain else PACKED


def _compressed(choice: str, settings: Settings) -> str:
    if settings.kv_dtype == "auto" and not settings.release.compressed_auto:
        raise RefusesError("compressed_auto", "--kv-cache-dtype")
    if not choice.startswith("fp8"):
        raise RefusesError("compressed_precision", "--kv-cache-dtype")
    return PACKED


_KEPT = 256


@dataclass(frozen=True)
class CachePlan:
    """How the cache is cut up.

    refusal: why nothing starts, whatever the memory; the rest is then empty.
    precision: what the cache is kept in, by the engine's name.
    groups: in the order of the model.   stage_block_bytes: one block on a card of each stage. [bytes]
    block_size: of the layers that grow. [tokens]   states: how recurrent states are kept.
    batches: batches in flight. [-]   retained_tokens: kept below windows for drafting. [tokens]
    source_tokens: positions an encoder hands over, 0 without one. [tokens]
    """

    refusal: Refusal | None
    precision: str
    groups: tuple[Group, ...] = ()
    stage_block_bytes: tuple[int, ...] = ()
    block_size: int = 0
    states: States | None = None
    batches: int = 1
    retained_tokens: int = 0
    source_tokens: int = 0

    def demand(self, settings: Settings, max_model_len: int, batch_tokens: int) -> BlockDemand:
        """What a request of this length holds. [tokens]"""
        return BlockDemand(
            max_model_len,
            settings.dcp,
            self.batches * batch_tokens,
            self.retained_tokens,
            self.encoder_tokens(settings, batch_tokens),
            self.states,
        )

    def encoder_tokens(self, settings: Settings, batch_tokens: int) -> int:
        """Positions of an encoder's output that a request is charged, 0 without an encoder. [tokens]"""
        return batch_tokens if self.source_tokens and settings.release.cross_by_batch else self.source_tokens


def plan(architecture: Architecture, draft: Architecture | None, settings: Settings, asynchronous: bool) -> CachePlan:
    """The plan of a model with these settings, kept with the model."""
    kept = architecture.derived
    key = ("vllm", settings, asynchronous, draft)
    found: CachePlan | None = kept.get(key)
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        found = kept[key] = _plan(architecture, draft, settings, asynchronous)
    return found


def _plan(architecture: Architecture, draft: Architecture | None, settings: Settings, asynchronous: bool) -> CachePlan:
    try:
        architecture = classes.as_read(architecture, settings.release)
        check(architecture, settings)
        precision = resolve(architecture, settings)
        made = cut(architecture, drafting(architecture, draft, settings), precision, settings)
        check_shared_tokens(made.layers, settings)
        found = groups(made.layers, settings)
    except RefusesError as refuses:
        return CachePlan(refuses.refusal, settings.kv_dtype)
    crossed = [c.source_tokens for layer in architecture.layers for c in layer.caches if isinstance(c, CrossAttention)]
    return CachePlan(
        None,
        precision,
        found,
        _stage_block_bytes(found, settings),
        made.block_size,
        made.states,
        batches_in_flight(architecture, settings, asynchronous),
        _retained_tokens(architecture, settings) if draft is None else 0,
        max(crossed, default=0),
    )


def _stage_block_bytes(found: tuple[Group, ...], settings: Settings) -> tuple[int, ...]:
    if not found:
        return ()
    several = len(found) == 1 and len({spec.layout for spec in found[0].specs}) > 1
    if several and not settings.release.stages_narrowed:
        return (found[0].whole_bytes,) * settings.pp
    return tuple(max(group.stage_bytes[stage] for group in found) for stage in range(settings.pp))


def batches_in_flight(architecture: Architecture, settings: Settings, asynchronous: bool) -> int:
    """Batches whose tokens windows still hold. [-]"""
    rules = settings.release
    if not rules.every_batch_held:
        return 1
    if not asynchronous:
        return settings.pp
    second = rules.second_runner == "all" or (
        rules.second_runner == "dense" and classes.early_second_runner(architecture)
    )
    if second:
        return settings.pp + 1
    return 2 if settings.pp == 1 else settings.pp


def _retained_tokens(architecture: Architecture, settings: Settings) -> int:
    """Several draft modules read ahead of each other, so that a window frees its end later. [tokens]"""
    modules = min(len(classes.draft_layers(architecture)), settings.speculative_tokens)
    return settings.speculative_tokens - 1 if modules > 1 and settings.release.every_batch_held else 0
