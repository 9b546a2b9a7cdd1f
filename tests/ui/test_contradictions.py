"""What the workbook once said against the documents, against reality or against another of its pages: C1 to C20."""

from __future__ import annotations

import html
import re

import pytest

from sizing import catalogue
from sizing.answers import sentence
from sizing.answers.answer import answer
from sizing.answers.siting import site
from sizing.base.texts import LANGUAGES, say
from sizing.base.texts import catalogue as words
from sizing.catalogue.scenario import Scenario
from sizing.demand import cost, suits
from sizing.demand.call import call
from sizing.demand.goal import Goal
from sizing.demand.search import seek
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.sharing.plan import starts
from sizing.sheet import bill
from sizing.sheet.request import Request
from sizing.speed import operations
from sizing.ui.pages.compare import ComparePage
from sizing.ui.pages.sizing import SizingPage
from sizing.ui.pages.speed import SpeedPage
from sizing.ui.reports import sizing_report

needs_operations = pytest.mark.skipif(not operations.installed(), reason="the extra 'speed' is not installed")
MAVERICK = "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"


GREEDY = ("deepseek-ai/DeepSeek-V4-Flash-0731", "openai/gpt-oss-120b", "google/gemma-3-27b-it")
"""Models whose memory holds several times what an engine runs."""


def _text(markup: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup)))


@pytest.mark.parametrize("model", GREEDY)
def test_c1_no_headline_beyond_what_the_engine_runs(model: str) -> None:
    found = answer(Scenario(checkpoint=model, kv_dtype="auto"), measured=False)
    runs = found.limits["engine_runs"]
    assert found.conversations is not None
    assert runs is not None
    assert found.conversations <= runs
    assert f"{found.conversations:,} conversations" in sentence.promise(found, "en")


@pytest.mark.parametrize("card", catalogue.card_ids())
def test_c2_a_licence_is_impossible_only_where_the_list_was_read_and_says_so(card: str) -> None:
    asked = Request(answer(Scenario(card=card), measured=False), virtual_machines=True)
    said = " ".join(line.what for line in bill.lines(asked) if line.key.startswith("licence"))
    listed = catalogue.card(card).vgpu
    assert "No licence" not in said
    assert ("not looked up" in said) is (listed is None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_c3_what_memory_allows_is_not_called_a_promise(language: str) -> None:
    told = words(language)["note.three_counts"]
    assert {"en": "Promise none of them before speed", "de": "Sagen Sie keine der Zahlen zu"}[language] in told


@needs_operations
def test_c4_speed_is_a_condition_of_verdict_and_search() -> None:
    asked = Scenario(wanted_conversations=200)  # memory holds 211 in one copy; 32 keep 20 tokens/s
    found = call(answer(asked))
    assert found.enough is False
    offered = seek(Goal(scenario=asked, conversations=200, connection_binds=False, servers=16)).answers
    for each in offered:
        again = answer(each.scenario.replace(servers_offered=each.servers))
        assert again.promised is None or again.promised >= 200


@needs_operations
def test_c5_one_layout_for_one_scenario() -> None:
    layout = answer(Scenario()).layout
    assert SizingPage("").state.sizing.best == layout
    found = SpeedPage("").state.answer.speed
    assert found.best is not None
    assert found.best.layout == layout
    assert compare(Comparison(platforms=(Platform(),))).platforms[0].sizing.best == layout


def test_c6_prices_of_another_kind_are_not_compared() -> None:
    # A used A100 at 10,000 USD was set against a new card's price: 125 against 167 USD a GB.
    new = {card.id for card, _ in cost.gigabytes("USD", "new")}
    used = {card.id for card, _ in cost.gigabytes("USD", "used")}
    assert "rtx-pro-6000-server" in new
    for kind, ids in (("new", new), ("used", used)):
        for id in ids:
            assert any(price.kind == kind for price in catalogue.prices(id))


@pytest.mark.parametrize("start", starts(), ids=lambda start: start.name)
def test_c7_a_start_of_a_call_is_green(start: object) -> None:
    found = answer(start.scenario)  # type: ignore[attr-defined]
    assert found.verdict in (("not_known",) if found.scenario.workload == "several" else ("enough",))
    assert not found.site.stops
    assert not [note.key for note in found.notes if note.level == "stop"]


def test_c8_a_cap_at_just_the_limit_is_no_way_out() -> None:
    # (4 x 500 + 560) x 1.15 = 2,944 W of 2,944 W planned; the 450 W mode: 2,714 W.
    keys = [note.key for note in answer(Scenario(), measured=False).notes_at_hand]
    assert "cap_fits_circuit" not in keys
    assert keys.index("mode_fits_circuit") < keys.index("cap_without_margin")


@pytest.mark.parametrize("inlet_c", [25, 35, 45])
def test_c9_no_chassis_fits_whose_inlet_limit_is_not_known(inlet_c: int) -> None:
    fitting = [each for each in site(Scenario(inlet_c=inlet_c)).plan.chassis if each.verdict == "fits"]
    for each in fitting:
        assert each.server.inlet_max_c is not None
        assert each.server.inlet_max_c >= inlet_c


@pytest.mark.parametrize("language", LANGUAGES)
def test_c11_cards_without_a_link_are_not_called_linked(language: str) -> None:
    (note,) = [note for note in answer(Scenario(), measured=False).notes_at_hand if note.key.startswith("tp_")]
    assert note.key == "tp_without_all_reduce"
    assert "NVLink" in note.say(language).split(".")[0]
    joined = Scenario(card="h200-nvl", cards=8, checkpoint=MAVERICK)
    assert "tp_without_all_reduce" not in {note.key for note in answer(joined, measured=False).notes_at_hand}


def test_c12_measurements_of_other_machines_are_called_so() -> None:
    told = words("en")["ui.site.second.estimate"]
    assert told.index("Three other GPU servers") > 0
    assert "such a server" not in told


def test_c13_the_documents_table_has_its_own_figures_and_caption() -> None:
    shown = _text(sizing_report._documents("en"))
    # 5 GiB a conversation: (83.04 - 67.7 / 4) x 4 / 5 = 52, two pairs 2 x 19, four copies 4 x 3.
    assert re.search(r"Llama 3\.3 70B[^,]*, FP8 12 38 52", shown)
    assert "16-bit cache unless stated otherwise" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_c14_the_start_page_does_not_claim_the_engines_own_figures(language: str) -> None:
    assert {"en": "planning rule", "de": "Planungsregel"}[language] in say("index.sentence", language)


def test_c15_a_cure_is_one_that_can_be_bought() -> None:
    found = answer(Scenario(checkpoint=MAVERICK))
    assert [cure.value for cure in found.cures if cure.name == "cards"] == [8]


def test_c16_a_schuko_outlet_carries_no_lasting_load() -> None:
    for id in catalogue.circuit_ids():
        assert "Schuko" not in str(catalogue.circuit(id).connector)


@pytest.mark.parametrize("cards", [2, 4, 8])
def test_c17_memory_is_ordered_once(cards: int) -> None:
    asked = Request(answer(Scenario(cards=cards), measured=False))
    ordered = [line for line in bill.lines(asked) if line.key.startswith("memory") and line.quantity]
    assert len(ordered) == 1


def test_c18_anothers_experience_is_not_told_of_a_card() -> None:
    # 600 W, two side by side, Workstation Edition.
    for card in ("rtx-pro-6000-server", "h200-nvl"):
        for judged in site(Scenario(card=card)).plan.chassis:
            assert "active_side_by_side" not in {note.key for note in judged.notes}


def test_c19_the_mode_is_switched_on_workstation_editions_only() -> None:
    told = words("en")["sharing.note.mig_driver_mode"]
    assert told.index("Workstation editions must first be switched") > 0
    assert "the Server Edition comes in it" in told


@needs_operations
def test_c20_two_of_four_are_the_safer_split_and_said_at_the_top() -> None:
    page = ComparePage("")
    page.rows.hear("ask", {"kind": "preset", "name": "failure"})
    top = _text(page.answer.html)
    assert "If a whole server may be lost, B is the safer choice" in top
    assert "while A keeps nothing" in top
    assert {"compare.note.survives", "compare.note.stops_with_server"} <= {
        note.key for note in suits.notes(page.listed.found)
    }
