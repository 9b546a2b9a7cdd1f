"""Mixed lengths: the means by hand, the three counts in their order and by hand for the document's server."""

from __future__ import annotations

import math
import random

import pytest

import sizing
from sizing import SizingError
from sizing.demand.mix import LengthClass, Mix, counts


# Four in five requests are short chats, one in five is a long report.
def of_classes(rows: list[tuple[str, float, float, float]]) -> Mix:
    return Mix(tuple(LengthClass(*row) for row in rows))


MIX = of_classes([("chat", 80, 1000, 300), ("report", 20, 6000, 1500)])


def test_means_by_hand() -> None:
    """Time that runs: chat 80 x 300 = 24,000, report 20 x 1,500 = 30,000: 4/9 and 5/9 of what runs."""
    assert MIX.running_weights == pytest.approx((4 / 9, 5 / 9))
    assert MIX.request_weights == pytest.approx((0.8, 0.2))
    assert MIX.mean_final_tokens == pytest.approx(4 / 9 * 1300 + 5 / 9 * 7500)
    assert MIX.mean_resident_tokens == pytest.approx(4 / 9 * 1150 + 5 / 9 * 6750)


def test_means_against_requests_that_are_played() -> None:
    """Requests come at random, write a token a step, and are looked at at random moments."""
    chance = random.Random(3)
    total = {"final": 0.0, "resident": 0.0}
    looks = 0
    for _ in range(40_000):
        kind = chance.choices(MIX.classes, [each.share for each in MIX.classes])[0]
        # It is seen in proportion to how long it runs, each time at a random point of its answer.
        for _ in range(int(kind.answer_tokens / 300)):
            looks += 1
            total["final"] += kind.prompt_tokens + kind.answer_tokens
            total["resident"] += kind.prompt_tokens + chance.random() * kind.answer_tokens
    assert total["final"] / looks == pytest.approx(MIX.mean_final_tokens, rel=0.02)
    assert total["resident"] / looks == pytest.approx(MIX.mean_resident_tokens, rel=0.02)


def test_three_counts_by_hand() -> None:
    """Llama 3.3 70B, FP8, one copy on four cards: 264.45 GiB free, 160 KiB of FP8 cache a token.

    2 (K and V) x 80 layers x 8 heads x 128 x 1 byte = 163,840 bytes a token, a quarter of it on each card.
    """
    sized = sizing.size(sizing.Scenario())
    found = counts(sized, MIX)
    free_bytes = (83.04 - 72.7e9 / 2**30 / 4) * 2**30
    final, resident = math.ceil(4 / 9 * 1300 + 5 / 9 * 7500), math.ceil(4 / 9 * 1150 + 5 / 9 * 6750)
    assert found.at_full_context == math.floor(free_bytes / (8192 * 163840 / 4)) == 211
    assert found.at_mean_final_length == math.floor(free_bytes / (final * 163840 / 4))
    assert found.at_mean_resident_length == math.floor(free_bytes / (resident * 163840 / 4))
    assert (found.mean_final_tokens, found.mean_resident_tokens) == (final, resident)


@pytest.mark.parametrize("model", ["openai/gpt-oss-120b", "Qwen/Qwen3.8-27B", "google/gemma-3-27b-it"])
@pytest.mark.parametrize("cards", [1, 2, 4])
def test_counts_rise_as_lengths_fall_and_every_step_recomputes(model: str, cards: int) -> None:
    sized = sizing.size(sizing.Scenario(checkpoint=model, cards=cards, context_tokens=32768))
    for layout in sized.layouts:
        if layout.fits:
            found = counts(sized, MIX, layout)
            full, final, resident = found.at_full_context, found.at_mean_final_length, found.at_mean_resident_length
            assert full is not None and final is not None and resident is not None  # noqa: PT018
            assert layout.conversations == full <= final <= resident
            results = {step.name: step.result for step in found.working}
            assert results["conversations_at_full_context"] == full
            assert results["conversations_at_mean_final_length"] == final
            assert results["conversations_at_mean_resident_length"] == resident
            for step in found.working:
                assert step.recompute() == pytest.approx(step.result), step
                assert step.title


def test_a_mix_of_one_length_that_never_writes_more_gives_one_count() -> None:
    sized = sizing.size(sizing.Scenario())
    found = counts(sized, of_classes([("all", 1, 8191, 1)]))
    assert found.at_full_context == found.at_mean_final_length == 211


def test_the_engine_view_counts_too() -> None:
    found = counts(sizing.size(sizing.Scenario(memory_rule="engine")), MIX)
    assert found.at_full_context is not None
    assert found.at_mean_final_length is not None
    assert found.at_mean_final_length >= found.at_full_context
    assert [step.name for step in found.working] == ["mean_final_tokens", "mean_resident_tokens"]


def test_what_it_says() -> None:
    keys = [note.key for note in counts(sizing.size(sizing.Scenario()), MIX).notes]
    assert keys == ["three_counts", "resident_count_is_no_plan", "long_answers_run_longer"]
    for note in counts(sizing.size(sizing.Scenario()), MIX).notes:
        assert note.text
    text = counts(sizing.size(sizing.Scenario()), MIX).notes[2].text
    assert "20%" in text
    assert "56%" in text  # 5/9


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([], "mix_classes"),
        ([("a", 0, 10, 10)], "mix_empty"),
        ([("a", -1, 10, 10)], "site_out_of_range"),
        ([("a", 1, 10, 0)], "site_out_of_range"),
        ([("a", 1, math.nan, 10)], "site_not_a_number"),
        ([("a", 1, 10, 10)] * 401, "mix_classes"),
    ],
)
def test_what_is_no_mix(rows: list[tuple[str, float, float, float]], key: str) -> None:
    with pytest.raises(SizingError) as caught:
        of_classes(rows)
    assert caught.value.key == key


def test_a_class_longer_than_the_context_is_refused() -> None:
    with pytest.raises(SizingError, match="10,000") as caught:
        counts(sizing.size(sizing.Scenario()), Mix((LengthClass("long", 1, 9000, 1000),)))
    assert caught.value.input == "context_tokens"
