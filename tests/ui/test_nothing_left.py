"""What is missing is said in words: no negative memory, no cache precision of a model without a cache."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.sharing.plan import Plan
from sizing.sharing.shared import shared
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import Request

TOO_LARGE = "v=1&model=moonshotai/Kimi-K2-Instruct&n=1"  # 958.5 GiB of weights on a card of 95.6
NO_CACHE = "v=1&model=BAAI/bge-m3&n=1"


def words(page: Any) -> str:
    """Everything a page says."""
    found: list[str] = []
    stack: list[Any] = [page]
    while stack:
        part = stack.pop()
        found += [str(getattr(part, "html", "")), str(getattr(part, "alt", ""))]
        stack += list(getattr(part, "children", ()))
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", " ".join(found)))


@pytest.mark.parametrize("name", ["sizing", "new_model"])
def test_memory_that_is_missing_is_no_negative_figure(name: str) -> None:
    page = importlib.import_module(f"sizing.ui.pages.{name}").page(TOO_LARGE)
    # The working may count below zero; what is said of it may not.
    said = words(page.live["engine_cases"]).split("Show the working")[0] if name == "new_model" else words(page)
    assert not re.search(r"[-−]\d[\d,.]* GiB", said)
    assert "GiB missing" in said
    assert "Nothing is left for the cache: " in said


def test_the_refusal_says_how_much_is_missing() -> None:
    # The engine's own budget leaves less than nothing: the sentence names the amount without a sign.
    sized = sizing.size(Scenario(checkpoint="google/gemma-4-31B-it", card="l4", cards=4, kv_dtype="auto"))
    verdict = sized.verdict_of(sized.planned)
    assert verdict is not None
    assert verdict.available_gib < 0
    assert f"{-verdict.available_gib:.2f} GiB are missing" in verdict.startup.reason


@pytest.mark.parametrize("name", ["sizing", "speed", "new_model", "compare"])
def test_a_model_without_a_cache_has_no_precision_of_one(name: str) -> None:
    page = importlib.import_module(f"sizing.ui.pages.{name}").page(NO_CACHE)
    answer = page.live["answer"] if name == "new_model" else page.answer
    assert "no cache" in answer.html
    assert "FP8 cache" not in answer.html


def test_its_engine_row_counts_no_tokens() -> None:
    page = importlib.import_module("sizing.ui.pages.sizing").page(NO_CACHE)
    assert "0.00x" not in page.engine.html
    assert "the model keeps no cache" in page.engine.html
    assert "FP8" not in page.table.html


def test_nor_has_its_sheet() -> None:
    content = ModelContent(Request(sizing.answer(Scenario(checkpoint="BAAI/bge-m3", cards=1))))
    assert "no cache" in content.subject


def test_a_reason_names_its_service() -> None:
    plan = Plan.from_query("v=1&pv=1&n=1&svc=BAAI/bge-m3&svc=moonshotai/Kimi-K2-Instruct")
    stops = [note.text for note in shared(plan).notes if note.level == "stop"]
    assert len(stops) == 2
    assert all(text.startswith("B") for text in stops)
    assert "958.5 GiB" in stops[1]
