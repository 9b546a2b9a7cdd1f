"""Every figure against the engine's own planning code, and its refusals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from sizing.memory import vllm
from sizing.memory.config.reader import read_config

from .tables import COLLECTION, amount, arguments, entry_of, model, number, rows

ORACLE = rows("oracle.csv")
ENGINE = rows("engine.csv")
REFUSED = rows("refused.csv")
FIGURES: dict[str, Callable[[str], Any]] = {
    "num_blocks": number,
    "block_size": number,
    "kv_tokens": number,
    "max_concurrency": amount,
    "needed_gib": amount,
    "longest_max_model_len": number,
}
# What the engine's code says beside the reasons that have their own name.
NO_KERNEL = {
    "block_size",
    "compressed_auto",
    "compressed_precision",
    "fp8_card",
    "nvfp4_card",
    "nvfp4_latent",
    "nvfp4_model",
    "per_token_head_latent",
    "sparse_16_bit",
    "sparse_card",
    "sparse_declared",
}


def _wrong(row: dict[str, str]) -> list[str]:
    started = vllm.startup(model(row["model"]), **arguments(row))
    found = [
        f"{name}: {getattr(started, name)} for {expected(row[name])}"
        for name, expected in FIGURES.items()
        if getattr(started, name) != expected(row[name])
    ]
    if started.starts != bool(row["num_blocks"]):
        found.append(f"starts: {started.starts} ({started.reason})")
    return found


def _failures(table: list[dict[str, str]]) -> str:
    failures: list[str] = []
    for row in table:
        if wrong := _wrong(row):
            failures.append(f"{ {k: v for k, v in row.items() if v and k not in FIGURES} }: {'; '.join(wrong)}")
    return f"{len(failures)} of {len(table)}:\n" + "\n".join(failures[:20]) if failures else ""


@pytest.mark.parametrize("version", sorted({row["version"] for row in ORACLE}))
def test_every_row_that_the_engine_computed_is_exact(version: str) -> None:
    failures = _failures([row for row in ORACLE if row["version"] == version])
    assert not failures, failures


@pytest.mark.parametrize("version", sorted({row["version"] for row in ENGINE}))
def test_more_models_and_settings_are_exact(version: str) -> None:
    failures = _failures([row for row in ENGINE if row["version"] == version])
    assert not failures, failures


def test_the_tables_reach_every_kind_of_card_and_cache() -> None:
    """A table that shrank would prove less than the names of these tests say."""
    assert len(ORACLE) == 2335
    assert {row["capability"] for row in ORACLE} == {"8.0", "8.9", "9.0", "10.0", "12.0"}
    assert {row["version"] for row in ENGINE} == {"0.19.1", "0.28.0", "0.33.0"}
    kinds = Counter(
        cache.kind
        for row in ORACLE + ENGINE
        for cache in {cache for layer in model(row["model"]).layers for cache in layer.caches}
    )
    assert set(kinds) == {
        "bounded", "chunked", "compressed", "cross", "deltanet", "full", "indexer", "latent", "mamba1", "mamba2",
        "sliding",
    }  # fmt: skip


def test_what_the_engine_refuses_is_refused_for_the_same_reason() -> None:
    failures: list[str] = []
    for row in REFUSED:
        started = vllm.startup(model(row["model"]), **arguments({**row, "available_kv_gib": "66.3"}))
        key = started.refusal.key if started.refusal else "starts"
        same = key in NO_KERNEL if row["why"] == "kernel" else key.startswith(row["why"])
        if started.starts or not same or not started.reason or not started.remedy:
            failures.append(f"{ {k: v for k, v in row.items() if v} }: {key}")
    assert not failures, f"{len(failures)} of {len(REFUSED)}:\n" + "\n".join(failures[:20])


def test_the_models_are_those_of_the_published_configs() -> None:
    if not COLLECTION.is_dir():
        pytest.skip("the collection of whole configs is not at hand")
    names = sorted({row["model"] for row in ORACLE + ENGINE})
    for name in names:
        path = COLLECTION / f"{name.replace('/', '__')}.json"
        quantised = path.parent / f"{path.name.removesuffix('.json')}.hf_quant_config.json"
        read = read_config(
            json.loads(path.read_text(encoding="utf-8")),
            json.loads(quantised.read_text(encoding="utf-8")) if quantised.exists() else None,
        )
        assert json.loads(json.dumps(entry_of(read))) == json.loads(json.dumps(entry_of(model(name)))), name
