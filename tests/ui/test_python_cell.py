"""The cell of Python on each page makes the answer that the page shows."""

from __future__ import annotations

from typing import Any

import pytest

from sizing import catalogue
from sizing.models import bring
from sizing.ui.pages.call import CallPage
from sizing.ui.pages.compare import ComparePage
from sizing.ui.pages.evidence import EvidencePage
from sizing.ui.pages.index import IndexPage
from sizing.ui.pages.new_model import NewModelPage
from sizing.ui.pages.shared_server import SharedServerPage
from sizing.ui.pages.site import SitePage
from sizing.ui.pages.sizing import SizingPage
from sizing.ui.pages.speed import SpeedPage

QUERY = "v=1&n=8&ctx=32768&kv=bf16"
CONFIG = (
    '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 8192, "num_attention_heads": 32,'
    ' "vocab_size": 32000, "num_key_value_heads": 8, "num_hidden_layers": 2, "torch_dtype": "bfloat16"}'
)


def run(cell: str) -> Any:
    """What a cell shows: the value of its last line."""
    *before, last = cell.splitlines()
    held: dict[str, Any] = {}
    exec("\n".join(before), held)
    return eval(last, held)


@pytest.mark.parametrize("kind", [SizingPage, CallPage, NewModelPage])
def test_an_answer_is_the_pages(kind: type[SizingPage]) -> None:
    page = kind(QUERY)
    found = run(page.cell.text)
    assert (found.conversations, found.limits, found.layout) == (
        page.state.answer.conversations, page.state.answer.limits, page.state.answer.layout,
    )  # fmt: skip
    assert found.scenario == page.scenario


def test_it_follows_the_inputs() -> None:
    page = SizingPage("")
    assert "sizing.Scenario()" in page.cell.text
    page.form.hear("edit", {"cards": "2"})
    assert "sizing.Scenario(cards=2)" in page.cell.text
    assert run(page.cell.text).sizing.scenario.cards == 2


def test_site_and_speed_show_theirs() -> None:
    site = SitePage(QUERY)
    assert run(site.cell.text).draw.server_w == site.state.sizing.site.draw.server_w
    best = SpeedPage(QUERY).state.answer.speed.best
    assert best is not None
    assert run(SpeedPage(QUERY).cell.text).holds == best.holds


def test_lists_are_worked_out_alike() -> None:
    compared = ComparePage("v=1&n=2")
    assert run(compared.cell.text).comparison == compared.listed.listing
    shared = SharedServerPage("v=1&n=8")
    assert run(shared.cell.text).plan == shared.listed.listing


def test_a_model_and_a_card_of_ones_own_come_along() -> None:
    mine = catalogue.own("card", name='Big\'s "one"', memory_gb=128, memory_bandwidth_gb_s=4000, power_default_w=900)
    page = NewModelPage("")
    page._take(bring.from_text(CONFIG, weights="1.5", name="ours"))
    page.form.hear("edit", {"card": mine})
    found = run(page.cell.text)
    assert found.sizing.checkpoint.id == "ours"
    assert found.sizing.card.memory_gb.value == 128
    assert found.limits["memory"] == page.state.answer.limits["memory"]


def test_a_page_that_answers_nothing_has_none() -> None:
    assert IndexPage("").cell is None
    assert EvidencePage("").cell is None


def test_the_title_is_the_pages_language() -> None:
    assert SizingPage("", "de").cell.title == "Dieselbe Antwort in Python"
