"""Published start-up logs whose draft is not named: the print lies inside the range that stands instead of a figure."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sizing.memory import vllm
from sizing.memory.config.reader import read_config
from sizing.models.log_setup import NO_LAYERS, unknown_drafts

SHARED = Path(__file__).parents[3] / "shared"
PUBLISHED = SHARED / "validation" / "vllm_logs.jsonl"
PRECISIONS = {"fp8_e4m3": "fp8", "fp8_ds_mla": "fp8", "bfloat16": "bf16", None: "auto"}
USUAL_RELEASE = "0.25.1"  # of logs that name none


def _rows() -> list[dict[str, Any]]:
    if not PUBLISHED.exists():
        return []
    rows = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
    wanted = ("unknown_draft_model", "gpu_kv_tokens", "available_kv_gib", "config")
    return [row for row in rows if row["engine"] == "vllm" and all(row[name] for name in wanted)]


def _capability(card: str) -> tuple[int, int]:
    return (12, 1) if "GB10" in card or "Spark" in card else (8, 7) if "Orin" in card else (12, 0)


@pytest.mark.parametrize("row", _rows(), ids=lambda row: str(row["id"]))
def test_the_print_lies_inside_the_range(row: dict[str, Any]) -> None:
    """Over what the logs leave open: the draft, prefix caching, and what it keeps of states."""
    model = read_config(json.loads((SHARED / "configs" / row["config"]).read_text(encoding="utf-8")))
    release = re.match(r"0\.\d+\.\d+", row["engine_version"] or "")
    batch = re.search(r"max_num_batched_tokens (\d+)", row["notes"] or "")
    kv_dtype = PRECISIONS.get(row["kv_cache_dtype"], row["kv_cache_dtype"])
    found = [
        vllm.startup(
            model,
            available_kv_gib=row["available_kv_gib"],
            max_model_len=row["max_model_len"],
            tp=row["tp"] or 1,
            kv_dtype=kv_dtype if kv_dtype in vllm.KV_DTYPES else "fp8",
            version=release[0] if release else USUAL_RELEASE,
            compute_capability=_capability(str(row["gpu"])),
            max_num_batched_tokens=int(batch[1]) if batch else None,
            speculative_tokens=15 if "dflash" in row["id"] else 3,
            draft=draft,
            prefix_caching=caching,
            mamba_cache_mode=mode,
        )
        for draft, caching, mode in itertools.product(
            (NO_LAYERS, *unknown_drafts(model)), (None, True), (None, "align")
        )
    ]
    tokens = [each.kv_tokens or 0 for each in found]
    assert min(tokens) < row["gpu_kv_tokens"] <= max(tokens)
    assert max(tokens) > 0
