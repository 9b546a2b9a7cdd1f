"""The scenario under a visitor's hands, without a browser."""

from __future__ import annotations

import importlib

import pytest

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.ui.state import State


def test_starts_at_the_defaults() -> None:
    state = State()
    assert state.scenario == Scenario()
    assert not state.errors
    assert not state.dropped


def test_an_edit_moves_the_scenario_and_tells_the_listeners() -> None:
    state, heard = State(), []
    state.listen(lambda: heard.append(state.scenario.context_tokens))
    state.edit({"context_tokens": "32K"})
    assert heard == [32768]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cards", "0", "between 1 and 8"),
        ("cards", "9", "between 1 and 8"),
        ("cards", "four", "must be a number"),
        ("context_tokens", "-5", "between 1 and"),
        ("context_tokens", "NaN", "must be a number"),
        ("power_cap_w", "5", "between 50 and"),
        ("checkpoint", "nobody/nothing", "nobody/nothing"),
    ],
)
def test_bad_input_is_said_and_kept_and_the_rest_stands(name: str, text: str, said: str) -> None:
    state = State()
    before = state.sizing
    state.edit({name: text})
    assert said in str(state.errors[name])
    assert state.pending[name] == text
    assert state.sizing.scenario == before.scenario


def test_other_inputs_work_while_one_is_wrong() -> None:
    state = State()
    state.edit({"cards": "four"})
    state.edit({"context_tokens": "4096"})
    assert state.scenario.context_tokens == 4096
    assert state.pending == {"cards": "four"}
    state.edit({"cards": "2"})
    assert state.scenario.cards == 2
    assert not state.errors


def test_a_pair_that_does_not_go_together_waits_for_its_partner() -> None:
    state = State()
    state.edit({"checkpoint": "deepseek-ai/DeepSeek-V3"})
    state.edit({"kv_dtype": "nvfp4"})
    assert "NVFP4" in str(state.errors["kv_dtype"])
    assert state.scenario.kv_dtype == "fp8"
    state.edit({"checkpoint": "Qwen/Qwen3-32B"})
    assert state.scenario.kv_dtype == "nvfp4"
    assert not state.errors


def test_reset_of_one_and_of_all() -> None:
    state = State("n=8&ctx=32768")
    state.edit({"power_cap_w": "hot"})
    state.reset("cards")
    assert (state.scenario.cards, state.scenario.context_tokens) == (4, 32768)
    assert state.pending == {"power_cap_w": "hot"}
    state.reset()
    assert state.scenario == Scenario()
    assert not state.pending


def test_reset_of_all_on_a_page_leaves_what_other_pages_set() -> None:
    state = State("n=8&ctx=32768&pue=1.2&cap=450")
    state.edit({"pue": "no such share", "cards": "many"})
    state.reset(among=("cards", "context_tokens"))
    assert state.scenario == Scenario(pue=1.2, power_cap_w=450)
    assert state.pending == {"pue": "no such share"}


@pytest.mark.parametrize(("page", "own", "other"), [("evidence", "suite=all", "n=8"), ("sizing", "n=8", "pue=1.2")])
def test_a_page_resets_only_its_own_inputs(page: str, own: str, other: str) -> None:
    shown = importlib.import_module(f"sizing.ui.pages.{page}").page(f"v=1&{own}&{other}")
    shown.form.hear("reset", None)
    assert shown.address.query == f"v=1&{other}"


def test_a_link_with_a_broken_part_keeps_the_rest_and_says_so() -> None:
    state = State("v=1&n=lots&ctx=32768")
    assert state.scenario == Scenario(context_tokens=32768)
    assert [error.input for error in state.dropped] == ["cards"]


def test_a_link_to_an_unknown_model_keeps_the_rest_and_says_so() -> None:
    state = State("v=1&model=nobody/nothing&ctx=32768")
    assert state.scenario == Scenario(context_tokens=32768)
    assert "nobody/nothing" in str(state.dropped[0])


def test_german_numbers() -> None:
    state = State(language="de")
    state.edit({"context_tokens": "32.768", "memory_rule": "custom", "memory_share": "0,85"})
    assert (state.scenario.context_tokens, state.scenario.memory_share) == (32768, 0.85)
    state.reset()
    assert state.scenario == Scenario()


def test_an_input_that_does_not_exist_is_refused() -> None:
    with pytest.raises(sizing.SizingError, match="colour"):
        State().edit({"colour": "red"})


def test_a_price_in_another_currency_is_refused_until_that_one_is_chosen() -> None:
    state = State()
    state.edit({"price_per_card": "$9,000"})
    assert "USD" in str(state.errors["price_per_card"])
    assert state.pending == {"price_per_card": "$9,000"}
    state.edit({"offer_currency": "USD"})
    assert (state.scenario.price_per_card, state.scenario.offer_currency) == (9_000, "USD")
    assert not state.errors
