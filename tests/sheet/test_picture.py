"""Charts in a notebook: the pages' for a result, and a table's."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pandas as pd
import plotly.graph_objects as go
import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.sheet import picture

FOUR = sizing.Scenario(cards=4, context_tokens=8192, kv_dtype="fp8")
NAMES = [*picture.OF_SIZING, *picture.OF_SPEED]


@pytest.fixture(scope="module")
def answer() -> sizing.Answer:
    return sizing.answer(FOUR)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return sizing.sweep(
        checkpoints=["nvidia/Llama-3.3-70B-Instruct-FP8"],
        cards=["rtx-pro-6000-server"],
        card_counts=[1, 2, 4],
        context_tokens=[8192, 32768],
        kv_dtypes=["fp8"],
    )


def words(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_plotlys_and_svg(answer: sizing.Answer, name: str, language: str) -> None:
    shown = answer.plot(name, language)._repr_mimebundle_()
    assert set(shown) == {picture.PLOTLY, "image/svg+xml", "text/plain"}
    assert ElementTree.fromstring(shown["image/svg+xml"]).tag.endswith("svg")
    assert len(shown["image/svg+xml"]) < 40_000  # a stored notebook stays small
    assert not re.search(r"var\(--|<b>|<br>", shown["image/svg+xml"])
    assert "var(--" not in json.dumps(shown[picture.PLOTLY])


def test_the_documents_figures_stand_in_the_chart(answer: sizing.Answer) -> None:
    """48, 156 and 211 conversations of the three layouts of the German document."""
    assert {"48", "156", "211"} <= set(words(answer.plot("layouts").svg))


def test_a_model_with_windows_has_its_map() -> None:
    gemma = sizing.size(FOUR.replace(checkpoint="google/gemma-3-27b-it"))
    assert len(words(gemma.plot("model_map").svg)) > 3


def test_plotlys_figure_is_of_the_same_marks(answer: sizing.Answer) -> None:
    drawn = answer.plot("memory")
    assert len(go.Figure(drawn.data).data) == len(drawn.data["data"])


def test_a_table_as_a_map_of_cells(table: pd.DataFrame) -> None:
    """The document's 48 of one card and 211 of four at 8,192 tokens; a quarter of them at four times the length."""
    drawn = sizing.plot(table, "heatmap", rows="cards", columns="context_tokens", enough=50)
    assert {"12", "cards = 4", "8K", "32K"} <= set(words(drawn.svg))
    chosen = [trace for trace in drawn.data["data"] if trace["marker"]["color"] == "#0a5fb4"]
    held = [int(name["name"]) for name in drawn.data["data"] if name["name"] != "–"]
    assert len(chosen) == sum(count >= 50 for count in held)
    assert "cards = 1: 8K 12" in drawn.alt


def test_a_table_as_lines_and_bars(table: pd.DataFrame) -> None:
    drawn = sizing.plot(table, "lines", x="context_tokens", y="conversations", by="cards")
    assert [len(trace["x"]) for trace in drawn.data["data"]] == [2, 2, 2]
    rows = sizing.plot(
        table[table["context_tokens"] == 8192].astype({"cards": str}), "bars", names="cards", values="conversations"
    )
    assert "211" in words(rows.svg)


def test_rows_without_a_figure_are_drawn_as_none() -> None:
    found = sizing.sweep(checkpoints=["openai/gpt-oss-120b"], cards=["l4"], card_counts=[1], context_tokens=[8192])
    assert "–" in words(sizing.plot(found, rows="cards", columns="context_tokens").svg)


@pytest.mark.parametrize(
    "bad",
    [{"name": "pie"}, {"rows": "colour", "columns": "cards"}, {"rows": "cards", "columns": "cards", "values": "x"}],
)
def test_what_there_is_not_is_said(table: pd.DataFrame, bad: dict[str, str]) -> None:
    with pytest.raises(SizingError):
        sizing.plot(table, **bad)


def test_a_chart_that_there_is_not_is_said(answer: sizing.Answer) -> None:
    with pytest.raises(SizingError, match="layouts, context"):
        answer.plot("pie")
    with pytest.raises(SizingError, match="no chart of a int"):
        sizing.plot(3)  # type: ignore[arg-type]
    with pytest.raises(SizingError, match="no rows"):
        sizing.plot(pd.DataFrame({"a": [], "b": [], "c": []}), rows="a", columns="b", values="c")
