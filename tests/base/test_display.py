"""What a value shows of itself at a prompt and in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import sizing
from sizing import catalogue
from sizing.base.display import Shown
from sizing.base.working import Given, Step
from sizing.memory import vllm

FOUR = sizing.Scenario(cards=4, context_tokens=8192, kv_dtype="fp8", power_cap_w=600)


class Cells(HTMLParser):
    """Every cell of every table, and the tags that were opened and closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.captions: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.open[-1] == "caption":
            self.captions.append(data)


def start(**changes: object) -> Shown:
    model = sizing.size(FOUR).architecture
    asked = {"available_kv_gib": 23.62, "max_model_len": 16384, "tp": 4, "version": "0.33.0"} | changes
    return vllm.startup(model, **asked)


def shown() -> list[object]:
    sized = sizing.size(FOUR)
    values = [sized, sizing.answer(FOUR), sized.architecture, sized.architecture.groups[0], sized.layouts[0]]
    values += [sized.notes[0], sized.working[0], start(), FOUR, FOUR.server, catalogue.card("h100-sxm")]
    values += [sized.checkpoint]
    return values


@pytest.mark.parametrize("value", shown(), ids=lambda value: type(value).__name__)
def test_a_line_is_short_and_a_table_is_whole(value: object) -> None:
    line = repr(value)
    assert "\n" not in line
    assert len(line) <= 900  # a sizing had 19,511
    assert line.startswith(type(value).__name__ + "(")
    html = value._repr_html_()  # type: ignore[attr-defined]
    assert not Cells(html).open
    assert type(value).__name__ in html


def test_a_scenario_shows_what_was_changed_alone() -> None:
    scenario = sizing.Scenario(cards=8, context_tokens=32768)
    assert Cells(scenario._repr_html_()).rows == [["context_tokens", "32768"], ["cards", "8"]]


def test_the_documents_figures_stand_in_the_sizings_table() -> None:
    """83.04 GiB usable a card, 1.25 GiB a conversation, 211 in one copy over four cards, and 2,960 W rated."""
    found = Cells(sizing.size(FOUR)._repr_html_())
    facts = {row[0]: row[1] for row in found.rows if len(row) == 2}
    assert facts["usable_gib_per_card"] == "83.04"
    assert facts["kv_gib_per_conversation"] == "1.25"
    assert facts["rated_w"] == "2960"
    assert ["1", "4", "1", "211", "True"] in [row[:5] for row in found.rows]
    assert found.captions == ["layouts", "circuits", "notes", "working"]


def test_a_note_is_its_sentence() -> None:
    note = sizing.size(FOUR).notes[0]
    assert note.text in Cells(note._repr_html_()).rows[1]
    assert "mappingproxy" not in repr(note)


def test_a_step_shows_what_went_in() -> None:
    step = Step("reported_gib", "mib / 1024", (Given("mib", 97887, "MiB", "doc-de"),), 95.59, "GiB", "doc-de")
    rows = Cells(step._repr_html_()).rows
    assert ["given", "mib = 97887 MiB"] in rows
    assert ["formula", "mib ÷ 1024"] in rows


def test_a_step_whose_name_no_text_has_still_shows_itself() -> None:
    assert "title" not in repr(Step("nobody_named_this", "1 + 1", (), 2.0, "", ""))


def test_a_refused_start_says_why() -> None:
    refused = start(max_model_len=131072, available_kv_gib=0.5)
    assert refused.reason in refused._repr_html_()  # type: ignore[attr-defined]
    assert "kv_tokens" not in repr(refused)


def test_an_architecture_shows_groups_and_not_layers() -> None:
    model = catalogue.checkpoint("openai/gpt-oss-120b").architecture
    assert "groups=(18 sliding, 18 full)" in repr(model)  # 36 layers, every other one with a window
    assert repr(model).count("head_dim") == 0


def test_what_a_stranger_wrote_is_no_markup() -> None:
    config = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2, "vocab_size": 32000}
    model = sizing.model(config, weights_gb=1.5, name="<script>alert(1)</script>")
    assert "<script>" not in model._repr_html_()


def test_an_error_is_the_line_that_raised_it_and_its_sentences() -> None:
    with pytest.raises(sizing.SizingError) as raised:
        sizing.Scenario(cards=-3)
    lines = raised.value._render_traceback_()
    assert lines == ["    sizing.Scenario(cards=-3)", f"SizingError: {raised.value}"]


def test_numbers_are_short() -> None:
    class Mine(Shown, facts=("share", "bytes", "left", "by_name")):
        share, bytes, left, by_name = 1 / 3, 141107412992.0, None, {"memory": 2.5}

    assert repr(Mine()) == "Mine(share=0.3333, bytes=141107412992, by_name=memory 2.5)"
    assert re.fullmatch(r"<div>.*</div>", Mine()._repr_html_())
