"""What stands in for operations that were not measured: it says so, and by which ratio."""

from __future__ import annotations

from typing import Any

import pytest

import sizing
from sizing import catalogue
from sizing.answers.speed_notes import notes
from sizing.speed import Curve, operations, speed
from sizing.speed.limit import limit
from sizing.speed.measured import Gap
from sizing.speed.tables import tables
from tests.speed.conftest import needs_kernels

KIMI = {"checkpoint": "moonshotai/Kimi-K2.5", "cards": 8}


def of(name: tuple[int, int, int], **inputs: Any) -> Curve:
    found = speed(sizing.size(sizing.Scenario(**inputs))).curve(name)
    assert found is not None
    return found


@needs_kernels
@pytest.mark.parametrize(("context", "at_least", "at_most"), [(1024, 50, 86.9), (153600, 6, 60)])
def test_latent_attention_with_a_cache_that_was_not_measured(context: int, at_least: float, at_most: float) -> None:
    """Kimi on eight cards: 86.9 tokens/s published for short contexts, 6 to 7 reported near 150,000 of an older run."""
    found = of((1, 8, 1), **KIMI, context_tokens=context)
    assert found.label == "scaled"
    assert at_least < found.one.each_tokens_s < at_most
    sized = sizing.size(sizing.Scenario(**KIMI, context_tokens=context))
    assert "scaling.cache" in {note.key for note in notes(speed(sized))}


@needs_kernels
@pytest.mark.parametrize("kv_dtype", ["bf16", "auto"])
def test_the_cache_that_was_measured_is_no_stand_in(kv_dtype: str) -> None:
    assert of((1, 8, 1), **KIMI, kv_dtype=kv_dtype).scaling is None


@needs_kernels
def test_beyond_the_longest_measured_context_nothing_is_called_measured() -> None:
    inside, beyond = (of((1, 4, 1), context_tokens=tokens, kv_dtype="auto") for tokens in (131072, 140000))
    assert inside.label == "measured"
    assert beyond.label == "interpolated"


@needs_kernels
def test_equal_weights_have_equal_limits() -> None:
    pair = [catalogue.checkpoint(f"moonshotai/Kimi-K2.{minor}") for minor in (5, 6)]
    card = catalogue.card("rtx-pro-6000-server")
    one, other = (limit(card, model, kv_dtype="bf16", tp=8, pp=1) for model in pair)
    assert one is not None
    assert other is not None
    assert one.decode(1, 1024).ms == pytest.approx(other.decode(1, 1024).ms, rel=0.001)


@needs_kernels
def test_attention_ranks_have_a_share_of_the_requests_each() -> None:
    """Qwen3-235B on eight H200: eight ranks of 30 requests, experts split over all eight."""
    found = of((1, 1, 1), checkpoint="Qwen/Qwen3-235B-A22B-FP8", card="h200-sxm", cards=8, attention_dp=8)
    assert found.layout.attention_dp == 8
    assert found.line.group(240) == 30
    model, card = catalogue.checkpoint("Qwen/Qwen3-235B-A22B-FP8"), catalogue.card("h200-sxm")
    ranks = operations.find(card, model, engine="vllm", kv_dtype="fp8", tp=1, pp=1, attention_dp=8)
    assert not isinstance(ranks, Gap)
    assert ranks.expert_parallel  # 1,536 columns over eight cards leave 192, no multiple of the format's 128
    step_ms = ranks.decode_ms(30, found.line.request.mean_context_tokens) + found.line.engine_ms
    assert found.line.step(240)[0] == max(step_ms, found.line.step(240)[1])


@needs_kernels
def test_editions_differ_from_the_measured_one_and_from_each_other() -> None:
    """Workstation: 1,792 against 1,597 GB/s. Max-Q: 0.94 of its decoding and 0.73 of its prompts, as published."""
    server, station, slim = (
        of((2, 2, 1), card=f"rtx-pro-6000-{edition}") for edition in ("server", "workstation", "max-q")
    )
    assert (server.label, station.label, slim.label) == ("measured", "scaled", "scaled")
    own_ms = server.line.engine_ms  # of the engine on the processor: the same with every card
    steps = [each.one.step_ms - own_ms for each in (server, station, slim)]
    assert steps[1] == pytest.approx(steps[0] * 1597 / 1792)
    assert steps[2] == pytest.approx(steps[1] / 0.94, rel=0.01)
    assert slim.one.prefill_ms == pytest.approx(station.one.prefill_ms / 0.73, rel=0.01)


@needs_kernels
def test_context_parallel_is_slowed_as_published() -> None:
    """Kimi-K2.6 on eight cards: 26 % slower for one user, 51 % at 128."""
    model, card = catalogue.checkpoint("moonshotai/Kimi-K2.6"), catalogue.card("rtx-pro-6000-server")
    asked: dict[str, Any] = {"engine": "vllm", "kv_dtype": "bf16", "tp": 8, "pp": 1}
    plain, parallel = operations.find(card, model, **asked), operations.find(card, model, **asked, dcp=8)
    assert not isinstance(plain, Gap)
    assert not isinstance(parallel, Gap)
    for requests, kept in ((1, 0.74), (128, 0.49)):
        assert plain.decode_ms(requests, 1024) / parallel.decode_ms(requests, 1024) == pytest.approx(kept)
    assert parallel.scaling is not None


@needs_kernels
def test_drafting_is_said_to_be_left_out() -> None:
    found = speed(sizing.size(sizing.Scenario(checkpoint="Qwen/Qwen3.8-27B-FP8", speculative_tokens=2)))
    assert "speed_note.drafting" in {note.key for note in notes(found)}


@needs_kernels
def test_every_latent_cache_measured_for_fewer_heads_is_named() -> None:
    """In the library's tables, where one cache has fewer heads than another, the data says what stands in."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    from pathlib import Path

    import aiconfigurator_core  # type: ignore[import-not-found,import-untyped,unused-ignore]

    root = Path(aiconfigurator_core.__file__).parent / "systems" / "data"
    cards = {system.system: card for card, system in tables().systems.items()}
    lacking = set()
    for path in root.glob("*/mla/*/*/*generation*.parquet"):
        system, _, engine, _, _ = path.relative_to(root).parts
        read = pandas.read_parquet(path, columns=["kv_cache_dtype", "num_heads"])
        heads = {cache: set(group.num_heads) for cache, group in read.groupby("kv_cache_dtype")}
        full = max(heads.values(), key=len)
        lacking |= {(cards.get(system), engine, cache) for cache, has in heads.items() if has != full}
    assert lacking == set(tables().caches_instead)
