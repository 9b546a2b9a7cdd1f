"""Answers that may not be promised as they stand: at the edge of what logs leave, beyond a model, of another's log."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.answers import sentence
from sizing.answers.answer import Answer, answer
from sizing.base.texts import LANGUAGES
from sizing.catalogue.scenario import Scenario


def _tight(share: float, wanted: int) -> Answer:
    """gpt-oss-120b on one H100 of which the engine takes a share: what is left for the cache moves with it."""
    return answer(
        Scenario(
            checkpoint="openai/gpt-oss-120b",
            card="h100-sxm",
            cards=1,
            utilization=share,
            wanted_conversations=wanted,
        ),
        measured=False,
    )


@pytest.mark.parametrize("wanted", [0, 1, 10_000])
def test_a_band_around_nothing_is_on_the_edge(wanted: int) -> None:
    roomy = _tight(0.95, 1)
    verdict = roomy.sizing.verdict_of(roomy.promise.layout)
    assert roomy.verdict == "enough"
    assert verdict is not None
    assert verdict.budget is not None
    # The share at which just half of what lies between the middle and the low end of the band is left.
    middle, low = verdict.budget.typical_gib, verdict.budget.pessimistic_gib
    total_gib = roomy.sizing.card.cuda_visible_gib
    visible = total_gib.value if total_gib else roomy.sizing.reported_gib_per_card
    found = _tight(round(0.95 - (low + (middle - low) / 2) / visible, 4), wanted)
    band = found.sizing.verdict_of(found.promise.layout)
    assert band is not None
    assert band.budget is not None
    assert band.budget.pessimistic_gib < 0 < band.budget.typical_gib
    assert (found.verdict, found.certain) == ("on_the_edge", 0)
    for language, said in (("en", "On the edge"), ("de", "Auf der Kippe")):
        assert said in sentence.need(found, language)


def test_a_need_within_the_band_is_on_the_edge_and_one_below_it_is_enough() -> None:
    found = _tight(0.908, 1)
    assert found.certain is not None
    assert found.conversations is not None
    assert 0 < found.certain < found.conversations
    assert _tight(0.908, found.certain).verdict == "enough"
    assert _tight(0.908, found.certain + 1).verdict == "on_the_edge"
    assert _tight(0.908, found.conversations).verdict == "on_the_edge"
    assert _tight(0.908, found.conversations + 1).verdict == "not_enough"


@pytest.mark.parametrize("model", ["moonshotai/Kimi-K2.5", "nvidia/Llama-3.3-70B-Instruct-FP8", "Qwen/Qwen3-32B"])
def test_a_log_of_another_set_up_makes_no_memory(model: str) -> None:
    # No card of 96 GB leaves 94 GiB for the cache beside weights.
    found = answer(Scenario(checkpoint=model, cards=8, memory_rule="measured", measured_kv_gib=94), measured=False)
    assert found.verdict == "does_not_fit"
    assert (found.conversations, found.layout) == (0, None)
    assert not any(found.limits.values())
    assert found.sizing.usable_gib_per_card <= found.sizing.reported_gib_per_card
    assert next(note.key for note in found.sizing.notes if note.level == "stop") == "measured_beyond_card"


def test_beyond_the_models_end_nothing_is_promised_and_a_shorter_context_cures_it() -> None:
    found = answer(Scenario(checkpoint="Qwen/Qwen3-32B", cards=4, context_tokens=131072), measured=False)
    assert (found.verdict, found.conversations, found.layout) == ("does_not_fit", 0, None)
    assert [(cure.name, cure.value <= 40_960) for cure in found.cures] == [("context_tokens", True)]


@pytest.mark.parametrize(
    ("model", "block"),
    [("deepseek-ai/DeepSeek-V4-Flash-0731", 256), ("nvidia/GLM-5.1-NVFP4", 64), ("google/gemma-4-31B-it", 16)],
)
def test_a_block_size_is_among_the_cures(model: str, block: int) -> None:
    # Operators read blocks of multiples of 256, of 64, and of 16 tokens (vllm-kv-rules); 8 suits none.
    found = answer(Scenario(checkpoint=model, cards=8, kv_dtype="auto", block_size=8))
    assert found.verdict == "does_not_fit"
    assert (found.cures[0].name, found.cures[0].value) == ("block_size", block)
    assert f"--block-size {block}" in found.cures[0].note.text


def test_where_no_single_change_helps_two_together_are_named() -> None:
    found = answer(Scenario(checkpoint="moonshotai/Kimi-K2-Instruct"))
    assert found.verdict == "does_not_fit"
    assert 1 <= len(found.cures) <= 3
    for cure in found.cures:
        assert cure.cards > 4
        card = catalogue.card(cure.value)
        # 958.5 GiB of weights: that many cards of that size hold them.
        assert cure.cards * card.memory_gb.value > 958.5 * 1.0737
        for language in LANGUAGES:
            assert f"{cure.cards} × {card.name}" in cure.note.say(language)


def test_an_upper_bound_is_no_promise_in_any_sentence() -> None:
    found = answer(Scenario(card="mi300x", cards=2))
    assert found.at_most
    assert sentence.promise(found, "en").startswith(f"At most {found.conversations} conversations")
    assert "may be promised" not in sentence.whole(found, "en")
    assert sentence.count(found, "de") == f"höchstens {found.conversations}"
