"""The working behind the engine estimate."""

from __future__ import annotations

from sizing.base.working import Given, Step
from sizing.memory.budget.estimate import (
    ACTIVATION_BYTES,
    FFN_COPIES,
    HIDDEN_COPIES,
    LOGIT_BYTES,
    Engine,
    EngineBudget,
    Images,
    Widths,
    engine_budget,
)
from sizing.memory.budget.rules import figure, tables

SOURCE = "memory-budget"


def _constant(name: str, unit: str = "GiB") -> Given:
    found = figure(tables()["engine"], name, unit)
    return Given(name, found.value, unit, found.source)


def _input(name: str, value: float, unit: str = "-") -> Given:
    return Given(name, value, unit, "input")


def _step(name: str, expression: str, given: list[Given], result: float) -> Step:
    return Step(name, expression, tuple(given), result, "GiB", SOURCE)


def _token_step(budget: EngineBudget, widths: Widths, engine: Engine, tp: int) -> Step:
    elements = f"{HIDDEN_COPIES} * hidden_size + {FFN_COPIES} * ffn_size / tp"
    given = [
        _input("batched_tokens", engine.max_num_batched_tokens, "tokens"),
        _input("hidden_size", widths.hidden_size),
        _input("ffn_size", widths.ffn_size),
        _input("tp", tp),
    ]
    if widths.experts_per_token:
        elements += " + experts * (max(2 * expert_ffn_size / tp, hidden_size) + expert_ffn_size / tp)"
        given += [_input("experts", widths.experts_per_token), _input("expert_ffn_size", widths.expert_ffn_size)]
    expression = f"batched_tokens * ({elements}) * {ACTIVATION_BYTES} / 2 ** 30"
    return _step("engine_token_part_gib", expression, given, budget.token_part_gib)


def _image_step(budget: EngineBudget, images: Images) -> Step:
    expression = (
        f"image_tokens * patches * ({HIDDEN_COPIES} * hidden_size + {FFN_COPIES} * ffn_size)"
        f" * {ACTIVATION_BYTES} / 2 ** 30"
    )
    given = [
        _input("image_tokens", images.tokens, "tokens"),
        _input("patches", images.patches_per_token),
        _input("hidden_size", images.hidden_size),
        _input("ffn_size", images.ffn_size),
    ]
    return _step("engine_image_part_gib", expression, given, budget.image_part_gib)


def engine_steps(
    total_gib: float,
    *,
    widths: Widths,
    weights_gib: float,
    engine: Engine,
    tp: int = 1,
    utilization: float | None = None,
    images: Images | None = None,
) -> tuple[Step, ...]:
    """The steps from the card's memory to what is typically left for the cache. Arguments as for engine_budget."""
    budget = engine_budget(
        total_gib,
        widths=widths,
        weights_gib=weights_gib,
        engine=engine,
        tp=tp,
        utilization=utilization,
        images=images,
    )
    share = engine.default_utilization if utilization is None else utilization
    requested = _step(
        "engine_requested_gib",
        "utilization * total_gib",
        [_input("utilization", share), _input("total_gib", total_gib, "GiB")],
        budget.requested_gib,
    )
    copies = _constant("kernel_copies" if engine.samples_by_kernel else "sort_copies", "-")
    sequences = _step(
        "engine_sequence_part_gib",
        f"sequences * vocab_size * {LOGIT_BYTES} * {copies.name} / 2 ** 30",
        [_input("sequences", engine.max_num_seqs), _input("vocab_size", widths.vocab_size), copies],
        budget.sequence_part_gib,
    )
    parts = [_token_step(budget, widths, engine, tp), sequences]
    if images is not None:
        parts.append(_image_step(budget, images))
    non_torch = [_constant("single_gib" if tp == 1 else "group_new_gib" if engine.graphs_in_share else "group_gib")]
    if engine.counts_as_driver:
        non_torch.append(_constant("consumed_gib"))
    if engine.unified_memory:
        non_torch.append(_constant("unified_gib"))
    taken = [Given("weights_gib", weights_gib, "GiB", "step")]
    taken += [Given(step.name.removeprefix("engine_"), step.result, "GiB", "step") for step in parts]
    largest = f"max({', '.join(given.name for given in taken[1:])})"
    expression = f"requested_gib - weights_gib - {largest} - {' - '.join(given.name for given in non_torch)}"
    taken += non_torch
    if budget.graphs_gib:
        taken.append(_constant("graph_gib"))
        expression += " - graph_gib"
        if tp > 1:
            taken += [_constant("graph_layer_gib", "GiB/layer"), _input("layers", widths.layers)]
            expression += " - graph_layer_gib * layers"
    left = _step(
        "engine_left_gib",
        expression,
        [Given("requested_gib", budget.requested_gib, "GiB", "step"), *taken],
        budget.typical_gib,
    )
    return (requested, *parts, left)
