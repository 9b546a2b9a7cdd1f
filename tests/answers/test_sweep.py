"""sweep(): the same figures as size(), scenario by scenario."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import sizing
from sizing import catalogue

FIGURES = ("weights_gib_per_card", "free_gib_per_card")


def _check(row: pd.Series) -> None:
    scenario = sizing.Scenario(
        checkpoint=row["checkpoint"],
        card=row["card"],
        cards=int(row["cards"]),
        context_tokens=int(row["context_tokens"]),
        kv_dtype=row["kv_dtype"],
    )
    if row["reason"]:
        with pytest.raises(sizing.SizingError) as refused:
            sizing.size(scenario)
        assert str(refused.value) == row["reason"]
        assert not row["fits"]
        return
    sized = sizing.size(scenario)
    best = sized.planned
    assert (row["copies"], row["tp"], row["pp"]) == best.name
    assert row["fits"] == best.fits
    assert (None if pd.isna(row["conversations"]) else row["conversations"]) == best.conversations
    assert row["kv_gib_per_conversation"] == pytest.approx(sized.kv_gib_per_conversation)
    for name in FIGURES:
        assert row[name] == pytest.approx(getattr(best, name), abs=1e-9)


def test_a_sample_of_all_scenarios_equals_size() -> None:
    table = sizing.sweep(context_tokens=[1024, 8192, 100_000, 1_000_000], kv_dtypes=["auto", "bf16", "fp8", "nvfp4"])
    assert len(table) == len(catalogue.checkpoint_ids()) * len(catalogue.card_ids()) * 8 * 4 * 4
    for index in random.Random(7).sample(range(len(table)), 600):
        _check(table.iloc[index])


def test_rows_vary_the_context_fastest_then_the_count() -> None:
    table = sizing.sweep(
        checkpoints=["openai/gpt-oss-120b", "nvidia/Llama-3.3-70B-Instruct-FP8"],
        cards=["rtx-pro-6000-server"],
        card_counts=[2, 4],
        context_tokens=[8192, 32768],
        kv_dtypes=["fp8", "bf16"],
    )
    assert list(table["context_tokens"]) == [8192, 32768] * 8
    assert list(table["cards"]) == [2, 2, 4, 4] * 4
    assert list(table["kv_dtype"]) == (["fp8"] * 4 + ["bf16"] * 4) * 2
    # The documents' figure: one copy over four cards, 32K in 16 bit.
    assert table["conversations"].iloc[7] == 240


def test_other_inputs_hold_for_all_rows() -> None:
    rule = {"memory_rule": "custom", "memory_share": 0.9, "memory_reserve_gib": 3.0}
    lists = {"checkpoints": ["openai/gpt-oss-20b"], "cards": ["l40s"]}
    assert sizing.sweep(**lists, **rule).equals(sizing.sweep(**lists))
    with pytest.raises(sizing.SizingError, match="colour"):
        sizing.sweep(**lists, colour="red")


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"checkpoints": []}, "empty"),
        ({"card_counts": [4, 4]}, "twice"),
        ({"card_counts": [0]}, "between 1 and 8"),
        ({"context_tokens": ["long"]}, "must be a number"),
        ({"cards": ["nope"]}, "nope"),
    ],
)
def test_bad_lists_are_refused(lists: dict[str, list[object]], said: str) -> None:
    with pytest.raises(sizing.SizingError, match=said):
        sizing.sweep(**lists)
