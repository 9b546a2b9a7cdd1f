"""Hardware and models of the user's own: they stand wherever an id of the catalogue does, and say whose they are."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

import sizing
from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue import owned

BIG = {"name": "Big one", "memory_gb": 128, "memory_bandwidth_gb_s": 4000, "power_default_w": 900}
CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 8192, "num_attention_heads": 32,
    "num_key_value_heads": 8, "num_hidden_layers": 2, "vocab_size": 32000, "max_position_embeddings": 65536,
    "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip


def test_a_card_of_ones_own_is_sized_by_its_own_figures() -> None:
    """128 GB are 119.21 GiB, 119.2 as reported; 0.9 of it less 3 GiB are 104.28 a card; four cards at 900 W 3,600 W."""
    sized = sizing.size(sizing.Scenario(card=catalogue.own("card", BIG), cards=4))
    assert sized.usable_gib_per_card == pytest.approx(0.9 * 119.2 - 3)
    assert sized.cards_w == 3600
    assert sized.card.memory_gb.source == "own"
    assert sized.card.name == "Big one (own)"


def test_it_has_an_answer_with_the_limit_of_its_bandwidth() -> None:
    answer = sizing.answer(sizing.Scenario(card=catalogue.own("card", BIG), cards=4))
    assert answer.fits
    assert answer.at_most  # nothing was measured on it
    assert answer.limits["engine_runs"] is None  # no compute capability was said


def test_with_a_compute_capability_the_engines_rules_cover_it() -> None:
    """As on an H100: the engine asks for memory and capability, not for a name."""
    like = catalogue.card("h100-sxm")
    assert like.memory_mib
    same = {"memory_gb": 80, "memory_mib": like.memory_mib.value}
    mine = catalogue.own("card", BIG, **same, compute_capability="9.0")
    asked = sizing.Scenario(card=mine, cards=4)
    found = [sizing.size(each) for each in (asked, asked.replace(card="h100-sxm"))]
    runs = [[verdict.runs for verdict in each.verdicts] for each in found]
    assert runs[0] == runs[1] != []


def test_slot_and_link_are_said_in_a_word_each() -> None:
    mine = catalogue.card(catalogue.own("card", BIG, pcie_generation=5, pcie_lanes=8, nvlink_gb_s=900))
    assert (mine.pcie_generation, mine.pcie_lanes) == (5, 8)
    assert mine.link is not None
    assert mine.link.gb_s is not None
    assert (mine.link.kind, mine.link.gb_s.value, mine.link.gb_s.source) == ("nvlink", 900, "own")


def test_what_is_not_said_of_a_card_is_not_known() -> None:
    bare = catalogue.card(catalogue.own("card", BIG))
    assert (bare.pcie, bare.slots, bare.link, bare.compute_capability, bare.power_min_w) == (
        None,
        None,
        None,
        None,
        None,
    )
    assert not bare.board


def test_a_circuit_of_ones_own_carries_by_its_own_rating() -> None:
    """230 V x 25 A x 0.8 planned continuously are 4,600 W: the four-card server's 3,404 W fit, on 16 A they do not."""
    mine = catalogue.own("circuit", name="25 A", region="EU", volts=230, phases=1, amps=25)
    sized = sizing.size(sizing.Scenario(cards=4, circuit=mine))
    assert sized.circuit.planned_w == pytest.approx(4600)
    assert sized.circuit.fits
    assert not sizing.size(sizing.Scenario(cards=4)).circuit.fits


def test_a_processor_of_ones_own_draws_its_own_rating() -> None:
    mine = catalogue.own("processor", name="Ninety-six", cores=96, tdp_w=500)
    sized = sizing.size(sizing.Scenario(cards=4, processor=mine, processors=2))
    assert sized.rated_w == 4 * 600 + 2 * 500


@pytest.mark.parametrize("brought", ["checkpoint", "dict", "architecture"])
def test_a_model_of_ones_own_goes_wherever_an_id_does(brought: str) -> None:
    """Two layers of 8 heads of 128: 2 x 2 x 8 x 128 x 1 byte in FP8 are 4,096 bytes a token, 32 MiB for 8,192."""
    model: Any = {"checkpoint": sizing.model(CONFIG, weights_gb=1.5, name="ours"), "dict": CONFIG}.get(brought)
    scenario = sizing.Scenario(checkpoint=model or sizing.read_config(CONFIG), cards=1)
    sized = sizing.size(scenario)
    assert sized.kv_gib_per_conversation == 32 / 1024
    assert sizing.answer(scenario).fits
    assert sized.scenario.checkpoint == scenario.checkpoint
    assert sizing.size(sizing.Scenario.from_query(scenario.to_query())) == sized


def test_a_model_keeps_its_name_size_and_source() -> None:
    scenario = sizing.Scenario(checkpoint=sizing.model(CONFIG, weights_gb=1.5, name="org/ours"))
    model = sizing.size(scenario).checkpoint
    assert (model.id, model.name, model.weight_bytes.value, model.weight_bytes.source) == (  # type: ignore[union-attr]
        "org/ours", "ours", 1_500_000_000, "own",
    )  # fmt: skip


def test_a_checkpoint_of_the_catalogue_keeps_its_id() -> None:
    assert sizing.Scenario(checkpoint=sizing.model("openai/gpt-oss-120b")).checkpoint == "openai/gpt-oss-120b"
    assert sizing.Scenario(card=catalogue.card("h100-sxm")).card == "h100-sxm"  # type: ignore[arg-type]


def test_a_changed_checkpoint_of_the_catalogue_is_ones_own() -> None:
    entry = sizing.model("openai/gpt-oss-120b")
    lighter = entry.replace(weight_bytes=entry.weight_bytes.replace(value=50_000_000_000))  # type: ignore[union-attr]
    sized = sizing.size(sizing.Scenario(checkpoint=lighter))
    assert sized.weights_gib == pytest.approx(50e9 / 2**30)


def test_all_of_it_travels_in_links_and_files() -> None:
    scenario = sizing.Scenario(
        card=catalogue.own("card", BIG),
        circuit=catalogue.own("circuit", name="25 A; ~&=%", region="EU", volts=230, phases=1, amps=25),
        processor=catalogue.own("processor", name="Zürich", cores=96, tdp_w=500),
        checkpoint=CONFIG,
    )
    assert sizing.Scenario.from_query(scenario.to_query()) == scenario
    assert sizing.Scenario.from_json(scenario.to_json()) == scenario
    assert scenario.power_cap_w == 900  # the cap that nobody set is the card's own
    assert hash(scenario) == hash(scenario.replace(cards=scenario.cards))


def test_a_config_with_infinity_in_it_travels_too() -> None:
    """As published configs of state-space models have it: "time_step_limit": [0.0, Infinity]."""
    config = {**CONFIG, "time_step_limit": [0.0, float("inf")]}
    model = sizing.model(CONFIG, weights_gb=1.5, name="ours").replace(config=config)
    scenario = sizing.Scenario(checkpoint=model)
    assert sizing.Scenario.from_query(scenario.to_query()) == scenario
    assert catalogue.checkpoint(scenario.checkpoint).config["time_step_limit"][1] == float("inf")


def test_the_scenario_of_a_result_holds_the_model_that_stood_in() -> None:
    model = sizing.model(CONFIG, weights_gb=1.5, name="ours")
    sized = sizing.size(sizing.Scenario(cards=1), checkpoint=model)
    assert catalogue.is_own(sized.scenario.checkpoint)
    again = sizing.size(sizing.Scenario.from_json(sized.scenario.to_json()))
    assert (again.layouts, again.weights_gib) == (sized.layouts, sized.weights_gib)
    entry = sizing.model("openai/gpt-oss-120b")
    assert sizing.size(sizing.Scenario(), checkpoint=entry).scenario.checkpoint == entry.id


def test_a_table_takes_them_beside_the_catalogues() -> None:
    mine = catalogue.own("card", BIG)
    found = sizing.sweep(checkpoints=["openai/gpt-oss-120b", CONFIG], cards=["h100-sxm", mine], card_counts=[2])
    assert list(found["card"].unique()) == ["h100-sxm", "Big one (own)"]
    both = sizing.sweep(checkpoints=["openai/gpt-oss-120b"], cards=[mine], card_counts=[2], rule="engine", answer=True)
    assert both.loc[0, "server_w"] > 1800


WRONG = {
    "missing": ({"name": "x"}, "memory_gb"),
    "negative": ({**BIG, "memory_gb": -1}, "memory_gb"),
    "ten times too much": ({**BIG, "memory_gb": 128_000}, "memory_gb"),
    "no bandwidth": ({**BIG, "memory_bandwidth_gb_s": 0}, "memory_bandwidth_gb_s"),
    "watts": ({**BIG, "power_default_w": 5}, "power_default_w"),
    "misspelt": ({**BIG, "memory_bandwith_gb_s": 1}, "memory_bandwith_gb_s"),
    "unknown": ({**BIG, "colour": "green"}, "colour"),
    "text": ({**BIG, "memory_gb": "128"}, "memory_gb"),
    "order": ({**BIG, "power_max_w": 300}, "power_default_w"),
    "no name": ({**BIG, "name": ""}, "name"),
    "long name": ({**BIG, "name": "x" * 101}, "name"),
    "not a number": ({**BIG, "memory_gb": float("nan")}, "memory_gb"),
    "endless": ({**BIG, "power_default_w": float("inf")}, "power_default_w"),
    "flag": ({**BIG, "memory_gb": True}, "memory_gb"),
    "unit": ({**BIG, "memory_gb": {"value": 128, "unit": "GiB"}}, "memory_gb"),
}


@pytest.mark.parametrize(("record", "field"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_field(record: dict[str, Any], field: str) -> None:
    with pytest.raises(SizingError) as raised:
        catalogue.own("card", record)
    assert raised.value.input == "card"
    assert field in str(raised.value)
    assert raised.value.say("de") != str(raised.value)


@pytest.mark.parametrize("record", [{**BIG, "memory_gb": {1, 2}}, {**BIG, "x": b""}])
def test_what_is_no_record_is_said(record: dict[str, Any]) -> None:
    with pytest.raises(SizingError, match="cannot be read as a record"):
        catalogue.own("card", record)


def test_a_kind_that_nobody_can_bring_is_said() -> None:
    with pytest.raises(SizingError, match="card, circuit"):
        catalogue.own("cooler", BIG)


BOMB = base64.urlsafe_b64encode(zlib.compress(b" " * 50_000_000, 9)).decode().rstrip("=")
DAMAGED = [
    "own:", "own:{", "own:[]", "own:null", 'own:{"memory_gb":NaN}', 'own:{"memory_gb":1e999}', "own:" + "[" * 100_000,
    "own.", "own.!!!", "own.abcd", "own." + BOMB, "own:{}", 'own:{"name":{"a":1}}', "own." + "é",
]  # fmt: skip


@pytest.mark.parametrize("id", DAMAGED, ids=range(len(DAMAGED)))
@pytest.mark.parametrize("name", ["card", "checkpoint", "circuit", "processor", "draft_model"])
def test_a_damaged_link_is_a_sentence(name: str, id: str) -> None:
    with pytest.raises(SizingError):
        sizing.size(sizing.Scenario(**{name: id, **({"speculative_tokens": 2} if name == "draft_model" else {})}))


def test_a_link_holds_it_compressed() -> None:
    id = catalogue.own("checkpoint", name="ours", config=CONFIG)
    tight = owned.packed(id)
    assert owned.unpacked(tight) == id
    assert len(tight) < len(id)
    assert json.loads(id.removeprefix("own:"))["config"] == CONFIG


def test_it_is_shown_as_ones_own() -> None:
    mine = catalogue.own("card", BIG)
    assert catalogue.called("card", mine) == "Big one (own)"
    assert catalogue.titled("card", mine, "de") == "Big one (eigene Angabe)"
    assert "(own)" in repr(catalogue.card(mine))


def test_services_of_a_shared_server_carry_one_as_well() -> None:
    from sizing.sharing.plan import Plan

    plan = Plan(scenario=sizing.Scenario(cards=2))
    first = plan.services[0].replace(checkpoint=CONFIG)
    changed = plan.replace(services=(first,))
    assert Plan.from_query(changed.to_query()) == changed
