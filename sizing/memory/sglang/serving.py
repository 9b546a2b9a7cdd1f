"""SGLang as any engine is asked: its budget, its start in a layout, what cures a refusal, what to type."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from dataclasses import replace

from sizing.base.units import gib
from sizing.base.working import Step, derive
from sizing.memory.architecture import Architecture
from sizing.memory.budget import DRIVER_GAP_GIB
from sizing.memory.caches import LatentAttention
from sizing.memory.sglang.pools import Rank
from sizing.memory.sglang.releases import BUDGET_SOURCE, NAME, RULES_SOURCE, check_version, rules
from sizing.memory.sglang.shares import CONTEXT_GIB, Serving, default_share
from sizing.memory.sglang.start import AskedStart, SglangStart, precision, slots_each, start
from sizing.memory.starting import EngineBudget, EngineStart, Launch, Refusal, Remedy
from sizing.memory.widths import Widths

FLAGS = {
    "tp": "--tp-size",
    "pp": "--pp-size",
    "utilization": "--mem-fraction-static",
    "kv_dtype": "--kv-cache-dtype",
    "max_model_len": "--context-length",
    "max_num_seqs": "--max-running-requests",
    "max_num_batched_tokens": "--chunked-prefill-size",
    "block_size": "--page-size",
    "state_dtype": "--mamba-ssm-dtype",
    "state_mode": "--mamba-radix-cache-strategy",
}
_TYPED = {"bf16": "bfloat16", "fp8": "fp8_e4m3", "nvfp4": "fp4_e2m1"}
_RAW_CAPABILITY = (10, 0)
"""From here to 11.x a sparse latent cache in FP8 has no scales."""
_SPREAD_GIB = 1.0
"""Of the printed memory before and after the weights, by how the loader leaves it. [GiB]"""
_LARGEST_SHARE = 0.95


def completed(launch: Launch) -> Launch:
    """The launch itself: the share of the card depends on the model too, and is worked out with it."""
    check_version(launch.version)
    return launch


def share(launch: Launch, *, latent: bool, sees: bool) -> float:
    """--mem-fraction-static as the ``launch`` asks for, else the release's default.

    latent: attention keeps one vector a token.   sees: the model reads images or sound.
    """
    if launch.utilization is not None:
        return launch.utilization
    board_mib = round(((launch.total_gib or 80) + DRIVER_GAP_GIB) * 1024)
    serving = Serving(
        board_mib, launch.tp, launch.pp, 1, launch.max_num_batched_tokens, launch.max_num_seqs,
        latent, sees, launch.speculative_tokens > 0,
    )  # fmt: skip
    return default_share(serving, rules(launch.version))


def contexts_gib() -> float:
    """What is gone of a card before the weights load. [GiB]"""
    return CONTEXT_GIB


def budget(launch: Launch, *, widths: Widths, weights_gib: float) -> EngineBudget:
    """What is left for all pools on one card, with its band. [GiB]

    launch: with the card's ``total_gib``.   widths: of the model, for its kinds.   weights_gib: on this card.
    Nothing is profiled: the share is of the memory that is free before the weights load, and weights come out of it.
    """
    kept_share = share(launch, latent=widths.latent, sees=widths.sees)
    total_gib = launch.total_gib or 0.0
    reserve_gib = rules(launch.version).image_reserve_gib if widths.sees else 0.0
    before = derive(
        "engine_free_before_gib", "total_gib - context_gib", "GiB", BUDGET_SOURCE,
        total_gib=(total_gib, "GiB", "input"), context_gib=(CONTEXT_GIB, "GiB", BUDGET_SOURCE),
    )  # fmt: skip
    kept = derive(
        "engine_requested_gib", "utilization * free_before_gib", "GiB", BUDGET_SOURCE,
        utilization=(kept_share, "", "input"), free_before_gib=before,
    )  # fmt: skip
    left = derive(
        "engine_left_gib", "requested_gib - weights_gib - image_reserve_gib", "GiB", BUDGET_SOURCE,
        requested_gib=kept, weights_gib=(weights_gib, "GiB", "step"),
        image_reserve_gib=(reserve_gib, "GiB", RULES_SOURCE),
    )  # fmt: skip
    return EngineBudget(
        optimistic_gib=left.result + _SPREAD_GIB,
        typical_gib=left.result,
        pessimistic_gib=left.result - _SPREAD_GIB,
        requested_gib=kept.result,
        weights_gib=weights_gib,
        activation_gib=before.result - kept.result,
        non_torch_gib=CONTEXT_GIB,
        graphs_gib=0.0,
        working=(before, kept, left),
    )


def start_up(architecture: Architecture, launch: Launch, available_kv_gib: float) -> EngineStart:
    """What the release prints in this launch, or why it does not start.

    architecture: of the model.   available_kv_gib: memory for all pools on each card. [GiB]
    """
    heads = architecture.attention_heads
    if heads and heads % launch.tp:
        return _refused("heads", "--tp-size", launch, tp=launch.tp, heads=heads)
    if launch.dcp > 1:
        return _refused("dcp", "--dcp-size", launch, dcp=launch.dcp)
    raw = _RAW_CAPABILITY <= launch.compute_capability < (12, 0)
    rank = Rank(
        launch.tp, launch.pp, precision(architecture, launch.kv_dtype), launch.state_dtype or "float32",
        page=launch.block_size, raw_records=raw, drafting=launch.speculative_tokens,
    )  # fmt: skip
    does = rules(launch.version)
    each = slots_each(architecture, does, launch.state_mode, launch.prefix_caching)
    asked = AskedStart(rank, does, available_kv_gib, launch.max_model_len, launch.max_num_seqs, slots_each=each)
    found = start(architecture, asked)
    if found.starts and (found.kv_tokens or 0) < launch.max_model_len:
        # It starts all the same, and refuses each longer request when it comes.
        cell_gib = gib(found.cell_bytes * launch.max_model_len)
        return replace(found, longest_max_model_len=found.kv_tokens, needed_gib=cell_gib)
    return found


def _refused(key: str, flag: str, launch: Launch, **values: int) -> SglangStart:
    return SglangStart(
        starts=False, refusal=Refusal(NAME, key, flag, values=values), max_model_len=launch.max_model_len
    )


def explain(started: EngineStart) -> tuple[Step, ...]:
    """The steps from the memory that is left to "max_total_num_tokens"."""
    assert isinstance(started, SglangStart)
    held = started.pools
    if not started.starts or held is None or not held.cell:
        return ()
    cell = derive(
        "sglang_cell_bytes", "full_bytes + ratio * swa_bytes + drafted_bytes", "bytes", RULES_SOURCE,
        full_bytes=(held.full, "bytes", RULES_SOURCE), ratio=(held.ratio, "", RULES_SOURCE),
        swa_bytes=(held.swa, "bytes", RULES_SOURCE), drafted_bytes=(held.drafted, "bytes", RULES_SOURCE),
    )  # fmt: skip
    tokens = started.kv_tokens or 0
    states_gib = gib((started.state_slots + 1) * held.state) if started.state_slots is not None else 0.0
    pools_gib = derive(
        "sglang_pools_gib", "tokens * cell_bytes / 2 ** 30 + states_gib", "GiB", RULES_SOURCE,
        tokens=(tokens, "tokens", "step"), cell_bytes=cell, states_gib=(states_gib, "GiB", RULES_SOURCE),
    )  # fmt: skip
    whole = derive(
        "sglang_requests", "tokens / max_model_len", "requests", RULES_SOURCE,
        tokens=(tokens, "tokens", "step"), max_model_len=(started.max_model_len, "tokens", "input"),
    )  # fmt: skip
    return (cell, pools_gib, whole)


def remedies(
    architecture: Architecture, launch: Launch, available_gib: Callable[[Launch], float]
) -> tuple[Remedy, ...]:
    """The smallest share, and the precision or context, with which a refused start works."""
    if start_up(architecture, launch, available_gib(launch)).starts:
        return ()
    caches = [cache for layer in architecture.layers for cache in layer.caches]
    now = share(
        launch,
        latent=any(isinstance(cache, LatentAttention) for cache in caches),
        sees=any(part.key == "encoder_cache" for part in architecture.left_out),
    )
    tries: list[tuple[str, object]] = [
        ("utilization", step / 100) for step in range(math.floor(now * 100) + 1, round(_LARGEST_SHARE * 100) + 1)
    ]
    tries += [("kv_dtype", "fp8")] if launch.kv_dtype in ("auto", "bf16") else []
    found: dict[str, Remedy] = {}
    for setting, value in tries:
        if setting not in found:
            changed = replace(launch, **{setting: value})  # type: ignore[arg-type]  # one field at a time
            left_gib = available_gib(changed)
            started = start_up(architecture, changed, left_gib)
            if started.starts:
                found[setting] = Remedy(NAME, setting, FLAGS[setting], value, left_gib, started)  # type: ignore[arg-type]
    return tuple(found.values())


def stages_refusal(architecture: Architecture, pp: int) -> Refusal | None:
    """None: any architecture is dealt to any number of stages (pp) that has a layer for each."""
    return None


def command(model: str, launch: Launch, *, port: int) -> str:
    """What to type to start a launch; a setting at its default needs no flag.

    >>> command("org/model", Launch("0.5.23", tp=2, kv_dtype="fp8"), port=8000)
    'python -m sglang.launch_server --model-path org/model --port 8000 --tp-size 2 --kv-cache-dtype fp8_e4m3'
    """
    given = {
        flag: getattr(launch, name) for name, flag in FLAGS.items() if getattr(launch, name) != getattr(Launch, name)
    }
    typed = {flag: _TYPED.get(str(value), value) for flag, value in {"--port": port, **given}.items()}
    flags = " ".join(f"{flag} {value}" for flag, value in typed.items())
    return f"python -m sglang.launch_server --model-path {shlex.quote(model)} {flags}"
