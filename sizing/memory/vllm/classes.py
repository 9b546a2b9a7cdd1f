"""What vLLM's model classes do on their own, beyond what the cache's geometry says.

Kept as data under ``model_type``, the config's field by which the engine finds the class. Source: vllm-source.
"""

from __future__ import annotations

from dataclasses import replace

from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, LatentAttention, SlidingWindow
from sizing.memory.config.class_defaults import SILENT_WINDOW
from sizing.memory.terms import Cache

# Recurrent states in fp32 where the config is silent; elsewhere they follow the model's own precision.
_FP32_STATES = frozenset({"nemotron_h", "nemotron_h_puzzle"})
# Sparse latent attention that chooses an FP8 cache on data-centre Blackwell.
_FP8_ON_BLACKWELL = frozenset({"glm_moe_dsa"})
# Extra logits that attention may drain into, which not every kernel serves.
_SINKS = frozenset({"gpt_oss", "mimo_v2", "mimo_v2_flash"})
# Images attended to both ways although the config does not say so; their text part carries the name.
_IMAGES_BOTH_WAYS = frozenset({"gemma3", "gemma3_text", "paligemma", "molmo2", "bagel", "moondream3"})
# Mixtures of experts that ran on the second model runner before it took over all models.
_EARLY_SECOND_RUNNER = frozenset({"deepseek_v2", "deepseek_v4", "granitemoe", "qwen2_moe", "kimi_k3", "longcat_flash"})
# Classes without pipeline stages.
_NO_STAGES = frozenset({"whisper"})
# Classes whose multi-token prediction the engine can run.
_DRAFTS = frozenset(
    {
        "bailing_hybrid",
        "deepseek_v3",
        "deepseek_v32",
        "deepseek_v4",
        "dots3_note",
        "ernie4_5_moe",
        "exaone4_5",
        "exaone_moe",
        "glm4_moe",
        "glm4_moe_lite",
        "glm_moe_dsa",
        "glm_ocr",
        "kimi_k2",
        "kimi_k3",
        "longcat_flash",
        "mimo",
        "mimo_v2",
        "mimo_v2_flash",
        "nemotron_h",
        "nemotron_h_puzzle",
        "pangu_ultra_moe",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_5_moe_text",
        "qwen3_5_text",
        "qwen3_next",
        "qwen4_exp",
        "qwen4_exp_text",
        "step3p5",
        "step5",
    }
)
# Multi-token prediction layers that a class has where the config does not count them; each like the last layer. [-]
_DRAFT_LAYERS = {"bailing_hybrid": 1, "deepseek_v3": 1, "glm4_moe": 1, "qwen3_next": 1}
# Tokens that a class's Mamba kernel takes at a time where the config is silent; Mamba-1 has no such chunk. [tokens]
_CHUNKS = {
    "bamba": 256,
    "falcon_h1": 256,
    "granitemoehybrid": 256,
    "mamba2": 256,
    "nemotron_h": 128,
    "zamba2": 256,
}
_CHUNK_WITHOUT_CHUNKS = 2048
# Classes whose last layers read the cache of earlier ones.
_SHARES_CACHES = frozenset({"gemma3n", "gemma3n_text", "gemma4", "gemma4_text", "gemma4_unified_text"})
_STATE_KINDS = frozenset({"deltanet", "kda", "mamba1", "mamba2", "lightning", "conv"})


def as_read(architecture: Architecture) -> Architecture:
    """The model as the engine reads its file: a class that slides where the config is silent does slide."""
    if not any(part.key == "window_not_stated" for part in architecture.left_out):
        return architecture
    window = SILENT_WINDOW[architecture.model_type]
    return replace(
        architecture, layers=tuple(Layer(tuple(_sliding(c, window) for c in la.caches)) for la in architecture.layers)
    )


def _sliding(cache: Cache, window: int) -> Cache:
    if type(cache) is not FullAttention:
        return cache
    return SlidingWindow(cache.kv_heads, cache.k_dim, cache.v_dim, window)


def kinds(architecture: Architecture) -> frozenset[str]:
    """Kinds of cache that the model's own layers hold."""
    return frozenset(cache.kind for layer in architecture.layers for cache in layer.caches)


def is_hybrid(architecture: Architecture) -> bool:
    """Whether some layer keeps a recurrent state."""
    return bool(kinds(architecture) & _STATE_KINDS)


def is_sparse(architecture: Architecture) -> bool:
    """Whether latent attention reads only the tokens that an indexer picks."""
    return any(isinstance(c, LatentAttention) and c.sparse for layer in architecture.layers for c in layer.caches)


def default_state_bytes(architecture: Architecture, kind: str) -> int:
    """Bytes of an element of a recurrent state whose precision the config does not name. [bytes]"""
    return 4 if kind == "kda" or architecture.model_type in _FP32_STATES else 2


def state_chunk_tokens(architecture: Architecture) -> int:
    """Tokens that the model's Mamba kernel takes at a time. [tokens]"""
    return architecture.state_chunk_tokens or _CHUNKS.get(architecture.model_type, _CHUNK_WITHOUT_CHUNKS)


def chooses_fp8(architecture: Architecture) -> bool:
    """Whether the class turns an undeclared cache into FP8 on data-centre Blackwell."""
    return architecture.model_type in _FP8_ON_BLACKWELL


def has_sinks(architecture: Architecture) -> bool:
    """Whether attention has sinks."""
    return architecture.model_type in _SINKS


def images_both_ways(architecture: Architecture) -> bool:
    """Whether tokens of one image attend to each other both ways."""
    return architecture.bidirectional_images or (architecture.model_type in _IMAGES_BOTH_WAYS and _sees(architecture))


def _sees(architecture: Architecture) -> bool:
    return any(part.key == "encoder_cache" and part.detail == "vision_config" for part in architecture.left_out)


def has_stages(architecture: Architecture) -> bool:
    """Whether the class can be split into pipeline stages."""
    return architecture.model_type not in _NO_STAGES


def early_second_runner(architecture: Architecture) -> bool:
    """Whether the second model runner served the model while it served dense models only."""
    if architecture.model_type in _EARLY_SECOND_RUNNER:
        return True
    return not architecture.moe and not is_hybrid(architecture)


def draft_layers(architecture: Architecture) -> tuple[Layer, ...]:
    """Layers that speculative decoding adds with the model's own multi-token prediction."""
    if architecture.mtp_layers or not architecture.layers or _sees(architecture):
        return architecture.mtp_layers
    return (architecture.layers[-1],) * _DRAFT_LAYERS.get(architecture.model_type, 0)


def drafts(architecture: Architecture) -> bool:
    """Whether the engine can run the class's multi-token prediction."""
    return architecture.model_type in _DRAFTS


def shares_caches(architecture: Architecture) -> bool:
    """Whether layers without a cache of their own read another layer's."""
    return architecture.model_type in _SHARES_CACHES
