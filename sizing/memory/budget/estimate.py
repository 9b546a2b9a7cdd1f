"""What an engine leaves for the cache on one card: requested memory less weights, activations, non-torch and graphs.

The form is physical and has few constants; scripts/fit_budget.py fits them on half of the known start-up logs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields

from sizing.memory.budget.checks import count, number
from sizing.memory.budget.constants import figure, tables
from sizing.memory.budget.engine import Engine
from sizing.memory.budget.widths import Widths
from sizing.units import gib

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
