"""Widths of a config, and what of them an engine fills up."""

from __future__ import annotations

import pytest

from sizing.memory.widths import read_widths


def test_experts_in_mxfp4_grow_when_they_are_loaded() -> None:
    """2,880 wide, filled up to 12 x 256 = 3,072: a fifteenth more, which makes the published 64.4 GiB of 60.8."""
    config = {
        "hidden_size": 2880, "vocab_size": 201088, "intermediate_size": 2880, "num_local_experts": 128,
        "experts_per_token": 4, "quantization_config": {"quant_method": "mxfp4"},
    }  # fmt: skip
    assert read_widths(config, 36).expert_padding == pytest.approx(3072 / 2880 - 1)
    assert read_widths({**config, "hidden_size": 4096}, 36).expert_padding == 0
    assert read_widths({**config, "quantization_config": {"quant_method": "fp8"}}, 36).expert_padding == 0
