"""What a release prints at its start, or why it refuses."""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar

from sizing.base.dataclass import dataclass
from sizing.base.units import bytes_from_gib, gib
from sizing.memory.architecture import Architecture
from sizing.memory.starting import EngineStart, Evidence, Launch, Limit, Refusal
from sizing.memory.vllm import grouping
from sizing.memory.vllm.grouping import Group
from sizing.memory.vllm.plan import CachePlan, plan
from sizing.memory.vllm.releases import NAME, NEWEST, unseen_since
from sizing.memory.vllm.settings import Schedule, Settings, count, gib_amount, refusal_of, schedule, settings


@dataclass(frozen=True)
class Startup(EngineStart):
    """What a release of vLLM prints when it starts, or why it refuses to: all that an EngineStart says, and its blocks.

    bytes_per_block: one block on the fullest card. [bytes]
    blocks_per_request: blocks of the pool that a request of max_model_len takes. [-]
    request_blocks: the same by group. [-]   groups: layers that share one list of blocks.
    retained_tokens, encoder_tokens: kept below windows for drafting; budget of an encoder. [tokens]
    state_mode: how recurrent states are kept: "none" the newest only, "align" also one at a block's end, "all".
    state_blocks: blocks of recurrent state among those of a request; 0 without states. [-]
    """

    engine: ClassVar[str] = NAME

    bytes_per_block: int = 0
    blocks_per_request: int = 0
    request_blocks: tuple[int, ...] = ()
    groups: tuple[Group, ...] = field(default=(), repr=False)
    retained_tokens: int = 0
    encoder_tokens: int = 0
    state_mode: str = "none"
    state_blocks: int = 0


# Capacity: blocks of the pool, what a request needs of it, and the figures of the log. Source: vllm-kv-rules.


def pool_blocks(plan: CachePlan, available_bytes: int) -> int:
    """Blocks of the pool: the fewest of any stage that holds a cache. [-]"""
    return max(0, min(available_bytes // size for size in plan.stage_block_bytes if size))


def request_blocks(plan: CachePlan, settings: Settings, max_model_len: int, batch_tokens: int) -> tuple[int, ...]:
    """Blocks that a request of full length takes, by group. [-]"""
    demand = plan.demand(settings, max_model_len, batch_tokens)
    return tuple(grouping.blocks(group, demand) for group in plan.groups)


def decoding_blocks(plan: CachePlan, settings: Settings, max_model_len: int) -> int:
    """Blocks that a request of full length holds while it decodes: windows, and the tokens of a step in flight. [-]"""
    return sum(request_blocks(plan, settings, max_model_len, 1 + settings.speculative_tokens))


def shortest_block(plan: CachePlan, max_model_len: int) -> int:
    """The block size that the engine stores: the shortest of all groups. [tokens]

    A state that is not cached at block ends has one block for the whole context.
    """
    sizes = []
    for group in plan.groups:
        if group.family == "ring":
            continue
        uncached = group.family == "state" and plan.states is not None and plan.states.mode == "none"
        sizes.append(max_model_len if uncached else group.block_size)
    return min(sizes)


def tokens(plan: CachePlan, settings: Settings, num_blocks: int, concurrency: float, max_model_len: int) -> int:
    """ "GPU KV cache size" by the formula of the release. [tokens]"""
    if settings.release.tokens_by_concurrency:
        return int(concurrency * max_model_len)
    return num_blocks // len(plan.groups) * shortest_block(plan, max_model_len) * settings.dcp


@dataclass(frozen=True)
class Shortfall:
    """What is said where one request does not fit.

    needed_bytes: what it needs on the first stage that lacks room. [bytes]
    longest: longest context that fits there, as the engine says it; 0 where not one token does. [tokens]
    works: longest context that fits on every stage. [tokens]
    """

    needed_bytes: int
    longest: int
    works: int


def shortfall(
    plan: CachePlan, settings: Settings, available_bytes: int, max_model_len: int, batch_tokens: int
) -> Shortfall | None:
    """None where one request of full length passes the start check on every stage."""
    by_group = request_blocks(plan, settings, max_model_len, batch_tokens)
    needed: list[int] = []
    longest: list[int] = []
    for stage, size in enumerate(plan.stage_block_bytes):
        usable = available_bytes - (size if settings.release.null_block_held else 0)
        rates = _checked_bytes(plan, settings, stage)
        wanted = _product(by_group, rates)
        if size and wanted > usable:
            needed.append(wanted)
            longest.append(_longest(plan, settings, usable, rates, max_model_len, batch_tokens))
    return Shortfall(needed[0], longest[0], min(longest)) if needed else None


def _checked_bytes(plan: CachePlan, settings: Settings, stage: int) -> tuple[int, ...]:
    """What the start check of the release counts for one block of each group on a stage. [bytes]"""
    rules, found = settings.release, plan.groups
    if rules.start_check == "layers":
        return tuple(group.stage_bytes[stage] for group in found)
    size = plan.stage_block_bytes[stage]
    if not rules.stages_narrowed:
        size = max(group.whole_bytes for group in found)
    if rules.start_check == "first":
        return (size, *[0] * (len(found) - 1))
    if not rules.packed_counted and any(spec.kind == "compressed" for group in found for spec in group.specs):
        size = _unpacked_bytes(plan)
    return (size,) * len(found)


def _unpacked_bytes(plan: CachePlan) -> int:
    """A block of compressed caches by the growing group's page sizes, as often as the fullest group has one. [bytes]"""
    growing = next(group for group in plan.groups if group.family == "full")
    return sum({spec.page_bytes for spec in growing.specs}) * max(group.most_alike for group in plan.groups)


def _product(by_group: tuple[int, ...], rates: tuple[int, ...]) -> int:
    return sum(blocks * rate for blocks, rate in zip(by_group, rates, strict=True))


def _longest(
    plan: CachePlan, settings: Settings, usable: int, rates: tuple[int, ...], max_model_len: int, batch_tokens: int
) -> int:
    def fits(length: int) -> bool:
        return _product(request_blocks(plan, settings, length, batch_tokens), rates) <= usable

    if not fits(1):
        return 0
    low, high = 1, max_model_len
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def startup(
    architecture: Architecture,
    *,
    available_kv_gib: float,
    max_model_len: int,
    tp: int = 1,
    pp: int = 1,
    dcp: int = 1,
    kv_dtype: str = "auto",
    version: str = NEWEST,
    compute_capability: tuple[int, int] = (12, 0),
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    speculative_tokens: int = 0,
    block_size: int | None = None,
    prefix_caching: bool | None = None,
    async_scheduling: bool = True,
    hybrid_manager: bool = True,
    state_dtype: str | None = None,
    mamba_cache_mode: str | None = None,
    card_gib: float | None = None,
    draft: Architecture | None = None,
) -> Startup:
    """What vLLM prints when it starts, or why it does not start.

    available_kv_gib: memory left for the cache on each card ("Available KV cache memory"). [GiB]
    max_model_len: longest context of a request. [tokens]
    tp, pp, dcp: tensor, pipeline and decode-context parallel size. [-]
    kv_dtype: "auto", "bf16", "fp8", "nvfp4", "fp8_per_token_head" or "int8_per_token_head".
    version: release.   compute_capability: of the card, such as (9, 0).
    max_num_batched_tokens, max_num_seqs: of one batch; without them the engine's defaults, for which it looks at
        ``card_gib``. Sequences are left out of account where neither is given. [tokens], [-], [GiB]
    speculative_tokens: drafted at a time, by ``draft`` or else the model's own multi-token prediction. [tokens]
    block_size, prefix_caching, state_dtype: as asked for, None for the engine's choice. [tokens]
    mamba_cache_mode: "none", "align" or "all", with prefix caching; None for the release's choice: "all" for
        Mamba up to 0.27, "align" for every other recurrent state and from 0.28 on.
    async_scheduling, hybrid_manager: as the engine has them unless switched off.
    Raises SizingError for an input that no engine takes. Source: vllm-kv-rules, vllm-source.

    >>> from sizing.memory.architecture import Architecture, Layer
    >>> from sizing.memory.caches import FullAttention
    >>> llama = Architecture((Layer((FullAttention(kv_heads=8, k_dim=128, v_dim=128),)),) * 32, attention_heads=32)
    >>> startup(llama, available_kv_gib=20.0, max_model_len=8192).kv_tokens
    163840
    >>> startup(llama, available_kv_gib=0.5, max_model_len=8192).remedy
    'Set --max-model-len 4080, or leave more memory to the cache.'
    """
    launch = Launch(
        version=version,
        total_gib=card_gib,
        compute_capability=compute_capability,
        tp=tp,
        pp=pp,
        dcp=dcp,
        max_model_len=max_model_len,
        kv_dtype=kv_dtype,
        max_num_batched_tokens=max_num_batched_tokens,
        max_num_seqs=max_num_seqs,
        speculative_tokens=speculative_tokens,
        draft=draft,
        block_size=block_size,
        prefix_caching=prefix_caching,
        state_dtype=state_dtype,
        state_mode=mamba_cache_mode,
        async_scheduling=async_scheduling,
        hybrid_manager=hybrid_manager,
    )
    return start_up(architecture, launch, available_kv_gib)


def start_up(architecture: Architecture, launch: Launch, available_kv_gib: float) -> Startup:
    """The same for a launch.

    architecture: of the model.   available_kv_gib: memory for the cache on the fullest card. [GiB]
    """
    chosen = settings(launch)
    available = gib_amount("available_kv_gib", available_kv_gib)
    length = count("max_model_len", launch.max_model_len)
    run = schedule(launch)
    made = plan(architecture, launch.draft, chosen, bool(launch.async_scheduling))
    return _start(made, chosen, run, available, length)


def _start(made: CachePlan, chosen: Settings, run: Schedule, available_kv_gib: float, max_model_len: int) -> Startup:
    available_bytes = int(bytes_from_gib(available_kv_gib))
    batch = run.max_num_batched_tokens
    asked = Startup(
        starts=False,
        refusal=made.refusal,
        kv_dtype=made.precision,
        in_flight_tokens=made.batches * batch,
        retained_tokens=made.retained_tokens,
        encoder_tokens=made.encoder_tokens(chosen, batch),
        max_num_batched_tokens=batch,
        max_num_seqs=run.max_num_seqs,
        available_kv_gib=available_kv_gib,
        max_model_len=max_model_len,
        dcp=chosen.dcp,
        speculative_tokens=chosen.speculative_tokens,
        tokens_in_blocks=not chosen.release.tokens_by_concurrency,
        state_mode=made.states.mode if made.states is not None else "none",
        limit="start_check",
        keeps_cache=bool(made.groups) or made.refusal is not None,
        evidence=_evidence(made, chosen),
        assumed=run.assumed,
    )
    if made.refusal is not None:
        return asked
    if not made.groups:
        # Nothing to keep: the engine makes one block and prints no size.
        return replace(asked, starts=True, kv_tokens=0, max_concurrency=0.0, num_blocks=1, block_size=0, limit="none")
    by_group = request_blocks(made, chosen, max_model_len, batch)
    blocks = sum(by_group)
    total = pool_blocks(made, available_bytes)
    states = sum(n for group, n in zip(made.groups, by_group, strict=True) if group.family == "state")
    planned = replace(
        asked,
        bytes_per_block=max(made.stage_block_bytes),
        blocks_per_request=blocks,
        request_bytes=max(made.stage_block_bytes) * blocks,
        request_blocks=by_group,
        groups=made.groups,
        state_blocks=states,
        highest_max_num_seqs=total if made.states is not None else None,
    )
    aligned = made.states is not None and made.states.mode == "align" and chosen.release.state_blocks_in_batch
    if aligned and made.block_size > batch and not run.assumed:
        refusal = refusal_of("state_block_batch", "--max-num-batched-tokens", made.block_size, batch=batch)
        return replace(planned, refusal=refusal)
    short = shortfall(made, chosen, available_bytes, max_model_len, batch)
    if available_bytes <= 0 or short is not None:
        lacking = short or Shortfall(0, 0, 0)
        return replace(
            planned,
            refusal=_no_memory(available_bytes, max_model_len, lacking),
            needed_gib=round(gib(lacking.needed_bytes), 2) if available_bytes > 0 else None,
            longest_max_model_len=lacking.longest or None,
            limit="memory",
        )
    if made.states is not None and run.max_num_seqs is not None and run.max_num_seqs > total:
        refusal = refusal_of("state_blocks", "--max-num-seqs", total, asked=run.max_num_seqs, blocks=total)
        return replace(planned, refusal=refusal, limit="state_blocks")
    concurrency = total / blocks
    return replace(
        planned,
        starts=True,
        kv_tokens=tokens(made, chosen, total, concurrency, max_model_len),
        max_concurrency=concurrency,
        # One block of the pool stands for nothing (``BlockPool.null_block``): the print counts it, no request gets it.
        decoding_concurrency=1 + (total - 1 - blocks) / decoding_blocks(made, chosen, max_model_len),
        num_blocks=total,
        block_size=shortest_block(made, max_model_len),
        limit=_limit(run, concurrency, states, blocks),
    )


def _no_memory(available_bytes: int, max_model_len: int, lacking: Shortfall) -> Refusal:
    needed = gib(lacking.needed_bytes)
    values = {
        "available_gib": gib(available_bytes),
        "missing_gib": gib(max(0, -available_bytes)),
        "needed_gib": needed,
        "max_model_len": max_model_len,
    }
    if lacking.works:
        return refusal_of("context_too_long", "--max-model-len", lacking.works, **values)
    key = "no_context_fits" if available_bytes > 0 else "memory_missing" if available_bytes < 0 else "no_memory"
    return refusal_of(key, "--gpu-memory-utilization", None, **values)


def _limit(run: Schedule, concurrency: float, states: int, blocks: int) -> Limit:
    if run.max_num_seqs is not None and run.max_num_seqs <= concurrency:
        return "sequences"
    return "state_blocks" if 2 * states > blocks else "memory"


def _evidence(made: CachePlan, chosen: Settings) -> Evidence:
    newest = chosen.release.version >= unseen_since()
    unseen = chosen.datacenter_blackwell or (newest and (made.states is not None or chosen.pp > 1))
    return "code" if unseen else "log"
