"""A context beyond the model's end: every page that sizes conversations says that the engine does not start."""

from __future__ import annotations

import re

import pytest

import sizing
from sizing.answers import speed_notes
from sizing.catalogue.scenario import Scenario
from sizing.demand import suits
from sizing.demand.side_by_side import Comparison, compare
from sizing.sharing import Plan
from sizing.sharing.shared import shared
from sizing.speed import speed
from sizing.ui.reports import compare_report, speed_report

ASKED = 200_000
LONGEST = 131_072  # max_position_embeddings of Llama 3.3 70B
SCENARIO = Scenario(context_tokens=ASKED, cards=4)


@pytest.mark.parametrize("page", ["sizing", "speed", "compare"])
def test_it_is_a_stop_with_both_figures(page: str) -> None:
    sized = sizing.size(SCENARIO)
    notes = {
        "sizing": lambda: sized.notes,
        "speed": lambda: speed_notes.notes(speed(sized)),
        "compare": lambda: suits.notes(compare(Comparison(scenario=SCENARIO))),
    }[page]()
    (note,) = [note for note in notes if note.key == "context_beyond_model"]
    assert note.level == "stop"
    assert f"{LONGEST:,}" in note.text
    assert f"{ASKED:,}" in note.text


def test_a_service_beyond_its_model_is_a_stop_too() -> None:
    plan = Plan()
    longer = plan.with_entry(0, plan.services[0].replace(context_tokens=16_777_216))
    assert "sharing.note.context_beyond_model" in {note.key for note in shared(longer).notes}


@pytest.mark.parametrize("language", ["en"])
def test_no_headline_promises_conversations(language: str) -> None:
    found, side = sizing.answer(SCENARIO), compare(Comparison(scenario=SCENARIO))
    for made in (
        speed_report.answer(found, language, stale=False),
        compare_report.answer(side, language, stale=False),
    ):
        headline = re.search(r'sizing-answer sizing-no">([^<]*)<', str(made))
        assert headline is not None
        assert f"{LONGEST:,}" in headline[1]


def test_within_the_models_end_there_is_none() -> None:
    within = SCENARIO.replace(context_tokens=LONGEST)
    assert "context_beyond_model" not in {note.key for note in sizing.answer(within).notes}
