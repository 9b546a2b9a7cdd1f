"""What vLLM says at its start, beyond what any engine says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sizing.memory.starting import EngineStart
from sizing.memory.vllm.grouping import Group
from sizing.memory.vllm.releases import NAME


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
