"""What a start says of itself: reason and remedy, what limits it, what it stands on, and its working."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.base.errors import SizingError
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, LatentAttention, SlidingWindow, SparseIndexer
from sizing.memory.starting import releases

from .tables import arguments, model, names, rows

LLAMA_8B = model("meta-llama/Meta-Llama-3.1-8B")
MODELS = names()
QWEN_35B = model("Qwen/Qwen3.5-35B-A3B")


def start(architecture: Architecture = LLAMA_8B, **changes: Any) -> vllm.Startup:
    """A start of an 8B model on one card."""
    call: dict[str, Any] = {"available_kv_gib": 20.0, "max_model_len": 8192, "compute_capability": (9, 0)}
    return vllm.startup(architecture, **{**call, **changes})


def test_plain_heads_by_hand() -> None:
    """32 layers x 16 tokens x 8 heads x (128 + 128) x 2 bytes = 2 MiB a block; 20 GiB hold 10,240 of them."""
    started = start()
    assert started.bytes_per_block == 32 * 16 * 8 * 256 * 2 == 2 * 1024**2
    assert (started.num_blocks, started.kv_tokens) == (10_240, 163_840)
    assert started.max_concurrency == 163_840 / 8192


def test_a_window_keeps_every_batch_in_flight_from_release_0_26_on() -> None:
    """Window 1,024, batch 2,048: 3,071 tokens are 192 blocks and one more; with two batches 5,119 are 320 and one."""
    layers = (Layer((SlidingWindow(8, 128, 128, 1024),)),) * 4 + (Layer((FullAttention(8, 128, 128),)),) * 4
    both = Architecture(layers, attention_heads=32)
    for version, held in (("0.25.1", 192 + 1), ("0.26.0", 320 + 1)):
        started = start(both, version=version, max_num_batched_tokens=2048, max_model_len=32_768)
        assert sorted(started.request_blocks) == sorted((held, 32_768 // 16)), version


def test_more_pipeline_stages_hold_more_layers_together() -> None:
    assert start(pp=2).num_blocks == 2 * (start().num_blocks or 0)


GIB = 1024**3


@pytest.mark.parametrize(
    ("version", "needed_gib"),
    [("0.13.0", 0.5), ("0.14.0", 1.0), ("0.16.0", 1.0), ("0.17.0", 0.5), ("0.33.0", 0.5)],
)
def test_what_one_stage_must_hold_by_release(version: str, needed_gib: float) -> None:
    """8,192 tokens are 512 blocks of 2 MiB, 1 GiB; from 0.14 to 0.16 each of two stages had to hold all of it."""
    refused = start(version=version, pp=2, available_kv_gib=0.4)
    assert (refused.starts, refused.needed_gib) == (False, needed_gib)
    assert start(version=version, pp=2, available_kv_gib=needed_gib + 0.01).starts
    assert refused.number is not None
    assert start(version=version, pp=2, available_kv_gib=0.4, max_model_len=refused.number).starts


@pytest.mark.parametrize(
    ("version", "counted"),
    [("0.13.0", (193, 2048)), ("0.17.1", (193,)), ("0.19.1", (193, 2048)), ("0.25.1", (193, 2048))],
)
def test_the_start_check_looked_at_the_first_group_only_for_some_releases(
    version: str, counted: tuple[int, ...]
) -> None:
    """A window of 1,024 with a batch of 2,048 takes 193 blocks, 32,768 tokens take 2,048; 4 layers of 64 KiB each."""
    layers = (Layer((SlidingWindow(8, 128, 128, 1024),)), Layer((FullAttention(8, 128, 128),))) * 4
    both = Architecture(layers, attention_heads=32)
    refused = start(both, version=version, max_num_batched_tokens=2048, max_model_len=32_768, available_kv_gib=0.02)
    assert refused.needed_gib == round(sum(counted) * 4 * 64 * 1024 / GIB, 2)


@pytest.mark.parametrize(
    ("version", "capability", "block_size", "where_16_is_asked_for"),
    [
        ("0.10.0", (9, 0), 64, 64),
        ("0.17.1", (9, 0), 64, 64),
        ("0.19.1", (9, 0), 16, 16),
        ("0.13.0", (10, 0), 128, 128),
        ("0.15.1", (10, 0), 64, 64),
        ("0.19.1", (10, 0), 32, 16),
        ("0.13.0", (12, 0), 16, 16),
    ],
)
def test_the_block_of_latent_attention_by_release(
    version: str, capability: tuple[int, int], block_size: int, where_16_is_asked_for: int
) -> None:
    latent = model("deepseek-ai/DeepSeek-R1")
    call: dict[str, Any] = {"version": version, "compute_capability": capability}
    assert start(latent, **call).block_size == block_size
    assert start(latent, **call, block_size=16).block_size == where_16_is_asked_for


def test_layers_of_several_widths_gained_nothing_from_stages_before_0_17() -> None:
    """4 latent layers of 576 values in FP8 with their indexers, 2 bytes and 132: one block of all, or of half."""
    layer = Layer((LatentAttention(latent_dim=512, rope_dim=64, sparse=True), SparseIndexer(index_dim=128)))
    sparse = Architecture((layer,) * 4, attention_heads=32)
    page = 64 * (576 * 2 + 132)
    for version, layers in (("0.16.0", 4), ("0.17.0", 2)):
        started = start(sparse, version=version, pp=2)
        assert started.bytes_per_block == layers * page, version
        assert vllm.explain(started)[0].recompute() == started.bytes_per_block
        assert {given.name for given in vllm.explain(started)[0].given} >= {"layers1", "page1_bytes"}


def test_the_reason_names_flag_and_number_that_work() -> None:
    refused = start(available_kv_gib=0.5)
    assert not refused.starts
    assert (refused.flag, refused.number) == ("--max-model-len", refused.longest_max_model_len)
    assert "8,192 tokens" in refused.reason
    assert str(refused.number) in refused.remedy
    assert refused.number is not None
    assert start(available_kv_gib=0.5, max_model_len=refused.number).starts
    assert not start(available_kv_gib=0.5, max_model_len=refused.number + 16).starts


@pytest.mark.parametrize("available", [0.0, -3.0, 0.001])
def test_nothing_left_is_said_as_such(available: float) -> None:
    refused = start(available_kv_gib=available)
    assert not refused.starts
    assert refused.flag == "--gpu-memory-utilization"
    assert refused.longest_max_model_len is None


def test_a_hybrid_starts_only_with_a_block_for_each_sequence() -> None:
    """The engine's default is 1,024 sequences on cards of 70 GiB and more, else 256."""
    pool = {"available_kv_gib": 10.0, "max_num_batched_tokens": 8192, "max_model_len": 32_768}
    blocks = start(QWEN_35B, **pool).num_blocks
    assert blocks is not None
    assert 256 < blocks < 1024
    refused = start(QWEN_35B, **pool, card_gib=80)
    assert not refused.starts
    assert (refused.limit, refused.flag, refused.number) == ("state_blocks", "--max-num-seqs", blocks)
    assert start(QWEN_35B, **pool, card_gib=80, max_num_seqs=blocks).starts
    assert not start(QWEN_35B, **pool, card_gib=80, max_num_seqs=blocks + 1).starts
    assert start(QWEN_35B, **pool, card_gib=48).starts
    assert start(QWEN_35B, **pool).highest_max_num_seqs == blocks
    assert start(available_kv_gib=0.5, max_model_len=1024, card_gib=80).starts, "states only"


def test_what_limits_is_named() -> None:
    assert start().limit == "memory"
    assert start(max_num_seqs=4).limit == "sequences"
    assert start(QWEN_35B, max_model_len=2048).limit == "state_blocks"
    assert start(tp=3).limit == "start_check"


def test_defaults_of_the_scheduler_follow_the_card_and_are_named_where_assumed() -> None:
    """8,192 tokens from 70 GiB on, 16,384 from 160 on, 2,048 below and on the A100."""
    for capability, card_gib, batch in (((9, 0), 80, 8192), ((10, 0), 180, 16384), ((12, 0), 31.8, 2048)):
        started = start(compute_capability=capability, card_gib=card_gib)
        assert (started.max_num_batched_tokens, started.assumed) == (batch, ())
    assert start(compute_capability=(8, 0), card_gib=80).max_num_batched_tokens == 2048
    assert start(compute_capability=(12, 0)).assumed == ("max_num_batched_tokens",)
    assert start(max_num_batched_tokens=4096).assumed == ()


def test_figures_that_no_log_has_confirmed_say_so() -> None:
    assert start().evidence == "log"
    assert start(pp=2, version="0.28.0").evidence == "log"
    assert start(QWEN_35B, version="0.28.0").evidence == "log"
    for unseen in (start(pp=2), start(compute_capability=(10, 0)), start(QWEN_35B)):
        assert unseen.evidence == "code"
        assert unseen.say_evidence() == "from the engine's code, not yet seen in a log"
    assert start().say_limit() == "memory for the cache"


def test_a_draft_model_adds_its_layers() -> None:
    """One more layer like the others: 33 in place of 32."""
    draft = Architecture((Layer((FullAttention(8, 128, 128),)),), attention_heads=32)
    drafted = start(speculative_tokens=3, draft=draft)
    assert drafted.bytes_per_block * 32 == start().bytes_per_block * 33
    assert start(speculative_tokens=3).refusal is not None


def test_a_model_without_a_cache_starts_with_nothing_to_print() -> None:
    encoder = start(Architecture((Layer(),) * 12, attention_heads=12))
    assert (encoder.starts, encoder.kv_tokens, encoder.num_blocks, encoder.limit) == (True, 0, 1, "none")


def test_a_class_that_slides_where_its_config_is_silent_does_slide() -> None:
    """4,096 tokens, and one block more than a window seems to need."""
    silent = model("mistralai/Mistral-Large-Instruct-2407")
    assert start(silent, max_model_len=4096, available_kv_gib=66.3).request_blocks == (4096 // 16 + 1,)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "0.9.2"},
        {"version": "0.34.0"},
        {"version": "latest"},
        {"version": None},
        {"compute_capability": (7, 5)},
        {"compute_capability": "9.0"},
        {"compute_capability": (9,)},
        {"available_kv_gib": math.nan},
        {"available_kv_gib": math.inf},
        {"available_kv_gib": "20"},
        {"available_kv_gib": True},
        {"max_model_len": 0},
        {"max_model_len": 8192.0},
        {"max_model_len": -1},
        {"max_model_len": 10**30},
        {"tp": 0},
        {"tp": True},
        {"pp": 1.5},
        {"pp": 33},
        {"dcp": 0},
        {"kv_dtype": "fp4"},
        {"kv_dtype": None},
        {"max_num_batched_tokens": 0},
        {"max_num_seqs": -5},
        {"speculative_tokens": -1},
        {"block_size": 0},
        {"block_size": "16"},
        {"prefix_caching": "yes"},
        {"state_dtype": "fp8"},
        {"card_gib": math.nan},
    ],
    ids=str,
)
def test_bad_input_is_an_error_that_names_it(changes: dict[str, Any]) -> None:
    with pytest.raises(SizingError) as caught:
        start(**changes)
    assert caught.value.input == next(iter(changes))
    assert caught.value.what()
    assert caught.value.fix()


@pytest.mark.parametrize("version", ["0.10", "0.33", "v0.19.1", "0.19.2rc1.dev134+gfe9c3d6c5", "0.33.0.post1"])
def test_releases_are_read_as_people_write_them(version: str) -> None:
    assert start(version=version).starts


STARTING = [row for name in ("oracle.csv", "engine.csv") for row in rows(name) if row["num_blocks"]]


def test_every_step_recomputes_to_what_it_shows() -> None:
    """Over every model and setting of the tables, thinned out."""
    for row in STARTING[::7]:
        started = vllm.startup(model(row["model"]), **arguments(row))
        steps = {step.name: step for step in vllm.explain(started)}
        for step in steps.values():
            assert step.recompute() == step.result, (row, step)
            assert step.title
        assert steps["vllm_num_blocks"].result == started.num_blocks
        assert steps["vllm_kv_tokens"].result == started.kv_tokens
        assert steps["vllm_max_concurrency"].result == started.max_concurrency
        assert steps["vllm_blocks_per_request"].result == sum(started.request_blocks)


def test_a_token_that_the_engine_loses_by_rounding_is_shown_as_lost() -> None:
    """2,739 blocks through 10 times 100 tokens are 27,390; in binary fractions 273.9 x 100 is a little less."""
    lost = start(
        model("Qwen/Qwen3.8-27B"), available_kv_gib=70.0, max_model_len=100, tp=2, kv_dtype="int8_per_token_head",
        version="0.29.2", compute_capability=(8, 9), max_num_batched_tokens=2048, speculative_tokens=1,
    )  # fmt: skip
    step = vllm.explain(lost)[-1]
    assert (lost.num_blocks, lost.blocks_per_request, lost.kv_tokens) == (2739, 10, 27_389)
    assert step.expression.endswith("- engine_rounding")
    assert step.recompute() == 27_389


def test_there_are_no_steps_for_a_start_that_fails() -> None:
    with pytest.raises(SizingError, match="does not start"):
        vllm.explain(start(available_kv_gib=0.5))


def test_the_number_of_a_remedy_is_the_largest_that_works() -> None:
    """On every stage, where the engine's own message speaks of the first stage that lacks room."""
    short = [row for name in ("oracle.csv", "engine.csv") for row in rows(name) if row["longest_max_model_len"]]
    for row in short[::5]:
        call = arguments(row)
        refused = vllm.startup(model(row["model"]), **call)
        assert refused.number is not None
        assert vllm.startup(model(row["model"]), **{**call, "max_model_len": refused.number}).starts, row
        assert not vllm.startup(model(row["model"]), **{**call, "max_model_len": refused.number + 1}).starts, row


@given(st.data())
@settings(max_examples=400, deadline=None, derandomize=True)
def test_whatever_is_asked_for_ends_in_a_result_or_a_clear_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(MODELS), "model")
    tokens = st.sampled_from([None, 1, 16, 48, 64, 100, 256, 2048, 16_384])
    call: dict[str, Any] = {
        "available_kv_gib": data.draw(st.floats(-1, 300), "available_kv_gib"),
        "max_model_len": data.draw(st.integers(1, 2_000_000), "max_model_len"),
        "tp": data.draw(st.sampled_from([1, 2, 3, 4, 6, 8, 16, 64]), "tp"),
        "pp": data.draw(st.integers(1, 9), "pp"),
        "dcp": data.draw(st.sampled_from([1, 1, 1, 2, 4]), "dcp"),
        "kv_dtype": data.draw(st.sampled_from(vllm.KV_DTYPES), "kv_dtype"),
        "version": f"0.{data.draw(st.integers(10, 33), 'minor')}.{data.draw(st.integers(0, 2), 'patch')}",
        "compute_capability": data.draw(st.sampled_from(vllm.CAPABILITIES), "compute_capability"),
        "max_num_batched_tokens": data.draw(tokens, "max_num_batched_tokens"),
        "speculative_tokens": data.draw(st.integers(0, 5), "speculative_tokens"),
        "block_size": data.draw(tokens, "block_size"),
        "prefix_caching": data.draw(st.sampled_from([None, True, False]), "prefix_caching"),
        "hybrid_manager": data.draw(st.booleans(), "hybrid_manager"),
    }
    try:
        started = vllm.startup(model(name), **call)
    except SizingError:
        # More stages than layers, the one thing here that no engine is asked.
        assert call["pp"] > len(model(name).layers)
        return
    if not started.starts:
        assert started.reason
        assert started.remedy
        return
    assert started.kv_tokens is not None
    assert started.kv_tokens >= 0
    more = vllm.startup(model(name), **{**call, "available_kv_gib": call["available_kv_gib"] + 10})
    assert more.starts
    assert (more.num_blocks or 0) >= (started.num_blocks or 0)
    for step in vllm.explain(started) if started.groups else ():
        assert step.recompute() == step.result


def test_every_refusal_has_its_sentences() -> None:
    """Each row of the refused table says why and what to do, with the number filled in where there is one."""
    for row in rows("refused.csv"):
        refused = vllm.startup(model(row["model"]), **arguments({**row, "available_kv_gib": "66.3"}))
        assert "None" not in refused.reason
        assert "None" not in refused.remedy
        if refused.number is not None:
            assert str(refused.number) in refused.remedy


def test_every_minor_release_can_be_chosen() -> None:
    offered = releases(vllm.NAME)
    assert set(offered) <= set(inputs()["engine_version"].choices)
    assert {version.rpartition(".")[0] for version in offered} == {f"0.{minor}" for minor in range(10, 34)}
    assert offered[-1] == vllm.NEWEST == Scenario().engine_version
    for version in offered:
        assert start(version=version).kv_tokens == 163_840, version  # a model of one kind of layer, the same in all


@pytest.mark.parametrize(
    ("version", "batch"), [("0.25.1", 8192), ("0.27.1", 8192), ("0.28.0", 16384), ("0.33.0", 16384)]
)
def test_the_largest_cards_have_a_batch_of_their_own_from_the_release_that_gives_it(version: str, batch: int) -> None:
    """arg_utils.py of both wheels: 160 GiB and more are told apart from 0.28.0 on."""
    found = start(version=version, compute_capability=(10, 0), card_gib=178.4)
    assert found.max_num_batched_tokens == batch
