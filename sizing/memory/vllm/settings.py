"""The engine's settings, checked, with the defaults it would take. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.base.numbers import is_number, is_whole
from sizing.memory.budget.estimate import engine_defaults
from sizing.memory.vllm.releases import Release, release

PACKED = "fp8_ds_mla"  # the record of sparse and compressed caches
KV_DTYPES = ("auto", "bf16", "fp8", "nvfp4", "fp8_per_token_head", "int8_per_token_head")
CAPABILITIES = ((8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (11, 0), (12, 0), (12, 1))
STATE_DTYPES = {"float32": 4, "float16": 2, "bfloat16": 2}

_COUNT_MAX = 1 << 31
# Memory that a card of this capability has where nothing is said of it: A100, L40S, H100, B200, B300, RTX PRO. [GiB]
_USUAL_CARD_GIB = {(8, 0): 80, (9, 0): 80, (10, 0): 178, (10, 3): 268, (12, 0): 95}
_SMALLEST_CARD_GIB = 1  # a card that nothing is known of gets the small defaults


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides how the cache is cut up, except memory and length.

    kv_dtype: as asked for, one of KV_DTYPES.   capability: compute capability of the card.
    block_size: as asked for, None for the engine's choice. [tokens]
    prefix_caching: as asked for, None for the release's default.
    state_dtype: precision of recurrent states as asked for, None for the model's.
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

    @property
    def datacenter_blackwell(self) -> bool:
        """Compute capability 10.x."""
        return self.capability[0] == 10


def settings(
    *,
    tp: int,
    pp: int,
    dcp: int,
    kv_dtype: str,
    version: str,
    compute_capability: tuple[int, int],
    speculative_tokens: int,
    block_size: int | None,
    prefix_caching: bool | None,
    hybrid_manager: bool,
    state_dtype: str | None,
) -> Settings:
    """The settings checked one by one; SizingError names the first that is wrong."""
    for name, value in (("tp", tp), ("pp", pp), ("dcp", dcp)):
        count(name, value, high=1 << 12)
    count("speculative_tokens", speculative_tokens, low=0, high=1 << 10)
    if block_size is not None:
        count("block_size", block_size, high=1 << 20)
    if kv_dtype not in KV_DTYPES:
        raise SizingError("kv_dtype_unknown", input="kv_dtype", value=kv_dtype, known=", ".join(KV_DTYPES))
    if state_dtype is not None and state_dtype not in STATE_DTYPES:
        known = ", ".join(STATE_DTYPES)
        raise SizingError("vllm_state_dtype_unknown", input="state_dtype", value=state_dtype, known=known)
    for name, flag in (("prefix_caching", prefix_caching), ("hybrid_manager", hybrid_manager)):
        if flag is not None and not isinstance(flag, bool):
            raise SizingError("vllm_not_a_flag", input=name, value=flag)
    chosen = release(version)
    return Settings(
        tp, pp, dcp, kv_dtype, chosen, _capability(compute_capability), speculative_tokens, block_size,
        prefix_caching, hybrid_manager, state_dtype,
    )  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the scheduler runs at a time.

    max_num_batched_tokens: tokens of one batch. [tokens]   max_num_seqs: requests of one batch, None if not known. [-]
    assumed: settings that were not given and follow from the usual card of the capability.
    """

    max_num_batched_tokens: int
    max_num_seqs: int | None
    assumed: tuple[str, ...]


def schedule(
    max_num_batched_tokens: int | None, max_num_seqs: int | None, card_gib: float | None, capability: tuple[int, int]
) -> Schedule:
    """The scheduler's settings with the engine's defaults for a server, which go by the card's memory. [GiB]

    Without ``card_gib`` the batch follows the usual card of the capability and is named as assumed; the number of
    sequences is then left open, since it decides whether a hybrid model starts.
    """
    if max_num_batched_tokens is not None:
        count("max_num_batched_tokens", max_num_batched_tokens)
    if max_num_seqs is not None:
        count("max_num_seqs", max_num_seqs)
    known = card_gib if card_gib is None else gib_amount("card_gib", card_gib)
    size = known if known is not None else _USUAL_CARD_GIB.get(capability, 0)
    defaults = engine_defaults(max(size, _SMALLEST_CARD_GIB), compute_capability=capability)
    assumed = ("max_num_batched_tokens",) if max_num_batched_tokens is None and known is None else ()
    batch = defaults.max_num_batched_tokens if max_num_batched_tokens is None else max_num_batched_tokens
    sequences = defaults.max_num_seqs if max_num_seqs is None and known is not None else max_num_seqs
    return Schedule(batch, sequences, assumed)


# Why a release does not start, and what would make it start.


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason not to start.

    key: names the sentences ``vllm.refusal.<key>`` (why) and ``vllm.remedy.<key>`` (what would start).
    flag: the engine's flag that would help, "" where none would.   number: the value that works, None if not known.
    values: what the sentences mention.
    """

    key: str
    flag: str = ""
    number: int | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def say(self, language: str = "en") -> str:
        """Why, in one sentence."""
        return texts.say(f"vllm.refusal.{self.key}", language, **self.values)

    def say_remedy(self, language: str = "en") -> str:
        """What would start, in one sentence."""
        return texts.say(f"vllm.remedy.{self.key}", language, flag=self.flag, number=self.number, **self.values)


class RefusesError(Exception):
    """Carries a refusal out of the planning; never leaves this package."""

    def __init__(self, key: str, flag: str = "", number: int | None = None, **values: Any) -> None:
        self.refusal = Refusal(key, flag, number, MappingProxyType(values))
        super().__init__(key)
