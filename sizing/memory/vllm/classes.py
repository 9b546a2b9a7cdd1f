"""What vLLM's model classes do on their own, beyond what the cache's geometry says.

Stated in data/engines/vllm.toml under ``model_type``, the config's field by which the engine finds the class. Source:
vllm-source.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, LatentAttention, SlidingWindow, SparseIndexer
from sizing.memory.config.class_defaults import SILENT_WINDOW
from sizing.memory.starting import Refusal, facts
from sizing.memory.terms import Cache
from sizing.memory.vllm.releases import NAME, Release

_CHUNK_WITHOUT_CHUNKS = 2048  # of Mamba-1, whose operator takes the whole context [tokens]


@functools.cache
def _classes() -> dict[str, frozenset[str]]:
    """Values of ``model_type`` by what the classes do."""
    return {does: frozenset(names) for does, names in facts(NAME)["classes"].items()}


def as_read(architecture: Architecture, release: Release) -> Architecture:
    """The model as the engine reads its file: a class that slides where the config is silent does slide.

    Classes of older releases that keep their values as wide as the keys do so.
    """
    if any(part.key == "window_not_stated" for part in architecture.left_out):
        window = SILENT_WINDOW[architecture.model_type]
        architecture = _with_caches(architecture, lambda cache: _sliding(cache, window))
    if release.values_filled and architecture.model_type in _classes()["values_filled"]:
        architecture = _with_caches(architecture, _filled)
    return architecture


def _with_caches(architecture: Architecture, made: Callable[[Cache], Cache]) -> Architecture:
    """The same model with another cache for each."""
    layers = tuple(Layer(tuple(map(made, layer.caches))) for layer in architecture.layers)
    return replace(architecture, layers=layers)


def _filled(cache: Cache) -> Cache:
    return replace(cache, v_dim=cache.k_dim) if isinstance(cache, FullAttention | SlidingWindow) else cache


def _sliding(cache: Cache, window: int) -> Cache:
    if type(cache) is not FullAttention:
        return cache
    return SlidingWindow(cache.kv_heads, cache.k_dim, cache.v_dim, window)


def kinds(architecture: Architecture) -> frozenset[str]:
    """Kinds of cache that the model's own layers hold."""
    return frozenset(cache.kind for layer in architecture.layers for cache in layer.caches)


def is_hybrid(architecture: Architecture) -> bool:
    """Whether some layer keeps a recurrent state."""
    return any(cache.is_state for layer in architecture.layers for cache in layer.caches)


def is_sparse(architecture: Architecture) -> bool:
    """Whether latent attention reads only the tokens that an indexer picks."""
    return any(isinstance(c, LatentAttention) and c.sparse for layer in architecture.layers for c in layer.caches)


def pools_keys(architecture: Architecture) -> bool:
    """Whether an index key stands for several tokens."""
    return any(isinstance(c, SparseIndexer) and c.ratio > 1 for layer in architecture.layers for c in layer.caches)


def default_state_bytes(architecture: Architecture, kind: str) -> int:
    """Bytes of an element of a recurrent state whose precision the config does not name. [bytes]"""
    return 4 if kind == "kda" or architecture.model_type in _classes()["fp32_states"] else 2


def state_chunk_tokens(architecture: Architecture) -> int:
    """Tokens that the model's Mamba operator takes at a time. [tokens]"""
    return architecture.state_chunk_tokens or facts(NAME)["state_chunks"].get(
        architecture.model_type, _CHUNK_WITHOUT_CHUNKS
    )


def chooses_fp8(architecture: Architecture) -> bool:
    """Whether the class turns an undeclared cache into FP8 on data-centre Blackwell."""
    return architecture.model_type in _classes()["fp8_on_blackwell"]


def has_sinks(architecture: Architecture) -> bool:
    """Whether attention has sinks."""
    return architecture.model_type in _classes()["sinks"]


def images_both_ways(architecture: Architecture) -> bool:
    """Whether tokens of one image attend to each other both ways."""
    return architecture.bidirectional_images or (
        architecture.model_type in _classes()["images_both_ways"] and _sees(architecture)
    )


def _sees(architecture: Architecture) -> bool:
    return any(part.key == "encoder_cache" and part.detail == "vision_config" for part in architecture.left_out)


def stages_refusal(architecture: Architecture, pp: int) -> Refusal | None:
    """Why the engine cannot deal a model to ``pp`` pipeline stages, None where it can.

    A layer finds the cache that it reads on its own stage only.
    """
    key, model_type = "", architecture.model_type
    if pp > 1 and model_type in _classes()["no_stages"]:
        key = "no_stages"
    elif pp > 1 and model_type in _classes()["shares_caches"]:
        shared = [index for index, layer in enumerate(architecture.layers) if not layer.caches]
        if shared and shared[-1] not in architecture.stages(pp)[0]:
            key = "shared_across_stages"
    return Refusal(NAME, key, "--pipeline-parallel-size", 1, MappingProxyType({"pp": pp})) if key else None


def early_second_runner(architecture: Architecture) -> bool:
    """Whether the second model runner served the model while it served dense models only."""
    if architecture.model_type in _classes()["early_second_runner"]:
        return True
    return not architecture.moe and not is_hybrid(architecture)


def draft_layers(architecture: Architecture) -> tuple[Layer, ...]:
    """Layers that speculative decoding adds with the model's own multi-token prediction."""
    if architecture.mtp_layers or not architecture.layers or _sees(architecture):
        return architecture.mtp_layers
    return (architecture.layers[-1],) * int(facts(NAME)["draft_layers"].get(architecture.model_type, 0))


def drafts(architecture: Architecture) -> bool:
    """Whether the engine can run the class's multi-token prediction."""
    return architecture.model_type in _classes()["drafts"]
