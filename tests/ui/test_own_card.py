"""A card of the visitor's own, typed beside the inputs of a page."""

from __future__ import annotations

import hashlib
import json

import pytest

from sizing import catalogue
from sizing.models import bring
from sizing.ui.pages.call import CallPage
from sizing.ui.pages.compare import ComparePage
from sizing.ui.pages.new_model import NewModelPage
from sizing.ui.pages.site import SitePage
from sizing.ui.pages.sizing import SizingPage

TYPED = {"name": "Big one", "memory_gb": "128", "memory_bandwidth_gb_s": "4,000", "power_default_w": "900"}


def typed(page: SizingPage, **texts: str) -> None:
    for name, text in texts.items():
        page.own_card.hear("edit", {name: text})


def test_it_becomes_the_card_once_it_is_whole() -> None:
    """128 GB: 0.9 x 119.2 GiB - 3 GiB are 104.28 GiB a card."""
    page = SizingPage("")
    for name, text in list(TYPED.items())[:-1]:
        typed(page, **{name: text})
        assert page.scenario.card == "rtx-pro-6000-server"
    assert page.own_card.values["power_default_w"]["also"]
    typed(page, power_default_w="900")
    assert page.state.sizing.usable_gib_per_card == pytest.approx(0.9 * 119.2 - 3)
    assert page.scenario.power_cap_w == 900
    assert "Big one (own)" in str(page.form.fields)
    assert "your own figure" in page.facts.html
    assert "own." in page.address.query


@pytest.mark.parametrize(
    ("language", "bandwidth", "unit"), [("en", "1,792.5", "1,792.5"), ("de", "1.792,5", "1792,5")], ids=["en", "de"]
)
def test_numbers_are_read_as_the_language_writes_them(language: str, bandwidth: str, unit: str) -> None:
    page = SizingPage("", language)
    typed(page, **{**TYPED, "memory_bandwidth_gb_s": bandwidth})
    assert page.state.sizing.card.memory_bandwidth_gb_s.value == 1792.5


WRONG = [
    ("memory_gb", "lots", "must be a number"),
    ("memory_gb", "20000", "between 1 and 10,000 GB"),
    ("power_default_w", "1", "between 10 and 10,000 W"),
    ("memory_bandwidth_gb_s", "-5", "between 10 and 100,000 GB/s"),
    ("compute_capability", "ninety", "compute capability"),
    ("slots", "2.5", "whole number"),
    ("power_min_w", "1000", ""),
]


@pytest.mark.parametrize(("name", "text", "said"), WRONG, ids=[f"{name} {text}" for name, text, _ in WRONG])
def test_what_was_typed_stays_beside_what_is_wrong_with_it(name: str, text: str, said: str) -> None:
    page = SizingPage("")
    typed(page, **TYPED)
    before = page.scenario
    typed(page, **{name: text})
    shown = page.own_card.values
    wrong = [each for each in shown if shown[each]["error"]]
    assert wrong, "nothing is said"
    assert said in shown[wrong[0]]["error"]
    assert shown[name]["text"] == text
    assert page.scenario == before
    typed(page, **{name: {**TYPED, "compute_capability": "9.0", "slots": "2", "power_min_w": "300"}[name]})
    assert not any(value["error"] for value in page.own_card.values.values())


def test_a_link_fills_the_fields() -> None:
    page = SizingPage("")
    typed(page, **TYPED)
    again = SitePage(page.query())
    assert again.own_card.values["memory_gb"]["text"] == "128"
    assert again.own_card.values["name"]["text"] == "Big one"
    assert catalogue.is_own(again.scenario.card)


CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 8192, "num_attention_heads": 32,
    "num_key_value_heads": 8, "num_hidden_layers": 2, "vocab_size": 32000, "torch_dtype": "bfloat16",
}  # fmt: skip


def test_a_model_that_was_brought_goes_along_to_other_pages() -> None:
    page = NewModelPage("")
    page._take(bring.from_text(json.dumps(CONFIG), weights="1.5", name="ours"))
    for other in (SizingPage(page.query()), SitePage(page.query()), NewModelPage(page.query())):
        assert other.state.sizing.checkpoint.id == "ours"
        assert other.state.answer.limits == page.state.answer.limits
        assert not other.state.dropped
    assert "as the link holds it" in NewModelPage(page.query()).live["answer"].html


def test_a_model_too_long_for_a_link_stays_out_of_it() -> None:
    noise = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(300)]  # nothing packs it
    page = NewModelPage("")
    page._take(bring.from_text(json.dumps({**CONFIG, "id2label": noise}), weights="1.5", name="ours"))
    assert page.state.sizing.checkpoint.id == "ours"
    assert len(page.query()) < 8000
    assert SizingPage(page.query()).state.dropped == ()


DAMAGED = [
    "card=own:{", "card=own.abc", 'card=own:{"name":"x"}', 'card=own:{"name":"x","memory_gb":1e999}', "model=own:{",
    'model=own:{"name":"x","config":{}}', "line=own:[]", "cpu=own:null", "draft=own:{&spec=2",
]  # fmt: skip


@pytest.mark.parametrize("part", DAMAGED)
@pytest.mark.parametrize("kind", [SizingPage, CallPage, ComparePage])
def test_a_damaged_one_in_a_link_is_said_and_the_rest_is_taken(kind: type[SizingPage], part: str) -> None:
    page = kind(f"v=1&n=2&{part}")
    assert page.scenario.cards == 2
    assert page.state.dropped
    assert not catalogue.is_own(page.scenario.card)
    assert not catalogue.is_own(page.scenario.checkpoint)


def test_another_card_leaves_what_was_typed() -> None:
    page = SizingPage("")
    typed(page, **TYPED)
    page.form.hear("edit", {"card": "h100-sxm"})
    assert page.scenario.card == "h100-sxm"
    assert page.own_card.values["name"]["text"] == "Big one"


def test_back_takes_it_away_again() -> None:
    page = SizingPage("")
    typed(page, **TYPED)
    page._step(False)
    assert page.scenario.card == "rtx-pro-6000-server"
    page._step(True)
    assert page.state.sizing.card.name == "Big one (own)"


def test_it_stands_where_a_card_is_asked_for() -> None:
    assert ComparePage("").own_card is None
    call = CallPage("")
    call.go("server")
    assert call.own_card.layout.display is None
    call.go("model")
    assert call.own_card.layout.display == "none"


def test_the_language_changes_with_the_page() -> None:
    page = SizingPage("")
    typed(page, **TYPED)
    page.speak("de")
    assert "4 × Big one (eigene Angabe)" in page.answer.html
    assert page.own_card.values["memory_bandwidth_gb_s"]["text"] == "4000"
    assert page.own_card.fields[0]["group_label"] == "Eigene Karte"
