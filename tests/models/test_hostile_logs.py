"""Damaged start-up logs of both engines: each gives figures, marks or a SizingError, and nothing else.

A few hundred in every run; `make hostile` reads five thousand (SIZING_HOSTILE_LOGS).
"""

from __future__ import annotations

import functools
import math
import os
import random
import re

import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.memory import engines
from sizing.models import log_check
from tests.memory.test_startup_log import V0, V0_SENTENCE, V1_0_10, V1_0_30

CASES = int(os.environ.get("SIZING_HOSTILE_LOGS", "320"))
SGLANG = """\
[2026-04-27 10:00:00] server_args=ServerArgs(model_path='acme/m', tp_size=2, pp_size=1, dp_size=1, \
kv_cache_dtype='auto', quantization='fp8', mem_fraction_static=0.83, context_length=40960, max_running_requests=256, \
chunked_prefill_size=8192, page_size=1, speculative_num_draft_tokens=4, speculative_algorithm='EAGLE', \
speculative_draft_model_path='acme/d')
[2026-04-27 10:00:01] sglang 0.5.18
[2026-04-27 10:00:10 TP0] Load weight begin. avail mem=78.46 GB
[2026-04-27 10:00:40 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=63.30 GB, \
mem usage=15.16 GB.
[2026-04-27 10:00:41 TP1] Load weight end. avail mem=63.29 GB, mem usage=15.16 GB.
[2026-04-27 10:00:42 TP0] KV Cache is allocated. #tokens: 408000, K size: 24.90 GB, V size: 24.90 GB
[2026-04-27 10:01:00 TP0] max_total_num_tokens=408000, chunked_prefill_size=8192, max_prefill_tokens=16384, \
max_running_requests=2048, context_len=40960
"""
LOGS = (V0, V0_SENTENCE, V1_0_10, V1_0_30, SGLANG)
NUMBERS = (
    "0", "-1", "00", "1e999", "nan", "inf", "-0.0", "9" * 9, "9" * 15, "9" * 40, "0.000001", "1.5.5", "١٢٣", "1,2,3", ""
)  # fmt: skip
WORDS = (
    "None", "True", "mtp", "ngram", "eagle3", "dflash", "fp8_e4m3", "int8_per_token_head", "nvfp4", "bfloat16",
    "'mamba_cache_mode': 'all'", "enable_prefix_caching=True", "tensor_parallel_size=7", "v99.99.99", "v0.0.0",
    "num_spec_tokens=999", "block_size=3", "\x1b[31m", "\x00", "\u2028", "\ufeff", "'" * 50, "(" * 200,
)  # fmt: skip


@functools.cache
def sized(model: str) -> sizing.Sizing:
    return sizing.size(sizing.Scenario(checkpoint=model, cards=2, kv_dtype="auto"))


# Plain heads, recurrent states with layers that draft, windows, sparse latent attention.
MODELS = ("nvidia/Llama-3.3-70B-Instruct-FP8", "Qwen/Qwen3.8-27B-FP8", "openai/gpt-oss-120b", "zai-org/GLM-5.1-FP8")


def damaged(dice: random.Random) -> str:
    """A log with one to eight injuries."""
    text = dice.choice(LOGS)
    for _ in range(dice.randint(1, 8)):
        text = dice.choice(INJURIES)(text, dice)
    return text


def _number(text: str, dice: random.Random) -> str:
    places = [match.span() for match in re.finditer(r"\d[\d.,]*", text)]
    if not places:
        return text
    start, end = dice.choice(places)
    return text[:start] + dice.choice(NUMBERS) + text[end:]


def _line(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    index, other = (dice.randrange(len(lines)) for _ in range(2))
    lines[index], lines[other] = lines[other], lines[index]
    return "".join(lines[:index] + lines[index + dice.randint(0, 1) :] + [lines[other]] * dice.randint(0, 2))


def _characters(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + chr(dice.choice((dice.randrange(32, 127), dice.randrange(0x3000)))) + text[place + 1 :]


def _word(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(WORDS) + text[place:]


def _cut(text: str, dice: random.Random) -> str:
    return text[dice.randrange(len(text) + 1) :] if dice.random() < 0.3 else text[: dice.randrange(len(text) + 1)]


def _joined(text: str, dice: random.Random) -> str:
    return text + dice.choice(LOGS)


INJURIES = (_number, _number, _number, _line, _characters, _word, _word, _cut, _joined)


def outcome(text: str, model: str) -> str:
    """What a log came to: "unread", "refused", "marked" or "figures"; "said nothing" where an error has no words."""
    try:
        log = engines.read_log(text)
    except SizingError as error:
        return "unread" if error.what and error.fix else "said nothing"
    try:
        found = log_check.check(log, sized(model))
    except SizingError as error:
        return "refused" if error.what else "said nothing"
    for note in found.notes:
        assert note.say("en")
        assert note.say("de")
    for each in found.compared:
        ends = (each.low, each.high) if each.predicted is None else (each.low, each.high, each.predicted)
        assert all(math.isfinite(value) for value in ends), (each, text)
        assert each.low <= each.high, (each, text)
    assert found.notes
    return "figures" if found.compared else "marked"


@pytest.mark.parametrize("part", range(8))
def test_no_damage_gets_through(part: int) -> None:
    seen: set[str] = set()
    for number in range(part * CASES // 8, (part + 1) * CASES // 8):
        dice = random.Random(number)
        text, model = damaged(dice), dice.choice(MODELS)
        try:
            seen.add(outcome(text, model))
        except Exception as error:
            raise AssertionError(f"case {number} with {model}: {error!r}\n{text}") from error
    assert {"figures", "marked"} <= seen <= {"figures", "marked", "unread", "refused"}


@pytest.mark.parametrize("text", LOGS)
def test_the_logs_themselves_give_figures(text: str) -> None:
    assert outcome(text, MODELS[0]) == "figures"
