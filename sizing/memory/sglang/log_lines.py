"""Reads what an SGLang start-up log says about model, layout, memory and pools.

A log is a visitor's text: it is searched line by line for known sentences and for nothing else, in time linear in its
length. "GB" in every line of SGLang's is GiB. Source: sglang-kv-rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.sglang.releases import NAME
from sizing.memory.startup_log import MOST_CHARACTERS, Found, StartupLog

_LONGEST_LINE = 20_000
_N = r"(\d{1,9}(?:\.\d{1,9})?)"

# What a line must hold, then name, pattern and type of each value in it.
PLACES: tuple[tuple[str, tuple[tuple[str, str, Callable[[str], Any]], ...]], ...] = (
    (
        "server_args=",
        (
            ("model", r"\bmodel_path='([^']{1,300})'", str),
            ("tp", r"\btp_size=(\d{1,4})\b", int),
            ("pp", r"\bpp_size=(\d{1,4})\b", int),
            ("dp", r"\bdp_size=(\d{1,4})\b", int),
            ("kv_dtype", r"\bkv_cache_dtype='([\w-]{1,40})'", str),
            ("quantization", r"\bquantization='([\w-]{1,40})'", str),
            ("utilization", rf"\bmem_fraction_static={_N}", float),
            ("max_model_len", r"\bcontext_length=(\d{1,9})\b", int),
            ("max_num_seqs", r"\bmax_running_requests=(\d{1,6})\b", int),
            ("max_num_batched_tokens", r"\bchunked_prefill_size=(\d{1,9})\b", int),
            ("state_mode", r"\bmamba_(?:radix_cache|scheduler)_strategy='(no_buffer|extra_buffer(?:_lazy)?)'", str),
            ("prefix_caching", r"\bdisable_radix_cache=(True|False)", lambda text: text == "False"),
            ("asked_block_size", r"\bpage_size=(\d{1,6})\b", int),
            ("speculative_tokens", r"\bspeculative_num_draft_tokens=(\d{1,4})\b", int),
            ("speculative_method", r"\bspeculative_algorithm='([\w-]{1,40})'", str),
            ("speculative_model", r"\bspeculative_draft_model_path='([^']{1,300})'", str),
        ),
    ),
    ("Load weight begin", (("total_gib", rf"avail mem={_N} GB", float),)),
    (
        "Load weight end",
        (("free_after_gib", rf"avail mem={_N} GB", float), ("weights_gib", rf"mem usage={_N} GB", float)),
    ),
    ("KV Cache is allocated", (("swa_or_full_tokens", r"#tokens: (\d{1,12})", int),)),
    (
        "max_total_num_tokens=",
        (
            ("kv_tokens", r"\bmax_total_num_tokens=(\d{1,12})", int),
            ("max_num_batched_tokens", r"\bchunked_prefill_size=(\d{1,9})", int),
            ("running", r"\bmax_running_requests=(\d{1,6})", int),
            ("max_model_len", r"\bcontext_len=(\d{1,9})", int),
        ),
    ),
    ("sglang", (("version", r"sglang[ =-]v?(0\.\d{1,2}\.\d{1,3}[\w.+-]{0,20})", str),)),
    ("Please try to increase --mem-fraction-static", (("no_memory", r"(increase)", str),)),
    ("leave no GPU memory for the KV cache", (("no_memory", r"(no GPU memory)", str),)),
)
_COMPILED = [(mark, [(name, re.compile(pattern), take) for name, pattern, take in values]) for mark, values in PLACES]
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_MARKS = ("Load weight", "KV Cache is allocated", "max_total_num_tokens=", "mem-fraction-static", "mem_fraction_static")


def read_log(text: str) -> StartupLog:
    """What a start-up log says. Of several ranks the least memory and the fewest tokens count, since they decide.

    SizingError where no line is one that SGLang prints at its start, or the text is longer than MOST_CHARACTERS.

    >>> log = read_log("[2026-04-27] max_total_num_tokens=992896, chunked_prefill_size=16384, context_len=40960")
    >>> log.engine, log.kv_tokens.value, log.max_model_len.value
    ('sglang', 992896, 40960)
    """
    if len(text) > MOST_CHARACTERS:
        raise SizingError("log_too_long", input="log", most_million=MOST_CHARACTERS / 1e6)
    held: dict[str, Found] = {}
    marked = False
    for line_number, raw in enumerate(text.splitlines(), 1):
        line = _ESCAPES.sub("", raw[:_LONGEST_LINE])
        marked = marked or any(mark in line for mark in _MARKS)
        for mark, values in _COMPILED:
            if mark not in line:
                continue
            for name, pattern, take in values:
                if match := pattern.search(line):
                    _keep(held, name, Found(take(match[1]), line_number))
    before, after, share = (held.pop(name, None) for name in ("total_gib", "free_after_gib", "utilization"))
    held.pop("swa_or_full_tokens", None)
    running = held.pop("running", None)
    if not marked or not (held or before or after or share):
        raise SizingError("log_nothing_found", input="log")
    if share is not None:
        held["utilization"] = share
    if running is not None:
        held.setdefault("max_num_seqs", running)
    available: tuple[Found, ...] = ()
    if before and after and share:
        left = after.value - before.value * (1 - share.value)
        available = (Found(round(left, 4), after.line),)
    return StartupLog(NAME, **held, available_gib=available)


def _keep(held: dict[str, Found], name: str, found: Found) -> None:
    """The least of all ranks for what decides by its least; the last of a kind for anything else."""
    if name in ("total_gib", "free_after_gib", "kv_tokens") and name in held and held[name].value <= found.value:
        return
    held[name] = found
