"""What the engine says at its start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sizing.base import texts
from sizing.memory.vllm.grouping import Group
from sizing.memory.vllm.settings import Refusal

Limit = Literal["memory", "sequences", "state_blocks", "start_check", "none"]
Evidence = Literal["log", "code"]


@dataclass(frozen=True)
class Startup:
    """What a release of vLLM prints when it starts, or why it refuses to.

    starts: this release starts with these settings.
    refusal: why not and what would start, None where it starts; ``reason`` and ``remedy`` are its sentences.
    kv_tokens: "GPU KV cache size", None where it does not start. [tokens]
    max_concurrency: "Maximum concurrency" for requests of max_model_len. [-]
    num_blocks: blocks of the pool on each card. [-]
    block_size: shortest block of any group, as the engine stores it. [tokens]
    needed_gib: memory for one request of max_model_len where it does not fit, as the message rounds it. [GiB]
    longest_max_model_len: longest context that would fit where max_model_len does not; None if none would. [tokens]
    kv_dtype: precision that the cache really gets, by the engine's name.
    bytes_per_block: one block on the fullest card. [bytes]
    blocks_per_request: blocks of the pool that a request of max_model_len takes. [-]
    request_blocks: the same by group. [-]
    groups: layers that share one list of blocks.
    in_flight_tokens: tokens scheduled but not yet settled, which windows keep besides their own. [tokens]
    retained_tokens, encoder_tokens: kept below windows for drafting; budget of an encoder. [tokens]
    max_num_batched_tokens: tokens of one batch that the figures stand on. [tokens]
    max_num_seqs: sequences of one batch, None if neither they nor the card's memory were given. [-]
    available_kv_gib, max_model_len, dcp, speculative_tokens: as asked for. [GiB], [tokens], [-], [tokens]
    tokens_by_concurrency: the release prints tokens as concurrency times max_model_len.
    state_mode: how recurrent states are kept: "none" the newest only, "align" also one at a block's end, "all".
    state_blocks: blocks of recurrent state among those of a request; 0 without states. [-]
    highest_max_num_seqs: above this number of sequences a model with recurrent states does not start; None without
        such states. [-]
    limit: what ends the number of requests; ``say_limit`` says it.
    evidence: "log" where start-up logs have confirmed this kind of figure, "code" where it rests on the engine's code
        alone; ``say_evidence`` says it.
    assumed: settings that were not given and follow from the usual card of the compute capability.
    """

    starts: bool
    refusal: Refusal | None = None
    kv_tokens: int | None = None
    max_concurrency: float | None = None
    num_blocks: int | None = None
    block_size: int | None = None
    needed_gib: float | None = None
    longest_max_model_len: int | None = None
    kv_dtype: str = ""
    bytes_per_block: int = 0
    blocks_per_request: int = 0
    request_blocks: tuple[int, ...] = ()
    groups: tuple[Group, ...] = field(default=(), repr=False)
    in_flight_tokens: int = 0
    retained_tokens: int = 0
    encoder_tokens: int = 0
    max_num_batched_tokens: int = 0
    max_num_seqs: int | None = None
    available_kv_gib: float = 0.0
    max_model_len: int = 0
    dcp: int = 1
    speculative_tokens: int = 0
    tokens_by_concurrency: bool = True
    state_mode: str = "none"
    state_blocks: int = 0
    highest_max_num_seqs: int | None = None
    limit: Limit = "memory"
    evidence: Evidence = "log"
    assumed: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why it does not start, in English; "" where it starts."""
        return self.say_reason()

    def say_reason(self, language: str = "en") -> str:
        """Why it does not start; "" where it starts."""
        return "" if self.refusal is None else self.refusal.say(language)

    @property
    def remedy(self) -> str:
        """What would start, with flag and number where there is one, in English; "" where it starts."""
        return self.say_remedy()

    def say_remedy(self, language: str = "en") -> str:
        """What would start; "" where it starts."""
        return "" if self.refusal is None else self.refusal.say_remedy(language)

    def say_limit(self, language: str = "en") -> str:
        """What ends the number of requests."""
        return texts.say(f"vllm.limit.{self.limit}", language)

    def say_evidence(self, language: str = "en") -> str:
        """What the figure rests on."""
        return texts.say(f"vllm.evidence.{self.evidence}", language)

    @property
    def flag(self) -> str:
        """The engine's flag that would help, "" where none would or none is needed."""
        return "" if self.refusal is None else self.refusal.flag

    @property
    def number(self) -> int | None:
        """The value of ``flag`` that works."""
        return None if self.refusal is None else self.refusal.number
