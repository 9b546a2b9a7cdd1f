"""Curves with kernels known by hand: a step takes 10 ms and 1 ms a request, a prompt 0.1 ms a token."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.speed.curve import Curve, LayoutLine, SpeedRequest, curve, request, steps
from tests.speed.conftest import ByHand

ASKED = SpeedRequest(history_tokens=6000, prompt_tokens=1000, answer_tokens=500, cut=False)
SIZED = sizing.size(Scenario())


def made(name: tuple[int, int, int] = (1, 4, 1), floor: float = 20.0, **more: Any) -> Curve:
    layout = next(layout for layout in SIZED.layouts if layout.name == name)
    found = curve(LayoutLine(layout, ASKED, ByHand(), None, more.get("running", 1024)), floor)
    assert found is not None
    return found


def test_one_conversation_alone() -> None:
    one = made().one
    assert (one.step_ms, one.prefill_ms, one.ttft_ms) == (11.0, 100.0, 100.0)
    assert one.each_tokens_s == pytest.approx(1000 / 11)
    # 500 tokens in 100 ms of prompt and 500 x 11 ms of steps
    assert one.total_tokens_s == pytest.approx(500 / 5.6)


def test_the_others_prompts_come_in_between() -> None:
    last = made().last
    assert last.conversations == 211
    # 10 + 211 ms a step, and 210 prompts of 100 ms for each 500 tokens
    assert last.between_ms == pytest.approx(221 + 210 * 100 / 500)
    assert last.ttft_ms == pytest.approx(100 + 221)
    assert last.total_tokens_s == pytest.approx(211 * 500 / (0.1 + 500 * 0.263))


def test_the_knee_is_the_last_that_keeps_the_floor() -> None:
    found = made(floor=20)
    # 10 + n + (n - 1) x 0.2 <= 50 ms: n <= 33.5
    assert (found.holds, found.ends) == (33, "speed")
    assert found.knee is not None
    assert found.knee.each_tokens_s == pytest.approx(1000 / (10 + 33 + 32 * 0.2))


@pytest.mark.parametrize(
    ("floor", "running", "holds", "ends"),
    [(1.0, 1024, 211, "memory"), (500.0, 1024, 0, "slow"), (1.0, 64, 64, "engine")],
)
def test_what_ends_first(floor: float, running: int, holds: int, ends: str) -> None:
    found = made(floor=floor, running=running)
    assert (found.holds, found.ends) == (holds, ends)


def test_copies_answer_apart_and_stages_in_groups() -> None:
    copies = made((4, 1, 1), floor=1)
    assert copies.one.conversations == 1
    assert copies.last.per_copy * 4 == copies.last.conversations == 48
    stages = made((1, 1, 4), floor=1)
    # 211 conversations in four groups of at most 53; a stage works through a prompt in a quarter of its time
    assert stages.last.step_ms == 10 + 53
    assert stages.last.between_ms == pytest.approx(63 + 210 * 100 / 4 / 500)


def test_beyond_the_cache_clients_wait_for_a_place() -> None:
    found = made()
    # A place is free every 131.6 s / 211; the first waits for one, the twentieth for twenty, then for its prompt
    every_s = (0.1 + 500 * 0.263) / 211
    assert found.last.lifetime_s == pytest.approx(131.6)
    assert found.waiting(20) == pytest.approx((0.321 + every_s, 0.321 + 20 * every_s))
    assert found.waiting(0) == pytest.approx((0.321, 0.321))


def test_the_working_can_be_recomputed() -> None:
    found = made()
    for point in (found.one, found.last):
        for step in steps(found, point, ASKED):
            assert step.recompute() == pytest.approx(step.result)


def test_noise_in_a_table_never_makes_more_conversations_faster() -> None:
    class Noisy(ByHand):
        def decode_ms(self, requests: int, context_tokens: int) -> float:
            return 30.0 if requests == 4 else 10.0 + requests

    layout = SIZED.layout(copies=1, tp=4)
    found = curve(LayoutLine(layout, ASKED, Noisy(), None, 1024), 1.0)
    assert found is not None
    rates = [point.each_tokens_s for point in found.points]
    assert rates == sorted(rates, reverse=True)


def test_a_table_that_ends_before_the_cache_leaves_the_limit() -> None:
    class Ending(ByHand):
        def decode_ms(self, requests: int, context_tokens: int) -> float:
            if requests > 100:
                raise RuntimeError("no data")
            return 20.0

    from sizing.speed.limit import limit

    bound = limit(SIZED.card, SIZED.checkpoint, kv_dtype="fp8", tp=4, pp=1)
    found = curve(LayoutLine(SIZED.layout(copies=1, tp=4), ASKED, Ending(), bound, 1024), 1.0)
    assert found is not None
    assert (found.label, found.gap and found.gap.key) == ("limit", "table_end")


@given(context=st.integers(1, 16_777_216), prompt=st.integers(1, 16_777_216), answer=st.integers(1, 1_048_576))
def test_a_request_never_holds_more_than_its_context(context: int, prompt: int, answer: int) -> None:
    made = request(Scenario(context_tokens=context, prompt_tokens=prompt, answer_tokens=answer))
    held = made.history_tokens + made.prompt_tokens + made.answer_tokens
    assert held == max(context, 2)
    assert made.cut == ((made.prompt_tokens, made.answer_tokens) != (prompt, answer))
