"""A scenario in parts: the same values flat and by part, old links and files, and what type checkers are told."""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import inspect
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import sizing
from sizing.catalogue import parts
from sizing.catalogue.inputs import PARTS, every_input, inputs
from sizing.catalogue.parts import ResultFilters
from sizing.catalogue.scenario import Scenario
from tests.catalogue.test_scenario import random_scenario

ROOT = Path(__file__).parents[2]

# Names in a link and in a file, as links of 30 November 2026 were written. A name is never taken for another meaning.
NAMES = """
model=checkpoint ctx=context_tokens kv=kv_dtype card=card n=cards cap=power_cap_w cpu=processor cpus=processors
line=circuit rule=memory_rule share=memory_share reserve=memory_reserve_gib rest=rest_share plan=planning_share
rise=air_rise_c feeds=feeds phases=outlet_groups servers=servers_connected psus=supplies psuw=supply_w
psueff=supply_efficiency cord=cord inlet=inlet_c alt=altitude_m bank=bank_a banks=banks limit=site_limit_kw
feeda=feed_a_kw feedb=feed_b_kw rackkw=rack_feed_kw racku=rack_u u=server_u ru=reserved_u hfull=hours_full
htyp=hours_typical hoff=hours_off pue=pue kwh=price_per_kwh nvme=drive_tb versions=versions_held
mfull=measured_full_w mtyp=measured_typical_w midle=measured_idle_w pf=power_factor engine=engine
prompt=prompt_tokens answer=answer_tokens floor=floor_tokens_s wait=waiting_clients suite=result_suite
of=result_model on=result_card case=result_scenario ver=engine_version util=utilization seqs=max_num_seqs
batch=max_num_batched_tokens prefix=prefix_caching spec=speculative_tokens draft=draft_model dcp=dcp
adp=attention_dp kvgib=measured_kv_gib work=workload staff=staff active=active_share rph=requests_per_hour
secs=seconds_per_request pct=peak_percentile peak=measured_peak ma=short_share map=short_prompt_tokens
maa=short_answer_tokens mb=document_share mbp=document_prompt_tokens mba=document_answer_tokens mc=agent_share
mcp=agent_prompt_tokens mca=agent_answer_tokens nsrv=servers_offered seek=goal_aim want=wanted_conversations
wantctx=wanted_context_tokens binds=connection_binds lines=connections freeu=free_rack_u maxsrv=most_servers
spare=survive_failure keep=kept budget=budget eachcard=price_per_card eachsrv=price_per_server
money=offer_currency vm=virtual_machines
"""
WRITTEN = dict(pair.split("=") for pair in NAMES.split())


def another(name: str) -> Any:
    """A value of an input that is not its default."""
    spec = every_input()[name]
    if spec.kind == "id":
        return {"checkpoint": "Qwen/Qwen3-8B", "card": "l4", "draft_model": "Qwen/Qwen3-8B"}.get(name, "another")
    allowed = spec.choices or spec.stops
    return next(value for value in allowed if value != spec.default)


def holding(name: str) -> type[Scenario] | type[ResultFilters]:
    return Scenario if name in inputs() else ResultFilters


def test_no_name_of_an_old_link_is_lost() -> None:
    assert {spec.short: name for name, spec in every_input().items() if name in WRITTEN.values()} == WRITTEN


@pytest.mark.parametrize(("short", "name"), WRITTEN.items())
def test_an_old_link_opens(short: str, name: str) -> None:
    opened, dropped = holding(name).read_link(f"v=1&{short}={another(name)}")
    assert not dropped
    assert getattr(opened, name) == another(name)
    assert name in opened.changed()
    scenario, dropped_of_scenario = Scenario.read_query(f"v=1&{short}={another(name)}")
    assert not dropped_of_scenario  # also on a page that has no such input
    assert scenario == (opened if name in inputs() else Scenario())


def test_an_old_file_opens() -> None:
    values = {name: another(name) for name in WRITTEN.values()}
    opened = Scenario.from_json(json.dumps({"scenario": "1", **values}))
    # What came after it stands at its default.
    assert opened.as_dict() == {name: values.get(name, spec.default) for name, spec in inputs().items()}


@pytest.mark.parametrize("seed", range(20))
def test_flat_and_by_part_are_the_same(seed: int) -> None:
    scenario = random_scenario(random.Random(seed))
    assert list(scenario.as_dict()) == list(inputs())
    for name, spec in inputs().items():
        assert getattr(scenario, name) == getattr(getattr(scenario, spec.part), name) == scenario.as_dict()[name]
        assert scenario.default_of(name) == getattr(scenario, spec.part).default_of(name)
    assert sorted(scenario.changed()) == sorted(name for part in PARTS for name in getattr(scenario, part).changed())
    assert eval(repr(scenario)) == scenario == Scenario(**scenario.as_dict())
    for same in (copy.copy(scenario), copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario))):
        assert same == scenario
        assert hash(same) == hash(scenario)


@pytest.mark.parametrize("name", list(inputs()))
def test_a_change_of_one_leaves_the_rest(name: str) -> None:
    first, spec = Scenario(power_cap_w=450), inputs()[name]
    second = first.replace(**{name: another(name)})
    assert second != first
    assert {each for each in inputs() if getattr(first, each) != getattr(second, each)} == {name}
    for part in PARTS:
        assert (getattr(second, part) is getattr(first, part)) == (part != spec.part)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(second, name, another(name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(getattr(second, spec.part), name, another(name))


def test_each_value_is_checked_once_and_defaults_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    check = type(inputs()["cards"]).check

    def counted(spec: Any, value: Any) -> Any:
        checked.append(spec.name)
        return check(spec, value)

    monkeypatch.setattr(type(inputs()["cards"]), "check", counted)
    scenario = Scenario(cards=2, pue=1.2)
    assert checked == ["cards", "pue"]
    scenario.replace(context_tokens=4096)
    assert checked == ["cards", "pue", "context_tokens"]


def test_only_what_is_not_at_its_default_is_shown() -> None:
    assert repr(Scenario(card="l4", cards=2)) == "Scenario(card='l4', cards=2)"  # the cap is the card's own
    assert repr(Scenario(card="l4").server) == "ServerPart(card='l4')"
    assert repr(Scenario().site) == "SitePart()"


def test_an_editor_sees_every_name() -> None:
    seen = inspect.signature(Scenario).parameters
    assert list(seen) == list(inputs())
    assert seen["cards"].annotation == "int"
    assert seen["power_cap_w"].default == 600
    assert set(inputs()) <= set(dir(Scenario()))


def test_a_pages_own_input_is_none_of_a_scenario() -> None:
    with pytest.raises(sizing.SizingError, match="result_suite"):
        Scenario(result_suite="all")


def test_type_checkers_are_told_what_the_table_holds() -> None:
    spec = importlib.util.spec_from_file_location("write_parts", ROOT / "scripts" / "write_parts.py")
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert Path(parts.__file__).with_suffix(".pyi").read_text(encoding="utf-8") == writer.stub(), "run make inputs"
