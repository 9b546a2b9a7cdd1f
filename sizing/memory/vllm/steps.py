"""How the engine's figures come about, step by step. Source: vllm-kv-rules."""

from __future__ import annotations

from sizing.base.errors import SizingError
from sizing.base.units import bytes_from_gib
from sizing.base.working import Given, Step
from sizing.memory.starting import EngineStart
from sizing.memory.vllm.grouping import Group
from sizing.memory.vllm.releases import RULES_SOURCE
from sizing.memory.vllm.start import Startup


def explain(started: EngineStart) -> tuple[Step, ...]:
    """The steps from memory to "GPU KV cache size", each with an expression that recomputes.

    started: a result that starts and keeps a cache.   Raises SizingError for another.
    """
    if not isinstance(started, Startup) or not started.starts or not started.groups:
        raise SizingError("vllm_does_not_start", reason=started.reason, remedy=started.remedy)
    blocks = _given("num_blocks", started.num_blocks or 0, "blocks", "step")
    request = _given("blocks_per_request", started.blocks_per_request, "blocks", "step")
    length = _given("max_model_len", started.max_model_len, "tokens", "input")
    concurrency = started.max_concurrency or 0.0
    return (
        _block_bytes(started),
        _step(
            "vllm_num_blocks",
            "floor(available_bytes / bytes_per_block)",
            (
                _given("available_bytes", int(bytes_from_gib(started.available_kv_gib)), "bytes", "input"),
                _given("bytes_per_block", started.bytes_per_block, "bytes", "step"),
            ),
            started.num_blocks or 0,
            "blocks",
        ),
        *_group_steps(started),
        _request(started),
        _step("vllm_max_concurrency", "num_blocks / blocks_per_request", (blocks, request), concurrency, "requests"),
        _tokens(started, blocks, length),
    )


def _given(name: str, value: float, unit: str, source: str = RULES_SOURCE) -> Given:
    step = f"vllm_{name.rstrip('0123456789')}" if source == "step" else ""  # of several groups each has its number
    return Given(name, value, unit, source, step)


def _step(name: str, expression: str, given: tuple[Given, ...], result: float, unit: str) -> Step:
    """A step; where the engine's own rounding takes a block or token that the expression gives, it says so."""
    step = Step(name, expression, given, result, unit, RULES_SOURCE)
    rounding = step.recompute() - result
    if not rounding:
        return step
    lost = _given("engine_rounding", rounding, unit)
    return Step(name, f"{expression} - engine_rounding", (*given, lost), result, unit, RULES_SOURCE)


def _block_bytes(started: Startup) -> Step:
    """The widest group's layers, by page size."""
    stage = max(range(len(started.groups[0].stage_bytes)), key=lambda n: max(g.stage_bytes[n] for g in started.groups))
    widest = max(started.groups, key=lambda group: group.stage_bytes[stage])
    pages = widest.pages[stage]
    if started.bytes_per_block != widest.stage_bytes[stage]:
        pages = widest.whole_pages
    terms, given = [], []
    for index, (page, layers) in enumerate(pages, 1):
        end = str(index) if len(pages) > 1 else ""
        terms.append(f"layers{end} * page{end}_bytes")
        given += [_given(f"layers{end}", layers, "layers"), _given(f"page{end}_bytes", page, "bytes")]
    return _step("vllm_bytes_per_block", " + ".join(terms), tuple(given), started.bytes_per_block, "bytes")


def _group_steps(started: Startup) -> list[Step]:
    """One step for each kind of group."""
    steps: dict[tuple[str, int], Step] = {}
    for group, number in zip(started.groups, started.request_blocks, strict=True):
        steps.setdefault((group.family, number), _group_step(started, group, number))
    return list(steps.values())


def _group_step(started: Startup, group: Group, number: int) -> Step:
    length = _given("max_model_len", started.max_model_len, "tokens", "input")
    size = _given("block_size", group.block_size, "tokens")
    window = _given("window", group.specs[0].window, "tokens")
    flight = _given("in_flight_tokens", started.in_flight_tokens, "tokens")
    name = f"vllm_blocks_{group.family}"
    match group.family:
        case "sliding":
            retained = _given("retained_tokens", started.retained_tokens, "tokens")
            held = "min(window - 1 + retained_tokens + in_flight_tokens, max_model_len)"
            kept = (window, retained, flight, length, size)
            return _step(name, f"ceil({held} / block_size) + 1", kept, number, "blocks")
        case "chunked":
            held = "min(window + in_flight_tokens, max_model_len)"
            return _step(name, f"ceil({held} / block_size)", (window, flight, length, size), number, "blocks")
        case "cross":
            encoder = _given("encoder_tokens", started.encoder_tokens, "tokens")
            return _step(name, "ceil(encoder_tokens / block_size)", (encoder, size), number, "blocks")
        case "ring":
            return _step(name, "rings", (_given("rings", 1, "blocks"),), number, "blocks")
        case "state" if started.state_mode != "all":
            newest = _given("states_kept", number - started.speculative_tokens, "blocks")
            drafted = _given("speculative_tokens", started.speculative_tokens, "blocks", "input")
            return _step(name, "states_kept + speculative_tokens", (newest, drafted), number, "blocks")
    if started.dcp > 1 and group.family == "full":
        given = (length, _given("dcp", started.dcp, "cards", "input"), size)
        return _step(name, "ceil(ceil(max_model_len / dcp) / block_size)", given, number, "blocks")
    return _step(name, "ceil(max_model_len / block_size)", (length, size), number, "blocks")


def _request(started: Startup) -> Step:
    counts: dict[tuple[str, int], int] = {}
    for group, number in zip(started.groups, started.request_blocks, strict=True):
        counts[group.family, number] = counts.get((group.family, number), 0) + 1
    terms, given = [], []
    for index, ((family, number), groups) in enumerate(counts.items(), 1):
        end = f"{family}{index}" if len(counts) > 1 else family
        terms.append(f"groups_{end} * blocks_{end}")
        given += [_given(f"groups_{end}", groups, "groups"), _given(f"blocks_{end}", number, "blocks", "step")]
    total = started.blocks_per_request
    return _step("vllm_blocks_per_request", " + ".join(terms), tuple(given), total, "blocks")


def _tokens(started: Startup, blocks: Given, length: Given) -> Step:
    total = started.kv_tokens or 0
    if not started.tokens_in_blocks:
        request = _given("blocks_per_request", started.blocks_per_request, "blocks", "step")
        expression = "floor(num_blocks / blocks_per_request * max_model_len)"
        return _step("vllm_kv_tokens", expression, (blocks, request, length), total, "tokens")
    groups = _given("groups", len(started.groups), "groups")
    shortest = _given("block_size", started.block_size or 0, "tokens")
    cards = _given("dcp", started.dcp, "cards", "input")
    expression = "floor(num_blocks / groups) * block_size * dcp"
    return _step("vllm_kv_tokens", expression, (blocks, groups, shortest, cards), total, "tokens")
