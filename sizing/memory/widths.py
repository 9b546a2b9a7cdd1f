"""The widths in a config.json that decide how much memory a step of an engine takes."""

from __future__ import annotations

from collections.abc import Mapping
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
_FFN = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")


@dataclass(frozen=True)
class Widths:
    """The sizes of a model that decide its activations.

    hidden_size, ffn_size, vocab_size: widths of the residual stream, of the dense (or shared-expert) feed-forward
    part, and of the logits; ffn_size is 0 where every token goes through routed experts only. [elements]
    layers: decoder layers. [-]   experts_per_token: routed experts a token visits, 0 in a dense model. [-]
    expert_ffn_size: width of one expert. [elements]
    expert_padding: what the experts' weights grow by when an engine loads them, since its operators take a width in
        whole steps. [-]
    """

    hidden_size: int
    vocab_size: int
    layers: int
    ffn_size: int = 0
    experts_per_token: int = 0
    expert_ffn_size: int = 0
    expert_padding: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "expert_padding":
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
    if not text.optional_count(*_EXPERTS, low=0):
        return Widths(hidden, vocab, layers, ffn)
    expert = _widest(text, "moe_intermediate_size") or ffn
    shared = text.optional_count(*_SHARED_WIDTH, low=0)
    if not shared:
        shared = (text.optional_count("n_shared_experts", low=0) or 0) * expert
    visited = text.optional_count(*_EXPERTS_PER_TOKEN) or 1
    return Widths(hidden, vocab, layers, shared, visited, expert, _padding(top, hidden))


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
