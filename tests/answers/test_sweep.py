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
    longest = row["longest_context_tokens"]
    if not pd.isna(longest) and row["context_tokens"] > longest:
        assert sizing.size(scenario).architecture.max_context_tokens == longest
        assert (row["fits"], row["conversations"]) == (False, 0)
        assert f"{longest:,}" in row["reason"]
        return
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


OWN = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_hidden_layers": 32, "intermediate_size": 14336, "vocab_size": 32000, "torch_dtype": "bfloat16",
    "max_position_embeddings": 8192,
}  # fmt: skip


def test_a_model_of_ones_own_stands_beside_the_catalogue_s() -> None:
    """A token of it is 32 layers x 8 heads x 256 x 2 bytes, 128 KiB: 4,096 of them half a GiB."""
    own = sizing.model(OWN, name="ours")
    table = sizing.sweep(
        checkpoints=[own, "openai/gpt-oss-120b"],
        cards=["rtx-pro-6000-server"],
        card_counts=[1],
        context_tokens=[4096, 9000],
    )
    assert list(table["checkpoint"].astype(str)) == ["ours", "ours", "openai/gpt-oss-120b", "openai/gpt-oss-120b"]
    assert table["kv_gib_per_conversation"].iloc[0] == 0.5
    assert list(table["fits"]) == [True, False, True, True]  # it ends at 8,192
    planned = sizing.size(sizing.Scenario(cards=1, context_tokens=4096, kv_dtype="auto"), checkpoint=own).planned
    assert table["conversations"].iloc[0] == planned.conversations


def test_by_the_engine_a_row_says_what_it_starts_prints_and_runs() -> None:
    """Qwen3.5-27B on one card is refused with the engine's own sequences, which the planning rule does not see."""
    asked = {"checkpoints": ["Qwen/Qwen3.5-27B"], "cards": ["rtx-pro-6000-server"], "card_counts": [1, 2]}
    planned = sizing.sweep(**asked, context_tokens=[32768])
    told = sizing.sweep(**asked, context_tokens=[32768], rule="engine")
    assert list(planned["fits"]) == [True, True]
    assert list(told["fits"]) == [False, True]
    assert "sequences" in told["reason"].iloc[0]
    sized = sizing.size(sizing.Scenario(checkpoint="Qwen/Qwen3.5-27B", cards=2, context_tokens=32768, kv_dtype="auto"))
    verdict = sized.verdict_of(sized.best)
    assert verdict is not None
    row = told.iloc[1]
    assert (row["engine_prints"], row["engine_runs"], row["conversations"]) == (
        verdict.conversations, verdict.runs, verdict.runs,
    )  # fmt: skip


def test_with_the_answer_a_row_says_what_may_be_promised() -> None:
    told = sizing.sweep(
        checkpoints=["nvidia/Llama-3.3-70B-Instruct-FP8"],
        cards=["rtx-pro-6000-server"],
        card_counts=[2, 4],
        answer=True,
    )
    for _, row in told.iterrows():
        found = sizing.answer(sizing.Scenario(cards=int(row["cards"]), kv_dtype="auto"))
        assert (row["promised"], row["limited_by"]) == (found.conversations, found.limited_by)
        assert (row["copies"], row["tp"], row["pp"]) == found.promise.layout.name
        assert row["server_w"] == found.site.draw.server_w


@pytest.mark.parametrize("bad", [{"checkpoints": [{"a": 1}]}, {"checkpoints": [3]}, {"rule": "x"}, {"cards": [["a"]]}])
def test_what_is_no_model_or_rule_ends_in_a_sentence(bad: dict[str, object]) -> None:
    with pytest.raises(sizing.SizingError):
        sizing.sweep(**bad)  # type: ignore[arg-type]
