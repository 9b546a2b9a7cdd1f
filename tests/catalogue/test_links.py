"""Links: what was pasted, shortened or typed by hand is read right, or said to be left out."""

from __future__ import annotations

import importlib
import json

import pytest

import sizing
from sizing.catalogue import links
from sizing.catalogue.scenario import Scenario
from sizing.demand.side_by_side import Comparison
from sizing.serve.voila import PAGES
from sizing.sharing import Plan
from sizing.ui.page import LANGUAGE_PARAMETER

WANTED = Scenario(cards=2, context_tokens=32768)


@pytest.mark.parametrize(
    "query",
    [
        "v=1&n=2&ctx=32768",
        "?v=1&n=2&ctx=32768",
        "v=1&amp;n=2&amp;ctx=32768",
        "v=1&amp;amp;n=2&#38;ctx=32768",
        "v=1&#x26;n=2&ctx=32768",
        "v=1;n=2;ctx=32768",
        "v=1&amp%3Bn=2&ctx=32768",  # as a browser writes a name that began with "amp;"
        "n=2&n=2&ctx=32768",
        "v=1&n=2&ctx=32768&theme=dark&lang=en&utm_source=mail&svc=Qwen/Qwen3-8B~2&rig=l4~2&pv=1&cv=1&hosts=2&cur=EUR",
    ],
)
def test_it_is_read_right(query: str) -> None:
    assert Scenario.read_query(query) == (WANTED, ())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("v=99&n=2&ctx=32768", "The link is of version 99, and this workbook reads version 1."),
        ("v=&n=2&ctx=32768", "version"),
        ("n=4&ctx=32768&n=2", "names “n” more than once, with different values. The last one, “2”, counts."),
        ("n=2&ctx=32768&contxt=8192", "no page here knows: contxt."),
        ("n=2&ctx=32768&colour=red&shape=round", "no page here knows: colour, shape."),
        ("n=2&ctx=32768&N=4", "no page here knows: N."),
    ],
)
def test_what_cannot_be_used_is_named_and_the_rest_is_kept(query: str, said: str) -> None:
    scenario, dropped = Scenario.read_query(query)
    assert scenario == WANTED
    assert len(dropped) == 1
    assert said in str(dropped[0])
    with pytest.raises(sizing.SizingError):
        Scenario.from_query(query)


def test_a_name_near_to_a_known_one_is_helped() -> None:
    _, (error,) = Scenario.read_query("modell=Qwen/Qwen3-8B")
    assert "model" in error.fix().split(": ")[1]


def test_ten_thousand_unknown_names_make_one_sentence() -> None:
    _, dropped = Scenario.read_query("&".join(f"x{number}=1" for number in range(10_000)))
    (error,) = dropped
    assert len(str(error)) < 300


@pytest.mark.parametrize("read", [Plan.read_query, Comparison.read_query])
def test_lists_of_other_pages_are_read_the_same_way(read: object) -> None:
    assert callable(read)
    plain, dropped = read("v=1&hosts=2&cur=EUR&svc=Qwen/Qwen3-8B~2&svc=Qwen/Qwen3-32B&rig=l4~2&rig=l4~4")
    escaped, none = read("v=1&amp;hosts=2&amp;cur=EUR;svc=Qwen/Qwen3-8B~2;svc=Qwen/Qwen3-32B;rig=l4~2;rig=l4~4")
    assert plain == escaped
    assert not dropped
    assert not none


@pytest.mark.parametrize(
    ("read", "query"), [(Plan.read_query, "hosts=1&hosts=2"), (Comparison.read_query, "per=usable_gib&per=nominal_gb")]
)
def test_their_own_parts_named_twice_are_said_too(read: object, query: str) -> None:
    assert callable(read)
    _, (error,) = read(query)
    assert error.key == "link_twice"


def test_the_list_of_parameters_has_every_pages() -> None:
    for name in PAGES:
        module = importlib.import_module(f"sizing.ui.pages.{name}")
        assert set(getattr(module, "PARAMETERS", ())) <= set(links.FOREIGN), name
    assert LANGUAGE_PARAMETER in links.LOOK_PARAMETERS
    assert {spec.short for spec in Plan.INPUTS.values()} <= set(links.PLAN_PARAMETERS)
    assert {spec.short for spec in Comparison.INPUTS.values()} <= set(links.COMPARISON_PARAMETERS)


def test_no_parameter_of_another_page_is_one_of_an_input() -> None:
    from sizing.catalogue.inputs import inputs

    assert not {spec.short for spec in inputs().values()} & set(links.FOREIGN)


def test_the_page_says_what_follows() -> None:
    page = importlib.import_module("sizing.ui.pages.site").page("v=99&n=2")
    ((what, fix),) = page.messages.sentences
    assert "version 99" in what
    assert "default stands" not in fix
    assert page.scenario.cards == 2


def test_json_of_another_version_is_refused() -> None:
    with pytest.raises(sizing.SizingError, match="version 99"):
        Scenario.from_json(json.dumps({"scenario": "99", "cards": 2}))


@pytest.mark.parametrize("text", ["", "  ", "\u00a0"])
@pytest.mark.parametrize("name", ["cards", "power_cap_w", "checkpoint", "inlet_c"])
def test_an_emptied_field_is_called_empty(name: str, text: str) -> None:
    from sizing.catalogue.inputs import inputs

    with pytest.raises(sizing.SizingError, match="is empty") as caught:
        inputs()[name].parse(text)
    assert "“" not in str(caught.value)


@pytest.mark.parametrize("id", ["..", ".", "../..", "/", "a/../b"])
def test_a_model_id_that_is_a_path_is_refused(id: str) -> None:
    with pytest.raises(sizing.SizingError):
        sizing.size(Scenario(checkpoint=id))


@pytest.mark.parametrize("sockets", [4, 8])
def test_more_sockets_than_the_processor_takes_stop_every_page(sockets: int) -> None:
    # EPYC 9005 runs on boards of one or two sockets.
    scenario = Scenario(processors=sockets)
    from sizing.answers.siting import site
    from sizing.demand import suits
    from sizing.demand.side_by_side import compare
    from sizing.sharing.shared import shared

    for notes in (
        sizing.size(scenario).notes,
        site(scenario).notes,
        shared(Plan(scenario=scenario)).notes,
        suits.notes(compare(Comparison(scenario=scenario))),
    ):
        assert ("stop", "host_processor_sockets") in {(note.level, note.key) for note in notes}
