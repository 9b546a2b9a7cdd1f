"""The command ``sizing``: the same figures as the pages, errors as one sentence, JSON that programs read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sizing
from sizing.ui.command_line import main

ROOT = Path(__file__).parents[2]
LLAMA = "nvidia/Llama-3.3-70B-Instruct-FP8"
# 32 layers of 16 tokens x 8 heads x (128 + 128) x 2 bytes are 2 MiB a block: 20 GiB hold 10,240 of them.
CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_hidden_layers": 32, "intermediate_size": 14336, "vocab_size": 32000, "torch_dtype": "bfloat16",
}  # fmt: skip
BLOCKS, TOKENS = 10_240, 163_840
LOG = f"""INFO [gpu_worker.py:298] Available KV cache memory: 20.0 GiB
INFO [kv_cache_utils.py:1087] GPU KV cache size: {TOKENS:,} tokens
INFO [kv_cache_utils.py:1091] Maximum concurrency for 8,192 tokens per request: 20.00x
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model as it lies on the disk."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_the_answer_is_the_package_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("answer", LLAMA, "--cards", "4", "--context", "32k", "--people", "150", "--json")
    told = json.loads(said(capsys, *given))
    found = sizing.answer(sizing.Scenario(checkpoint=LLAMA, cards=4, context_tokens=32768, staff=150))
    assert found.layout is not None
    assert (told["conversations"], told["verdict"], told["limits"]) == (
        found.conversations,
        found.verdict,
        found.limits,
    )
    assert (told["layout"]["copies"], told["layout"]["tp"], told["layout"]["pp"]) == found.layout.name
    assert told["site"]["stops"] == list(found.site.stops)
    assert told["scenario"] == {"context_tokens": 32768, "staff": 150}


def test_the_documents_layouts_are_read_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "answer", LLAMA, "--kv", "fp8", "--lang", "de")
    assert "Gespräche" in text.splitlines()[0]
    assert any(line.split() == ["memory", "156"] for line in text.splitlines())  # the documents' two pairs of cards


def test_models_are_listed_with_what_fits(capsys: pytest.CaptureFixture[str]) -> None:
    [told] = json.loads(said(capsys, "models", "llama-3.3-70b", "fp8", "--kv", "fp8", "--json"))
    assert (told["weights_gib"], told["memory"]) == (67.7, 211)  # as the documents state them


def test_a_start_is_what_the_engine_prints(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    given = ("startup", str(folder), "--available-kv-gib", "20", "--max-model-len", "8k", "--json")
    told = json.loads(said(capsys, *given))
    assert (told["kv_tokens"], told["num_blocks"], told["starts"]) == (TOKENS, BLOCKS, True)


def test_a_log_is_checked(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    log = folder / "start.log"
    log.write_text(LOG, encoding="utf-8")
    told = json.loads(said(capsys, "check", str(log), "--model", str(folder), "--json"))
    assert {each["name"]: each["agrees"] for each in told["compared"]}["kv_tokens"]


def test_a_log_that_leaves_its_draft_open_gets_a_range(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Without a draft all 163,840 tokens; with one as large as the model half of them."""
    log = folder / "start.log"
    log.write_text(f"--speculative-config '{{\"num_speculative_tokens\": 3}}'\n{LOG}", encoding="utf-8")
    told = json.loads(said(capsys, "check", str(log), "--model", str(folder), "--json"))
    tokens = {each["name"]: each for each in told["compared"]}["kv_tokens"]
    assert tokens["predicted"] is None
    assert tokens["low"] == pytest.approx(TOKENS / 2, rel=0.002)
    assert tokens["high"] == pytest.approx(TOKENS, rel=0.002)
    [line] = [
        line for line in said(capsys, "check", str(log), "--model", str(folder)).splitlines() if "kv_tokens" in line
    ]
    assert f"{tokens['low']:,.0f}-{tokens['high']:,.0f}" in line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("answer", "--cards", "abc"), "“abc”"),
        (("answer", "--cards", "0"), "0"),
        (("answer", "./nothing-here"), "nothing-here"),
        (("startup", LLAMA), "--available-kv-gib"),
        (("check", "/no/such/log"), "/no/such/log"),
        (("answer", "--kv", "int3"), "int3"),
    ],
)
def test_an_error_is_one_sentence(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], named: str) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert named in told.err
    assert told.err.count("\n") == 1


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    command = f"{sys.executable} -m sizing.ui.command_line models | head -1"
    found = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.startswith("model")
    assert found.stderr == ""
