"""A slice whose memory is not published: the low end says what fits, the high end what does not, between is open."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.base.texts import say
from sizing.catalogue.scenario import Scenario
from sizing.catalogue.slices import slice_profiles
from sizing.sharing import Plan, Service, place
from sizing.sharing.needs import SLICE_NOT_KNOWN, need, room
from sizing.sharing.shared import Shared

MODEL = "Qwen/Qwen3-0.6B"
CONTEXT = 8_192
# 751,632,384 parameters less one of two tied tables of 151,936 x 1,024, x 2 bytes;
# 28 layers x 2 x 8 heads x 128 x 2 bytes = 114,688 bytes a token x 8,192 tokens.
NEEDS_GIB = ((751_632_384 - 151_936 * 1_024) * 2 + 114_688 * CONTEXT) / 2**30
# 1g.12gb of the H100 NVL: 12e9 bytes x 0.95 = 10.62 GiB at least; 95,830 MiB / 8 = 11.70 GiB at most.
LOW, HIGH = 10.62, 11.70


def _judged(card: str, reserve_gib: float) -> tuple[bool, list[str]]:
    scenario = Scenario(card=card, memory_rule="custom", memory_share=1.0, memory_reserve_gib=reserve_gib)
    wish = Service(checkpoint=MODEL, context_tokens=CONTEXT, kv_dtype="bf16", conversations=1, isolation="slice")
    each = need(wish, room(scenario), slice_profiles(catalogue.card(card)), 1)
    smallest = slice_profiles(catalogue.card(card))[0].name
    about = [note.key for note in each.refused if note.values.get("where") == smallest]
    return any(option.profile == 0 for option in each.of_kind("slice")), about


def test_what_the_low_end_holds_fits() -> None:
    assert _judged("h100-nvl", LOW - NEEDS_GIB - 0.02) == (True, [])


@pytest.mark.parametrize("over", [0.02, 0.5, 1.05])
def test_between_the_ends_nothing_is_claimed(over: float) -> None:
    assert _judged("h100-nvl", LOW - NEEDS_GIB + over) == (False, [SLICE_NOT_KNOWN])


def test_what_the_high_end_does_not_hold_does_not_fit() -> None:
    fits, why = _judged("h100-nvl", HIGH - NEEDS_GIB + 0.02)
    assert not fits
    assert why == ["sharing.refused.no_conversation"]


def test_a_stated_figure_leaves_nothing_open() -> None:
    """23.62 GiB on the Server Edition: fits just below it, does not just above."""
    assert _judged("rtx-pro-6000-server", 23.62 - NEEDS_GIB - 0.01) == (True, [])
    assert _judged("rtx-pro-6000-server", 23.62 - NEEDS_GIB + 0.01) == (False, ["sharing.refused.no_conversation"])


@pytest.mark.parametrize("language", ["en", "de"])
def test_an_open_question_is_told_with_what_to_ask(language: str) -> None:
    """The service gets a whole card, and the page says why no slice and which command would tell."""
    scenario = Scenario(
        card="rtx-pro-5000", cards=1, memory_rule="custom", memory_share=1.0, memory_reserve_gib=45 - NEEDS_GIB
    )
    # The reserve leaves only 2g.48gb open: 48e9 bytes x 0.95 = 42.5 GiB at least, 48,935 MiB = 47.8 GiB at most.
    wish = Service(checkpoint=MODEL, context_tokens=CONTEXT, kv_dtype="bf16", conversations=1, isolation="slice")
    shared = Shared(place(Plan(scenario=scenario, services=(wish,))))
    assert [engine.kind for engine in shared.placement.engines] == ["whole"]
    told = [note.say(language) for note in shared.notes if note.key == "sharing.note.because"]
    assert len(told) == 1
    assert "nvidia-smi mig -lgip" in told[0]
    assert say(SLICE_NOT_KNOWN, language, where="2g.48gb", low_gib=42.5, high_gib=47.8) in told[0]
