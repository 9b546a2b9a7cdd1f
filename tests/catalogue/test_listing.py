"""Lists beside a scenario: files and links written before still open, and their data files are read strictly."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sizing.base.errors import SizingError
from sizing.catalogue import listing, loader
from sizing.demand.side_by_side import Comparison, Platform
from sizing.sharing.plan import MIG_DRIVERS, Plan, Service, read

# Written by the first version, 1 December 2026.
PLAN_FILE = """{"plan": "1", "scenario": {"scenario": "1", "cards": 2, "card": "h200-nvl"},
 "servers": 2, "aim": "most_free", "favourite": 1,
 "services": [{"checkpoint": "Qwen/Qwen3-8B", "copies": 2, "context_tokens": 4096, "kv_dtype": "fp8",
 "conversations": null, "isolation": "slice"}, {"checkpoint": "BAAI/bge-m3"}]}"""
PLAN_LINK = (
    "v=1&card=h200-nvl&n=2&pv=1&hosts=2&aim=most_free&svc=Qwen/Qwen3-8B~2~4096~fp8~max~slice"
    "&svc=BAAI/bge-m3~1~8192~auto~max~share"
)
PLATFORMS_FILE = """{"comparison": "1", "scenario": {"scenario": "1", "context_tokens": 32768}, "currency": "EUR",
 "measure": "usable_gib", "varied": 1, "platforms": [{"card": "h200-nvl", "cards": 2, "servers": 1,
 "power_cap_w": 0.0, "card_price": 30000.5, "server_price": null}]}"""
PLATFORMS_LINK = "v=1&ctx=32768&cv=1&cur=EUR&per=usable_gib&vary=1&rig=h200-nvl~2~1~0~30000.5~"


def test_a_plan_of_before_opens() -> None:
    plan = Plan.from_query(PLAN_LINK)
    assert plan == Plan.from_json(PLAN_FILE) == read(PLAN_FILE)
    assert (plan.scenario.card, plan.scenario.cards, plan.servers, plan.aim) == ("h200-nvl", 2, 2, "most_free")
    first = Service(checkpoint="Qwen/Qwen3-8B", copies=2, context_tokens=4096, kv_dtype="fp8", isolation="slice")
    assert plan.services == (first, Service(checkpoint="BAAI/bge-m3"))
    assert plan.to_query() == PLAN_LINK


def test_a_comparison_of_before_opens() -> None:
    comparison = Comparison.from_query(PLATFORMS_LINK)
    assert comparison == Comparison.from_json(PLATFORMS_FILE)
    assert comparison.platforms == (Platform(card="h200-nvl", cards=2, card_price=30_000.5),)
    assert (comparison.currency, comparison.measure, comparison.varied) == ("EUR", "usable_gib", 1)
    assert comparison.to_query() == PLATFORMS_LINK


@pytest.mark.parametrize(
    ("file", "entries", "old", "new", "said"),
    [
        ("sharing.toml", "services", "cards = 4", "cards = 0", "preset.four_32b.cards"),
        ("sharing.toml", "services", "copies]\nshort", "copies]\nshrot", "shrot"),
        ("platforms.toml", "platforms", 'source = "doc-en"\nplatforms', 'source = "nobody"\nplatforms', "nobody"),
        ("platforms.toml", "platforms", "[preset.sizes]", "[presets.sizes]", "presets"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(
    file: str, entries: str, old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = loader.default().root
    for name in (file, "sources.toml"):
        shutil.copy(data / name, tmp_path / name)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(loader, "default", lambda: loader.Catalogue(tmp_path))
    with pytest.raises(SizingError, match=said) as refused:
        listing.read_file(file, entries, **({"mig_driver": MIG_DRIVERS} if entries == "services" else {}))
    assert file in str(refused.value)
