"""Scenario: bad values are refused in words, and a scenario survives JSON and a link."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import sizing
from sizing.catalogue import card_ids, checkpoint_ids, circuit_ids, processor_ids
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario

IDS = {
    "checkpoints": checkpoint_ids,
    "drafts": checkpoint_ids,
    "cards": card_ids,
    "circuits": circuit_ids,
    "processors": processor_ids,
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("cards", 0, "between 1 and 8"),
        ("cards", 9, "between 1 and 8"),
        ("cards", "four", "must be a number"),
        ("cards", 2.5, "whole number"),
        ("cards", True, "must be a number"),
        ("cards", None, "must be a number"),
        ("context_tokens", -1, "between 1 and"),
        ("context_tokens", math.nan, "must be a number"),
        ("context_tokens", math.inf, "must be a number"),
        ("context_tokens", 10**400, "between 1 and"),
        ("power_cap_w", 5, "between 50 and"),
        ("kv_dtype", "int3", "Choose one of"),
        ("kv_dtype", 8, "must be a name"),
        ("checkpoint", "", "is empty"),
        ("checkpoint", 7, "must be a name"),
        ("processors", 3, "Choose one of: 1, 2, 4, 8"),
        ("processors", 9, "between 1 and 8"),
        ("memory_rule", "guess", "Choose one of"),
        ("rest_share", -0.1, "between 0 and"),
    ],
)
def test_a_bad_value_is_refused_in_words(name: str, value: Any, said: str) -> None:
    with pytest.raises(sizing.SizingError) as caught:
        Scenario(**{name: value})
    assert caught.value.input == name
    assert said in str(caught.value)


def test_an_unknown_input_is_refused_by_name() -> None:
    with pytest.raises(sizing.SizingError, match="no input named “colour”"):
        Scenario().replace(colour="red")


@pytest.mark.parametrize(
    ("name", "value", "near"),
    [
        ("checkpoint", "nvidia/Llama-3.3-70B-Instruct-FP9", "nvidia/Llama-3.3-70B-Instruct-FP8"),
        ("card", "rtx-pro-6000-sever", "rtx-pro-6000-server"),
        ("circuit", "eu-1ph-17a", "eu-1ph-16a"),
        ("processor", "epyc-9356", "epyc-9355"),
    ],
)
def test_an_unknown_id_names_the_nearest(name: str, value: str, near: str) -> None:
    with pytest.raises(sizing.SizingError) as caught:
        sizing.size(Scenario(**{name: value}))
    assert caught.value.input == name
    assert near in str(caught.value)


def random_scenario(dice: random.Random) -> Scenario:
    """Every input somewhere within its bounds."""
    values: dict[str, Any] = {}
    for name, spec in inputs().items():
        if spec.kind == "choice":
            values[name] = dice.choice(spec.choices)
        elif spec.kind == "id":
            values[name] = dice.choice(IDS[spec.catalogue]())
        else:
            assert spec.min is not None
            assert spec.max is not None
            drawn = dice.choice(spec.stops) if spec.only_stops else dice.uniform(spec.min, spec.max)
            values[name] = int(drawn) if spec.kind == "integer" else drawn
    return Scenario(**values)


def test_a_thousand_scenarios_survive_link_and_json() -> None:
    dice = random.Random(20261130)
    for _ in range(1000):
        scenario = random_scenario(dice)
        assert Scenario.from_query(scenario.to_query()) == scenario
        assert Scenario.from_json(scenario.to_json()) == scenario


def test_a_link_is_short_and_readable() -> None:
    assert Scenario().to_query() == "v=1"
    link = Scenario(checkpoint="openai/gpt-oss-120b", cards=2, power_cap_w=450).to_query()
    assert link == "v=1&model=openai/gpt-oss-120b&n=2&cap=450"


def test_a_damaged_link_says_which_part_was_dropped() -> None:
    scenario, dropped = Scenario.read_query("?v=1&n=lots&ctx=32768&theme=dark&kv=fp9")
    assert scenario == Scenario(context_tokens=32768)
    assert [error.input for error in dropped] == ["cards", "kv_dtype"]
    with pytest.raises(sizing.SizingError, match="lots"):
        Scenario.from_query("n=lots")


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000])
def test_a_file_that_is_no_scenario_is_refused(text: str) -> None:
    with pytest.raises(sizing.SizingError, match="saved scenario"):
        Scenario.from_json(text)


def test_json_with_an_unknown_input_is_refused() -> None:
    with pytest.raises(sizing.SizingError, match="colour"):
        Scenario.from_json(json.dumps({"colour": "red"}))
