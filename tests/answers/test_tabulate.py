"""Records as tables."""

from __future__ import annotations

import pytest

import sizing
from sizing import catalogue
from sizing.base.errors import SizingError

FOUR = sizing.Scenario(cards=4, context_tokens=8192, kv_dtype="fp8")


@pytest.mark.parametrize("name", ["cards", "checkpoints", "circuits", "processors"])
def test_the_catalogues_lists_have_a_row_an_id(name: str) -> None:
    ids = getattr(catalogue, f"{name.removesuffix('s')}_ids")()
    assert list(sizing.frame(name).index) == list(ids)


def test_a_figure_has_its_source_beside_it() -> None:
    row = sizing.frame("cards").loc["rtx-pro-6000-server"]
    assert (row["memory_mib"], row["memory_mib_source"]) == (97887, "doc-de")
    assert row["memory_bandwidth_gb_s"] == 1597


def test_prices_are_those_of_every_card() -> None:
    found = sizing.frame("prices")
    assert set(found["card"]) <= set(catalogue.card_ids())
    assert {"value", "currency", "date", "source"} <= set(found.columns)


def test_layouts_of_a_sizing_are_a_table() -> None:
    """The German document: 48 on four copies, 211 on one copy over four cards."""
    found = sizing.frame(sizing.size(FOUR).layouts)
    assert found[found.copies == 4]["conversations"].tolist() == [48]
    assert 211 in found[found.copies == 1]["conversations"].tolist()


def test_notes_and_steps_are_tables() -> None:
    sized = sizing.size(FOUR)
    assert sizing.frame(sized.notes)["text"].tolist() == [note.text for note in sized.notes]
    assert sizing.frame(sized.working)["result"].tolist() == [step.result for step in sized.working]


def test_points_of_a_curve_name_their_units() -> None:
    best = sizing.answer(FOUR).speed.best
    assert best is not None
    assert {"each_tokens_s", "total_tokens_s", "ttft_ms"} <= set(sizing.frame(best.points).columns)


@pytest.mark.parametrize("bad", ["coolers", 3, [3], [sizing.Scenario]])
def test_what_is_no_list_is_said(bad: object) -> None:
    with pytest.raises(SizingError):
        sizing.frame(bad)  # type: ignore[arg-type]
