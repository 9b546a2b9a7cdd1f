"""What may be promised: rules of the answer on the whole catalogue, and 40 scenarios against a search over layouts."""

from __future__ import annotations

import csv
import functools
from pathlib import Path

import pytest

import sizing
from sizing import catalogue
from sizing.answers import sentence
from sizing.answers.answer import Answer, answer
from sizing.catalogue.scenario import Scenario
from sizing.speed import operations, speed
from sizing.speed.measured import Gap

needs_operations = pytest.mark.skipif(not operations.installed(), reason="the extra 'speed' is not installed")
TABLE = Path(__file__).parent / "answers.csv"


@pytest.fixture
def limits_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speeds by the physical limit, which every model and card has at once."""
    monkeypatch.setattr(operations, "find", lambda *_, **__: Gap("card", {"card": "any"}))


def _known(found: Answer) -> list[int]:
    return [each for name in ("memory", "engine_runs", "speed") if (each := found.limits[name]) is not None]


@pytest.mark.usefixtures("limits_only")
@pytest.mark.parametrize("model", catalogue.checkpoint_ids())
def test_no_promise_exceeds_a_limit_and_no_refused_layout_is_recommended(model: str) -> None:
    for cards in (1, 2, 4, 8):
        for context in (8192, 32768, 131072):
            scenario = Scenario(checkpoint=model, cards=cards, context_tokens=context, kv_dtype="auto")
            try:
                found = answer(scenario)
            except sizing.SizingError:
                continue  # its weights are not known
            if found.layout is None:
                assert found.conversations == 0
                assert found.verdict == "does_not_fit"
                continue
            assert found.layout.fits
            assert found.sizing.starts(found.layout) is not False
            assert found.sizing.best is found.layout
            if _known(found):
                assert found.conversations == min(_known(found))
            assert {found.layout, *(each.layout for each in found.others)} == set(found.sizing.layouts)


def _by_search(scenario: Scenario) -> tuple[str, int, str]:
    """The rules of the answer, written out once more: every layout with its limits, then the choice."""
    sized = sizing.size(scenario)
    curves = {each.layout: each for each in speed(sized).curves}
    rows = []
    end = sized.checkpoint.config.get("max_position_embeddings")
    if end is not None and scenario.context_tokens > end:
        return "none", 0, ""
    for layout in sized.layouts:
        verdict, curve = sized.verdict_of(layout), curves.get(layout)
        if not layout.fits or (verdict is not None and (not verdict.starts or verdict.runs == 0)):
            continue
        limits = {"memory": layout.conversations, "engine": verdict and verdict.runs, "speed": curve and curve.holds}
        known = {name: value for name, value in limits.items() if value is not None}
        by = min(known, key=lambda name: known[name])
        rows.append((layout, known[by], by, curve))
    if not rows:
        return "none", 0, ""
    rows = [row for row in rows if row[0].pp <= 2] or rows
    rows = [row for row in rows if row[3] is not None and row[3].label != "limit"] or rows
    most = max(row[1] for row in rows)
    if most == 0:
        row = max(rows, key=lambda row: (row[3].one.each_tokens_s, row[0].copies))
    else:
        near = [row for row in rows if row[1] >= 0.9 * most]
        copies = max(row[0].copies for row in near)
        row = max((row for row in near if row[0].copies == copies), key=lambda row: (row[1], -row[0].pp))
    return f"{row[0].copies}x{row[0].tp}x{row[0].pp}", row[1], row[2]


@functools.cache
def _table() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_operations
@pytest.mark.parametrize("row", _table(), ids=lambda row: row["query"])
def test_forty_scenarios_by_a_search_over_their_layouts(row: dict[str, str]) -> None:
    scenario = Scenario.from_query(row["query"])
    wanted = row["layout"], int(row["conversations"]), row["limited_by"]
    assert _by_search(scenario) == wanted, "the table is that of the search"
    found = answer(scenario)
    layout = found.layout
    name = f"{layout.copies}x{layout.tp}x{layout.pp}" if layout else "none"
    assert (name, found.conversations, found.limited_by if layout else "") == wanted


@needs_operations
def test_the_contracts_example() -> None:
    found = answer(Scenario())
    assert found.layout is not None
    assert found.layout.name == (2, 2, 1)  # pairs: the fast all-reduce, and a lost card takes half
    assert (found.limits["memory"], found.limits["speed"]) == (156, 32)
    assert (found.conversations, found.limited_by) == (32, "speed")
    (one_copy,) = [each for each in found.others if each.layout.name == (1, 4, 1)]
    assert one_copy.limits["memory"] == 211
    assert "memory holds 211" in one_copy.gains
    assert "a lost card stops it" in one_copy.loses
    assert found.verdict == "enough"
    assert answer(Scenario(wanted_conversations=33)).verdict == "not_enough"
    assert answer(Scenario(staff=0)).verdict == "not_known"


@needs_operations
def test_the_sentence_is_short_and_says_number_layout_and_limit() -> None:
    found = answer(Scenario())
    assert sentence.promise(found, "en") == (
        "32 conversations of 8,192 tokens may be promised, as 2 copies over 2 cards each (TP=2): "
        "speed sets the limit, at least 20 tokens/s each."
    )
    assert sentence.trade_off(found, "en").startswith("Memory alone would hold 211, as one copy over all 4 cards")
    assert "32 Gespräche mit je 8.192 Token lassen sich zusagen" in sentence.promise(found, "de")


@needs_operations
@pytest.mark.parametrize(
    ("change", "told"),
    [
        # The release wants a block of state for each of 1,024 sequences: fewer sequences start.
        (
            {"checkpoint": "Qwen/Qwen3.5-27B", "cards": 1, "context_tokens": 32768, "memory_rule": "engine"},
            "max_num_seqs",
        ),
        ({"checkpoint": "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"}, "cards"),
        ({"checkpoint": "meta-llama/Llama-3.3-70B-Instruct", "cards": 1}, "checkpoint"),
        ({"wanted_conversations": 200}, "servers_offered"),
    ],
)
def test_what_cures_it_was_tried(change: dict[str, object], told: str) -> None:
    found = answer(Scenario(**change))  # type: ignore[arg-type]
    assert found.verdict in ("does_not_fit", "not_enough")
    assert 1 <= len(found.cures) <= 3
    assert found.cures[0].name == told
    for cure in found.cures:
        again = answer(found.scenario.replace(**{cure.name: cure.value}))
        assert again.verdict == "enough"
        assert again.layout is not None
        assert again.layout.pp <= 2


def test_eight_cards_and_not_a_pipeline_of_five_take_maverick() -> None:
    found = answer(Scenario(checkpoint="meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"))
    assert [each.value for each in found.cures if each.name == "cards"] == [8]  # doc-de: eight cards


def test_an_engine_without_rules_is_not_judged_by_anothers() -> None:
    found = answer(Scenario(checkpoint="nvidia/GLM-5.1-NVFP4", cards=8, kv_dtype="bf16", engine="trtllm"))
    assert found.limits["engine_prints"] is None
    assert not [note for note in found.notes if note.key == "engine_refuses"]
    assert "engine_not_known" in {note.key for note in found.notes}


def test_the_same_scenario_has_the_same_answer() -> None:
    one, two = (answer(Scenario(checkpoint="openai/gpt-oss-120b", cards=8)) for _ in range(2))
    assert (one.layout, one.conversations, one.why, dict(one.limits)) == (
        two.layout,
        two.conversations,
        two.why,
        dict(two.limits),
    )
