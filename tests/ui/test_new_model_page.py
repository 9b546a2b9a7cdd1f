"""The page for a new model as widgets, without a browser."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import sizing
import sizing.models.hub.lookup
from sizing.models import bring
from sizing.ui.pages.new_model import NewModelPage
from tests.memory.config.conftest import config

GEMMA = "google/gemma-3-27b-it"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def page() -> NewModelPage:
    return NewModelPage("")


def paste(page: NewModelPage, text: str, **more: str) -> dict[str, Any]:
    """What the browser sends when a visitor presses the button below the text."""
    held = {"quant": "", "weights": "", "unit": "gb", "name": "", "changed_from": "", **more}
    page.bring._receive(page.bring, {"kind": "text", "config": text, **held}, [])
    status: dict[str, Any] = page.bring.status
    return status


def shown(page: NewModelPage) -> str:
    return "".join(part.html for part in page.live.values()) + page.row_about.html


def test_it_opens_with_the_scenarios_model(page: NewModelPage) -> None:
    assert "32 conversations of 8,192 tokens may be promised" in page.live["answer"].html
    assert "From the catalogue." in page.live["answer"].html
    assert "unchanged" in page.row_about.html
    for name in ("model_parts", "notes", "table", "beside", "engine_cases"):
        assert len(page.live[name].html) > 200, name
    for figure in page.figures.values():
        assert figure.chart.seq == 1
        assert len(figure.chart.alt) > 20


@pytest.mark.parametrize("hf_id", [GEMMA, "Qwen/Qwen3.8-27B", "zai-org/GLM-5.1"])
def test_a_pasted_config_is_sized_as_the_package_does(page: NewModelPage, hf_id: str) -> None:
    text = json.dumps(config(hf_id))
    assert paste(page, text, weights="55")["phase"] == "done"
    model = bring.from_text(text, weights="55").checkpoint
    result = sizing.size(page.scenario, checkpoint=model)
    assert result.best.conversations is not None
    assert f"{result.best.conversations:,}" in page.live["answer"].html
    assert page.state.sizing.layouts == result.layouts


def test_the_layers_are_named_with_their_bytes(page: NewModelPage) -> None:
    page.form.hear("edit", {"kv_dtype": "bf16", "context_tokens": "32768"})
    paste(page, json.dumps(config(GEMMA)), weights="55")
    html = page.live["model_parts"].html
    # 81,920 B a token are 80 KiB, 425,984 B in the window 416 KiB, and both together 3,120,562,176 B = 2.91 GiB.
    for text in ("Sliding window", "Full attention", "80 KiB", "416 KiB", "1,024", "2.91 GiB", "Show the working"):
        assert text in html
    assert "10 layers: grows with the context (layers every 6 from 6 on)" in page.figures["model_map"].chart.alt


def test_without_a_size_the_weights_are_marked_as_an_estimate(page: NewModelPage) -> None:
    paste(page, json.dumps(config(GEMMA)))
    assert "sizing-estimate" in page.live["answer"].html
    assert "an estimate from the configuration" in page.live["answer"].html
    paste(page, json.dumps(config(GEMMA)), weights="54.9")
    assert "sizing-estimate" not in page.live["answer"].html
    assert "the one you gave" in page.live["answer"].html


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no config.json to read yet"),
        ('{"hidden_size": 4096,}', "not valid JSON: line 1, column 22"),
        ("[]", "does not hold a JSON object"),
        (json.dumps({"hidden_size": 4096}), "num_hidden_layers"),
        ("x" * 2_500_000, "longer than 2 MB"),
        (SCRIPT, "not valid JSON"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_page_stays(page: NewModelPage, text: str, said: str) -> None:
    before = shown(page)
    status = paste(page, text)
    assert status["phase"] == "failed"
    assert said in f"{status['what']} {status['fix']}"
    assert shown(page) == before
    assert not page.messages.sentences
    assert paste(page, json.dumps(config(GEMMA)), weights="55")["phase"] == "done"


def test_a_model_that_the_precision_does_not_go_with_takes_the_default(page: NewModelPage) -> None:
    page.form.hear("edit", {"kv_dtype": "nvfp4"})
    paste(page, json.dumps(config("zai-org/GLM-5.1")), weights="400")
    assert page.scenario.kv_dtype == "fp8"
    assert "NVFP4" in page.form.values["kv_dtype"]["error"]
    assert page.form.values["kv_dtype"]["text"] == "nvfp4"


def test_a_move_redraws_every_chart_within_the_budget(page: NewModelPage) -> None:
    paste(page, json.dumps(config("Qwen/Qwen3.8-27B")), weights="55")
    before = {name: figure.chart.seq for name, figure in page.figures.items()}
    page.form.hear("edit", {"cards": "2"})
    moved = {name for name, figure in page.figures.items() if figure.chart.seq == before[name] + 1}
    assert {"layouts", "model_beside"} <= moved
    page.form.hear("edit", {"context_tokens": "32768"})
    sent = sum(len(json.dumps(figure.chart.figure)) + len(figure.chart.alt) for figure in page.figures.values())
    assert sent < 25_000


def test_the_largest_models_stay_within_the_budget(page: NewModelPage) -> None:
    for hf_id in ("meta-llama/Meta-Llama-3.1-405B", "nvidia/Nemotron-H-56B-Base-8K", "deepseek-ai/DeepSeek-V4-Flash"):
        assert paste(page, json.dumps(config(hf_id)), weights="400")["phase"] == "done"
        assert sum(len(json.dumps(figure.chart.figure)) for figure in page.figures.values()) < 25_000


# The catalogue's entry to change


def test_an_entry_as_it_is_goes_into_the_scenario(page: NewModelPage) -> None:
    paste(page, json.dumps(config(GEMMA)), weights="55")
    page.bring._receive(page.bring, {"kind": "entry", "id": "openai/gpt-oss-120b"}, [])
    assert page.scenario.checkpoint == "openai/gpt-oss-120b"
    assert page.brought is None
    assert "model=openai/gpt-oss-120b" in page.address.query
    assert "From the catalogue." in page.live["answer"].html


def test_a_changed_entry_is_another_model(page: NewModelPage) -> None:
    sent: list[dict[str, Any]] = []
    page.bring.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
    page.bring._receive(page.bring, {"kind": "texts", "id": "Qwen/Qwen3-32B"}, [])
    filled = sent[-1]
    assert (filled["kind"], filled["name"]) == ("texts", "Qwen/Qwen3-32B")
    changed = json.loads(filled["config"])
    changed["num_hidden_layers"] //= 2
    more = {name: filled[name] for name in ("quant", "weights", "unit", "name")}
    before = page.state.sizing.variant(checkpoint="Qwen/Qwen3-32B").kv_gib_per_conversation
    assert paste(page, json.dumps(changed), **more, changed_from="Qwen/Qwen3-32B")["phase"] == "done"
    assert page.state.sizing.kv_gib_per_conversation == pytest.approx(before / 2)
    assert "changed from the catalogue" in page.live["answer"].html


def test_an_unknown_entry_is_said(page: NewModelPage) -> None:
    page.bring._receive(page.bring, {"kind": "entry", "id": "nobody/nothing"}, [])
    assert page.bring.status["phase"] == "failed"
    assert "nobody/nothing" in page.bring.status["what"]


# The row to paste


def test_a_named_model_has_its_row(page: NewModelPage) -> None:
    paste(page, json.dumps(config(GEMMA)), weights="54.9", name="acme/Gem")
    assert 'id = "acme/Gem"' in page.row.text
    assert "value = 54900000000" in page.row.text
    assert "read_on" in page.row_source.text
    assert "data/checkpoints/acme--Gem.toml" in page.row.title
    paste(page, json.dumps(config(GEMMA)), weights="54.9")
    assert page.row.text == ""
    assert "owner/name" in page.row_about.html


# The engine and its log


def test_the_engine_prints_for_the_layout_chosen(page: NewModelPage) -> None:
    page.form.hear("edit", {"kv_dtype": "fp8"})
    assert "2 copies, TP=2, --max-model-len 8192" in page.live["engine_cases"].html
    page.engine_form.hear("edit", {"layout": "1x4x1"})
    assert "1 copy, TP=4, --max-model-len 8192" in page.live["engine_cases"].html
    # By hand in tests/test_engine_cases.py
    for figure in ("1,733,104", "211.56x", "108,319"):
        assert figure in page.live["engine_cases"].html
    page.engine_form.hear("edit", {"layout": "2x2x1"})
    assert "2 copies, TP=2, --max-model-len 8192" in page.live["engine_cases"].html
    page.form.hear("edit", {"cards": "1"})  # that layout is gone; the best one is shown
    assert "1 copy on one card" in page.live["engine_cases"].html


def test_a_refusal_to_start_is_shown_with_its_flag(page: NewModelPage) -> None:
    paste(page, json.dumps(config("Qwen/Qwen3.8-27B")), weights="55.6")
    page.form.hear("edit", {"cards": "1", "max_num_seqs": "4096"})
    html = page.live["engine_cases"].html
    assert "4,096 sequences need a block of recurrent state each" in html
    assert "--max-num-seqs" in html


def test_figures_that_no_log_has_confirmed_say_so(page: NewModelPage) -> None:
    paste(page, json.dumps(config("Qwen/Qwen3.8-27B")), weights="55.6")
    assert "from the engine&#x27;s code, not yet seen in a log" in page.live["engine_cases"].html
    page.form.hear("edit", {"engine_version": "0.28.0"})
    assert "not yet seen in a log" not in page.live["engine_cases"].html


def test_another_makers_card_leaves_the_rest_standing(page: NewModelPage) -> None:
    page.form.hear("edit", {"card": "mi300x"})
    assert "MI300X" in page.live["engine_cases"].html
    assert "conversations" in page.live["answer"].html
    assert not page.messages.sentences


LOG = """(EngineCore pid=5) INFO [core.py:105] Initializing a V1 LLM engine (v0.28.0) with config: \
model='x/Qwen3-14B', max_seq_len=40960, tensor_parallel_size=1, pipeline_parallel_size=1, kv_cache_dtype=auto
Available KV cache memory: 9.1 GiB
GPU KV cache size: 59,632 tokens
"""


def test_a_pasted_log_stands_beside_its_prediction(page: NewModelPage) -> None:
    paste(page, json.dumps(config("Qwen/Qwen3-14B")), weights="10", name="x/Qwen3-14B")
    page.log_box._receive(page.log_box, {"kind": "log", "text": LOG}, [])
    html = page.live["log_result"].html
    assert "59,632" in html
    assert "Print and prediction are the same to the token." in html
    assert "What was read from the log" in html
    page.log_box._receive(page.log_box, {"kind": "log", "text": ""}, [])
    assert page.live["log_result"].html == ""


def test_a_text_that_is_no_log_says_so_beside_it(page: NewModelPage) -> None:
    page.log_box._receive(page.log_box, {"kind": "log", "text": f"hello {SCRIPT}"}, [])
    assert "SGLang prints at its start" in page.log_box.error
    assert page.live["log_result"].html == ""


# Beside others


def test_the_others_can_be_chosen_and_one_that_does_not_go_says_why(page: NewModelPage) -> None:
    assert "gpt-oss-120b" in page.live["beside"].html
    page.beside_form.hear("edit", {"first": "deepseek-ai/DeepSeek-V3"})
    assert "DeepSeek-V3" in page.live["beside"].html
    page.form.hear("edit", {"kv_dtype": "nvfp4"})
    assert "NVFP4 cache does not exist for latent attention" in page.live["beside"].html
    page.beside_form.hear("edit", {"first": "nobody/nothing"})
    assert page.messages.sentences


def test_the_model_does_not_stand_beside_itself(page: NewModelPage) -> None:
    names = re.findall(r'<th scope="row"[^>]*>([^<]*)</th>', page.live["beside"].html)
    assert len(names) == len(set(names)) == 3


# What a visitor types never becomes markup


def test_script_in_every_field(page: NewModelPage) -> None:
    dirty = {**config(GEMMA), "model_type": SCRIPT, "architectures": [SCRIPT]}
    paste(page, json.dumps(dirty), weights="55", name=f"acme {SCRIPT.replace('/', ' ')}")
    page.log_box._receive(
        page.log_box, {"kind": "log", "text": LOG.replace("x/Qwen3-14B", SCRIPT).replace("auto", SCRIPT)}, []
    )
    assert SCRIPT not in shown(page)
    assert "&lt;script&gt;" in page.live["answer"].html
    for figure in page.figures.values():
        assert SCRIPT not in json.dumps(figure.chart.figure)
    for way in ("look_up", "entry", "texts"):
        page.bring._receive(page.bring, {"kind": way, "id": SCRIPT, "revision": SCRIPT}, [])
        if way == "look_up":
            page.aside.wait(20)
        assert page.bring.status["phase"] == "failed"
    assert SCRIPT not in shown(page)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"kind": "text"},
        {"kind": "text", "config": 7},
        {"kind": "look_up", "id": ["a"]},
        {"kind": "??"},
        {"kind": 3},
        [],
    ],
)
def test_messages_that_make_no_sense_change_nothing(page: NewModelPage, content: Any) -> None:
    before = page.live["answer"].html
    page.bring._receive(page.bring, content, [])
    page.log_box._receive(page.log_box, content, [])
    page.aside.wait(20)
    assert page.live["answer"].html == before
    assert not page.messages.sentences


def test_texts_of_one_line_are_cut_before_they_are_used(page: NewModelPage) -> None:
    status = paste(page, json.dumps(config(GEMMA)), weights="1" * 5000)
    assert status["phase"] == "failed"
    assert len(status["what"]) < 400


@pytest.mark.parametrize(("public", "token"), [("", None), ("1", False)])
def test_a_public_server_never_uses_the_operators_hub_token(
    monkeypatch: pytest.MonkeyPatch, public: str, token: bool | None
) -> None:
    asked: list[object] = []

    def look_up(_id: str, **given: object) -> None:
        asked.append(given["token"])
        raise sizing.SizingError("hub_missing", input="id", id=_id, revision="main")

    monkeypatch.setenv("SIZING_PUBLIC", public)
    monkeypatch.setattr(sizing.models.hub.lookup, "look_up", look_up)
    page = NewModelPage("")

    def start(work: Any, **_: object) -> None:
        with pytest.raises(sizing.SizingError):
            work(print, lambda: False)

    monkeypatch.setattr(page.aside, "start", start)
    page.bring.hear("look_up", "a/b", "", "", "")
    assert asked == [token]
