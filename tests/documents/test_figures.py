"""Every figure that the two documents state and these parts can answer, through the public contract."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

import sizing
from sizing import catalogue
from sizing.catalogue.site_facts import host_facts
from sizing.site import air, host

LLAMA_FP8 = "nvidia/Llama-3.3-70B-Instruct-FP8"
LLAMA_FP4 = "nvidia/Llama-3.3-70B-Instruct-NVFP4"
GPT_OSS = "openai/gpt-oss-120b"
QWEN = "Qwen/Qwen3.8-27B"
CARD = "rtx-pro-6000-server"


def _sized(checkpoint: str = LLAMA_FP8, **inputs: object) -> sizing.Sizing:
    given = {"card": CARD, "cards": 4, "context_tokens": 8192, "kv_dtype": "bf16", "power_cap_w": 600, **inputs}
    return sizing.size(sizing.Scenario(checkpoint=checkpoint, **given))  # type: ignore[arg-type]


def _fits(checkpoint: str, cards: int) -> str:
    return "yes" if _sized(checkpoint, cards=cards).fits else "no"


def _circuit(cap_w: float, *names: str) -> str:
    """Whether the four-card server fits each of these circuits."""
    answers = {_sized(power_cap_w=cap_w, circuit=name).circuit.fits for name in names}
    assert len(answers) == 1
    return "yes" if answers.pop() else "no"


def _kib_per_token(checkpoint: str) -> float:
    return _sized(checkpoint).kv_terms.growing_bytes_per_token / 1024


def _growing_gib(checkpoint: str, context_tokens: int) -> float:
    return _sized(checkpoint).kv_terms.growing_bytes_per_token * context_tokens / 2**30


def _state_mib(checkpoint: str) -> float:
    """The recurrent state alone, as the document counts it: 48 layers x 48 heads x 128 x 128 x 4 bytes."""
    caches = [cache for layer in catalogue.checkpoint(checkpoint).architecture.layers for cache in layer.caches]
    return sum(c.v_heads * c.k_dim * c.v_dim * c.state_bytes for c in caches if hasattr(c, "v_heads")) / 2**20


def _dsv4_fits() -> str:
    sized = _sized("deepseek-ai/DeepSeek-V4-Flash-0731", kv_dtype="fp8")
    copy = sized.layout(copies=1, tp=4)
    # Its cache stands whole on each of the four cards.
    assert copy.kv_gib_per_card_per_conversation == pytest.approx(sized.kv_gib_per_conversation, rel=1e-6)
    return "yes" if copy.fits else "no"


def _host() -> host.Host:
    return host.host(host_facts(), 4, catalogue.card(CARD).memory_gb.value, catalogue.processor("epyc-9355"), 2)


def _modules_gb(count: int, gb: int) -> float:
    """The smallest set that fills every channel of two EPYC 9355 once is 24 modules of 32 GB."""
    modules = _host().modules
    assert modules is not None
    assert (modules.count, modules.gb) == (count, gb)
    return modules.total_gb


ANSWERS: dict[str, Callable[[], float | str]] = {
    "reported": lambda: _sized().reported_gib_per_card,
    "usable1": lambda: _sized().usable_gib_per_card,
    "usable2": lambda: _sized(cards=2).usable_gib,
    "usable4": lambda: _sized().usable_gib,
    "usable8": lambda: _sized(cards=8).usable_gib,
    "gb4": lambda: 4 * catalogue.card(CARD).memory_gb.value,
    "gb8": lambda: 8 * catalogue.card(CARD).memory_gb.value,
    "gb_h200": lambda: 2 * catalogue.card("h200-nvl").memory_gb.value,
    "w_l70_fp8": lambda: _sized().weights_gib,
    "w_l70_fp4": lambda: _sized(LLAMA_FP4).weights_gib,
    "kv_l70_8k": lambda: _sized().kv_gib_per_conversation,
    "kv_l70_8k_fp8": lambda: _sized(kv_dtype="fp8").kv_gib_per_conversation,
    "kv_l70_32k_fp8": lambda: _sized(kv_dtype="fp8", context_tokens=32768).kv_gib_per_conversation,
    "kv_goss_tok": lambda: _kib_per_token(GPT_OSS),
    "kv_goss_32k": lambda: _growing_gib(GPT_OSS, 32768),
    "kv_q38_tok": lambda: _kib_per_token(QWEN),
    "kv_q38_state": lambda: _state_mib(QWEN),
    "kv_q38_32k": lambda: _sized(QWEN, context_tokens=32768).kv_gib_per_conversation,
    "goss_32k_4": lambda: _sized(GPT_OSS, context_tokens=32768).layout(copies=1, tp=4).conversations or 0,
    "l70_8k_tp4": lambda: _sized().layout(copies=1, tp=4).conversations or 0,
    "l70_8k_tp4_fp8": lambda: _sized(kv_dtype="fp8").layout(copies=1, tp=4).conversations or 0,
    "l70_left": lambda: 4 * _sized().layout(copies=1, tp=4).free_gib_per_card,
    "l70_one_card_left": lambda: _sized(cards=1).layout().free_gib_per_card,
    "l70_one_card": lambda: _sized(cards=1).layout().conversations or 0,
    "dsv4_fits": _dsv4_fits,
    "maverick4": lambda: _fits("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", 4),
    "dsv32_4": lambda: _fits("deepseek-ai/DeepSeek-V3.2", 4),
    "glm53_4": lambda: _fits("zai-org/GLM-5.3-FP8", 4),
    "maverick8": lambda: _fits("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", 8),
    "rated4": lambda: _sized().rated_w / 1000,
    "cards4": lambda: _sized().cards_w / 1000,
    "server4": lambda: _sized().server_w / 1000,
    "cap_saves": lambda: _sized().cards_w - _sized(power_cap_w=450).cards_w,
    "c16": lambda: _sized(circuit="eu-1ph-16a").circuit.planned_w / 1000,
    "c16_600": lambda: _circuit(600, "eu-1ph-16a"),
    "c16_450": lambda: _circuit(450, "eu-1ph-16a"),
    "c32_600": lambda: _circuit(600, "eu-1ph-32a", "eu-3ph-16a", "eu-3ph-32a", "eu-3ph-63a"),
    "cfm": lambda: _sized(air_rise_c=11).cfm,
    "card_cfm_lo": lambda: {p.inlet_c: p.cfm for p in catalogue.card(CARD).airflow}[25],
    "card_cfm_hi": lambda: {p.inlet_c: p.cfm for p in catalogue.card(CARD).airflow}[45],
    "cores4": lambda: _host().requirement("cores").needed,
    "ram4": lambda: _host().requirement("ram").needed,
    "cores_epyc": lambda: _host().requirement("cores").offered or 0,
    "dimms": lambda: _modules_gb(24, 32),
    "mig": lambda: 4 * next(p.count for p in catalogue.card(CARD).mig if p.memory_gb == 24),
}


def _rows() -> list[dict[str, str]]:
    with (Path(__file__).parent / "figures.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_the_documents_figure_comes_out(row: dict[str, str]) -> None:
    answer = ANSWERS[row["id"]]()
    if row["value"] in ("yes", "no"):
        assert answer == row["value"]
    else:
        assert float(answer) == pytest.approx(float(row["value"]), abs=float(row["tolerance"]) + 1e-9)


def test_every_figure_is_answered() -> None:
    assert {row["id"] for row in _rows()} == set(ANSWERS)


def test_a_kilowatt_at_11_degrees_needs_160_cfm_within_one_percent() -> None:
    assert air.cfm(1000, 11) == pytest.approx(160, rel=0.01)
