"""Which precision the cache really gets. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

from sizing.memory.architecture import Architecture
from sizing.memory.vllm import classes
from sizing.memory.vllm.kernels import capability_text
from sizing.memory.vllm.refusals import RefusesError
from sizing.memory.vllm.settings import Settings

PACKED = "fp8_ds_mla"


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
