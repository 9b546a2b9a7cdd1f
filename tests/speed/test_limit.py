"""The physical limit, by hand: bytes over bandwidth, arithmetic over FLOPS, sums over the slot."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.speed.limit import Bound, active, limit

CARD = catalogue.card("rtx-pro-6000-server")
LLAMA = catalogue.checkpoint("nvidia/Llama-3.3-70B-Instruct-FP8")
EMBEDDING = 128256 * 8192 * 2  # bytes of the input embedding in 16 bit, of which a token reads one row


def test_a_step_of_a_dense_model_reads_all_weights_but_the_embedding() -> None:
    found = limit(CARD, LLAMA, kv_dtype="fp8", tp=1, pp=1)
    assert found is not None
    # 72.7 GB - 2.1 GB, and 80 layers x 8 heads x (128 + 128) x 1 byte x 8,192 tokens of cache, over 1,597 GB/s
    cache = 80 * 8 * 256 * 8192
    for requests in (1, 32):
        wanted = (72.7e9 - EMBEDDING + requests * cache) / 1597e9 * 1000
        assert found.decode(requests, 8192).memory_ms == pytest.approx(wanted)
    step = found.step(32, 8192)
    assert step.recompute() == pytest.approx(step.result)


def test_the_conflict_of_the_bandwidth_moves_the_limit_by_12_percent() -> None:
    used = CARD.memory_bandwidth_gb_s
    assert used.value == 1597
    assert [other.value for other in used.others] == [1792]
    assert pytest.approx(0.122, abs=0.001) == 1792 / 1597 - 1


def test_four_cards_pass_sums_twice_a_layer_over_the_slot() -> None:
    found = limit(CARD, LLAMA, kv_dtype="fp8", tp=4, pp=1)
    assert found is not None
    assert (found.link, found.link_gb_s) == ("pcie", 63.0)
    # A ring sends 2 x 3/4 of what is summed: 8,192 values of 2 bytes, twice in each of 80 layers, for 2,048 tokens
    wanted = 2 * 3 / 4 * 2 * 80 * 8192 * 2 * 2048 / 63e9 * 1000
    assert found.prefill(2048).link_ms == pytest.approx(wanted)
    # 2 x (70.55e9 parameters without the embedding) x 2,048 tokens on 4 x 960 TFLOPS
    work = 2 * (70553706496 - 128256 * 8192) * 2048 / (4 * 960e12) * 1000
    assert found.prefill(2048).compute_ms == pytest.approx(work)


def test_a_direct_link_is_taken_where_there_is_one() -> None:
    found = limit(catalogue.card("h200-nvl"), LLAMA, kv_dtype="fp8", tp=4, pp=1)
    assert found is not None
    # 900 GB/s is both directions together
    assert (found.link, found.link_gb_s) == ("bridge", 450.0)


def test_experts_count_as_picked() -> None:
    found = active(catalogue.checkpoint("openai/gpt-oss-120b"))
    assert found is not None
    assert found.experts == (4, 128)
    # By hand: 36 layers x 4 experts x 3 matrices of 2,880 x 2,880 in MXFP4 (4.25 bits with its scales), attention in
    # 16 bit (64 query and 2 x 8 key and value heads of 64, and the output matrix), and the output vocabulary in 16 bit
    experts = 36 * 4 * 3 * 2880 * 2880 * 4.25 / 8
    attention = 36 * (2880 * (64 + 16) * 64 + 64 * 64 * 2880) * 2
    head = 201088 * 2880 * 2
    assert found.weight_bytes == pytest.approx(experts + attention + head, rel=0.02)


def test_experts_counted_in_two_spellings_are_the_same_experts() -> None:
    model = catalogue.checkpoint("openai/gpt-oss-120b")
    assert model.config["num_local_experts"] == 128
    fields = {name: getattr(model, name) for name in type(model).FIELDS}
    twice = type(model)(**fields | {"config": {**model.config, "num_experts": 128, "n_routed_experts": 128}})
    assert active(twice) == active(model)
    assert active(twice) is not None


def test_a_large_batch_touches_every_expert() -> None:
    model = catalogue.checkpoint("openai/gpt-oss-120b")
    found = active(model)
    assert found is not None
    assert model.weight_bytes is not None
    assert found.read_bytes(1) == pytest.approx(found.weight_bytes)
    # everything but the input embedding
    assert found.read_bytes(100_000) == pytest.approx(model.weight_bytes.value - 201088 * 2880 * 2, rel=0.01)


def test_a_cache_that_an_indexer_picks_from_is_not_counted_whole() -> None:
    model = catalogue.checkpoint("zai-org/GLM-5.1-FP8")
    found = limit(CARD, model, kv_dtype="fp8", tp=8, pp=1)
    assert found is not None
    assert found.decode(1, 131072).memory_ms == pytest.approx(found.decode(1, 1).memory_ms)


def test_experts_of_an_unknown_number_have_no_limit() -> None:
    assert active(catalogue.checkpoint("mistralai/Mistral-Large-3-675B-Instruct-2512")) is None


def test_the_slowest_part_is_the_bound() -> None:
    assert (Bound(1.0, 3.0, 2.0).ms, Bound(1.0, 3.0, 2.0).by) == (3.0, "compute")
    assert Bound(1.0, 0.0, 2.0).by == "link"
