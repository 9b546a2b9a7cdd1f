"""The engine's settings, checked, with the defaults it would take. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

import shlex
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.numbers import is_number, is_whole
from sizing.memory.starting import Launch, Refusal
from sizing.memory.terms import ALSO
from sizing.memory.vllm.estimate import completed
from sizing.memory.vllm.releases import NAME, Release, release

PACKED = "fp8_ds_mla"  # the record of sparse and compressed caches
KV_DTYPES = ("auto", "bf16", "fp8", "nvfp4", "fp8_per_token_head", "int8_per_token_head")
CAPABILITIES = ((8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (11, 0), (12, 0), (12, 1))
STATE_MODES = ("none", "align", "all")
STATE_DTYPES = {"float32": 4, "float16": 2, "bfloat16": 2}

FLAGS = {
    "tp": "--tensor-parallel-size",
    "pp": "--pipeline-parallel-size",
    "dcp": "--decode-context-parallel-size",
    "utilization": "--gpu-memory-utilization",
    "max_model_len": "--max-model-len",
    "max_num_seqs": "--max-num-seqs",
    "max_num_batched_tokens": "--max-num-batched-tokens",
    "block_size": "--block-size",
    "kv_dtype": "--kv-cache-dtype",
    "state_mode": "--mamba-cache-mode",
}
"""The engine's flag of a setting of Launch, in the order in which a start names them."""

_COUNT_MAX = 1 << 31
# Memory that a card of this capability has where nothing is said of it: A100, L40S, H100, B200, B300, RTX PRO. [GiB]
_USUAL_CARD_GIB = {(8, 0): 80, (9, 0): 80, (10, 0): 178, (10, 3): 268, (12, 0): 95}
_SMALLEST_CARD_GIB = 1  # a card that nothing is known of gets the small defaults


@dataclass(frozen=True)
class Settings:
    """Everything that decides how the cache is cut up, except memory and length.

    kv_dtype: as asked for, one of KV_DTYPES.   capability: compute capability of the card.
    block_size: as asked for, None for the engine's choice. [tokens]
    prefix_caching: as asked for, None for the release's default.
    state_dtype, state_mode: precision of recurrent states, and what is kept of them, as asked for; None for the
        model's, and for the release's.
    """

    tp: int
    pp: int
    dcp: int
    kv_dtype: str
    release: Release
    capability: tuple[int, int]
    speculative_tokens: int
    block_size: int | None
    prefix_caching: bool | None
    hybrid_manager: bool
    state_dtype: str | None
    state_mode: str | None = None

    @property
    def datacenter_blackwell(self) -> bool:
        """Compute capability 10.x."""
        return self.capability[0] == 10


def settings(launch: Launch) -> Settings:
    """The settings of a launch checked one by one; SizingError names the first that is wrong."""
    for name in ("tp", "pp", "dcp"):
        count(name, getattr(launch, name), high=1 << 12)
    count("speculative_tokens", launch.speculative_tokens, low=0, high=1 << 10)
    if launch.block_size is not None:
        count("block_size", launch.block_size, high=1 << 20)
    kv_dtype = ALSO.get(launch.kv_dtype, launch.kv_dtype)
    if kv_dtype not in KV_DTYPES:
        raise SizingError("kv_dtype_unknown", input="kv_dtype", value=launch.kv_dtype, known=", ".join(KV_DTYPES))
    if launch.state_dtype is not None and launch.state_dtype not in STATE_DTYPES:
        known = ", ".join(STATE_DTYPES)
        raise SizingError("vllm_state_dtype_unknown", input="state_dtype", value=launch.state_dtype, known=known)
    if launch.state_mode is not None and launch.state_mode not in STATE_MODES:
        known = ", ".join(STATE_MODES)
        raise SizingError("vllm_state_mode_unknown", input="state_mode", value=_short(launch.state_mode), known=known)
    for name in ("prefix_caching", "hybrid_manager"):
        if (flag := getattr(launch, name)) is not None and not isinstance(flag, bool):
            raise SizingError("vllm_not_a_flag", input=name, value=flag)
    return Settings(
        tp=launch.tp,
        pp=launch.pp,
        dcp=launch.dcp,
        kv_dtype=kv_dtype,
        release=release(launch.version),
        capability=_capability(launch.compute_capability),
        speculative_tokens=launch.speculative_tokens,
        block_size=launch.block_size,
        prefix_caching=launch.prefix_caching,
        hybrid_manager=launch.hybrid_manager,
        state_dtype=launch.state_dtype,
        state_mode=launch.state_mode,
    )


def command(model: str, launch: Launch, *, port: int) -> str:
    """What to type to start it; a setting at its default needs no flag.

    >>> command("org/model", Launch("0.33.0", tp=2, utilization=0.9, kv_dtype="bf16"), port=8000)
    'vllm serve org/model --port 8000 --tensor-parallel-size 2 --gpu-memory-utilization 0.9 --kv-cache-dtype bfloat16'
    """
    given = {
        flag: getattr(launch, name) for name, flag in FLAGS.items() if getattr(launch, name) != getattr(Launch, name)
    }
    typed = {flag: "bfloat16" if value == "bf16" else value for flag, value in {"--port": port, **given}.items()}
    return " ".join(["vllm serve", shlex.quote(model), *(f"{flag} {value}" for flag, value in typed.items())])


def count(name: str, value: object, low: int = 1, high: int = _COUNT_MAX) -> int:
    """A whole number within bounds."""
    if not is_whole(value) or not low <= value <= high:
        raise SizingError("vllm_not_a_count", input=name, value=_short(value), low=low, high=high)
    return int(value)


def gib_amount(name: str, value: object, high: float = float(1 << 20)) -> float:
    """An amount of memory, which may be nothing or less (weights larger than their share). [GiB]"""
    if not is_number(value) or not -high <= value <= high:
        raise SizingError("vllm_not_an_amount", input=name, value=_short(value))
    return float(value)


def _short(value: object) -> str:
    return str(value)[:40]


def _capability(value: object) -> tuple[int, int]:
    if (
        isinstance(value, (tuple, list))
        and tuple(value) in CAPABILITIES
        and not any(isinstance(v, bool) for v in value)
    ):
        return int(value[0]), int(value[1])
    known = ", ".join(f"{major}.{minor}" for major, minor in CAPABILITIES)
    raise SizingError("vllm_capability_unknown", input="compute_capability", value=_short(value), known=known)


@dataclass(frozen=True)
class Schedule:
    """What the scheduler runs at a time.

    max_num_batched_tokens: tokens of one batch. [tokens]   max_num_seqs: requests of one batch, None if not known. [-]
    assumed: settings that were not given and follow from the usual card of the capability.
    """

    max_num_batched_tokens: int
    max_num_seqs: int | None
    assumed: tuple[str, ...]


def schedule(launch: Launch) -> Schedule:
    """The scheduler's settings of a launch, with the engine's defaults for a server.

    Without a card's memory the batch follows the usual card of the capability and is named as assumed; the number of
    sequences is then left open, since it decides whether a hybrid model starts.
    """
    for name in ("max_num_batched_tokens", "max_num_seqs"):
        if (given := getattr(launch, name)) is not None:
            count(name, given)
    known = launch.total_gib if launch.total_gib is None else gib_amount("card_gib", launch.total_gib)
    size = known if known is not None else _USUAL_CARD_GIB.get(launch.compute_capability, 0)
    run = completed(replace(launch, total_gib=max(size, _SMALLEST_CARD_GIB)))
    assert run.max_num_batched_tokens is not None
    assumed = ("max_num_batched_tokens",) if launch.max_num_batched_tokens is None and known is None else ()
    return Schedule(run.max_num_batched_tokens, launch.max_num_seqs if known is None else run.max_num_seqs, assumed)


class RefusesError(Exception):
    """Carries a refusal out of the planning; never leaves this package."""

    def __init__(self, why: Refusal | str, flag: str = "", number: int | None = None, **values: Any) -> None:
        self.refusal = why if isinstance(why, Refusal) else refusal_of(why, flag, number, **values)
        super().__init__(self.refusal.key)


def refusal_of(key: str, flag: str = "", number: int | None = None, **values: Any) -> Refusal:
    """One reason of this engine's not to start; its sentences stand in the texts under ``vllm.refusal.<key>``."""
    return Refusal(NAME, key, flag, number, MappingProxyType(values))
