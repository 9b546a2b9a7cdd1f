"""Tables of facts beside the tests, and how a row of them becomes a call.

models.json: cache geometry of each model, layers run by run.   oracle.csv, engine.csv: capacity that the engine's own
planning code computed on a pretended card (releases 0.19.1, 0.28.0 and 0.33.0).   logs.csv: start-up logs of others.
"""

from __future__ import annotations

import csv
import functools
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from sizing.memory.architecture import Architecture, Layer, LeftOut
from sizing.memory.caches import (
    BoundedAttention,
    ChunkedAttention,
    CompressedAttention,
    CrossAttention,
    DeltaNetState,
    FullAttention,
    LatentAttention,
    Mamba1State,
    Mamba2State,
    SlidingWindow,
    SparseIndexer,
)
from sizing.memory.terms import Cache

HERE = Path(__file__).parent
COLLECTION = HERE.parents[3] / "shared" / "configs"

KINDS: dict[str, type[Cache]] = {
    kind.kind: kind
    for kind in (
        BoundedAttention,
        ChunkedAttention,
        CompressedAttention,
        CrossAttention,
        DeltaNetState,
        FullAttention,
        LatentAttention,
        Mamba1State,
        Mamba2State,
        SlidingWindow,
        SparseIndexer,
    )
}
FACTS = (
    "attention_heads",
    "declared_kv_dtype",
    "declared_state_dtype",
    "bidirectional_images",
    "model_type",
    "moe",
    "state_chunk_tokens",
)
LEFT_OUT = {"encoder_cache": "vision_config", "window_not_stated": "sliding_window"}


def rows(name: str) -> list[dict[str, str]]:
    """A table of facts beside the tests."""
    with (HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@functools.cache
def _models() -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads((HERE / "models.json").read_text(encoding="utf-8"))
    return table


def names() -> list[str]:
    """Every model of models.json."""
    return sorted(_models())


@functools.cache
def model(name: str) -> Architecture:
    """The model with this name in models.json."""
    entry = _models()[name]
    return Architecture(
        layers=_layers(entry["layers"]),
        mtp_layers=_layers(entry.get("mtp", [])),
        left_out=tuple(LeftOut(key, LEFT_OUT[key]) for key in entry.get("left_out", [])),
        **{fact: entry[fact] for fact in FACTS if fact in entry},
    )


def _layers(runs: list[Any]) -> tuple[Layer, ...]:
    found: list[Layer] = []
    for count, caches in runs:
        layer = Layer(tuple(KINDS[kind](*values) for kind, *values in caches))
        found += [layer] * count
    return tuple(found)


def entry_of(architecture: Architecture) -> dict[str, Any]:
    """What models.json says of a model, made from a config that was read."""
    plain = {fact: getattr(architecture, fact) for fact in FACTS}
    entry: dict[str, Any] = {fact: value for fact, value in plain.items() if value not in (None, False, "")}
    entry["layers"] = _runs(architecture.layers)
    if architecture.mtp_layers:
        entry["mtp"] = _runs(architecture.mtp_layers)
    seen = [part for part in architecture.left_out if part.key != "encoder_cache" or part.detail == "vision_config"]
    parts = {part.key for part in seen}
    if left_out := sorted(parts & set(LEFT_OUT)):
        entry["left_out"] = left_out
    return entry


def _runs(layers: tuple[Layer, ...]) -> list[Any]:
    runs: list[Any] = []
    for layer in layers:
        caches = [[cache.kind, *(getattr(cache, field.name) for field in fields(cache))] for cache in layer.caches]
        if runs and runs[-1][1] == caches:
            runs[-1][0] += 1
        else:
            runs.append([1, caches])
    return runs


def arguments(row: dict[str, str]) -> dict[str, Any]:
    """The call that a row of oracle.csv, engine.csv or logs.csv stands for."""
    major, minor = row["capability"].split(".")
    call: dict[str, Any] = {
        "available_kv_gib": float(row["available_kv_gib"]),
        "max_model_len": int(row["max_model_len"]),
        "tp": int(row["tp"]),
        "pp": int(row["pp"]),
        "kv_dtype": row["kv_dtype"],
        "version": row["version"],
        "compute_capability": (int(major), int(minor)),
        "speculative_tokens": int(row["speculative_tokens"] or 0),
    }
    if row["max_num_batched_tokens"]:
        call["max_num_batched_tokens"] = int(row["max_num_batched_tokens"])
    for flag in filter(None, row["flags"].split(" ")):
        name, _, value = flag.partition("=")
        call[name] = value if name == "state_dtype" else json.loads(value)
    return call


def number(text: str) -> int | None:
    """A whole number, None for an empty cell."""
    return int(text) if text else None


def amount(text: str) -> float | None:
    """A number, None for an empty cell."""
    return float(text) if text else None
