"""What an engine leaves for the cache on one card: requested memory less weights, activations, non-torch and graphs.

The form is physical and has few constants; scripts/fit_budget.py fits them on half of the known start-up logs.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.numbers import is_number, is_whole
from sizing.base.units import gib
from sizing.memory.budget.rules import figure, tables
from sizing.memory.config.fields import Fields, show

# Bounds of the numbers that come in.

LARGEST = 1e9


def number(value: Any, name: str, *, low: float, above: bool = False, high: float = LARGEST) -> float:
    """A finite number from ``low`` (or above it) to ``high``; else a SizingError that names the input."""
    if not is_number(value) or value < low or value > high or (above and value == low):
        raise SizingError("number_out_of_range", input=name, value=value, low=low, high=high)
    return float(value)


def count(value: Any, name: str, low: int) -> int:
    """A whole number of at least ``low``; else a SizingError that names the input."""
    if not is_whole(value) or not low <= value <= LARGEST:
        raise SizingError("count_out_of_range", input=name, value=value, low=low)
    return int(value)


# The engine's release and the settings that decide its memory at start, with vLLM's defaults.

# Releases where vLLM's accounting of memory changed (source: vllm-kv-rules; the sampling kernel: vllm-33538).
KERNEL_SAMPLING = (0, 17)
GRAPHS_IN_SHARE = (0, 20)
CONSUMED_BY_DRIVER = (0, 28)  # what the driver sees consumed counts, contexts and workspaces included
NEWEST = "0.33"

# Defaults of a server by the card's memory (source: vllm-kv-rules).
LARGE_CARD_GIB = 70
HUGE_CARD_GIB = 160
_AMPERE = (8, 0)  # the engine gives cards of this generation the small batch however large their memory is

DRIVER_GAP_GIB = 0.55  # middle of 0.44 to 0.67 GiB between driver and CUDA (source: memory-budget)


def version_key(version: str) -> tuple[int, int]:
    """Major and minor number of a release such as "0.33.0" or "0.20.2rc1.dev249".

    >>> version_key("0.20.2rc1.dev249")
    (0, 20)
    """
    found = re.match(r"v?(\d{1,3})\.(\d{1,4})(?!\d)", version) if isinstance(version, str) else None
    if found is None:
        raise SizingError("engine_version_unreadable", input="version", value=version)
    return int(found[1]), int(found[2])


@dataclass(frozen=True, slots=True)
class Engine:
    """One release with its settings.

    max_num_batched_tokens: tokens of the profiling step. [tokens]   max_num_seqs: sequences sampled in it. [-]
    unified_memory: host and card share one memory.   enforce_eager: no CUDA graphs.
    """

    version: str
    max_num_batched_tokens: int
    max_num_seqs: int
    unified_memory: bool = False
    enforce_eager: bool = False

    def __post_init__(self) -> None:
        version_key(self.version)
        count(self.max_num_batched_tokens, "max_num_batched_tokens", 1)
        count(self.max_num_seqs, "max_num_seqs", 1)

    @property
    def samples_by_kernel(self) -> bool:
        """Whether sampling runs in a kernel instead of sorting all logits."""
        return version_key(self.version) >= KERNEL_SAMPLING

    @property
    def graphs_in_share(self) -> bool:
        """Whether the estimate for CUDA graphs is taken out of the utilisation share."""
        return version_key(self.version) >= GRAPHS_IN_SHARE

    @property
    def counts_as_driver(self) -> bool:
        """Whether everything that the driver sees consumed at start counts beside the weights."""
        return version_key(self.version) >= CONSUMED_BY_DRIVER

    @property
    def default_utilization(self) -> float:
        """--gpu-memory-utilization when it is not given. [-]"""
        return 0.92 if self.graphs_in_share else 0.9


def engine_defaults(
    total_gib: float,
    *,
    version: str = NEWEST,
    compute_capability: tuple[int, int] | None = None,
    unified_memory: bool = False,
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    enforce_eager: bool = False,
) -> Engine:
    """The engine as its server starts on a card, settings not given by its defaults. [GiB], [tokens]

    total_gib: memory that CUDA sees, which decides the defaults.   Source: vllm-kv-rules.

    >>> engine_defaults(94.97).max_num_batched_tokens, engine_defaults(44.4).max_num_seqs
    (8192, 256)
    """
    number(total_gib, "total_gib", low=0, above=True)
    large = total_gib >= LARGE_CARD_GIB and not unified_memory and compute_capability != _AMPERE
    batched = (16384 if total_gib >= HUGE_CARD_GIB else 8192) if large else 2048
    return Engine(
        version=version,
        max_num_batched_tokens=batched if max_num_batched_tokens is None else max_num_batched_tokens,
        max_num_seqs=(1024 if large else 256) if max_num_seqs is None else max_num_seqs,
        unified_memory=unified_memory,
        enforce_eager=enforce_eager,
    )


def visible_gib(reported_gib: float) -> float:
    """Memory that CUDA sees on a card whose driver reports ``reported_gib``. [GiB]

    A typical figure (the gap is 0.44 to 0.67 GiB); a card's own, where published, is better. Source: memory-budget.
    """
    return number(reported_gib, "reported_gib", low=DRIVER_GAP_GIB, above=True) - DRIVER_GAP_GIB


# The widths in a config.json that decide how much memory a step of the engine takes.

_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_LARGEST_VOCAB = 1 << 26
_EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts")
_EXPERTS_PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts")
_SHARED_WIDTH = ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
_FFN = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")


@dataclass(frozen=True, slots=True)
class Widths:
    """The sizes of a model that decide its activations.

    hidden_size, ffn_size, vocab_size: widths of the residual stream, of the dense (or shared-expert) feed-forward
    part, and of the logits; ffn_size is 0 where every token goes through routed experts only. [elements]
    layers: decoder layers. [-]   experts_per_token: routed experts a token visits, 0 in a dense model. [-]
    expert_ffn_size: width of one expert. [elements]
    """

    hidden_size: int
    vocab_size: int
    layers: int
    ffn_size: int = 0
    experts_per_token: int = 0
    expert_ffn_size: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            count(getattr(self, field.name), field.name, 1 if field.name in ("hidden_size", "vocab_size") else 0)


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
    return Widths(hidden, vocab, layers, shared, text.optional_count(*_EXPERTS_PER_TOKEN) or 1, expert)


def _widest(text: Fields, *names: str) -> int:
    """The widest layer's width; 0 where none of the names has a value."""
    name = text.which(*names)
    if not name:
        return 0
    if isinstance(text.get(name), list):
        return max(text.counts(name), default=0)
    return text.optional_count(name, low=0) or 0


ACTIVATION_BYTES = 2  # activations are 16 bit
LOGIT_BYTES = 4  # logits are raised to fp32 before sampling

# Live at once per token, from the code of a decoder layer: input, residual, normed copy and the queries, keys and
# values in and out of attention (6 x hidden); gate and up projection and their product (3 x FFN).
HIDDEN_COPIES = 6
FFN_COPIES = 3


@dataclass(frozen=True, slots=True)
class Images:
    """Images that the engine profiles with a model that reads them; none where they are switched off.

    tokens: of the encoder's budget, the larger of the token batch and one image of the largest size. [tokens]
    patches_per_token: patches that the encoder merges into one. [-]
    hidden_size, ffn_size: widths of the vision encoder. [elements]
    """

    tokens: int
    patches_per_token: int
    hidden_size: int
    ffn_size: int

    def __post_init__(self) -> None:
        for field in fields(self):
            count(getattr(self, field.name), f"images.{field.name}", 1)


@dataclass(frozen=True, slots=True)
class Constants:
    """Fitted constants (data/budget.toml, table "engine"), in GiB unless said otherwise.

    sort_copies, kernel_copies: fp32 copies of the logits that sampling holds: by sorting, and by the kernel of
    ``kernel_version`` on. [-]
    single_gib, group_gib, group_new_gib: non-torch memory without TP, with TP, and with TP from ``graphs_version`` on.
    consumed_gib: what contexts and workspaces add from ``CONSUMED_BY_DRIVER`` on.
    unified_gib: what the host process and its page cache take where host and card share one memory.
    graph_gib, graph_layer_gib: pool of the CUDA graphs, and what each layer adds to it with TP (buffers of the
    collectives). [GiB], [GiB/layer]
    graph_excess: how far graphs may exceed that on the pessimistic side. [-]
    spread_gib: half the band that the terms do not explain.
    """

    sort_copies: float
    kernel_copies: float
    single_gib: float
    group_gib: float
    group_new_gib: float
    consumed_gib: float
    unified_gib: float
    graph_gib: float
    graph_layer_gib: float
    graph_excess: float
    spread_gib: float


@dataclass(frozen=True, slots=True)
class EngineBudget:
    """Memory of one card as the engine splits it at start. [GiB]

    optimistic_gib, typical_gib, pessimistic_gib: left for the cache; below 0 where the weights leave too little.
    requested_gib: utilisation x total.   token_part_gib, sequence_part_gib, image_part_gib: candidates for the peak
    activation, of which the largest counts.   graphs_gib: 0 where the release does not take them from the share.
    """

    optimistic_gib: float
    typical_gib: float
    pessimistic_gib: float
    requested_gib: float
    weights_gib: float
    token_part_gib: float
    sequence_part_gib: float
    image_part_gib: float
    non_torch_gib: float
    graphs_gib: float

    @property
    def activation_gib(self) -> float:
        """Peak of the profiling step. [GiB]"""
        return max(self.token_part_gib, self.sequence_part_gib, self.image_part_gib)

    @property
    def reserve_gib(self) -> float:
        """Taken by the engine beside weights and cache, typical. [GiB]"""
        return self.activation_gib + self.non_torch_gib + self.graphs_gib


@functools.cache
def fitted() -> Constants:
    """The constants of data/budget.toml."""
    table = tables()["engine"]
    units = {"sort_copies": "-", "kernel_copies": "-", "graph_excess": "-"}
    units["graph_layer_gib"] = "GiB/layer"
    return Constants(**{f.name: figure(table, f.name, units.get(f.name, "GiB")).value for f in fields(Constants)})


def token_part_gib(widths: Widths, batched_tokens: int, tp: int) -> float:
    """Activations of a step of ``batched_tokens``. [GiB]

    Hidden states are whole on every card of a TP group, feed-forward widths are split. Routed experts hold, for each
    expert a token visits, the wider of gate-and-up and output, and the product of gate and up.
    """
    routed = widths.experts_per_token * (
        max(2 * widths.expert_ffn_size / tp, widths.hidden_size) + widths.expert_ffn_size / tp
    )
    elements = HIDDEN_COPIES * widths.hidden_size + FFN_COPIES * widths.ffn_size / tp + routed
    return gib(batched_tokens * elements * ACTIVATION_BYTES)


def sequence_part_gib(widths: Widths, sequences: int, copies: float) -> float:
    """Logits of ``sequences`` over the whole vocabulary, and their copies while sampling. [GiB]"""
    return gib(sequences * widths.vocab_size * LOGIT_BYTES * copies)


def image_part_gib(images: Images | None) -> float:
    """Activations of the vision encoder over its whole budget. [GiB]"""
    if images is None:
        return 0.0
    elements = HIDDEN_COPIES * images.hidden_size + FFN_COPIES * images.ffn_size
    return gib(images.tokens * images.patches_per_token * elements * ACTIVATION_BYTES)


def engine_budget(
    total_gib: float,
    *,
    widths: Widths,
    weights_gib: float,
    engine: Engine,
    tp: int = 1,
    utilization: float | None = None,
    images: Images | None = None,
    constants: Constants | None = None,
) -> EngineBudget:
    """What is left for the cache on one card, with its band. [GiB]

    total_gib: memory that CUDA sees (visible_gib for a driver's figure). [GiB]
    widths: of the model.   weights_gib: weights on this card, a draft model's included. [GiB]
    engine: release and settings.   tp: cards a layer is split over. [-]
    utilization: --gpu-memory-utilization, None for the release's default. [-]
    images: what is profiled of images, None for text only.
    Source: memory-budget, vllm-kv-rules; constants fitted on start-up logs, see data/budget.toml.
    """
    number(total_gib, "total_gib", low=0, above=True)
    number(weights_gib, "weights_gib", low=0)
    count(tp, "tp", 1)
    share = engine.default_utilization if utilization is None else utilization
    number(share, "utilization", low=0, above=True, high=1)
    c = constants or fitted()

    copies = c.kernel_copies if engine.samples_by_kernel else c.sort_copies
    token_part = token_part_gib(widths, engine.max_num_batched_tokens, tp)
    sequence_part = sequence_part_gib(widths, engine.max_num_seqs, copies)
    image_part = image_part_gib(images)
    activation = max(token_part, sequence_part, image_part)
    group = c.group_new_gib if engine.graphs_in_share else c.group_gib
    non_torch = c.single_gib if tp == 1 else group
    non_torch += c.consumed_gib if engine.counts_as_driver else 0.0
    non_torch += c.unified_gib if engine.unified_memory else 0.0
    graphs = 0.0
    if engine.graphs_in_share and not engine.enforce_eager:
        graphs = c.graph_gib + (c.graph_layer_gib * widths.layers if tp > 1 else 0.0)

    left = share * total_gib - weights_gib - activation - non_torch
    return EngineBudget(
        optimistic_gib=left + c.spread_gib,
        typical_gib=left - graphs,
        pessimistic_gib=left - graphs * c.graph_excess - c.spread_gib,
        requested_gib=share * total_gib,
        weights_gib=weights_gib,
        token_part_gib=token_part,
        sequence_part_gib=sequence_part,
        image_part_gib=image_part,
        non_torch_gib=non_torch,
        graphs_gib=graphs,
    )
