"""What a release prints at its start, or why it refuses."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from sizing.memory.architecture import Architecture
from sizing.memory.vllm import capacity
from sizing.memory.vllm.plan import Plan, plan
from sizing.memory.vllm.refusals import Refusal
from sizing.memory.vllm.result import Evidence, Limit, Startup
from sizing.memory.vllm.settings import Schedule, Settings, count, gib_amount, schedule, settings
from sizing.units import bytes_from_gib, gib

_UNSEEN_SINCE = (0, 33, 0)


def startup(
    architecture: Architecture,
    *,
    available_kv_gib: float,
    max_model_len: int,
    tp: int = 1,
    pp: int = 1,
    dcp: int = 1,
    kv_dtype: str = "auto",
    version: str = "0.33.0",
    compute_capability: tuple[int, int] = (12, 0),
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    speculative_tokens: int = 0,
    block_size: int | None = None,
    prefix_caching: bool | None = None,
    async_scheduling: bool = True,
    hybrid_manager: bool = True,
    state_dtype: str | None = None,
    card_gib: float | None = None,
    draft: Architecture | None = None,
) -> Startup:
    """What vLLM prints when it starts, or why it does not start.

    available_kv_gib: memory left for the cache on each card ("Available KV cache memory"). [GiB]
    max_model_len: longest context of a request. [tokens]
    tp, pp, dcp: tensor, pipeline and decode-context parallel size. [-]
    kv_dtype: "auto", "bf16", "fp8", "nvfp4", "fp8_per_token_head" or "int8_per_token_head".
    version: release, 0.10 to 0.33.   compute_capability: of the card, such as (9, 0).
    max_num_batched_tokens, max_num_seqs: of one batch; without them the engine's defaults, for which it looks at
        ``card_gib``. Sequences are left out of account where neither is given. [tokens], [-], [GiB]
    speculative_tokens: drafted at a time, by ``draft`` or else the model's own multi-token prediction. [tokens]
    block_size, prefix_caching, state_dtype: as asked for, None for the engine's choice. [tokens]
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
    chosen = settings(
        tp=tp,
        pp=pp,
        dcp=dcp,
        kv_dtype=kv_dtype,
        version=version,
        compute_capability=compute_capability,
        speculative_tokens=speculative_tokens,
        block_size=block_size,
        prefix_caching=prefix_caching,
        hybrid_manager=hybrid_manager,
        state_dtype=state_dtype,
    )
    available = gib_amount("available_kv_gib", available_kv_gib)
    length = count("max_model_len", max_model_len)
    run = schedule(max_num_batched_tokens, max_num_seqs, card_gib, chosen.capability)
    made = plan(architecture, draft, chosen, bool(async_scheduling))
    return _start(made, chosen, run, available, length)


def _start(made: Plan, chosen: Settings, run: Schedule, available_kv_gib: float, max_model_len: int) -> Startup:
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
        tokens_by_concurrency=chosen.release.tokens_by_concurrency,
        state_mode=made.states.mode if made.states is not None else "none",
        limit="start_check",
        evidence=_evidence(made, chosen),
        assumed=run.assumed,
    )
    if made.refusal is not None:
        return asked
    if not made.groups:
        # Nothing to keep: the engine makes one block and prints no size.
        return replace(asked, starts=True, kv_tokens=0, max_concurrency=0.0, num_blocks=1, block_size=0, limit="none")
    by_group = capacity.request_blocks(made, chosen, max_model_len, batch)
    blocks = sum(by_group)
    total = capacity.pool_blocks(made, available_bytes)
    states = sum(n for group, n in zip(made.groups, by_group, strict=True) if group.family == "state")
    planned = replace(
        asked,
        bytes_per_block=max(made.stage_block_bytes),
        blocks_per_request=blocks,
        request_blocks=by_group,
        groups=made.groups,
        state_blocks=states,
        highest_max_num_seqs=total if made.states is not None else None,
    )
    short = capacity.shortfall(made, chosen, available_bytes, max_model_len, batch)
    if available_bytes <= 0 or short is not None:
        lacking = short or capacity.Shortfall(0, 0, 0)
        return replace(
            planned,
            refusal=_no_memory(available_bytes, max_model_len, lacking),
            needed_gib=round(gib(lacking.needed_bytes), 2) if available_bytes > 0 else None,
            longest_max_model_len=lacking.longest or None,
            limit="memory",
        )
    if made.states is not None and run.max_num_seqs is not None and run.max_num_seqs > total:
        counts = MappingProxyType({"asked": run.max_num_seqs, "blocks": total})
        refusal = Refusal("state_blocks", "--max-num-seqs", total, counts)
        return replace(planned, refusal=refusal, limit="state_blocks")
    concurrency = total / blocks
    return replace(
        planned,
        starts=True,
        kv_tokens=capacity.tokens(made, chosen, total, concurrency, max_model_len),
        max_concurrency=concurrency,
        num_blocks=total,
        block_size=capacity.shortest_block(made, max_model_len),
        limit=_limit(run, concurrency, states, blocks),
    )


def _no_memory(available_bytes: int, max_model_len: int, lacking: capacity.Shortfall) -> Refusal:
    needed = gib(lacking.needed_bytes)
    values = MappingProxyType(
        {
            "available_gib": gib(available_bytes),
            "missing_gib": gib(max(0, -available_bytes)),
            "needed_gib": needed,
            "max_model_len": max_model_len,
        }
    )
    if lacking.works:
        return Refusal("context_too_long", "--max-model-len", lacking.works, values)
    key = "no_context_fits" if available_bytes > 0 else "memory_missing" if available_bytes < 0 else "no_memory"
    return Refusal(key, "--gpu-memory-utilization", None, values)


def _limit(run: Schedule, concurrency: float, states: int, blocks: int) -> Limit:
    if run.max_num_seqs is not None and run.max_num_seqs <= concurrency:
        return "sequences"
    return "state_blocks" if 2 * states > blocks else "memory"


def _evidence(made: Plan, chosen: Settings) -> Evidence:
    newest = chosen.release.version >= _UNSEEN_SINCE
    unseen = chosen.datacenter_blackwell or (newest and (made.states is not None or chosen.pp > 1))
    return "code" if unseen else "log"
