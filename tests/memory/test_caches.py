"""Each kind of cache by hand: its precisions, its split over cards, and the working that it states."""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.base.working import Given, Step
from sizing.catalogue.scenario import Scenario
from sizing.memory import caches, vllm
from sizing.memory.architecture import Architecture, Layer

FULL = caches.FullAttention(kv_heads=8, k_dim=128, v_dim=128)
SLIDING = caches.SlidingWindow(kv_heads=8, k_dim=192, v_dim=128, window=1024)
DENSE = caches.LatentAttention(latent_dim=512, rope_dim=64)
SPARSE = caches.LatentAttention(latent_dim=512, rope_dim=64, sparse=True)
INDEXER = caches.SparseIndexer(index_dim=128)
RATIO4 = caches.CompressedAttention(entry_dim=512, rope_dim=64, window=128, ratio=4, index_dim=128)
WINDOW_ONLY = caches.CompressedAttention(entry_dim=512, rope_dim=64, window=128, ratio=0)
DELTA = caches.DeltaNetState(k_heads=16, v_heads=32, k_dim=128, v_dim=128, conv_kernel=4)
KDA = caches.KdaState(k_heads=32, v_heads=32, k_dim=128, v_dim=128, conv_kernel=4)
MAMBA2 = caches.Mamba2State(heads=64, head_dim=64, state_dim=128, groups=8, conv_kernel=4, state_bytes=4)
MAMBA1 = caches.Mamba1State(inner_dim=8192, state_dim=16, conv_kernel=4)
LIGHTNING = caches.LinearAttentionState(heads=64, head_dim=128)
CONV = caches.ShortConvState(channels=2048, conv_kernel=3)
CROSS = caches.CrossAttention(kv_heads=20, k_dim=64, v_dim=64, source_tokens=1500)
BLOCKS = caches.BlockIndexer(index_dim=128)
ALL = [FULL, SLIDING, DENSE, SPARSE, INDEXER, RATIO4, WINDOW_ONLY, DELTA, KDA, MAMBA2, MAMBA1, LIGHTNING, CONV, CROSS]
ALL += [BLOCKS]


@pytest.mark.parametrize(
    ("cache", "kv_dtype", "by_hand"),
    [
        (FULL, "bf16", 8 * 256 * 2),
        (FULL, "fp8", 8 * 256),
        # Half a byte a value, and one byte of scale for each 16 values.
        (FULL, "nvfp4", 8 * (256 / 2 + 256 / 16)),
        (DENSE, "bf16", 576 * 2),
        (DENSE, "fp8", 576),
        # 512 values in FP8, four scales of 4 bytes, 64 rotary values in 16 bit.
        (SPARSE, "fp8", 512 + 4 * 4 + 64 * 2),
        (SPARSE, "bf16", 576 * 2),
        (INDEXER, "bf16", 128 + 4),
        (INDEXER, "fp8", 128 + 4),
        (RATIO4, "bf16", (512 * 2 + 128 * 2) / 4),
        # A record of 448 FP8 values, 64 rotary ones in 16 bit, 7 scales, 1 byte to fill; a key of 128 and its scale.
        (RATIO4, "fp8", (584 + 132) / 4),
        (WINDOW_ONLY, "fp8", 0),
        (BLOCKS, "fp8", 256),
    ],
)
def test_growth_for_each_token(cache: caches.Cache, kv_dtype: str, by_hand: float) -> None:
    assert cache.terms(kv_dtype).growing_bytes_per_token == by_hand


def test_windows() -> None:
    assert SLIDING.terms("bf16").windows == ((8 * (192 + 128) * 2, 1024),)
    assert SLIDING.terms("bf16").bytes(10) == 10 * 8 * 320 * 2
    assert SLIDING.terms("bf16").bytes(5000) == 1024 * 8 * 320 * 2
    assert RATIO4.terms("fp8").windows == ((584, 128),)
    assert WINDOW_ONLY.terms("bf16").windows == ((1024, 128),)


@pytest.mark.parametrize(
    ("cache", "by_hand"),
    [
        (DELTA, 32 * 128 * 128 * 4 + 3 * (2 * 16 * 128 + 32 * 128) * 2),
        (KDA, 32 * 128 * 128 * 4 + 3 * 3 * 32 * 128 * 2),
        (MAMBA2, 64 * 64 * 128 * 4 + 3 * (64 * 64 + 2 * 8 * 128) * 2),
        (MAMBA1, 8192 * 16 * 2 + 3 * 8192 * 2),
        (LIGHTNING, 64 * 128 * 128 * 2),
        (CONV, 2 * 2048 * 2),
        (CROSS, 1500 * 20 * 128 * 2),
    ],
)
def test_fixed_parts(cache: caches.Cache, by_hand: int) -> None:
    assert cache.terms("bf16").fixed_bytes == by_hand


@pytest.mark.parametrize("cache", [DELTA, KDA, MAMBA2, MAMBA1, LIGHTNING, CONV])
def test_states_do_not_follow_the_precision_of_the_cache(cache: caches.Cache) -> None:
    assert cache.terms("bf16") == cache.terms("fp8") == cache.terms("nvfp4")


@pytest.mark.parametrize("cache", [DENSE, SPARSE, RATIO4])
def test_nvfp4_does_not_exist_for_latent_records(cache: caches.Cache) -> None:
    with pytest.raises(SizingError) as refused:
        cache.terms("nvfp4")
    assert refused.value.key == "kv_dtype_refused_latent"


@pytest.mark.parametrize("cache", ALL, ids=lambda cache: cache.kind)
@pytest.mark.parametrize("kv_dtype", ["bf16", "fp8"])
def test_the_stated_arithmetic_gives_the_same_figure(cache: caches.Cache, kv_dtype: str) -> None:
    for tokens in (100, 40_000):
        given = tuple(Given(name, value, "", "model-configs") for name, value in cache.values(kv_dtype).items())
        given += (Given("context_tokens", tokens, "tokens", "input"),)
        step = Step("cache", cache.expression(kv_dtype), given, 0.0, "bytes", "model-configs")
        assert step.recompute() == pytest.approx(cache.terms(kv_dtype).bytes(tokens), abs=1)


def test_kv_heads_are_split_and_then_copied() -> None:
    assert [FULL.terms("bf16", tp).growing_bytes_per_token for tp in (1, 2, 8, 16)] == [4096, 2048, 512, 512]
    assert FULL.tp_obstacle(3) == "kv_heads_not_divisible"
    assert FULL.tp_obstacle(16) == ""


@pytest.mark.parametrize("cache", [DENSE, SPARSE, INDEXER, RATIO4, BLOCKS])
def test_latent_caches_are_whole_on_every_card(cache: caches.Cache) -> None:
    assert cache.terms("fp8", 8) == cache.terms("fp8", 1)
    assert cache.tp_obstacle(7) == ""


@pytest.mark.parametrize("cache", [DELTA, KDA, MAMBA1, LIGHTNING, CONV])
def test_states_are_split(cache: caches.Cache) -> None:
    assert cache.terms("bf16", 4).fixed_bytes * 4 == cache.terms("bf16").fixed_bytes
    assert cache.tp_obstacle(3) == "state_heads_not_divisible"


def test_one_group_is_copied_to_every_card() -> None:
    one = caches.Mamba2State(heads=64, head_dim=64, state_dim=128, groups=1, conv_kernel=4)
    # Half the heads, half the inner width, and B and C of the one group whole.
    assert one.terms("bf16", 2).fixed_bytes == 32 * 64 * 128 * 2 + 3 * (32 * 64 + 2 * 128) * 2
    three = caches.Mamba2State(heads=64, head_dim=64, state_dim=128, groups=3, conv_kernel=4)
    assert three.tp_obstacle(2) == "state_groups_not_divisible"
    assert one.tp_obstacle(2) == ""


def test_stages_share_the_layers_and_the_fullest_decides() -> None:
    architecture = Architecture(layers=(Layer((FULL,)),) * 5, attention_heads=64)
    assert [len(stage) for stage in architecture.stages(2)] == [3, 2]
    assert [len(stage) for stage in architecture.stages(3)] == [2, 2, 1]
    assert architecture.kv_bytes(1000, pp=2) == 3 * 4096 * 1000
    assert architecture.kv_bytes(1000, "fp8", tp=2, pp=5) == 1024 * 1000
    with pytest.raises(SizingError):
        architecture.kv_bytes(1000, pp=6)


@pytest.mark.parametrize("tokens", [-1, 1.5, True, "8192", None])
def test_a_context_is_a_count(tokens: object) -> None:
    architecture = Architecture(layers=(Layer((FULL,)),))
    with pytest.raises(SizingError):
        architecture.kv_bytes(tokens)  # type: ignore[arg-type]


def test_groups_keep_the_order_of_the_model() -> None:
    layers = (Layer((FULL,)), Layer(), Layer((SPARSE, INDEXER)), Layer((FULL,)))
    groups = Architecture(layers=layers).groups
    assert [(group.kind, group.count) for group in groups] == [("full", 2), ("none", 1), ("latent+indexer", 1)]


@pytest.mark.parametrize(("spelled", "name"), [("bfloat16", "bf16"), ("fp8_e4m3", "fp8")])
def test_precisions_as_engines_spell_them(spelled: str, name: str) -> None:
    llama = Architecture((Layer((FULL,)),) * 32, attention_heads=32)
    assert llama.kv_bytes(8192, spelled) == llama.kv_bytes(8192, name)
    plain, other = (vllm.startup(llama, available_kv_gib=20, max_model_len=8192, kv_dtype=d) for d in (name, spelled))
    assert plain == other
    assert Scenario(kv_dtype=spelled) == Scenario(kv_dtype=name)
