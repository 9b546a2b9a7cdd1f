"""Goal-seek against a plain search over everything, written here without the code that it checks."""

from __future__ import annotations

import functools
import math
import random
import time
from typing import Any

import pytest

import sizing
from sizing import SizingError, catalogue
from sizing.answers.siting import site
from sizing.catalogue.scenario import Scenario
from sizing.demand.goal import AIMS, Goal, Proposal
from sizing.demand.search import seek

MODELS = (
    "nvidia/Llama-3.3-70B-Instruct-FP8",
    "openai/gpt-oss-120b",
    "Qwen/Qwen3-32B",
    "meta-llama/Meta-Llama-3.1-8B",
    "nvidia/DeepSeek-V3.2-NVFP4",
)
CIRCUITS = ("eu-1ph-16a", "eu-1ph-32a", "eu-3ph-16a")
CONTEXTS = (2048, 8192, 32768, 131072)
# Of the card of these cases: 300 W to 600 W, in steps of 50 W; 450 and 600 W are its modes.
CAPS = tuple(range(300, 601, 50))


@functools.cache
def held(model: str, cards: int, kv_dtype: str, context: int, cap_w: int) -> int:
    """Conversations that one server may be promised for; a cap slows it."""
    scenario = Scenario(checkpoint=model, cards=cards, kv_dtype=kv_dtype, context_tokens=context, power_cap_w=cap_w)
    return sizing.answer(scenario).conversations or 0


@functools.cache
def carried(cards: int, cap_w: int, circuit: str, feeds: str) -> int:
    """Servers on one connection, counted up until it no longer fits."""
    count = 0
    while count < 4:
        scenario = Scenario(
            cards=cards, power_cap_w=cap_w, circuit=circuit, feeds=feeds, servers_connected=count + 1, rack_feed_kw=0
        )
        if not site(scenario).plan.connection.fits:
            break
        count += 1
    return count


@functools.cache
def drawn(cards: int, cap_w: int) -> float:
    """(cards x cap + two processors of 280 W) x 1.15. [W]"""
    return (cards * cap_w + 2 * 280) * 1.15


def case(number: int) -> Goal:
    """A goal at random."""
    chance = random.Random(number)
    aim = chance.choice([each for each in AIMS if each != "longest_context"])
    priced = aim == "lowest_price" or chance.random() < 0.4
    servers = chance.randint(1, 4)
    return Goal(
        scenario=Scenario(
            checkpoint=chance.choice(MODELS),
            circuit=chance.choice(CIRCUITS),
            feeds=chance.choice(["ab", "one"]),
            server_u=chance.choice([2, 4]),
        ),
        aim=aim,
        conversations=chance.choice([0, 1, 20, 60, 150, 400, 1500, 5000]),
        context_tokens=chance.choice(CONTEXTS),
        connections=chance.choice([0, 0, 1, 2]),
        budget=chance.choice([0, 40_000, 90_000, 200_000]) if priced else 0,
        price_per_card=9000 if priced else 0,
        price_per_server=15_000 if priced else 0,
        rack_u=chance.choice([0, 0, 4, 8, 12]),
        servers=servers,
        survive_failure=servers > 1 and chance.random() < 0.3,
        fixed=frozenset(chance.sample(["cards", "kv_dtype", "power_cap_w"], chance.choice([0, 0, 0, 1]))),
    )


def meets(goal: Goal, cards: int, servers: int, kv_dtype: str, cap_w: int) -> bool:
    """Whether one server, or several of them, does everything that is asked for."""
    scenario, context = goal.scenario, goal.context_tokens
    each = held(scenario.checkpoint, cards, kv_dtype, context, cap_w)
    longest = catalogue.checkpoint(scenario.checkpoint).architecture.max_context_tokens
    if longest is not None and context > longest:
        return False
    if each == 0 or servers * each < goal.conversations:
        return False
    if goal.survive_failure and (servers - 1) * each < max(1, goal.conversations):
        return False
    per = carried(cards, cap_w, scenario.circuit, scenario.feeds)
    if per == 0 or (goal.connections and math.ceil(servers / per) > goal.connections):
        return False
    if goal.budget and servers * (cards * goal.price_per_card + goal.price_per_server) > goal.budget:
        return False
    return not goal.rack_u or servers * scenario.server_u <= goal.rack_u


def worth(goal: Goal, cards: int, servers: int, kv_dtype: str, cap_w: int) -> float:
    """What the aim makes small."""
    return {
        "fewest_cards": float(cards * servers),
        "least_power": servers * drawn(cards, cap_w),
        "least_space": float(servers * goal.scenario.server_u),
        "lowest_price": servers * (cards * goal.price_per_card + goal.price_per_server),
        "most_conversations": -float(
            servers * held(goal.scenario.checkpoint, cards, kv_dtype, goal.context_tokens, cap_w)
        ),
    }[goal.aim]


def everything(goal: Goal) -> list[tuple[int, int, str, int]]:
    """Every server, number of servers, precision and cap that meets the goal."""
    fixed = goal.fixed
    return [
        (cards, servers, kv_dtype, cap_w)
        for cards in ((goal.scenario.cards,) if "cards" in fixed else range(1, 9))
        for servers in range(1, goal.servers + 1)
        for kv_dtype in ((goal.scenario.kv_dtype,) if "kv_dtype" in fixed else ("bf16", "fp8"))
        for cap_w in ((int(goal.scenario.power_cap_w),) if "power_cap_w" in fixed else CAPS)
        if meets(goal, cards, servers, kv_dtype, cap_w)
    ]


def as_tuple(answer: Proposal) -> tuple[int, int, str, int]:
    return answer.scenario.cards, answer.servers, answer.kv_dtype, int(answer.cap_w)


@pytest.mark.parametrize("block", range(10))
def test_three_hundred_goals_against_a_search_over_everything(block: int) -> None:
    for number in range(block * 30, block * 30 + 30):
        goal = case(number)
        good = everything(goal)
        found = seek(goal)
        assert bool(found.answers) == bool(good), number
        if not good:
            assert found.nearest is not None
            assert found.nearest.misses, number
            continue
        kinds = {one[:3] for one in good}
        assert len(found.answers) == min(3, len(kinds)), number
        assert len({as_tuple(answer)[:3] for answer in found.answers}) == len(found.answers), number
        for answer in found.answers:
            cards, servers, kv_dtype, cap_w = as_tuple(answer)
            assert (cards, servers, kv_dtype, cap_w) in good, number
            caps = [one[3] for one in good if one[:3] == (cards, servers, kv_dtype)]
            assert cap_w == (min(caps) if goal.aim == "least_power" else max(caps)), number
            assert answer.conversations == servers * held(
                goal.scenario.checkpoint, cards, kv_dtype, goal.context_tokens, cap_w
            )
            assert answer.server_w == pytest.approx(drawn(cards, cap_w)), number
        best = min(worth(goal, *one) for one in good)
        first = as_tuple(found.answers[0])
        assert worth(goal, *first) == pytest.approx(best), number
        level = [one for one in good if worth(goal, *one) == pytest.approx(best)]
        assert first[0] * first[1] == min(one[0] * one[1] for one in level), number
        # A second answer keeps something that the first gives up, wherever there is one that does.
        if len(found.answers) > 1:
            lost = {note.key for note in found.answers[0].gives_up}
            if kept := lost - {note.key for note in found.answers[1].gives_up}:
                assert kept
            else:
                assert not any(lost - losses(goal, one) for one in good), number


def losses(goal: Goal, one: tuple[int, int, str, int]) -> set[str]:
    """What a server gives up, worked out from its sizing."""
    cards, servers, kv_dtype, _ = one
    scenario = goal.scenario
    caps = [each[3] for each in everything(goal) if each[:3] == one[:3]]
    cap_w = min(caps) if goal.aim == "least_power" else max(caps)
    told = sizing.answer(scenario.replace(cards=cards, kv_dtype=kv_dtype, context_tokens=goal.context_tokens))
    sized, best = told.sizing, told.promise.layout
    per = carried(cards, cap_w, scenario.circuit, scenario.feeds)
    left = (servers - 1) * (told.conversations or 0)
    said = {
        "cap_lowered": cap_w < 600,
        "fp8_cache": kv_dtype == "fp8" and sized.architecture.declared_kv_dtype != "fp8",
        "no_spare_server": left < max(1, goal.conversations),
        "single_copy": best.copies * servers == 1,
        "tp_over_pcie": best.tp > 2,
        "pipeline": best.pp > 1,
        "more_connections": math.ceil(servers / per) > 1,
    }
    return {f"goal.gives_up.{key}" for key, true in said.items() if true}


def test_an_answer_says_what_fits_and_what_it_costs() -> None:
    """Four cards on 16 A: (4 x 500 + 560) x 1.15 = 2,944 W, which is 230 V x 16 A x 0.8 to the watt."""
    goal = Goal(conversations=30, servers=1, fixed=frozenset({"cards", "kv_dtype"}))
    answer = seek(goal).answers[0]
    assert (answer.cap_w, answer.kv_dtype, answer.conversations) == (500, "fp8", 30)
    assert answer.server_w == pytest.approx(2944)
    gains = " ".join(note.text for note in answer.gains)
    assert "16 A single-phase at 500 W" in gains
    assert " more" not in gains  # at 600 W two pairs hold 32, and 500 W keep 0.97 of their speed
    lost = " ".join(note.text for note in answer.gives_up)
    assert "FP8 cache" in lost
    assert "500 W instead of 600 W" in lost


def test_the_answers_scenario_is_the_answer() -> None:
    for answer in seek(Goal(conversations=150, survive_failure=True)).answers:
        told = sizing.answer(answer.scenario)
        assert (told.conversations or 0) * answer.servers == answer.conversations
        assert site(answer.scenario).plan.connection.fits
        assert answer.after_failure is not None
        assert answer.after_failure >= 150
        assert "Survives" in " ".join(note.text for note in answer.gains)


def test_no_answer_names_the_nearest_and_why() -> None:
    found = seek(Goal(conversations=10_000, servers=1))
    assert found.answers == ()
    assert found.nearest is not None
    assert "10,000 asked for" in found.nearest.misses[0].note.text
    huge = seek(Goal(scenario=Scenario(checkpoint="moonshotai/Kimi-K2-Instruct"), connection_binds=False))
    assert huge.nearest is not None
    assert [miss.key for miss in huge.nearest.misses] == ["memory"]
    assert huge.nearest.scenario.cards == 8
    long = seek(Goal(context_tokens=4_194_304))
    assert long.nearest is not None
    assert "context" in [miss.key for miss in long.nearest.misses]
    dear = seek(Goal(conversations=100, budget=1000, price_per_card=9000))
    assert dear.nearest is not None
    assert [miss.key for miss in dear.nearest.misses] == ["budget"]


def test_longest_context_against_every_stop() -> None:
    goal = Goal(aim="longest_context", conversations=40, servers=1, scenario=Scenario(circuit="eu-3ph-32a"))
    answer = seek(goal).answers[0]
    stops = [2**power for power in range(13, 18)]  # to 131,072, where this model's configuration ends
    fitting = [
        stop for stop in stops for cards in range(1, 9) for kv in ("bf16", "fp8") for cap_w in CAPS
        if carried(cards, cap_w, "eu-3ph-32a", goal.scenario.feeds)
        and held(goal.scenario.checkpoint, cards, kv, stop, cap_w) >= 40
    ]  # fmt: skip
    assert answer.context_tokens == max(fitting)
    assert (answer.conversations or 0) >= 40


def test_a_measured_server_speaks_for_others_by_its_share() -> None:
    """3,000 W at 4 x 600 W + 560 W is a rest of 1.35 %; two cards at 600 W then draw (1,200 + 560) x 1.0135 W."""
    goal = Goal(scenario=Scenario(measured_full_w=3000, circuit="eu-3ph-32a"), conversations=60, servers=1)
    found = seek(goal)
    assert [note.key for note in found.notes] == ["goal_measured_power"]
    answer = found.answers[0]
    assert answer.server_w == pytest.approx((answer.scenario.cards * answer.cap_w + 560) * 3000 / 2960)
    assert answer.scenario.measured_full_w == 0


def test_a_measured_cache_fixes_cards_and_precision() -> None:
    own = Scenario(memory_rule="measured", measured_kv_gib=60, cards=2)
    found = seek(Goal(scenario=own))
    assert {answer.scenario.cards for answer in found.answers} <= {2}
    assert [note.key for note in found.notes] == ["goal_measured_memory"]


def test_it_is_quick() -> None:
    seek(Goal(conversations=150))
    taken = []
    for _ in range(3):
        start = time.process_time()
        seek(Goal(conversations=150, survive_failure=True))
        taken.append(time.process_time() - start)
    assert min(taken) < 0.5


@pytest.mark.parametrize(
    ("changes", "input"),
    [
        ({"aim": "cheapest"}, "aim"),
        ({"fixed": frozenset({"circuit"})}, "fixed"),
        ({"budget": 1000}, "price_per_card"),
        ({"aim": "lowest_price"}, "price_per_card"),
        ({"survive_failure": True, "servers": 1}, "servers"),
        ({"servers": 0}, "servers"),
        ({"conversations": -1}, "conversations"),
        ({"context_tokens": -5}, "context_tokens"),
        ({"budget": math.nan, "price_per_card": 1}, "budget"),
    ],
)
def test_a_goal_that_cannot_be(changes: dict[str, Any], input: str) -> None:
    with pytest.raises(SizingError) as caught:
        Goal(**changes)
    assert caught.value.input == input
    assert caught.value.fix()


def test_a_model_that_cannot_be_sized_says_so() -> None:
    with pytest.raises(SizingError) as caught:
        seek(Goal(scenario=Scenario(checkpoint="nobody/nothing")))
    assert caught.value.input == "checkpoint"
