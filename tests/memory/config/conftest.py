"""Configs that the tests read: reduced to the keys that decide, and whole where a collection is at hand."""

from __future__ import annotations

import copy
import csv
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COLLECTION = HERE.parents[3] / "shared" / "configs"


def rows(name: str) -> list[dict[str, str]]:
    """A table of facts beside the tests."""
    with (HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def cases() -> dict[str, dict[str, Any]]:
    """Reduced configs by Hub id. A text in place of an object says which other model's it equals."""
    with (HERE / "cases.json").open(encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return {name: table[case] if isinstance(case, str) else case for name, case in table.items()}


CASES = cases()


def config(hf_id: str) -> dict[str, Any]:
    """A copy of a model's reduced config."""
    return copy.deepcopy(CASES[hf_id]["config"])


def whole(hf_id: str) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
    """The full config and hf_quant_config, None where the collection is not at hand."""
    path = COLLECTION / f"{hf_id.replace('/', '__')}.json"
    if not path.exists():
        return None
    quant = path.with_suffix(".hf_quant_config.json")
    return json.loads(path.read_text()), json.loads(quant.read_text()) if quant.exists() else None
