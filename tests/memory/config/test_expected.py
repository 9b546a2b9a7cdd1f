"""Cache bytes of 120 published models within 0.1 %: what grows, what is windowed, what is fixed, and the total."""

from __future__ import annotations

from typing import Any

import pytest

from sizing.base.errors import SizingError
from sizing.memory.architecture import Architecture
from sizing.memory.config.reader import read_config

from .conftest import CASES, config, rows, whole

ROWS = rows("expected.csv")
# This file has neither the list of its layers nor the heads of its states: the row cannot be worked out from it.
INCOMPLETE = "ibm-granite/granite-4.0-h-small"


def _check(row: dict[str, str], architecture: Architecture) -> None:
    windows = architecture.terms("bf16")[0].windows
    found = {
        "growing_bytes_per_token": architecture.growing_bytes_per_token,
        "windowed_bytes_per_token": architecture.windowed_bytes_per_token,
        "window_tokens": max((window for _, window in windows), default=0),
        "fixed_bytes": architecture.fixed_bytes,
        "total_bytes_at_32768_tokens": architecture.kv_bytes(32_768),
    }
    for name, value in found.items():
        assert value == pytest.approx(float(row[name]), rel=1e-3, abs=0.5), name


def test_the_table_is_whole() -> None:
    assert len(ROWS) == 120
    assert set(CASES) == {row["hf_id"] for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["hf_id"])
def test_from_the_keys_that_decide(row: dict[str, str]) -> None:
    if row["hf_id"] != INCOMPLETE:
        case = CASES[row["hf_id"]]
        _check(row, read_config(case["config"], case.get("hf_quant_config")))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["hf_id"])
def test_from_the_whole_file(row: dict[str, str]) -> None:
    files = whole(row["hf_id"])
    if files is None:
        pytest.skip("the collection of whole configs is not at hand")
    if row["hf_id"] != INCOMPLETE:
        _check(row, read_config(*files))


def test_an_incomplete_file_is_refused_by_the_missing_key() -> None:
    with pytest.raises(SizingError) as refused:
        read_config(config(INCOMPLETE))
    assert refused.value.input == "layer_types"


def test_the_same_file_with_its_list_gives_the_growing_figure_of_the_row() -> None:
    row = next(row for row in ROWS if row["hf_id"] == INCOMPLETE)
    complete: dict[str, Any] = config(INCOMPLETE) | {
        "layer_types": ["attention" if index in (5, 15, 25, 35) else "mamba" for index in range(40)],
        "num_hidden_layers": 40,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "hidden_size": 4096,
        "mamba_expand": 2,
        "mamba_n_heads": 128,
        "mamba_d_head": 64,
        "mamba_n_groups": 1,
        "mamba_d_state": 128,
        "mamba_d_conv": 4,
    }
    # 4 attention layers of 40, 8 KV heads of 4,096 / 32 = 128, keys and values in 16 bit.
    by_hand = 4 * 2 * 8 * (4096 // 32) * 2
    assert by_hand == float(row["growing_bytes_per_token"]) == 16_384
    assert read_config(complete).growing_bytes_per_token == by_hand
    # 36 Mamba-2 layers: 128 heads x 64 x 128 states, and 3 columns of 8,192 + 2 x 128 channels, all in 16 bit.
    assert read_config(complete).fixed_bytes == 36 * (128 * 64 * 128 * 2 + 3 * (8192 + 2 * 128) * 2)
