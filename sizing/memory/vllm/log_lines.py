"""Reads what a vLLM start-up log says about model, layout, memory and cache, in the formats of releases 0.8 on.

A log is a visitor's text: it is searched line by line for known sentences and for nothing else, in time linear in its
length. The formats are those of public start-up logs (source: vllm-kv-rules).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.units import gib
from sizing.memory.startup_log import MOST_CHARACTERS, Found, StartupLog
from sizing.memory.vllm.releases import NAME

# The sentences of a start-up log that hold a value, by release. Source: vllm-kv-rules and public logs. Patterns are
# bounded, so that no text takes long. A place's rank decides where several name the same value: the engine's own
# configuration wins over what it prints on the way, and that over what was asked for.


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def _flag(text: str) -> bool:
    return text.lower() == "true"


def _gib_of_bytes(text: str) -> float:
    return gib(int(text))


_N = r"(\d{1,9}(?:\.\d{1,9})?)"  # a number
_W = r"(\d[\d,]{0,15})"  # a whole number with separators
_SIGNED = r"(-?\d{1,9}(?:\.\d{1,9})?)"
_V = r"(\d{1,3}\.\d{1,4}[\w.+-]{0,50})"  # a release

# A place where values may stand: its rank, what its line must hold, and for each value its name, pattern and type.
Place = tuple[int, str, tuple[tuple[str, str, Callable[[str], Any]], ...]]
_CONFIG = 0
_PRINTED = 1
_ASKED = 2

PLACES: tuple[Place, ...] = (
    (
        _CONFIG,
        "LLM engine (v",
        (
            ("version", r"LLM engine \(v([\w.+-]{1,60})\)", str),
            ("model", r"config: model='([^']{1,300})'", str),
            ("max_model_len", r"\bmax_seq_len=(\d{1,9})\b", int),
            ("tp", r"\btensor_parallel_size=(\d{1,4})\b", int),
            ("pp", r"\bpipeline_parallel_size=(\d{1,4})\b", int),
            ("dp", r"\bdata_parallel_size=(\d{1,4})\b", int),
            ("dcp", r"\bdecode_context_parallel_size=(\d{1,4})\b", int),
            ("quantization", r"\bquantization=([\w-]{1,40})", str),
            ("kv_dtype", r"\bkv_cache_dtype=([\w-]{1,40})", str),
            ("enforce_eager", r"\benforce_eager=(True|False)", _flag),
            ("prefix_caching", r"\benable_prefix_caching=(True|False)", _flag),
            ("speculative_method", r"SpeculativeConfig\(method='([\w-]{1,40})'", str),
            ("speculative_model", r"SpeculativeConfig\([^)]{0,60}?model='([^']{1,300})'", str),
            ("speculative_tokens", r"\bnum_spec_tokens=(\d{1,3})\b", int),
        ),
    ),
    (_PRINTED, " version ", (("version", rf"(?:API server|[█▄▀]) {{1,20}}version v?{_V}", str),)),
    (_PRINTED, "vLLM Version", (("version", rf"vLLM Version {{0,20}}: {{0,20}}{_V}", str),)),
    (_PRINTED, "Using max model len", (("max_model_len", r"Using max model len (\d{1,9})", int),)),
    (
        _PRINTED,
        "max_num_batched_tokens=",
        (("max_num_batched_tokens", r"max_num_batched_tokens=(\d{1,9})\b", int),),
    ),
    (
        _PRINTED,
        "attention block size to",
        (("block_size", r"Setting attention block size to (\d{1,7}) tokens", int),),
    ),
    (_PRINTED, "Estimated CUDA graph", (("graphs_estimated_gib", rf"Estimated CUDA graph memory: {_N} GiB", float),)),
    (
        _PRINTED,
        "CUDA graph pool memory",
        (
            ("graphs_gib", rf"CUDA graph pool memory: {_N} GiB \(actual\)", float),
            ("graphs_estimated_gib", rf", {_N} GiB \(estimated\)", float),
        ),
    ),
    (_PRINTED, "Graph capturing finished", (("graphs_gib", rf"finished in [\d.]{{1,9}} secs?, took {_N} GiB", float),)),
    (
        _PRINTED,
        "graph memory profiling is",
        (("utilization", rf"The current --gpu-memory-utilization={_N} is equivalent", float),),
    ),
    (_PRINTED, "Free memory on device", (("total_gib", rf"Free memory on device \([\d.]{{1,12}}/{_N} GiB\)", float),)),
    (_PRINTED, "Desired GPU memory util", (("utilization", rf"utilization is \({_N},", float),)),
    (
        _PRINTED,
        "Actual usage is",
        (
            ("activation_gib", rf"{_N} GiB for peak activation", float),
            ("non_torch_gib", rf"{_N} GiB for non-torch memory", float),
            ("graphs_gib", rf"{_N} GiB for CUDAGraph memory", float),
        ),
    ),
    (
        _PRINTED,
        "gpu_memory_utilization (",
        (
            ("total_gib", rf"total_gpu_memory \({_N}GiB\)", float),
            ("utilization", rf"gpu_memory_utilization \({_N}\)", float),
        ),
    ),
    (
        _PRINTED,
        "Memory profiling results",
        (
            ("total_gib", rf"total_gpu_memory={_N}GiB", float),
            ("non_torch_gib", rf"non_torch_memory={_N}GiB", float),
            ("utilization", rf"gpu_memory_utilization={_N}", float),
        ),
    ),
    (
        _PRINTED,
        "activation peak memory takes",
        (
            ("activation_gib", rf"activation peak memory takes {_N}GiB", float),
            ("non_torch_gib", rf"non_torch_memory takes {_N}GiB", float),
        ),
    ),
    (_PRINTED, "memory for KV Cache as spec", (("fixed_gib", rf"reserved {_N} GiB memory for KV Cache", float),)),
    (_PRINTED, "GPU KV cache size", (("kv_tokens", rf"GPU KV cache size: {_W} tokens", _whole),)),
    (
        _PRINTED,
        "Maximum concurrency for",
        (
            ("concurrency_tokens", rf"Maximum concurrency for {_W} tokens", _whole),
            ("concurrency", rf"tokens per request: {_N}x", float),
        ),
    ),
    (_PRINTED, "blocks:", (("blocks", r"# (?:GPU|cuda) blocks: (\d{1,9})", int),)),
    (
        _PRINTED,
        "num_gpu_blocks_override",
        # 0 blocks are overridden while the engine measures its graphs, which is no wish of the visitor's.
        (("blocks_override", r"num_gpu_blocks=[1-9]\d{0,8} with num_gpu_blocks_override=(\d{1,9})", int),),
    ),
    (
        _PRINTED,
        "KV cache is needed",
        (
            ("max_model_len", r"max seq len \((\d{1,9})\)", int),
            ("needed_gib", rf"{_N} GiB KV cache is needed", float),
            ("short_gib", rf"available KV cache memory \({_SIGNED} GiB\)", float),
            ("longest_tokens", r"estimated maximum model length is (\d{1,9})", int),
        ),
    ),
    (
        _PRINTED,
        "available Mamba cache blocks",
        (
            ("state_seqs", r"max_num_seqs \((\d{1,7})\)", int),
            ("state_blocks", r"Mamba cache blocks \((\d{1,9})\)", int),
        ),
    ),
    (_PRINTED, "No available memory for", (("no_memory", r"(No available memory for the cache blocks)", bool),)),
    (_PRINTED, "Mamba cache mode is set", (("state_mode", r"Mamba cache mode is set to '(none|align|all)'", str),)),
    (
        _PRINTED,
        "Prefix caching in Mamba",
        (("state_mode", r"Prefix caching in Mamba cache '(none|align|all)' mode", str),),
    ),
    (
        _ASKED,
        "non-default args",
        (
            ("model", r"'model(?:_tag)?': '([^']{1,300})'", str),
            ("tp", r"'tensor_parallel_size': (\d{1,4})\b", int),
            ("pp", r"'pipeline_parallel_size': (\d{1,4})\b", int),
            ("dp", r"'data_parallel_size': (\d{1,4})\b", int),
            ("dcp", r"'decode_context_parallel_size': (\d{1,4})\b", int),
            ("max_model_len", r"'max_model_len': (\d{1,9})\b", int),
            ("max_num_seqs", r"'max_num_seqs': (\d{1,7})\b", int),
            ("max_num_batched_tokens", r"'max_num_batched_tokens': (\d{1,9})\b", int),
            ("utilization", rf"'gpu_memory_utilization': {_N}", float),
            ("kv_dtype", r"'kv_cache_dtype': '([\w-]{1,40})'", str),
            ("enforce_eager", r"'enforce_eager': (True|False)", _flag),
            ("prefix_caching", r"'enable_prefix_caching': (True|False)", _flag),
            ("state_mode", r"'mamba_cache_mode': '(none|align|all)'", str),
            ("asked_block_size", r"'block_size': (\d{1,7})\b", int),
            ("fixed_gib", r"'kv_cache_memory_bytes': (\d{1,15})\b", _gib_of_bytes),
            ("speculative_tokens", r"'num_speculative_tokens': (\d{1,3})\b", int),
            ("speculative_method", r"'method': '([\w-]{1,40})'", str),
        ),
    ),
    (
        _ASKED,
        "--",
        (
            ("tp", r"--tensor-parallel-size[ =](\d{1,4})\b", int),
            ("pp", r"--pipeline-parallel-size[ =](\d{1,4})\b", int),
            ("dcp", r"--decode-context-parallel-size[ =](\d{1,4})\b", int),
            ("max_model_len", r"--max-model-len[ =](\d{1,9})\b", int),
            ("max_num_seqs", r"--max-num-seqs[ =](\d{1,7})\b", int),
            ("max_num_batched_tokens", r"--max-num-batched-tokens[ =](\d{1,9})\b", int),
            ("utilization", rf"--gpu-memory-utilization[ =]{_N}", float),
            ("kv_dtype", r"--kv-cache-dtype[ =]([\w-]{1,40})", str),
            ("state_mode", r"--mamba-cache-mode[ =](none|align|all)\b", str),
            ("asked_block_size", r"--block-size[ =](\d{1,7})\b", int),
            ("speculative_tokens", r"num_speculative_tokens\"{0,1}: {0,1}(\d{1,3})\b", int),
        ),
    ),
)

ADVICE = ("is equivalent to --gpu", "Replace gpu_memory_util", "graph memory profiling is disabled")
"""Lines in which the engine names flags that nobody has set."""

# One value a card. The name in brackets before a line tells which card's it is.
CARD = re.compile(r"\(((?:Vllm)?Worker\w{0,40}(?: rank=\d{1,4})?|EngineCore\w{0,40}) pid=\d{1,9}\)")
AVAILABLE = re.compile(
    rf"Available KV cache memory: {_SIGNED} GiB|kv_cache_size={_SIGNED}GiB|reserved for KV Cache is {_SIGNED}GiB"
)
WEIGHTS = re.compile(rf"(?:Model loading|Loading model weights) took {_N} Gi?B|model weights take {_N}GiB")


_LONGEST_LINE = 20_000  # the line with the whole configuration has a few thousand characters

_COMPILED = [(rank, mark, [(name, re.compile(p), take) for name, p, take in values]) for rank, mark, values in PLACES]
_ASKED_RANK = max(rank for rank, _, _ in PLACES)
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read_log(text: str) -> StartupLog:
    """What a start-up log says. Where it tells of several starts, the last value of each kind counts.

    SizingError where no line is one that vLLM prints at its start, or the text is longer than MOST_CHARACTERS.

    >>> log = read_log("INFO [kv_cache_utils.py:2395] GPU KV cache size: 661,808 tokens, Maximum concurrency for "
    ...                "32,768 tokens per request: 20.20x")
    >>> log.kv_tokens.value, log.concurrency.value
    (661808, 20.2)
    """
    if len(text) > MOST_CHARACTERS:
        raise SizingError("log_too_long", input="log", most_million=MOST_CHARACTERS / 1e6)
    held: dict[str, tuple[int, Found]] = {}
    available: dict[str, Found] = {}
    weights: dict[str, Found] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = _ESCAPES.sub("", raw[:_LONGEST_LINE])
        _read_line(line, number, held)
        for table, pattern in ((available, AVAILABLE), (weights, WEIGHTS)):
            if ("KV" in line or "kv_cache_size" in line or "weights t" in line or "took" in line) and (
                match := pattern.search(line)
            ):
                card = found[1] if (found := CARD.search(line[:300])) else ""
                table[card] = Found(float(next(group for group in match.groups() if group)), number)
    values = {name: found for name, (_, found) in held.items()}
    if weights:
        values["weights_gib"] = max(weights.values(), key=lambda found: float(found.value))
    if not values and not available:
        raise SizingError("log_nothing_found", input="log")
    return StartupLog(NAME, **values, available_gib=tuple(available.values()))


def _read_line(line: str, number: int, held: dict[str, tuple[int, Found]]) -> None:
    advice = any(mark in line for mark in ADVICE)
    for rank, mark, values in _COMPILED:
        if mark not in line or (advice and rank == _ASKED_RANK):
            continue
        for name, pattern, take in values:
            match = pattern.search(line)
            if match is None or match[1] == "None" or (name in held and held[name][0] < rank):
                continue
            held[name] = (rank, Found(take(match[1]), number))
