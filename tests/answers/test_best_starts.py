"""The answer is a layout that the engine starts, where its rules cover card and model and it starts one at all."""

from __future__ import annotations

import pytest

import sizing
from sizing import catalogue
from sizing.answers import speed_notes
from sizing.answers.answer import answer
from sizing.answers.sentence import promise
from sizing.catalogue.scenario import Scenario
from sizing.demand.goal import Goal
from sizing.demand.search import seek
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.speed import speed

# Four L4 by the planning rule: a quarter of the weights leaves room for 7 conversations, over TP and over PP alike. But
# the engine holds the buffers of its widest layers whole on each card of a TP group, and nothing is left there.
TIGHT = Scenario(checkpoint="google/gemma-4-31B-it", card="l4", cards=4, kv_dtype="auto")


@pytest.fixture(scope="module")
def tight() -> sizing.Sizing:
    return sizing.size(TIGHT)


def test_the_refused_layout_gives_way_to_one_that_starts(tight: sizing.Sizing) -> None:
    assert (tight.planned.tp, tight.planned.pp) == (4, 1)
    assert (tight.best.tp, tight.best.pp) == (1, 4)
    assert (tight.starts(tight.planned), tight.starts(tight.best)) == (False, True)
    # By the rule itself nothing changes: it is still the layout with the most.
    assert tight.planned.conversations == max(each.conversations or 0 for each in tight.layouts)


def test_a_note_names_the_other_its_figure_and_the_reason(tight: sizing.Sizing) -> None:
    (note,) = [note for note in tight.notes if note.key == "engine_starts_another"]
    assert note.level == "warn"
    for said in ("TP=4 would hold 7", "Nothing is left for the cache", "the answer is PP=4"):
        assert said in note.text
    assert "engine_refuses" not in {each.key for each in tight.notes}


def test_headline_speed_comparison_and_goal_name_it(tight: sizing.Sizing) -> None:
    assert "PP=4" in promise(answer(TIGHT), "en")
    found = speed(tight, measured=False)
    assert found.best is not None
    assert (found.best.layout.tp, found.best.layout.pp) == (1, 4)
    assert "engine_starts_another" in {note.key for note in speed_notes.notes(found)}
    side = compare(Comparison(scenario=TIGHT, platforms=(Platform(card="l4", cards=4),)))
    assert side.platforms[0].sizing.best.pp == 4
    goal = Goal(
        conversations=1,
        scenario=TIGHT.replace(floor_tokens_s=1),
        servers=1,
        fixed=frozenset({"cards", "kv_dtype", "power_cap_w"}),
    )
    assert [answer.layout.pp for answer in seek(goal).answers] == [4]


def test_where_none_starts_the_planned_one_stays_and_is_a_stop() -> None:
    # The release is given so little of the card that no layout of any kind has room for a cache.
    none = sizing.size(TIGHT.replace(utilization=0.3))
    assert not any(none.starts(layout) for layout in none.layouts)
    assert none.best is none.planned
    assert "engine_refuses" in {note.key for note in none.notes if note.level == "stop"}
    assert "engine_refuses" in {note.key for note in speed_notes.notes(speed(none, measured=False))}


def test_a_card_that_the_engines_rules_do_not_cover_keeps_the_planned_one() -> None:
    other = sizing.size(Scenario(card="mi300x", cards=2))
    assert other.starts(other.best) is None
    assert other.best is other.planned


@pytest.mark.parametrize("card", ["l4", "l40s", "h100-sxm", "rtx-pro-6000-server"])
def test_no_answer_of_the_catalogue_is_refused_while_another_starts(card: str) -> None:
    for model in catalogue.checkpoint_ids():
        try:
            sized = sizing.size(Scenario(checkpoint=model, card=card, cards=4, kv_dtype="auto"))
        except sizing.SizingError:
            continue  # its weights are not known
        open_to = [layout for layout in sized.layouts if layout.fits and sized.starts(layout)]
        if open_to:
            assert sized.best in open_to
            assert sized.best.conversations == (
                None if sized.best.conversations is None else max(each.conversations or 0 for each in open_to)
            )
        else:
            assert sized.best is sized.planned
