"""What prefix caching keeps of recurrent states: the last ones or every block's, by release and flag.

Read from the engine's model configuration in the wheels 0.19.1 to 0.33.0 (source: vllm-source).
"""

from __future__ import annotations

from typing import Any

import pytest

from sizing.base.errors import SizingError
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import DeltaNetState, FullAttention, Mamba2State
from sizing.memory.starting import Launch

ATTENTION = Layer((FullAttention(2, 128, 128),))
MAMBA = Layer(
    (Mamba2State(heads=64, head_dim=64, state_dim=128, groups=8, conv_kernel=4, conv_bytes=2, state_bytes=4),)
)
DELTA = Layer(
    (DeltaNetState(k_heads=16, v_heads=32, k_dim=128, v_dim=128, conv_kernel=4, conv_bytes=2, state_bytes=4),)
)


def start(state: Layer, version: str, mode: str | None = None, caching: bool | None = True) -> vllm.Startup:
    model = Architecture((state, state, state, ATTENTION) * 6, attention_heads=32, model_type="nemotron_h")
    return vllm.startup(
        model,
        available_kv_gib=40,
        max_model_len=131_072,
        version=version,
        compute_capability=(9, 0),
        prefix_caching=caching,
        mamba_cache_mode=mode,
    )


@pytest.mark.parametrize(
    ("state", "version", "mode", "kept"),
    [
        (MAMBA, "0.27.1", None, "all"),
        (MAMBA, "0.27.1", "align", "align"),
        (MAMBA, "0.27.1", "none", "all"),  # the flag's own default means the release's choice
        (MAMBA, "0.28.0", None, "align"),
        (MAMBA, "0.28.0", "all", "all"),
        (DELTA, "0.27.1", None, "align"),
        (DELTA, "0.27.1", "all", "align"),  # only Mamba operators can
    ],
)
def test_mode_by_release_and_flag(state: Layer, version: str, mode: str | None, kept: str) -> None:
    assert start(state, version, mode).state_mode == kept


def test_without_prefix_caching_no_mode_counts() -> None:
    for mode in (None, "align", "all"):
        assert start(MAMBA, "0.27.1", mode, caching=False).state_mode == "none"
    assert start(MAMBA, "0.27.1", caching=None).state_mode == "none"  # off by default there


def test_the_last_states_alone_leave_room_for_many_more() -> None:
    """Two blocks for each of three groups of states, against one for every block of the context."""
    every, last = start(MAMBA, "0.27.1"), start(MAMBA, "0.27.1", "align")
    assert every.state_blocks == 3 * -(-131_072 // (every.block_size or 1))
    assert last.state_blocks == 3 * 2
    assert (last.kv_tokens or 0) > 3 * (every.kv_tokens or 0)


def test_a_release_that_dropped_the_mode_refuses_it() -> None:
    refused = start(MAMBA, "0.32.0", "all")
    assert refused.refusal is not None
    assert refused.refusal.key == "state_mode"
    assert "--mamba-cache-mode" in refused.remedy
    assert start(MAMBA, "0.31.0", "all").starts


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(SizingError, match="align, all"):
        start(MAMBA, "0.28.0", "some")


def test_keeping_fewer_states_is_offered_where_all_of_them_do_not_fit() -> None:
    model = Architecture((MAMBA, MAMBA, MAMBA, ATTENTION) * 6, attention_heads=32, model_type="nemotron_h")
    launch = vllm.completed(
        Launch(
            "0.27.1",
            total_gib=80,
            compute_capability=(9, 0),
            max_model_len=131_072,
            prefix_caching=True,
            max_num_seqs=4,
        )
    )
    found = {each.setting: each for each in vllm.remedies(model, launch, lambda _: 2.0)}
    assert found["state_mode"].value == "align"
    assert found["state_mode"].flag == "--mamba-cache-mode"
    assert found["state_mode"].start.starts


@pytest.mark.parametrize(("version", "starts"), [("0.19.1", False), ("0.26.0", False), ("0.27.1", True)])
def test_a_block_of_states_must_fit_a_batch_up_to_0_26(version: str, starts: bool) -> None:
    """A state of 32 x 128 x 128 x 4 bytes fills 2,048 tokens of 1,024 bytes, and its convolution some more."""
    model = Architecture((DELTA, DELTA, DELTA, ATTENTION) * 6, attention_heads=32)
    asked: dict[str, Any] = {
        "available_kv_gib": 20, "max_model_len": 32_768, "version": version, "compute_capability": (8, 6),
        "prefix_caching": True, "state_dtype": "float32",
    }  # fmt: skip
    refused = vllm.startup(model, max_num_batched_tokens=2048, **asked)
    assert refused.starts is starts
    if not starts:
        assert refused.flag == "--max-num-batched-tokens"
        assert refused.number is not None
        assert refused.number > 2048
        assert vllm.startup(model, max_num_batched_tokens=refused.number, **asked).starts
    # where nobody has said how long a batch is, nothing is refused for it
    assert vllm.startup(model, **asked).starts
