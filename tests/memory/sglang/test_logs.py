"""SGLang's start against what published start-up logs print: the pools from the two memories, slots, requests."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from sizing import read_config
from sizing.memory import sglang
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import (
    FullAttention,
    LatentAttention,
    Mamba1State,
    ShortConvState,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.sglang.pools import Rank, pools

SHARED = Path(__file__).parents[4] / "shared"
PUBLISHED = SHARED / "validation" / "sglang_logs.jsonl"
OWN = Path(__file__).parent / "logs.csv"

# Why a row misses by more than 1 %: on these builds the weights' temporaries are freed after the printed figure.
EXPLAINED = {
    "slog-117": "GB10: host and card share one memory, which moved between the two prints",
    **dict.fromkeys(
        ("slog-152", "slog-153", "slog-154", "slog-155", "slog-156", "slog-157"),
        "Ascend: 0.1 to 1 GiB of the loader's temporaries are free again when the pool is sized",
    ),
}

UNSCALED = {"slog-119", "slog-120", "slog-121", "slog-122", "slog-123"}
"""Printed by one fork of June 2026, whose FP4 pools show the values alone."""


def _state(facts: dict[str, int]) -> Layer:
    """A state of so many elements in all layers: the tail of a convolution of two taps, and a plain row."""
    conv = ShortConvState(channels=facts["conv"], conv_kernel=2)
    return Layer((conv, Mamba1State(inner_dim=facts["ssm"], state_dim=1, conv_kernel=1)) if facts["ssm"] else (conv,))


def _architecture(row: dict[str, Any]) -> Architecture:
    if row["config"]:
        return read_config(json.loads((SHARED / "configs" / row["config"]).read_text(encoding="utf-8")))
    return of_facts(row["config_facts"])


def of_facts(facts: dict[str, Any]) -> Architecture:
    """A model of the geometry that a row states."""
    kind = facts["kind"]
    if kind == "swa":
        full, swa = facts["full"], facts["swa"]
        layers = [
            *[Layer((FullAttention(full["kv_heads"], full["k_dim"], full["v_dim"]),))] * full["layers"],
            *[Layer((SlidingWindow(swa["kv_heads"], swa["k_dim"], swa["v_dim"], window=1024),))] * swa["layers"],
        ]
        return Architecture(tuple(layers), model_type="gemma4_text")
    one = {
        "mha": lambda: (FullAttention(facts["kv_heads"], facts["k_dim"], facts["v_dim"]),),
        "mla": lambda: (LatentAttention(512, 64),),
        "dsa": lambda: (LatentAttention(512, 64, sparse=True), SparseIndexer(128)),
    }[kind]()
    states = (_state(facts["state"]),) if "state" in facts else ()
    return Architecture((Layer(one),) * facts["layers"] + states)


def _started(row: dict[str, Any]) -> sglang.SglangStart:
    release = row["engine_version"] or row.get("engine_version_inferred") or ""
    asked = row.get("max_running_requests_arg")
    element = {2: "bfloat16", 4: "float32"}.get(row.get("ssm_elem") or 0)
    return sglang.startup(
        _architecture(row),
        free_before_gib=row["avail_before_load_gib"],
        free_after_gib=row["avail_for_kv_gib"],
        mem_fraction_static=row["mem_fraction_static"],
        tp=row["tp"],
        attention_dp=row["dp"],
        kv_dtype=row["kv_cache_dtype"] if row["kv_cache_dtype"] in ("bf16", "fp8", "fp4") else "auto",
        version=release if release.startswith("0") else sglang.NEWEST,
        page_size=row.get("page_size"),
        context_len=row.get("context_len"),
        max_running_requests=asked if isinstance(asked, int) else None,
        swa_full_tokens_ratio=row.get("swa_full_tokens_ratio"),
        state_slots=None if row.get("mamba_auto") else row.get("mamba_slots"),
        state_dtype=element,
    )


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published logs lie beside the checkout only")
def test_published_logs_are_met() -> None:
    """Rows with both memories and the share: nine of ten within 1 %, each other one with its reason."""
    rows = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["engine"] == "sglang" and row.get("tests_budget")]
    missed = {}
    for row in rows:
        started = _started(row)
        assert started.starts, (row["id"], started.reason)
        if abs((started.kv_tokens or 0) / row["kv_tokens"] - 1) > 0.01:
            missed[row["id"]] = (started.kv_tokens, row["kv_tokens"])
        if row.get("swa_tokens") and row["id"] not in missed:
            assert started.swa_tokens == pytest.approx(row["swa_tokens"], rel=0.01), row["id"]
        if row.get("mamba_auto"):
            assert abs((started.state_slots or 0) - row["mamba_slots"]) <= 1, row["id"]
        printed = row.get("max_running_requests")
        if printed and not row.get("max_running_requests_arg") and not row.get("mamba_slots"):
            assert started.max_running_requests == printed, row["id"]
    assert len(rows) > 50
    assert missed.keys() <= EXPLAINED.keys(), missed
    on_cards = [row for row in rows if row["device"] == "gpu"]
    assert sum(row["id"] in missed for row in on_cards) <= 1 < 0.03 * len(on_cards)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published logs lie beside the checkout only")
def test_printed_pools_are_met() -> None:
    """Size of the pool that is printed for its tokens: within 1 %, but for a fork that prints FP4 without scales."""
    rows, missed = 0, set()
    for line in PUBLISHED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        printed = row.get("kv_gib") or (row.get("k_gib") or 0) + (row.get("v_gib") or 0)
        if row["engine"] != "sglang" or not row.get("tests_tokens") or printed < 0.5:
            continue
        kv_dtype = row["kv_cache_dtype"] if row["kv_cache_dtype"] in ("bf16", "fp8") else "nvfp4"
        rank = Rank(row["attn_tp"], 1, kv_dtype, raw_records=False)
        [held] = pools(_architecture(row), rank, sglang.rules(row.get("engine_version_inferred") or "0.5.23"))
        sliding = row.get("swa_tokens")  # printed first
        found = sliding * held.swa if sliding else row["kv_tokens"] * held.full
        rows += 1
        if abs(found / 2**30 / printed - 1) > 0.01:
            missed.add(row["id"])
    assert rows > 80
    assert missed <= UNSCALED


@pytest.mark.parametrize("row", list(csv.DictReader(OWN.open(encoding="utf-8"))), ids=lambda row: str(row["id"]))
def test_own_rows_are_met(row: dict[str, str]) -> None:
    """A few figures of those logs as facts, so that the rules are held wherever the project is tested."""
    started = sglang.startup(
        of_facts(json.loads(row["geometry"])),
        free_before_gib=float(row["free_before_gib"]),
        free_after_gib=float(row["free_after_gib"]),
        mem_fraction_static=float(row["share"]),
        tp=int(row["tp"]),
        page_size=int(row["page"]),
        version=row["version"],
        kv_dtype=row["kv_dtype"],
        swa_full_tokens_ratio=float(row["ratio"]) if row["ratio"] else None,
        context_len=int(row["context"]) if row["context"] else None,
    )
    assert started.kv_tokens == pytest.approx(int(row["kv_tokens"]), rel=0.01)
    if row["requests"]:
        assert started.max_running_requests == int(row["requests"])
    if row["swa_tokens"]:
        assert started.swa_tokens == pytest.approx(int(row["swa_tokens"]), rel=0.01)
