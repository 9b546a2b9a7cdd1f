"""Numbers of other libraries are numbers, and whatever else a caller gives ends in a SizingError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sizing
from sizing import catalogue
from sizing.memory import vllm
from sizing.site import air


def _architecture() -> Any:
    return catalogue.checkpoint("openai/gpt-oss-20b").architecture


def test_numpy_numbers_count() -> None:
    scenario = sizing.Scenario(cards=np.int64(4), power_cap_w=np.float64(450), context_tokens=np.int32(8192))
    assert scenario == sizing.Scenario(power_cap_w=450)
    assert type(scenario.cards) is int
    # 12 full and 12 sliding layers (128 tokens) of 8 heads x 64, keys and values, 2 bytes.
    assert _architecture().kv_bytes(np.int64(8192)) == 12 * (8192 + 128) * 8 * 64 * 2 * 2
    started = vllm.startup(_architecture(), available_kv_gib=np.float64(10), max_model_len=np.int64(8192))
    assert started == vllm.startup(_architecture(), available_kv_gib=10, max_model_len=8192)
    assert air.cfm(np.float64(1000), np.int64(11)) == air.cfm(1000, 11)
    table = sizing.sweep(checkpoints=["openai/gpt-oss-20b"], cards=["l40s"], card_counts=np.arange(1, 4))
    assert sizing.Scenario(cards=table["cards"].iloc[2]).cards == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: _architecture().kv_bytes(8192, tp=0),
        lambda: _architecture().kv_bytes(8192, tp=3),
        lambda: _architecture().kv_bytes(8192, pp=2.0),
        lambda: _architecture().kv_bytes(True),
        lambda: sizing.Scenario(foo=1),  # type: ignore[call-arg]
        lambda: sizing.Scenario.from_json(None),  # type: ignore[arg-type]
        lambda: sizing.Scenario.from_query(None),  # type: ignore[arg-type]
        lambda: sizing.size(None),  # type: ignore[arg-type]
        lambda: sizing.size({}),  # type: ignore[arg-type]
        lambda: sizing.sweep(card_counts=4),  # type: ignore[arg-type]
        lambda: sizing.sweep(checkpoints="openai/gpt-oss-120b"),
        lambda: sizing.sweep(context_tokens=[float("nan")]),  # type: ignore[list-item]
        lambda: sizing.read_config([]),  # type: ignore[arg-type]
    ],
)
def test_whatever_a_caller_gives_ends_in_a_sizing_error(call: Callable[[], object]) -> None:
    with pytest.raises(sizing.SizingError) as caught:
        call()
    assert caught.value.what()
    assert caught.value.fix()
