"""What a release of SGLang prints when it starts, or why it refuses to. Source: sglang-kv-rules."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any, ClassVar

from sizing.base.checks import count, number
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.units import bytes_from_gib, gib
from sizing.memory.architecture import Architecture
from sizing.memory.budget import DRIVER_GAP_GIB
from sizing.memory.sglang.pools import STATE_BYTES, Pools, Rank, fewest, pools
from sizing.memory.sglang.releases import NAME, NEWEST, Rules, rules
from sizing.memory.sglang.shares import CONTEXT_GIB, Serving, chunk_and_batch, default_share
from sizing.memory.starting import EngineStart, Evidence, Limit, Refusal, facts

STATE_SHARE = 0.9
"""--mamba-full-memory-ratio: states for one of the cache of the other layers. [-]"""
SLOTS_A_REQUEST = {"no_buffer": 3, "extra_buffer": 5, "extra_buffer_lazy": 4}
"""Slots of recurrent state that a request takes while prefixes are kept, by --mamba-radix-cache-strategy. [-]"""
KV_DTYPES = ("auto", "bf16", "fp8", "nvfp4")
_ALSO = {"fp4": "nvfp4", "fp4_e2m1": "nvfp4", "fp8_e5m2": "fp8"}
_RAW_RECORDS_MIB = 170_000
"""Boards from this size on are data-centre Blackwell or newer, whose sparse latent cache has no scales. [MiB]"""
_DRAFT_REQUESTS, _COMPRESSED_REQUESTS = 48, 256
_BOUNDS = (2048, 4096)


@dataclass(frozen=True)
class SglangStart(EngineStart):
    """What SGLang prints at its start beside what any engine does.

    swa_tokens: of the sliding layers' pool; None with a single pool. [tokens]
    state_slots: slots of recurrent state; None without. [-]   max_running_requests: of one attention rank. [-]
    kv_gib: of all pools, as they are allocated. [GiB]   rest_gib: left by the share. [GiB]
    cell_bytes: of one token of ``kv_tokens`` on one rank. [bytes]   pools: of the stage that decides.
    """

    engine: ClassVar[str] = NAME

    swa_tokens: int | None = None
    state_slots: int | None = None
    max_running_requests: int | None = None
    kv_gib: float | None = None
    rest_gib: float = 0.0
    cell_bytes: float = 0.0
    pools: Pools | None = field(default=None, repr=False)
    free_before_gib: float | None = None
    free_after_gib: float | None = None
    mem_fraction_static: float | None = None


@dataclass(frozen=True)
class AskedStart:
    """A start as it is asked for, checked. rest_gib: memory for all pools of a rank. [GiB]   context: [tokens]

    requests: --max-running-requests by attention rank, None for the default. [-]   slots: of states, likewise.
    """

    rank: Rank
    rules: Rules
    rest_gib: float
    context: int
    requests: int | None = None
    slots: int | None = None
    slots_each: int = 3
    evidence: Evidence = "log"
    assumed: tuple[str, ...] = ()


def slots_each(architecture: Architecture, does: Rules, strategy: str | None, radix_cache: bool | None) -> int:
    """Slots of recurrent state that one request of ``architecture`` takes by what the release ``does``. [-]

    strategy: --mamba-radix-cache-strategy, None for the release's choice: buffers where the class can have them.
    radix_cache: prefixes are kept, the engine's default; one slot is enough where they are not.
    """
    if strategy is not None and strategy not in SLOTS_A_REQUEST:
        known = ", ".join(SLOTS_A_REQUEST)
        raise SizingError("not_a_choice", input="state_mode", label="state_mode", value=str(strategy), known=known)
    if radix_cache is False:
        return 1
    can = does.state_buffers and architecture.model_type.startswith(tuple(facts(NAME)["extra_buffers"]))
    return SLOTS_A_REQUEST[strategy or ("extra_buffer" if can else "no_buffer")]


def startup(
    architecture: Architecture,
    *,
    free_before_gib: float | None = None,
    free_after_gib: float | None = None,
    mem_fraction_static: float | None = None,
    board_mib: int | None = None,
    tp: int = 1,
    pp: int = 1,
    attention_dp: int | None = 1,
    kv_dtype: str = "auto",
    version: str = NEWEST,
    page_size: int | None = None,
    chunked_prefill_size: int | None = None,
    context_len: int | None = None,
    max_running_requests: int | None = None,
    swa_full_tokens_ratio: float | None = None,
    state_dtype: str | None = None,
    state_slots: int | None = None,
    speculative_tokens: int = 0,
    mamba_strategy: str | None = None,
    radix_cache: bool = True,
) -> SglangStart:
    """What SGLang prints when it starts, or why it does not start.

    free_before_gib, free_after_gib: free memory before and after the weights, as the log prints them; estimated from
        the board and the model where they are not given, which ``assumed`` then says. [GiB]
    mem_fraction_static: share of it, None for the release's default. [-]   board_mib: of a card, by the driver. [MiB]
    tp, pp, attention_dp: tensor and pipeline parallel size, ranks that run the attention side by side. [-]
    kv_dtype: "auto", "bf16", "fp8" or "nvfp4".   version: release.   page_size: None for the usual one. [tokens]
    chunked_prefill_size, context_len: None for the defaults. [tokens]   max_running_requests: of all ranks. [-]
    swa_full_tokens_ratio: sliding tokens for a full one. [-]   state_dtype: "float32", "bfloat16" or "float16".
    state_slots: of recurrent state, of all ranks. [-]   speculative_tokens: drafted at a time. [tokens]
    mamba_strategy: "no_buffer", "extra_buffer", "extra_buffer_lazy", None for the release's choice.
    radix_cache: prefixes are kept.
    SizingError for an input that no engine takes. Source: sglang-kv-rules, sglang-source.

    >>> from sizing.memory.architecture import Architecture, Layer
    >>> from sizing.memory.caches import FullAttention
    >>> llama = Architecture((Layer((FullAttention(kv_heads=8, k_dim=128, v_dim=128),)),) * 32, attention_heads=32)
    >>> startup(llama, free_before_gib=40, free_after_gib=24, mem_fraction_static=0.9).kv_tokens
    163840
    """
    does = rules(version)
    attention_dp = attention_dp or 1
    for name, size in (("tp", tp), ("pp", pp), ("attention_dp", attention_dp)):
        count(name, size, 1, 4096)
    optional: dict[str, int | None] = {
        "page_size": page_size,
        "chunked_prefill_size": chunked_prefill_size,
        "context_len": context_len,
    }
    optional |= {"max_running_requests": max_running_requests, "state_slots": state_slots, "board_mib": board_mib}
    for name, value in optional.items():
        if value is not None:
            count(name, value, 1, 1 << 30)
    count("speculative_tokens", speculative_tokens, 0, 1024)
    shares = {"mem_fraction_static": mem_fraction_static, "swa_full_tokens_ratio": swa_full_tokens_ratio}
    for name, share in shares.items():
        if share is not None:
            number(name, share, 0.001, 1)
    for name, free_gib in (("free_before_gib", free_before_gib), ("free_after_gib", free_after_gib)):
        if free_gib is not None:
            number(name, free_gib, 0, 100_000, "GiB")
    if attention_dp > 1 and tp % attention_dp:
        raise SizingError("sglang_attention_dp", input="attention_dp", value=attention_dp, tp=tp)
    heads, rank_tp = architecture.attention_heads, tp // attention_dp
    if heads and heads % rank_tp:
        refusal = Refusal(NAME, "heads", "--tp-size", values={"tp": rank_tp, "heads": heads})
        return SglangStart(starts=False, refusal=refusal)
    if state_dtype is not None and state_dtype not in STATE_BYTES:
        known = ", ".join(STATE_BYTES)
        raise SizingError("not_a_choice", input="state_dtype", label="state_dtype", value=str(state_dtype), known=known)
    assumed: list[str] = []
    images = any(each.key == "encoder_cache" for each in architecture.left_out)
    latent = any("latent" in group.kind for group in architecture.groups)
    drafts = speculative_tokens > 0
    if mem_fraction_static is None:
        if board_mib is None:
            raise SizingError("sglang_board_needed", input="board_mib")
        serving = Serving(
            board_mib, tp, pp, attention_dp, chunked_prefill_size, max_running_requests, latent, images, drafts
        )
        mem_fraction_static = default_share(serving, does)
        assumed.append("mem_fraction_static")
    if free_before_gib is None:
        if board_mib is None:
            raise SizingError("sglang_board_needed", input="board_mib")
        free_before_gib = max(0.0, board_mib / 1024 - DRIVER_GAP_GIB - CONTEXT_GIB)
        assumed.append("free_before_gib")
    if free_after_gib is None:
        weights = architecture.weight_bytes_estimate
        if weights is None:
            raise SizingError("sglang_weights_needed", input="free_after_gib")
        free_after_gib = free_before_gib - gib(weights) / (tp * pp)
        assumed.append("free_after_gib")
    rest_gib = free_after_gib - free_before_gib * (1 - mem_fraction_static)
    if images:
        rest_gib -= does.image_reserve_gib
    raw = board_mib is not None and board_mib >= _RAW_RECORDS_MIB
    asked = AskedStart(
        rank=Rank(
            tp // attention_dp, pp, precision(architecture, kv_dtype), state_dtype or "float32", swa_full_tokens_ratio,
            page_size, raw, speculative_tokens,
        ),
        rules=does,
        rest_gib=rest_gib,
        context=context_len or architecture.max_context_tokens or 1,
        requests=_by_rank(max_running_requests, attention_dp),
        slots=_by_rank(state_slots, attention_dp),
        slots_each=slots_each(architecture, does, mamba_strategy, radix_cache),
        assumed=tuple(assumed),
    )  # fmt: skip
    chunk = chunked_prefill_size or (chunk_and_batch(Serving(board_mib), does)[0] if board_mib else 8192)
    started = replace(
        start(architecture, asked),
        max_num_batched_tokens=chunk,
        free_before_gib=free_before_gib,
        free_after_gib=free_after_gib,
        mem_fraction_static=mem_fraction_static,
    )
    if started.refusal is not None and started.refusal.key == "no_memory" and free_before_gib:
        least = math.ceil((1 - free_after_gib / free_before_gib) * 1000) / 1000
        values = {"share": mem_fraction_static, "least": least}
        refusal = Refusal(NAME, "no_memory" if least < 1 else "weights", "--mem-fraction-static", values=values)
        started = replace(started, refusal=refusal)
    elif started.starts and chunk % (page_size or 1):
        refusal = Refusal(NAME, "chunk", "--chunked-prefill-size", values={"chunk": chunk, "page": page_size or 1})
        started = replace(started, starts=False, refusal=refusal)
    return started


def _by_rank(value: int | None, attention_dp: int) -> int | None:
    return None if value is None else max(1, value // attention_dp)


def precision(architecture: Architecture, kv_dtype: str) -> str:
    """The precision of the cache that a choice means for a model. SizingError for one that no engine takes."""
    if not isinstance(kv_dtype, str):
        raise SizingError("kv_dtype_unknown", input="kv_dtype", value=kv_dtype, known=", ".join(KV_DTYPES))
    compressed = any("compressed" in group.kind for group in architecture.groups)
    if compressed:  # stored in its own record of 8 bit, whatever is asked for
        architecture.resolve_kv_dtype(_ALSO.get(kv_dtype, kv_dtype))
        return "fp8"
    return architecture.resolve_kv_dtype(_ALSO.get(kv_dtype, kv_dtype))


def start(architecture: Architecture, asked: AskedStart) -> SglangStart:
    """Pools, slots and requests from the memory that the share leaves."""
    stages = pools(architecture, asked.rank, asked.rules)
    rest_bytes = bytes_from_gib(asked.rest_gib)
    said: dict[str, Any] = {
        "kv_dtype": asked.rank.kv_dtype, "rest_gib": asked.rest_gib, "available_kv_gib": asked.rest_gib,
        "max_model_len": asked.context, "speculative_tokens": asked.rank.drafting, "assumed": asked.assumed,
        "evidence": asked.evidence, "max_num_seqs": asked.requests,
    }  # fmt: skip

    def refused(key: str, flag: str = "--mem-fraction-static", **values: Any) -> SglangStart:
        return SglangStart(starts=False, refusal=Refusal(NAME, key, flag, values=values), **said)

    if rest_bytes <= 0:
        return refused("no_memory")
    state = max(each.state for each in stages)
    slots: int | None = None
    if state:
        slots, rest_bytes = _states(rest_bytes, state, asked)
        if slots <= 0 or rest_bytes <= 0:
            return refused("states", slot_mib=state / 2**20)
    compressed = any(each.slow_row or (each.swa and not each.cell - each.full) for each in stages)
    compressed = compressed or any("compressed" in group.kind for group in architecture.groups)
    requests = asked.requests or (
        _DRAFT_REQUESTS if asked.rank.drafting else _COMPRESSED_REQUESTS if compressed else None
    )
    tokens = fewest(
        max(0.0, rest_bytes - each.fixed_bytes(requests or 1)) / each.cell if each.cell else math.inf for each in stages
    ) if any(each.cell for each in stages) else asked.context  # fmt: skip
    deciding = max(stages, key=lambda each: each.cell)
    page = deciding.page
    tokens = tokens // page * page
    if tokens <= 0:
        return refused("no_tokens")
    swa = int(tokens * deciding.ratio) // page * page if deciding.ratio else None
    if swa is not None and asked.rules.one_request_checked and swa <= deciding.window + page:
        return refused("sliding", "--swa-full-tokens-ratio", swa=swa, window=deciding.window, page=page)
    running = _running(tokens, slots, requests, asked)
    if running <= 0:
        return refused("slots", "--max-mamba-cache-size", slots=slots or 0, each=asked.slots_each)
    whole = tokens / asked.context
    if slots is not None:
        whole = min(whole, float(running))
    decoding = whole
    if swa is not None:
        decoding = min(whole, swa / (min(asked.context, deciding.window) + page))
    limit: Limit = "memory" if decoding < running else "sequences"
    kv_bytes = tokens * deciding.full + (swa or 0) * deciding.swa + (0 if slots is None else (slots + 1) * state)
    return SglangStart(
        starts=True,
        kv_tokens=tokens,
        swa_tokens=swa,
        state_slots=slots,
        max_running_requests=running,
        kv_gib=gib(kv_bytes + deciding.fixed_bytes(running)),
        cell_bytes=deciding.cell,
        pools=deciding,
        max_concurrency=decoding,
        decoding_concurrency=decoding,
        num_blocks=tokens // page,
        block_size=page,
        keeps_cache=any(each.cell for each in stages) or slots is not None,
        request_bytes=round(deciding.cell * asked.context) + state,
        tokens_in_blocks=True,
        limit=limit,
        **{**said, "max_num_seqs": running},
    )


def _states(rest_bytes: float, state: int, asked: AskedStart) -> tuple[int, float]:
    """Slots of recurrent state, and what they leave to the other layers. [-], [bytes]"""
    spare, drafted = int(asked.rules.state_spare_slot), asked.rank.drafting
    requests = asked.requests or (_DRAFT_REQUESTS if drafted else 1)
    how = asked.rules.states_drafted
    times = 1 + drafted if how == "product" else 1
    if drafted and how == "requests":  # in between, for as many requests as were asked for
        rest_bytes -= state * requests * drafted
    budget = rest_bytes * STATE_SHARE / (1 + STATE_SHARE)
    if asked.slots is not None:
        slots = asked.slots
    elif drafted and how == "jointly":
        slots = int((budget - state * spare * (1 + drafted)) // (state * (1 + drafted / asked.slots_each)))
    else:
        slots = int((budget - spare * state * times) // (state * times))
    if drafted and how == "jointly":
        rest_bytes -= state * drafted * (min(requests, slots // asked.slots_each) + spare)
    return slots, rest_bytes - (slots + spare) * state * times


def _running(tokens: int, slots: int | None, requests: int | None, asked: AskedStart) -> int:
    """--max-running-requests as it is printed, by attention rank. [-]"""
    low, high = _BOUNDS
    default = max(min(int(tokens / asked.context * 512), high), low) + asked.rules.running_extra
    running = min(requests or default, tokens // 2)
    return running if slots is None else min(running, slots // asked.slots_each)
