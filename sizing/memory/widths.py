"""The widths in a config.json that decide how much memory a step of an engine takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from sizing.base.checks import count
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.config.fields import Fields, show

_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_LARGEST_VOCAB = 1 << 26
_EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts")
_EXPERTS_PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts")
_SHARED_WIDTH = ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
_MXFP4_STEP = 256
_LARGEST_IMAGE = 16_384  # of Qwen2-VL and later, by their processors' longest side [tokens]
# Heads and both widths of a gated delta rule's state, and of Mamba-2's.
_STATES = (
    ("linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim"),
    ("mamba_num_heads", "mamba_head_dim", "ssm_state_size"),
)
_SENSES = ("vision_config", "audio_config", "visual", "vision_tower_config")
_FFN = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")


@dataclass(frozen=True)
class Images:
    """Images that an engine profiles with a model that reads them.

    tokens: of one image of the largest size, 0 where only the budget of a batch is known. [tokens]
    patches_per_token: patches that the encoder merges into one. [-]
    hidden_size, ffn_size: widths of the vision encoder. [elements]
    """

    tokens: int
    patches_per_token: int
    hidden_size: int
    ffn_size: int


@dataclass(frozen=True)
class Widths:
    """The sizes of a model that decide its activations.

    hidden_size, ffn_size, vocab_size: widths of the residual stream, of the dense (or shared-expert) feed-forward
    part, and of the logits; ffn_size is 0 where every token goes through routed experts only. [elements]
    layers: decoder layers. [-]   experts_per_token: routed experts a token visits, 0 in a dense model. [-]
    expert_ffn_size: width of one expert. [elements]
    expert_padding: what the experts' weights grow by when an engine loads them, since its operators take a width in
        whole steps. [-]
    images: of the encoder of a model that reads images; None where there is none, or its config does not say.
    latent: attention keeps one compressed vector a token.   sees: the model reads images or sound.
    state_elements: of one layer's recurrent state, for one request; 0 without. [elements]
    """

    hidden_size: int
    vocab_size: int
    layers: int
    ffn_size: int = 0
    experts_per_token: int = 0
    expert_ffn_size: int = 0
    expert_padding: float = 0.0
    images: Images | None = None
    latent: bool = False
    sees: bool = False
    state_elements: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in ("expert_padding", "images", "latent", "sees"):
                continue
            low = 1 if field.name in ("hidden_size", "vocab_size") else 0
            count(field.name, getattr(self, field.name), low, 1_000_000_000)


def read_widths(config: Mapping[str, Any], layers: int) -> Widths:
    """Widths from a config.json. layers: decoder layers, as its Architecture counts them.

    Raises SizingError where hidden size or vocabulary are not stated, and for a value out of bounds.

    >>> read_widths({"hidden_size": 2880, "vocab_size": 201088, "intermediate_size": 2880,
    ...              "num_local_experts": 128, "experts_per_token": 4}, 36).expert_ffn_size
    2880
    """
    if not isinstance(config, Mapping):
        raise SizingError("config_not_object", input="config.json", value=show(config))
    top = Fields(config)
    text = next((part for name in _TEXT_PARTS if (part := top.table_at(name)) is not None), top)
    hidden = text.optional_count("hidden_size", "n_embd", "d_model")
    vocab = text.optional_count("vocab_size", high=_LARGEST_VOCAB)
    if hidden is None or vocab is None:
        raise SizingError("widths_unknown", input="config.json")
    ffn = _widest(text, *_FFN)
    kinds: dict[str, Any] = {
        "images": read_images(top),
        "latent": text.has("kv_lora_rank"),
        "sees": any(top.has(name) for name in _SENSES),
        "state_elements": max(map(_product(text), _STATES)),
    }
    if not text.optional_count(*_EXPERTS, low=0):
        return Widths(hidden, vocab, layers, ffn, **kinds)
    expert = _widest(text, "moe_intermediate_size") or ffn
    shared = text.optional_count(*_SHARED_WIDTH, low=0)
    if not shared:
        shared = (text.optional_count("n_shared_experts", low=0) or 0) * expert
    visited = text.optional_count(*_EXPERTS_PER_TOKEN) or 1
    return Widths(hidden, vocab, layers, shared, visited, expert, _padding(top, hidden), **kinds)


def read_images(top: Fields) -> Images | None:
    """What a config says of its vision encoder; None where it does not say how patches become tokens.

    top: the whole file.
    Images of any size are scaled to at most 16,384 tokens by the processors of the families that merge patches so.
    """
    vision = top.table_at("vision_config")
    if vision is None:
        return None
    hidden = vision.optional_count("vt_hidden_size", "embed_dim", "hidden_size")
    side, patch = (vision.optional_count(name, low=0) for name in ("image_size", "patch_size"))
    patches = (side // patch) ** 2 if side and patch else 0
    merged = vision.optional_count("spatial_merge_size", "pooling_kernel_size", low=0) or top.optional_count(
        "spatial_merge_size", low=0
    )
    tokens = top.optional_count("mm_tokens_per_image", "vision_soft_tokens_per_image", low=0) or 0
    if merged:
        per_token = merged**2
        tokens = tokens or patches // per_token or (_LARGEST_IMAGE if vision.has("spatial_merge_size") else 0)
    elif isinstance(kernel := vision.get("merge_kernel_size"), list) and kernel:
        per_token = math.prod(vision.counts("merge_kernel_size", longest=4, high=64))
    elif patches and tokens:
        per_token = max(1, patches // tokens)
    else:
        return None
    ffn = vision.optional_count("vt_intermediate_size", "intermediate_size", low=0)
    ratio = vision.get("mlp_ratio")
    if not ffn and isinstance(ratio, (int, float)) and not isinstance(ratio, bool) and hidden and 0 < ratio <= 64:
        ffn = int(hidden * ratio)
    return Images(tokens, per_token, hidden, ffn) if hidden and ffn else None


def _product(text: Fields) -> Callable[[tuple[str, ...]], int]:
    def product(names: tuple[str, ...]) -> int:
        """Of the numbers under these names; 0 where one is missing."""
        return math.prod(text.optional_count(name, low=0) or 0 for name in names)

    return product


def _padding(top: Fields, hidden: int) -> float:
    """Experts in MXFP4 are loaded with the hidden width filled up to a whole number of steps. [-]

    Published logs: gpt-oss-120b, 60.8 GiB of files, loads as 64.4; 2,880 filled up to 3,072 makes 64.5.
    """
    quant = top.table_at("quantization_config")
    if quant is None or quant.get("quant_method") != "mxfp4":
        return 0.0
    return -(-hidden // _MXFP4_STEP) * _MXFP4_STEP / hidden - 1


def _widest(text: Fields, *names: str) -> int:
    """The widest layer's width; 0 where none of the names has a value."""
    name = text.which(*names)
    if not name:
        return 0
    if isinstance(text.get(name), list):
        return max(text.counts(name), default=0)
    return text.optional_count(name, low=0) or 0
