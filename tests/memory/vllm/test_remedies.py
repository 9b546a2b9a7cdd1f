"""Refused starts that one setting cures, with what then runs; and how many requests run while they decode."""

from __future__ import annotations

import pytest

import sizing
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, SlidingWindow
from sizing.memory.starting import Launch

from .tables import model

GEMMA = model("google/gemma-4-31B-it")
LONG = vllm.completed(Launch("0.26.0", total_gib=95, max_model_len=262_144, max_num_batched_tokens=32_768))


def test_a_smaller_batch_or_an_older_release_keeps_the_full_length() -> None:
    """The engine's own code: 70.79 GiB for a request in 0.26 with batches of 32,768 tokens, 45.79 in 0.25."""
    refused = vllm.start_up(GEMMA, LONG, 49.0)
    assert (refused.starts, refused.needed_gib) == (False, 70.79)
    cures = {each.setting: each for each in vllm.remedies(GEMMA, LONG, lambda _: 49.0)}
    assert cures["max_num_batched_tokens"].value == 16_384
    assert cures["version"].value == "0.25.1"
    assert cures["max_model_len"].value == 58_368
    assert list(cures)[-1] == "max_model_len"  # the context is given up last
    assert all(each.start.starts for each in cures.values())


def test_a_start_that_works_needs_no_remedy() -> None:
    assert vllm.remedies(GEMMA, LONG, lambda _: 80.0) == ()


@pytest.mark.parametrize(
    ("setting", "requests"), [({"kv_dtype": "bf16"}, 12), ({"memory_rule": "measured", "measured_kv_gib": 32.98}, 13)]
)
def test_fewer_sequences_start_a_hybrid(setting: dict[str, float], requests: int) -> None:
    """1,024 sequences want a block of state each and there are about 620; by the engine's figures 12 requests fit.

    Images are profiled too: 16,384 tokens of 4 patches with widths of 1,152 and 4,304 take 2.42 GiB, where the batch's
    8,192 tokens take 1.27: with 1.15 GiB more, as in the second setting, there are 13.
    """
    asked = {"memory_rule": "engine", "kv_dtype": "auto", "cards": 1, "context_tokens": 32_768, **setting}
    sized = sizing.size(sizing.Scenario(checkpoint="Qwen/Qwen3.5-27B", **asked))
    verdict = sized.verdict_of(sized.best)
    assert verdict is not None
    assert not verdict.starts
    cure = verdict.remedies[0]
    assert (cure.setting, cure.flag) == ("max_num_seqs", "--max-num-seqs")
    assert cure.value == verdict.startup.highest_max_num_seqs
    assert cure.start.requests == requests
    stop = next(note for note in sized.notes if note.key == "engine_refuses")
    assert f"--max-num-seqs {cure.value}" in stop.text
    assert f"{requests} requests" in stop.text
    again = sizing.size(sized.scenario.replace(max_num_seqs=64))
    assert again.best.conversations == requests


def test_windows_hold_nothing_in_flight_while_requests_decode() -> None:
    """Window 1,024, two batches of 2,048 in flight: 321 blocks are reserved, 66 held (1,023 + 2 tokens, and one more).

    Beside 2,048 blocks of full attention: one request that is read in takes 2,369, each that decodes 2,114.
    """
    layers = (Layer((SlidingWindow(8, 128, 128, 1024),)),) * 4 + (Layer((FullAttention(8, 128, 128),)),) * 4
    both = Architecture(layers, attention_heads=32)
    started = vllm.startup(both, available_kv_gib=10, max_model_len=32_768, max_num_batched_tokens=2048)
    total = started.num_blocks or 0
    assert started.max_concurrency == total / (2048 + 321)
    assert started.decoding_concurrency == 1 + (total - 1 - 2369) / 2114  # one block stands for nothing
    assert started.runs == int(started.decoding_concurrency)


def test_without_windows_what_is_printed_is_what_runs_but_for_the_null_block() -> None:
    """8 KiB of keys and values a token and layer pair: 20 GiB are 10,240 blocks of 2 MiB, 512 a request of 8,192."""
    llama = Architecture((Layer((FullAttention(8, 128, 128),)),) * 32, attention_heads=32)
    started = vllm.startup(llama, available_kv_gib=20, max_model_len=8192, max_num_seqs=12)
    assert (started.num_blocks, started.max_concurrency) == (10_240, 20)
    assert started.decoding_concurrency == pytest.approx(20 - 1 / 512)
    assert (started.requests, started.runs) == (12, 12)
    many = vllm.startup(llama, available_kv_gib=20, max_model_len=8192, max_num_seqs=64)
    assert (many.requests, many.runs) == (20, 19)
