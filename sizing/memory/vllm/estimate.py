"""What vLLM leaves for the cache on one card: requested memory less weights, activations, non-torch and graphs.

The form is physical and has few constants; scripts/fit_budget.py fits them on half of the known start-up logs.
"""

from __future__ import annotations

import functools
from dataclasses import fields, replace
from typing import Literal

from sizing.base.checks import count, number
from sizing.base.dataclass import dataclass
from sizing.base.working import Step, derive
from sizing.memory.budget import figure, tables
from sizing.memory.starting import EngineBudget, Launch
from sizing.memory.vllm.releases import BUDGET_SOURCE, rules
from sizing.memory.widths import Images, Widths

# Defaults of a server by the card's memory (source: vllm-kv-rules).
LARGE_CARD_GIB = 70
HUGE_CARD_GIB = 160
_AMPERE = (8, 0)  # the engine gives cards of this generation the small batch however large their memory is
_MOST = 1e9


def completed(launch: Launch) -> Launch:
    """The launch as its server starts on a card, settings not given by the engine's defaults. [GiB], [tokens]

    Source: vllm-kv-rules.

    >>> completed(Launch("0.33.0", total_gib=94.97)).max_num_batched_tokens
    8192
    >>> completed(Launch("0.33.0", total_gib=44.4)).max_num_seqs
    256
    """
    total_gib = number("total_gib", launch.total_gib, 0, _MOST, "GiB", above=True)
    if None not in (launch.max_num_batched_tokens, launch.max_num_seqs, launch.utilization):
        return launch  # completed already: a verdict asks three times
    large = total_gib >= LARGE_CARD_GIB and not launch.unified_memory and launch.compute_capability != _AMPERE
    release = rules(launch.version)
    huge = total_gib >= HUGE_CARD_GIB and release.huge_card_batch
    batch = (16384 if huge else 8192) if large else 2048
    seqs, share = 1024 if large else 256, release.default_utilization
    return replace(
        launch,
        max_num_batched_tokens=batch if launch.max_num_batched_tokens is None else launch.max_num_batched_tokens,
        max_num_seqs=seqs if launch.max_num_seqs is None else launch.max_num_seqs,
        utilization=share if launch.utilization is None else launch.utilization,
    )


# Activations are 16 bit; logits are raised to fp32 before sampling. [bytes]
ACTIVATION_BYTES = 2
LOGIT_BYTES = 4

# Live at once per token, from the code of a decoder layer: input, residual, normed copy and the queries, keys and
# values in and out of attention (6 x hidden); gate and up projection and their product (3 x FFN).
HIDDEN_COPIES = 6
FFN_COPIES = 3


@dataclass(frozen=True)
class Constants:
    """Fitted constants (data/budget.toml, table "engine"), in GiB unless said otherwise.

    sort_copies, kernel_copies: fp32 copies of the logits that sampling holds: by sorting, and by an operator of its
    own. [-]
    single_gib, group_gib, group_new_gib: non-torch memory without TP, with TP, and with TP where graphs are in the
    share.   group_large_gib: with TP on large cards, for the releases in between.
    state_copies, state_copies_most: copies of one layer's recurrent states that are live while graphs are measured, for
    all sequences: typical, and on the pessimistic side. [-]
    consumed_gib: what contexts and workspaces add from the release on that counts as the driver does.
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
    group_large_gib: float
    state_copies: float
    state_copies_most: float
    consumed_gib: float
    unified_gib: float
    graph_gib: float
    graph_layer_gib: float
    graph_excess: float
    spread_gib: float

    def given(self, name: str) -> tuple[float, str, str]:
        """One constant as a step takes it in."""
        return getattr(self, name), _unit(name), tables()["engine"][name]["source"]


def _unit(name: str) -> str:
    return "GiB/layer" if name == "graph_layer_gib" else "GiB" if name.endswith("_gib") else "-"


@functools.cache
def fitted() -> Constants:
    """The constants of data/budget.toml."""
    table = tables()["engine"]
    return Constants(**{each.name: figure(table, each.name, _unit(each.name)).value for each in fields(Constants)})


def contexts_gib() -> float:
    """What the driver takes for each engine's contexts, which older releases do not count as the engine's. [GiB]"""
    return fitted().consumed_gib


def _input(value: float, unit: str = "-") -> tuple[float, str, str]:
    return value, unit, "input"


def token_part(widths: Widths, batched_tokens: int, tp: int) -> Step:
    """Activations of a step of ``batched_tokens``. [GiB]

    Hidden states are whole on every card of a TP group, feed-forward widths are split. Routed experts hold, for each
    expert a token visits, the wider of gate-and-up and output, and the product of gate and up.
    """
    elements = f"{HIDDEN_COPIES} * hidden_size + {FFN_COPIES} * ffn_size / tp"
    given = {
        "batched_tokens": _input(batched_tokens, "tokens"),
        "hidden_size": _input(widths.hidden_size),
        "ffn_size": _input(widths.ffn_size),
        "tp": _input(tp),
    }
    if widths.experts_per_token:
        elements += " + experts * (max(2 * expert_ffn_size / tp, hidden_size) + expert_ffn_size / tp)"
        given |= {"experts": _input(widths.experts_per_token), "expert_ffn_size": _input(widths.expert_ffn_size)}
    formula = f"batched_tokens * ({elements}) * {ACTIVATION_BYTES} / 2 ** 30"
    return derive("engine_token_part_gib", formula, "GiB", BUDGET_SOURCE, **given)


def sequence_part(widths: Widths, sequences: int, copies: str, constants: Constants) -> Step:
    """Logits of ``sequences`` over the whole vocabulary, and their copies while sampling. [GiB]

    copies: the constant that says how many, "sort_copies" or "kernel_copies".
    """
    return derive(
        "engine_sequence_part_gib",
        f"sequences * vocab_size * {LOGIT_BYTES} * {copies} / 2 ** 30",
        "GiB",
        BUDGET_SOURCE,
        sequences=_input(sequences),
        vocab_size=_input(widths.vocab_size),
        **{copies: constants.given(copies)},
    )


def state_part(widths: Widths, sequences: int, tp: int) -> Step:
    """One layer's recurrent states of all ``sequences``, in fp32. [GiB]

    widths: of the model.   sequences: of one batch. [-]   tp: cards that split them. [-]
    """
    return derive(
        "engine_state_part_gib",
        "sequences * state_elements * 4 / tp / 2 ** 30",
        "GiB",
        BUDGET_SOURCE,
        sequences=_input(sequences),
        state_elements=_input(widths.state_elements),
        tp=_input(tp),
    )


def image_part(images: Images) -> Step:
    """Activations of the vision encoder over its whole budget. [GiB]"""
    elements = f"{HIDDEN_COPIES} * hidden_size + {FFN_COPIES} * ffn_size"
    return derive(
        "engine_image_part_gib",
        f"image_tokens * patches * ({elements}) * {ACTIVATION_BYTES} / 2 ** 30",
        "GiB",
        BUDGET_SOURCE,
        image_tokens=_input(images.tokens, "tokens"),
        patches=_input(images.patches_per_token),
        hidden_size=_input(images.hidden_size),
        ffn_size=_input(images.ffn_size),
    )


def budget(
    launch: Launch,
    *,
    widths: Widths,
    weights_gib: float,
    images: Images | Literal["model"] | None = "model",
    constants: Constants | None = None,
) -> EngineBudget:
    """What is left for the cache on one card, with its band. [GiB]

    launch: with the card's ``total_gib``; what it leaves open are the engine's defaults.
    widths: of the model.   weights_gib: weights on this card, a draft model's included. [GiB]
    images: what is profiled of images, None for text only; by default as the model's config has it.
    Source: memory-budget, vllm-kv-rules; constants fitted on start-up logs, see data/budget.toml.
    """
    run, release, c = completed(launch), rules(launch.version), constants or fitted()
    share = number("utilization", run.utilization, 0, 1, above=True)
    tp = count("tp", run.tp, 1, int(_MOST))
    batch = count("max_num_batched_tokens", run.max_num_batched_tokens, 1, int(_MOST))
    sequences = count("max_num_seqs", run.max_num_seqs, 1, int(_MOST))

    total = (number("total_gib", run.total_gib, 0, _MOST, "GiB", above=True), "GiB", "input")
    requested = derive(
        "engine_requested_gib", "utilization * total_gib", "GiB", BUDGET_SOURCE,
        utilization=_input(share), total_gib=total,
    )  # fmt: skip
    copies = "kernel_copies" if release.samples_by_kernel else "sort_copies"
    parts = [token_part(widths, batch, tp), sequence_part(widths, sequences, copies, c)]
    if images == "model":
        images = widths.images
        images = images and replace(images, tokens=max(images.tokens, batch))
    if images is not None:
        parts.append(image_part(images))
    by_name = {part.name.removeprefix("engine_"): part for part in parts}

    large = release.groups_larger and run.total_gib is not None and run.total_gib >= LARGE_CARD_GIB
    grouped = "group_new_gib" if release.graphs_in_share else "group_large_gib" if large else "group_gib"
    non_torch = ["single_gib" if tp == 1 else grouped]
    non_torch += ["consumed_gib"] * release.counts_as_driver + ["unified_gib"] * run.unified_memory
    graphs: dict[str, tuple[float, str, str] | Step] = {}
    pool, graphs_gib = "", 0.0
    if release.graphs_in_share and not run.enforce_eager:
        graphs, pool, graphs_gib = {"graph_gib": c.given("graph_gib")}, " - graph_gib", c.graph_gib
        if tp > 1:
            graphs |= {"graph_layer_gib": c.given("graph_layer_gib"), "layers": _input(widths.layers)}
            pool += " - graph_layer_gib * layers"
            graphs_gib += c.graph_layer_gib * widths.layers
    most_gib, pools_gib = 0.0, graphs_gib
    if graphs and widths.state_elements:
        states = state_part(widths, sequences, tp)
        most_gib = states.result * c.state_copies_most
        if release.states_profiled:
            parts.append(states)
            graphs |= {"states_gib": states, "state_copies": c.given("state_copies")}
            pool += " - states_gib * state_copies"
            most_gib -= states.result * c.state_copies
            graphs_gib += states.result * c.state_copies
    left = derive(
        "engine_left_gib",
        f"requested_gib - weights_gib - max({', '.join(by_name)}) - {' - '.join(non_torch)}{pool}",
        "GiB",
        BUDGET_SOURCE,
        requested_gib=requested,
        weights_gib=(number("weights_gib", weights_gib, 0, _MOST, "GiB"), "GiB", "step"),
        **by_name,
        **{name: c.given(name) for name in non_torch},
        **graphs,
    )
    return EngineBudget(
        optimistic_gib=left.result + graphs_gib + c.spread_gib,
        typical_gib=left.result,
        pessimistic_gib=left.result - pools_gib * (c.graph_excess - 1) - most_gib - c.spread_gib,
        requested_gib=requested.result,
        weights_gib=weights_gib,
        activation_gib=max(part.result for part in by_name.values()),
        non_torch_gib=sum(getattr(c, name) for name in non_torch),
        graphs_gib=graphs_gib,
        working=(requested, *parts, left),
    )
