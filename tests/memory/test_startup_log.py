"""Start-up logs in the formats of the releases that print them. The figures are those of published logs."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.base.errors import SizingError
from sizing.memory.startup_log import MOST_CHARACTERS, StartupLog
from sizing.memory.vllm.log_lines import read_log as read

PUBLISHED = Path(__file__).parents[3] / "shared" / "validation" / "vllm_logs.jsonl"

# One model on one card of 23.58 GiB, as the first engine generation printed it (0.6 to 0.10).
V0 = """\
INFO 11-24 10:01:02 llm_engine.py:234] Initializing an LLM engine (v0.6.6) with config: model='/m/Llama-3.1-8B', \
speculative_config=None, dtype=torch.bfloat16, max_seq_len=20000, tensor_parallel_size=1, pipeline_parallel_size=1, \
quantization=None, enforce_eager=False, kv_cache_dtype=auto, seed=0
INFO 11-24 10:02:02 model_runner.py:1115] Loading model weights took 14.9888 GB
INFO 11-24 10:02:09 worker.py:241] Memory profiling results: total_gpu_memory=23.58GiB initial_memory_usage=15.34GiB \
peak_torch_memory=17.06GiB non_torch_memory=0.35GiB kv_cache_size=3.81GiB gpu_memory_utilization=0.90
INFO 11-24 10:02:09 gpu_executor.py:76] # GPU blocks: 1952, # CPU blocks: 2048
INFO 11-24 10:02:09 gpu_executor.py:80] Maximum concurrency for 20000 tokens per request: 1.56x
"""

V0_SENTENCE = """\
INFO 08-12 22:32:11 [worker.py:295] the current vLLM instance can use total_gpu_memory (47.50GiB) x \
gpu_memory_utilization (0.78) = 37.18GiB
INFO 08-12 22:32:11 [worker.py:295] model weights take 0.52GiB; non_torch_memory takes 0.08GiB; PyTorch activation \
peak memory takes 1.78GiB; the rest of the memory reserved for KV Cache is 34.81GiB.
INFO 08-12 22:32:11 [executor_base.py:113] # cuda blocks: 190100, # CPU blocks: 0
"""

V1_0_10 = """\
INFO 09-03 16:28:10 [api_server.py:1882] vLLM API server version 0.10.2
INFO 09-03 16:28:10 [utils.py:328] non-default args: {'model_tag': 'llava-hf/llava-v1.6-mistral-7b-hf', \
'max_model_len': 4096, 'gpu_memory_utilization': 0.95}
INFO 09-03 16:28:17 [__init__.py:1773] Using max model len 4096
INFO 09-03 16:28:17 [scheduler.py:222] Chunked prefill is enabled with max_num_batched_tokens=16384.
(EngineCore_0 pid=12) INFO 09-03 16:29:00 [gpu_model_runner.py:2581] Model loading took 14.0786 GiB and 74.27 seconds
(EngineCore_0 pid=12) INFO 09-03 16:29:30 [gpu_worker.py:298] Available KV cache memory: 55.15 GiB
(EngineCore_0 pid=12) INFO 09-03 16:29:30 [kv_cache_utils.py:864] GPU KV cache size: 451,744 tokens
(EngineCore_0 pid=12) INFO 09-03 16:29:30 [kv_cache_utils.py:868] Maximum concurrency for 4,096 tokens per request: \
110.29x
(EngineCore_0 pid=12) INFO 09-03 16:29:50 [gpu_model_runner.py:3468] Graph capturing finished in 38 secs, took 0.67 GiB
(EngineCore_0 pid=12) INFO 09-03 16:29:51 [gpu_worker.py:391] Free memory on device (78.66/79.19 GiB) on startup. \
Desired GPU memory utilization is (0.9, 71.27 GiB). Actual usage is 14.08 GiB for weight, 1.26 GiB for peak \
activation, 0.13 GiB for non-torch memory, and 0.67 GiB for CUDAGraph memory. Replace gpu_memory_utilization config \
with `--kv-cache-memory=59212694937` (55.15 GiB) to fit into requested memory.
"""

V1_0_30 = """\
(APIServer pid=1) INFO 09-24 10:08:29 [utils.py:297]   █▄█▀ █     █     █     █  version 0.30.0
(APIServer pid=1) INFO 09-24 10:08:29 [utils.py:233] non-default args: {'model_tag': 'acme/m', 'max_num_seqs': 16, \
'max_num_batched_tokens': 2048, 'gpu_memory_utilization': 0.97, 'tensor_parallel_size': 4, \
'speculative_config': {'method': 'mtp', 'num_speculative_tokens': 3}}
(EngineCore pid=5) INFO 09-24 10:09:00 [core.py:121] Initializing a V1 LLM engine (v0.30.0) with config: \
model='acme/m', speculative_config=SpeculativeConfig(method='mtp', model='acme/m', num_spec_tokens=3), \
max_seq_len=262144, tensor_parallel_size=4, pipeline_parallel_size=1, data_parallel_size=1, \
decode_context_parallel_size=1, quantization=modelopt, enforce_eager=False, kv_cache_dtype=fp8_e4m3, \
enable_prefix_caching=True
(Worker_TP0 pid=510) INFO 09-24 10:10:00 [interface.py:986] Setting attention block size to 3072 tokens to ensure \
that attention page size is >= mamba page size.
(Worker_TP2 pid=512) INFO 09-24 10:10:01 [model_runner.py:415] Model loading took 19.07 GiB memory and 58.21 seconds
(Worker_TP0 pid=510) INFO 09-24 10:10:02 [model_runner.py:415] Model loading took 19.11 GiB memory and 58.31 seconds
(Worker_TP0 pid=510) INFO 09-24 10:11:00 [gpu_worker.py:701] Available KV cache memory: 4.87 GiB
(Worker_TP1 pid=511) INFO 09-24 10:11:00 [gpu_worker.py:701] Available KV cache memory: 4.79 GiB
(Worker_TP2 pid=512) INFO 09-24 10:11:00 [gpu_worker.py:716] CUDA graph memory profiling is enabled (default since \
v0.21.0). The current --gpu-memory-utilization=0.9700 is equivalent to --gpu-memory-utilization=0.9574 without CUDA \
graph memory profiling. To maintain the same effective KV cache size as before, increase --gpu-memory-utilization to \
0.9826. To disable, set VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0.
(EngineCore pid=5) INFO 09-24 10:11:01 [kv_cache_utils.py:826] Overriding num_gpu_blocks=0 with \
num_gpu_blocks_override=16
(EngineCore pid=5) INFO 09-24 10:11:01 [kv_cache_utils.py:2393] GPU KV cache size: 651,081 tokens, Maximum \
concurrency for 262,144 tokens per request: 2.48x
(Worker_TP0 pid=510) INFO 09-24 10:12:00 [gpu_worker.py:935] Free memory on device (31.23/31.86 GiB) on startup. \
Desired GPU memory utilization is (0.97, 30.9 GiB). Actual usage is 24.58 GiB for consumed memory (weights + \
non-torch), 1.46 GiB for peak activation, and 0.49 GiB for CUDAGraph memory. Replace gpu_memory_utilization config \
with --kv-cache-memory=4536913634 (4.23 GiB) to fit into requested memory.
(Worker_TP1 pid=511) INFO 09-24 10:12:00 [gpu_worker.py:872] CUDA graph pool memory: 0.49 GiB (actual), 0.4 GiB \
(estimated), difference: 0.09 GiB (18.6%).
"""


def values(log: StartupLog) -> dict[str, object]:
    return {name: found.value for name, found in log.items()}


def test_the_first_generation() -> None:
    found = values(read(V0))
    assert found["version"] == "0.6.6"
    assert (found["weights_gib"], found["total_gib"], found["utilization"]) == (14.9888, 23.58, 0.9)
    assert (found["available_gib"], found["blocks"], found["non_torch_gib"]) == (3.81, 1952, 0.35)
    assert (found["concurrency"], found["concurrency_tokens"]) == (1.56, 20000)
    assert "quantization" not in found  # None is printed for none


def test_the_first_generations_sentences() -> None:
    found = values(read(V0_SENTENCE))
    assert (found["total_gib"], found["utilization"], found["available_gib"]) == (47.5, 0.78, 34.81)
    assert (found["weights_gib"], found["activation_gib"], found["blocks"]) == (0.52, 1.78, 190100)


def test_release_0_10() -> None:
    found = values(read(V1_0_10))
    assert (found["version"], found["model"]) == ("0.10.2", "llava-hf/llava-v1.6-mistral-7b-hf")
    assert (found["max_model_len"], found["max_num_batched_tokens"]) == (4096, 16384)
    assert (found["available_gib"], found["kv_tokens"], found["concurrency"]) == (55.15, 451_744, 110.29)
    # What the engine says it did wins over what was asked for on the command line.
    assert found["utilization"] == 0.9
    assert (found["total_gib"], found["activation_gib"], found["graphs_gib"]) == (79.19, 1.26, 0.67)
    assert "fixed_gib" not in found  # the engine only advises it


def test_release_0_30() -> None:
    log = read(V1_0_30)
    found = values(log)
    assert (found["version"], found["tp"], found["pp"], found["dcp"]) == ("0.30.0", 4, 1, 1)
    assert (found["kv_tokens"], found["concurrency"], found["concurrency_tokens"]) == (651_081, 2.48, 262_144)
    assert (found["speculative_method"], found["speculative_tokens"]) == ("mtp", 3)
    assert (found["kv_dtype"], found["quantization"], found["prefix_caching"]) == ("fp8_e4m3", "modelopt", True)
    assert (found["block_size"], found["max_num_seqs"], found["max_num_batched_tokens"]) == (3072, 16, 2048)
    assert (found["utilization"], found["graphs_estimated_gib"], found["graphs_gib"]) == (0.97, 0.4, 0.49)
    assert [each.value for each in log.available_gib] == [4.87, 4.79]
    assert log.poorest_gib == 4.79
    assert found["weights_gib"] == 19.11  # the card that took most
    assert "blocks_override" not in found  # 0 blocks are overridden only while graphs are measured


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("(EngineCore pid=9) Available KV cache memory: -1.34 GiB", "available_gib", -1.34),
        ("reserved 4.0 GiB memory for KV Cache as specified by kv_cache_memory_bytes config", "fixed_gib", 4.0),
        ("Overriding num_gpu_blocks=5120 with num_gpu_blocks_override=900", "blocks_override", 900),
        ("vLLM Version                 : 0.18.2rc1.dev73+gdb7a17ecc (git sha: db7a17ecc)", "version",
         "0.18.2rc1.dev73+gdb7a17ecc"),
        ("ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (854).", "state_blocks", 854),
        ("ValueError: No available memory for the cache blocks. Try increasing", "no_memory", True),
        ("vllm serve acme/m --max-model-len 16384 --max-num-seqs=8", "max_num_seqs", 8),
        ("\x1b[0;36m(EngineCore pid=9)\x1b[0;0m GPU KV cache size: 1,505,068 tokens", "kv_tokens", 1_505_068),
        ("qwen-1  | (APIServer pid=1) INFO Using max model len 16384", "max_model_len", 16384),
    ],
)  # fmt: skip
def test_single_lines(line: str, name: str, value: object) -> None:
    assert values(read(line))[name] == value


def test_the_refusal_of_a_context_that_is_too_long() -> None:
    found = values(
        read(
            "ValueError: To serve at least one request with the models's max seq len (40960), (4.38 GiB KV cache is "
            "needed, which is larger than the available KV cache memory (4.00 GiB). Based on the available memory, "
            "the estimated maximum model length is 37440. Try increasing `gpu_memory_utilization`"
        )
    )
    assert (found["max_model_len"], found["needed_gib"], found["short_gib"], found["longest_tokens"]) == (
        40960,
        4.38,
        4.0,
        37440,
    )


def test_versions_of_other_programs_are_not_the_engines() -> None:
    log = read("Python version 3.12.1\nflashinfer version 0.6.14\nGPU KV cache size: 10 tokens")
    assert log.version is None


def test_the_last_start_of_several_counts() -> None:
    log = read("GPU KV cache size: 1,000 tokens\nGPU KV cache size: 2,000 tokens")
    assert log.kv_tokens is not None
    assert (log.kv_tokens.value, log.kv_tokens.line) == (2000, 2)


@pytest.mark.parametrize("text", ["", "hello", "<script>alert(1)</script>", "INFO: Uvicorn running on 0.0.0.0:8000"])
def test_a_text_that_is_no_start_is_refused(text: str) -> None:
    with pytest.raises(SizingError) as refused:
        read(text)
    assert refused.value.key == "log_nothing_found"


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(SizingError, match="million"):
        read("x" * (MOST_CHARACTERS + 1))


@pytest.mark.parametrize(
    "piece",
    ["(Worker_TP1 pid=511) version -- took KV blocks: ", "SpeculativeConfig(", "LLM engine (v1) with config: ", "(" * 9]
)  # fmt: skip
def test_a_hostile_text_takes_no_time(piece: str) -> None:
    for text in (piece * (MOST_CHARACTERS // len(piece)), (piece * 40 + "\n") * 800):
        start = time.perf_counter()
        with contextlib.suppress(SizingError):
            read(text)
        assert time.perf_counter() - start < 5


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(V1_0_30.split(" ")), max_size=60).map(" ".join))
def test_lines_in_any_disorder_end_in_a_log_or_a_sentence(text: str) -> None:
    try:
        found: object = values(read(text))
    except SizingError as error:
        found = error.fix()
    assert found


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the collection of published logs is not at hand")
def test_what_published_logs_say_is_read_from_the_lines_that_print_it() -> None:
    rows = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
    read_back = 0
    for row in rows:
        lines = []
        if row["model_loading_gib"] is not None:
            lines.append(f"Model loading took {row['model_loading_gib']} GiB memory and 3.5 seconds")
        if row["available_kv_gib"] is not None:
            lines.append(f"Available KV cache memory: {row['available_kv_gib']} GiB")
        if row["gpu_kv_tokens"] is not None:
            lines.append(f"GPU KV cache size: {row['gpu_kv_tokens']:,} tokens")
        if row["max_concurrency"] is not None and row["concurrency_tokens"] is not None:
            lines.append(f"Maximum concurrency for {row['concurrency_tokens']:,} tokens per request: "
                         f"{row['max_concurrency']}x")  # fmt: skip
        if not lines:
            continue
        found = values(read("\n".join(lines)))
        read_back += 1
        for name, field in (
            ("weights_gib", "model_loading_gib"),
            ("available_gib", "available_kv_gib"),
            ("kv_tokens", "gpu_kv_tokens"),
        ):
            assert found.get(name) == row[field], row["id"]
    assert read_back > 100
