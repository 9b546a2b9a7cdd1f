"""Twenty configurations beside the library's own estimate for the same inputs, and what it takes for a format."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from sizing import catalogue
from sizing.speed import operations
from sizing.speed.measured import Gap
from sizing.speed.tables import tables
from tests.speed.conftest import needs_kernels

DENSE, EXPERTS = "meta-llama/Llama-3.3-70B-Instruct", "Qwen/Qwen3-30B-A3B"
CONFIGURATIONS = [
    (card, model, engine, split, requests, context)
    for card, model, engine, split in (
        ("rtx-pro-6000-server", DENSE, "vllm", (4, 1, 1)),
        ("rtx-pro-6000-server", DENSE, "vllm", (2, 2, 1)),
        ("rtx-pro-6000-server", DENSE, "sglang", (4, 1, 1)),
        ("rtx-pro-6000-server", DENSE, "trtllm", (8, 1, 1)),
        ("rtx-pro-6000-server", EXPERTS, "vllm", (2, 1, 1)),
        ("rtx-pro-6000-server", EXPERTS, "vllm", (1, 1, 4)),
        ("h200-sxm", DENSE, "vllm", (4, 1, 1)),
        ("h200-sxm", EXPERTS, "sglang", (2, 1, 1)),
        ("b200", DENSE, "trtllm", (2, 1, 1)),
        ("b200", EXPERTS, "vllm", (1, 1, 2)),
    )
    for requests, context in ((1, 2048), (32, 8192))
]


@functools.cache
def _handle(folder: str, card: str, model: str, engine: str, split: tuple[int, int, int]) -> Any:
    """The library's engine for a config, asked as its own documentation asks it."""
    from aiconfigurator_core.sdk.engine import EngineHandle

    tp, pp, ranks = split
    path = Path(folder) / model.replace("/", "--")
    path.mkdir(exist_ok=True)
    config = json.loads(json.dumps(catalogue.checkpoint(model).config, default=dict))
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return EngineHandle.compile(
        str(path),
        tables().systems[card].system,
        tables().engines[engine].backend,
        tp_size=tp,
        pp_size=pp,
        attention_dp_size=ranks,
        moe_tp_size=tp * ranks,
        moe_ep_size=1,
        gemm_quant_mode="bfloat16",
        moe_quant_mode="bfloat16",
        kvcache_quant_mode="bfloat16",
    )


@needs_kernels
@pytest.mark.parametrize(("card", "model", "engine", "split", "requests", "context"), CONFIGURATIONS)
def test_twenty_configurations_beside_the_librarys_own_estimate(
    card: str,
    model: str,
    engine: str,
    split: tuple[int, int, int],
    requests: int,
    context: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A run of one prompt and two answer tokens: the second token is one step, the first the prompt."""
    tp, pp, ranks = split
    found = operations.find(
        catalogue.card(card),
        catalogue.checkpoint(model),
        engine=engine,
        kv_dtype="bf16",
        tp=tp,
        pp=pp,
        attention_dp=ranks,
    )
    assert not isinstance(found, Gap)
    handle = _handle(str(tmp_path_factory.getbasetemp()), card, model, engine, split)
    prompt_ms, answer_ms, _ = handle.run_static(batch_size=requests, isl=context, osl=2)
    assert found.decode_ms(requests, context) == pytest.approx(answer_ms, rel=0.01)
    assert found.prefill_ms(context, prompts=requests) == pytest.approx(prompt_ms, rel=0.01)


@needs_kernels
def test_mxfp4_experts_run_with_narrow_activations_where_the_engine_does_so() -> None:
    """TensorRT-LLM on B200: 8-bit activations, several times faster than the 16-bit ones that vLLM is taken to run."""
    model, card = catalogue.checkpoint("openai/gpt-oss-120b"), catalogue.card("b200")
    steps = {}
    for engine in ("trtllm", "vllm"):
        found = operations.find(card, model, engine=engine, kv_dtype="bf16", tp=1, pp=1)
        assert not isinstance(found, Gap)
        steps[engine] = found.decode_ms(256, 2048)
    assert steps["trtllm"] < 0.7 * steps["vllm"]
