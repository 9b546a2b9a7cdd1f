"""A power cap that nobody set is that of whichever card is chosen, on every page and in every file."""

from __future__ import annotations

import json

import pytest

import sizing
from sizing import catalogue
from sizing.answers import speed_notes
from sizing.answers.siting import site
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand import suits
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.sharing import Plan
from sizing.sharing.shared import shared
from sizing.speed import speed
from sizing.ui.pages.sizing import page as sizing_page
from sizing.ui.state import State

# As the makers print them: L4, H200 NVL and RTX PRO 6000 Max-Q data sheets, MI300X data sheet.
PRINTED_W = {"rtx-pro-6000-server": 600, "l4": 72, "h200-nvl": 600, "rtx-pro-6000-max-q": 300, "mi300x": 750}


@pytest.mark.parametrize(("card", "default_w"), PRINTED_W.items())
def test_an_untouched_cap_is_the_cards(card: str, default_w: float) -> None:
    sized = sizing.size(Scenario(card=card, cards=2, processors=1))
    assert sized.scenario.power_cap_w == default_w
    processor_w = sized.processor.tdp_w.value
    assert sized.rated_w == 2 * default_w + processor_w
    assert not {"cap_below_minimum", "cap_above_maximum"} & {note.key for note in sized.notes}
    assert site(sized.scenario, sizing=sized).plan.cap_w == default_w


def test_every_cards_default_is_a_cap_that_the_input_takes() -> None:
    for id in catalogue.card_ids():
        assert Scenario(card=id).power_cap_w == catalogue.card(id).power_default_w.value


def test_the_cap_follows_the_card_until_somebody_sets_it() -> None:
    first = Scenario()
    assert first.power_cap_w == inputs()["power_cap_w"].default == 600
    assert first.replace(card="l4").power_cap_w == 72
    assert first.replace(card="l4").replace(card="rtx-pro-6000-server") == first
    assert first.replace(power_cap_w=450).replace(card="h100-sxm").power_cap_w == 450
    # 600 W typed on a card with another default is a wish like any other.
    wish = Scenario(card="h100-sxm", power_cap_w=600)
    assert wish.power_cap_w == 600
    assert wish.to_query() == "v=1&card=h100-sxm&cap=600"


@pytest.mark.parametrize("scenario", [Scenario(card="l4"), Scenario(card="b200", power_cap_w=600)], ids=str)
def test_link_and_json_keep_the_cap(scenario: Scenario) -> None:
    assert Scenario.from_query(scenario.to_query()) == scenario
    assert Scenario.from_json(scenario.to_json()) == scenario


def test_a_file_that_does_not_name_the_cap_takes_the_cards() -> None:
    assert Scenario.from_json(json.dumps({"card": "l4"})).power_cap_w == 72
    assert Scenario(card="l4").to_query() == "v=1&card=l4"


def test_an_unknown_card_is_still_refused_as_such() -> None:
    with pytest.raises(sizing.SizingError, match="l44"):
        sizing.size(Scenario(card="l44"))


def test_a_note_names_the_cards_default_where_it_is_not_the_first_cards() -> None:
    assert (
        "72 W" in next(note for note in sizing.size(Scenario(card="l4")).notes if note.key == "cap_is_the_cards").text
    )
    assert "cap_is_the_cards" not in {note.key for note in sizing.size(Scenario(card="h200-nvl")).notes}


def test_the_form_shows_it_unchanged_and_resets_to_it() -> None:
    page = sizing_page("v=1&card=l4")
    assert (page.form.values["power_cap_w"]["text"], page.form.values["power_cap_w"]["changed"]) == ("72", "")
    page.form.hear("edit", {"card": "h100-sxm", "power_cap_w": "600"})
    assert "700" in page.form.values["power_cap_w"]["changed"]
    page.form.hear("reset", "power_cap_w")
    assert page.scenario.power_cap_w == 700
    page.form.hear("reset", None)
    assert page.scenario == Scenario()


def test_choosing_another_card_moves_the_cap_and_no_other_choice() -> None:
    state = State("v=1&n=2")
    state.edit({"card": "rtx-pro-6000-max-q"})
    assert (state.scenario.power_cap_w, state.scenario.cards) == (300, 2)
    assert not state.errors


@pytest.mark.parametrize("card", ["rtx-pro-6000-server", "rtx-pro-6000-max-q"])
def test_a_cap_out_of_range_stops_every_page(card: str) -> None:
    # Server Edition: 300 to 600 W; Max-Q: 250 to 325 W.
    scenario = Scenario(card=card, power_cap_w=200)
    for notes in (
        sizing.size(scenario).notes,
        site(scenario).notes,
        speed_notes.notes(speed(sizing.size(scenario))),
        shared(Plan(scenario=scenario)).notes,
    ):
        assert ("stop", "cap_below_minimum") in {(note.level, note.key) for note in notes}


def test_a_platforms_cap_out_of_range_is_a_stop_that_names_the_platform() -> None:
    found = compare(Comparison(platforms=(Platform(), Platform(card="l4", power_cap_w=100))))
    (note,) = [note for note in suits.notes(found) if note.key == "compare.note.of_platform"]
    assert note.level == "stop"
    assert note.text.startswith("B: ")
    assert "maximum is 72 W" in note.text


def test_studies_of_caps_speak_of_the_cards_that_were_capped() -> None:
    # All published caps are of RTX PRO 6000 cards with 600 W; an L40S at its own 350 W is not one of them held back.
    assert speed(sizing.size(Scenario(card="rtx-pro-6000-server", power_cap_w=450))).cap_effects
    for card in ("l40s", "h100-nvl", "rtx-pro-6000-max-q"):
        found = speed(sizing.size(Scenario(card=card)))
        assert not found.cap_effects
        assert "speed_note.capped" not in {note.key for note in speed_notes.notes(found)}
    assert not speed(sizing.size(Scenario(card="b200"))).shown_cap_effects
