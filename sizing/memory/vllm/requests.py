"""Blocks that one request takes. Source: vllm-kv-rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from sizing.memory.vllm.grouping import Group
from sizing.memory.vllm.hybrid import States
from sizing.memory.vllm.specs import Spec


@dataclass(frozen=True, slots=True)
class Demand:
    """What a request may hold.

    max_model_len: its longest context. [tokens]   dcp: cards that share its tokens. [-]
    in_flight_tokens: scheduled but not yet settled, which windows keep besides their own. [tokens]
    retained_tokens: kept below a window for drafting. [tokens]   encoder_tokens: budget of an encoder. [tokens]
    states: how recurrent states are kept.
    """

    max_model_len: int
    dcp: int
    in_flight_tokens: int
    retained_tokens: int
    encoder_tokens: int
    states: States | None


def blocks(group: Group, demand: Demand) -> int:
    """Blocks of one group that a request of full length takes. [-]"""
    return max(_blocks(spec, demand) for spec in group.specs)


def _blocks(spec: Spec, demand: Demand) -> int:
    match spec.family:
        case "full":
            return _up(_up(demand.max_model_len, demand.dcp), spec.block_size)
        case "sliding":
            # One more, since a window seldom begins where a block does.
            held = spec.window - 1 + demand.retained_tokens + demand.in_flight_tokens
            return _up(min(held, demand.max_model_len), spec.block_size) + 1
        case "chunked":
            return _up(min(spec.window + demand.in_flight_tokens, demand.max_model_len), spec.block_size)
        case "cross":
            return _up(demand.encoder_tokens, spec.block_size)
        case "state":
            if demand.states is None or demand.states.mode == "all":
                return _up(demand.max_model_len, spec.block_size)
            return demand.states.blocks
    assert_never(spec.family)


def _up(a: int, b: int) -> int:
    return -(-a // b)
