"""The engine estimate: hand calculations of its terms, its defaults, and bad input."""

import math
from dataclasses import replace

import pytest

from sizing.base.errors import SizingError
from sizing.memory.budget import visible_gib
from sizing.memory.starting import Launch
from sizing.memory.vllm.estimate import budget, completed, fitted, image_part, sequence_part, token_part
from sizing.memory.vllm.releases import read_version
from sizing.memory.widths import Images, Widths, read_widths

GPT_OSS_120B = Widths(hidden_size=2880, vocab_size=201_088, layers=36, experts_per_token=4, expert_ffn_size=2880)
LLAMA_8B = Widths(hidden_size=4096, vocab_size=128_256, layers=32, ffn_size=14_336)


def test_sequence_part_by_hand():
    # 1,024 sequences x 201,088 words x 4 B = 823,656,448 B = 0.767 GiB; 9.6 copies (the source's figure) = 7.36 GiB;
    # an H100 with 0.11.0 printed 7.38 GiB of activations for gpt-oss-120b.
    for copies, gib, margin in ((1.0, 823_656_448 / 2**30, 1e-9), (9.6, 7.38, 0.03)):
        c = replace(fitted(), sort_copies=copies)
        assert sequence_part(GPT_OSS_120B, 1024, "sort_copies", c).result == pytest.approx(gib, abs=margin)


def test_token_part_by_hand():
    # 16,384 tokens x (6 x 4,096 + 3 x 14,336) x 2 B = 2.06 GiB; a log of a 7B with these widths printed 1.97
    part = token_part(LLAMA_8B, 16_384, 1).result
    assert part == pytest.approx(16_384 * (24_576 + 43_008) * 2 / 2**30)
    assert part == pytest.approx(1.97, abs=0.1)
    # TP 2 halves the feed-forward part only: 24,576 + 21,504
    assert token_part(LLAMA_8B, 16_384, 2).result == pytest.approx(16_384 * 46_080 * 2 / 2**30)


def test_token_part_of_experts_by_hand():
    # 4 experts x (max(2 x 2,880, 2,880) + 2,880) = 34,560; 6 x 2,880 = 17,280; x 8,192 tokens x 2 B = 0.79 GiB
    assert token_part(GPT_OSS_120B, 8192, 1).result == pytest.approx(8192 * (34_560 + 17_280) * 2 / 2**30)
    # TP 8: gate and up shrink to 720, the output stays 2,880: 4 x (2,880 + 360) = 12,960
    assert token_part(GPT_OSS_120B, 8192, 8).result == pytest.approx(8192 * (12_960 + 17_280) * 2 / 2**30)


def test_image_part_by_hand():
    # 16,384 tokens x 4 patches x (6 x 1,152 + 3 x 4,304) x 2 B = 2.42 GiB
    images = Images(tokens=16_384, patches_per_token=4, hidden_size=1152, ffn_size=4304)
    assert image_part(images).result == pytest.approx(65_536 * 19_824 * 2 / 2**30)


@pytest.mark.parametrize(
    ("model", "sequences", "vocabulary", "version", "printed"),
    [  # activations printed by engines on H100 and B300 with 1,024 sequences (source: vllm-kv-rules, part 7)
        ("dense, 128,256 words", 1024, 128_256, "0.11.0", 4.8),
        ("dense, 151,936 words", 1024, 151_936, "0.11.0", 5.6),
        ("Gemma 4 31B", 1024, 262_144, "0.22.0", 3.9),
    ],
)
def test_activations_of_logs_that_took_no_part_in_the_fit(model, sequences, vocabulary, version, printed):
    launch = Launch(version, total_gib=79.18, max_num_batched_tokens=8192, max_num_seqs=sequences)
    widths = Widths(hidden_size=4096, vocab_size=vocabulary, layers=32, ffn_size=14_336)
    assert budget(launch, widths=widths, weights_gib=15).activation_gib == pytest.approx(printed, abs=0.75)


def test_terms_add_up_and_order():
    found = budget(Launch("0.33.0", total_gib=94.97, tp=2), widths=LLAMA_8B, weights_gib=15)
    assert found.requested_gib == pytest.approx(0.92 * 94.97)
    assert found.typical_gib == pytest.approx(found.requested_gib - 15 - found.reserve_gib)
    assert found.pessimistic_gib < found.typical_gib < found.optimistic_gib


def test_graphs_count_from_release_0_20_and_not_with_eager():
    old, new = (Launch(version, total_gib=44.4, tp=4) for version in ("0.19.1", "0.20.0"))
    budgets = [budget(e, widths=LLAMA_8B, weights_gib=15) for e in (old, new, replace(new, enforce_eager=True))]
    c = fitted()
    assert [found.graphs_gib for found in budgets] == [0, pytest.approx(c.graph_gib + 32 * c.graph_layer_gib), 0]


@pytest.mark.parametrize(("weights", "consumed"), [(51.1, 51.66), (14.26, 14.73), (9.96, 10.7)])
def test_what_new_releases_count_beside_the_weights(weights, consumed):
    # printed by three logs of 0.28 or newer as "Model loading took" and "consumed memory (weights + non-torch)"
    launches = (Launch(version, total_gib=80) for version in ("0.28.0", "0.27.1"))
    beside = [budget(launch, widths=LLAMA_8B, weights_gib=9).non_torch_gib for launch in launches]
    assert beside[0] == pytest.approx(consumed - weights, abs=0.2)
    assert beside[1] == fitted().single_gib


def _defaults(total_gib, version="0.33.0", **asked):
    return completed(Launch(version, total_gib=total_gib, **asked))


def test_defaults_by_card_and_release():
    assert _defaults(79.2).max_num_seqs == 1024
    assert _defaults(79.2).max_num_batched_tokens == 8192
    assert _defaults(178).max_num_batched_tokens == 16_384
    for small in (_defaults(79.2, compute_capability=(8, 0)), _defaults(121.7, unified_memory=True)):
        assert (small.max_num_batched_tokens, small.max_num_seqs) == (2048, 256)
    assert _defaults(44.4, "0.19.1").utilization == 0.9
    assert _defaults(44.4, "0.20.0").utilization == 0.92
    assert _defaults(44.4, max_num_seqs=8).max_num_seqs == 8


def test_what_cuda_sees():
    # 97,887 MiB = 95.59 GiB by the driver; an engine on that card saw 94.97
    assert visible_gib(95.59) == pytest.approx(94.97, abs=0.12)


def test_steps_recompute():
    images = Images(tokens=16_384, patches_per_token=4, hidden_size=1152, ffn_size=4304)
    for widths, tp, version, pictures, unified in (
        (LLAMA_8B, 1, "0.11.0", None, False),
        (LLAMA_8B, 2, "0.19.1", None, False),
        (GPT_OSS_120B, 4, "0.33.0", images, False),
        (GPT_OSS_120B, 1, "0.33.0", None, True),
    ):
        launch = Launch(version, total_gib=94.97, tp=tp, unified_memory=unified)
        found = budget(launch, widths=widths, weights_gib=20, images=pictures)
        for step in found.working:
            assert step.recompute() == pytest.approx(step.result, abs=1e-9)
            assert step.title
        assert found.working[-1].result == found.typical_gib


def test_widths_of_configs():
    nested = {"text_config": {"hidden_size": 2048, "vocab_size": 9, "intermediate_size": [1, 7, 3]}, "hidden_size": 5}
    assert read_widths(nested, 3) == Widths(2048, 9, 3, ffn_size=7)
    shared = {
        "hidden_size": 6144,
        "vocab_size": 154_880,
        "intermediate_size": 12_288,
        "moe_intermediate_size": 2048,
        "num_experts_per_tok": 8,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
    }
    assert read_widths(shared, 78) == Widths(6144, 154_880, 78, 2048, 8, 2048)


@pytest.mark.parametrize("config", [{}, {"hidden_size": 4096}, {"vocab_size": 5}])
def test_widths_unknown(config):
    with pytest.raises(SizingError) as caught:
        read_widths(config, 1)
    assert caught.value.key == "widths_unknown"


@pytest.mark.parametrize(
    ("version", "key"),
    [("0.33.0", (0, 33, 0)), ("v0.8.5", (0, 8, 5)), ("0.20.2rc1.dev249+g1", (0, 20, 2)), ("1.2", (1, 2, 0))],
)
def test_versions(version, key):
    assert read_version(version) == key


def _call(**changed):
    weights_gib = changed.pop("weights_gib", 15)
    asked = {"version": "0.33.0", "total_gib": 80.0, **changed}
    return budget(Launch(**asked), widths=LLAMA_8B, weights_gib=weights_gib)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"version": "newest"}, "version"),
        ({"version": None}, "version"),
        ({"max_num_batched_tokens": 0}, "max_num_batched_tokens"),
        ({"max_num_seqs": 2.5}, "max_num_seqs"),
        ({"total_gib": math.nan}, "total_gib"),
        ({"total_gib": 0}, "total_gib"),
        ({"weights_gib": -1}, "weights_gib"),
        ({"weights_gib": "15"}, "weights_gib"),
        ({"tp": 0}, "tp"),
        ({"tp": True}, "tp"),
        ({"utilization": 0}, "utilization"),
        ({"utilization": 1.2}, "utilization"),
    ],
)
def test_bad_input_is_named(changed, named):
    with pytest.raises(SizingError) as caught:
        _call(**changed)
    assert caught.value.input == named
    assert caught.value.what()
    assert caught.value.fix()


@pytest.mark.parametrize(
    ("config", "images"),
    [
        # merged two by two, of any size: up to 16,384 tokens
        (
            {
                "vision_config": {
                    "hidden_size": 1152,
                    "intermediate_size": 4304,
                    "patch_size": 16,
                    "spatial_merge_size": 2,
                }
            },
            Images(16_384, 4, 1152, 4304),
        ),
        # 896 / 14 = 64, 64 x 64 patches become 256 tokens
        (
            {
                "mm_tokens_per_image": 256,
                "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "patch_size": 14, "image_size": 896},
            },
            Images(256, 16, 1152, 4304),
        ),
        # three by three, 280 tokens
        (
            {
                "vision_soft_tokens_per_image": 280,
                "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "pooling_kernel_size": 3},
            },
            Images(280, 9, 768, 3072),
        ),
        # widths under names of their own; 1,280 x 4
        (
            {"vision_config": {"embed_dim": 1280, "mlp_ratio": 4, "spatial_merge_size": 2}},
            Images(16_384, 4, 1280, 5120),
        ),
        (
            {"vision_config": {"hidden_size": 1024, "intermediate_size": 4096}},
            None,
        ),  # how many patches, it does not say
        ({}, None),
    ],
)
def test_images_are_read_from_the_config(config: dict, images: Images | None) -> None:
    read = read_widths({"hidden_size": 2048, "vocab_size": 32_000, **config}, 4)
    assert read.images == images
    assert read.sees == bool(config)


def test_a_page_counts_the_images_that_the_engine_profiles() -> None:
    """65,536 patches x (6 x 1,152 + 3 x 4,304) x 2 bytes are 2.42 GiB; 8,192 tokens of this model 1.03, logits 0.4."""
    launch = Launch("0.33.0", total_gib=94.97, max_num_batched_tokens=8192, max_num_seqs=256)
    blind, sees = (
        budget(launch, widths=replace(LLAMA_8B, images=each), weights_gib=15)
        for each in (None, Images(16_384, 4, 1152, 4304))
    )
    assert sees.activation_gib == pytest.approx(65_536 * 19_824 * 2 / 2**30)
    assert blind.typical_gib - sees.typical_gib == pytest.approx(sees.activation_gib - blind.activation_gib)
    # a batch of more tokens than one image has is filled with several
    large = budget(
        replace(launch, max_num_batched_tokens=32_768),
        widths=replace(LLAMA_8B, images=Images(256, 16, 1152, 4304)),
        weights_gib=15,
    )
    assert large.activation_gib == pytest.approx(32_768 * 16 * 19_824 * 2 / 2**30)


# 48 heads of 128 x 128 values: 786,432 elements, 3 MiB in fp32; 1,024 sequences of one layer are 3 GiB.
HYBRID_27B = Widths(hidden_size=5120, vocab_size=248_320, layers=64, ffn_size=17_408, state_elements=48 * 128 * 128)


def test_state_elements_are_read_from_the_config() -> None:
    base = {"hidden_size": 5120, "vocab_size": 248_320}
    delta = {"linear_num_value_heads": 48, "linear_key_head_dim": 128, "linear_value_head_dim": 128}
    mamba = {"mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128}
    assert read_widths({**base, **delta}, 64).state_elements == 786_432
    assert read_widths({**base, **mamba}, 52).state_elements == 524_288
    assert read_widths(base, 64).state_elements == 0


@pytest.mark.parametrize(("version", "block"), [("0.33.0", 832), ("0.28.0", 784)])
@pytest.mark.parametrize(
    ("utilization", "weights_gib", "blocks"),
    # three starts with 1,024 sequences, refused, on a card of 94.97 GiB (source: vllm-state-blocks)
    [(0.92, 28.75, 939), (0.95, 51.75, 556)],
)
def test_hybrids_with_many_sequences_lie_in_the_band(
    utilization: float, weights_gib: float, blocks: int, version: str, block: int
) -> None:
    """A block of 832 tokens is 16 layers x 832 x 4 heads x 512 x 2 bytes; the build may have had blocks of 784."""
    launch = Launch(version, total_gib=94.97, utilization=utilization, max_num_batched_tokens=8192, max_num_seqs=1024)
    found = budget(launch, widths=HYBRID_27B, weights_gib=weights_gib)
    page_gib = 16 * block * 4 * 512 * 2 / 2**30
    assert found.pessimistic_gib <= blocks * page_gib <= found.optimistic_gib
    assert found.pessimistic_gib < 1024 * page_gib  # at that end the start is refused, as it was
    if version == "0.33.0":
        assert found.typical_gib < 1024 * page_gib
    few = budget(replace(launch, max_num_seqs=16), widths=HYBRID_27B, weights_gib=weights_gib)
    plain = budget(
        replace(launch, max_num_seqs=16), widths=replace(HYBRID_27B, state_elements=0), weights_gib=weights_gib
    )
    assert plain.typical_gib - few.typical_gib == pytest.approx(3 / 64)
    older = budget(replace(launch, version="0.25.1"), widths=HYBRID_27B, weights_gib=weights_gib)
    assert "states_gib" not in older.working[-1].formula
    assert older.pessimistic_gib < older.typical_gib - 2.5 * 3


def test_large_cards_take_more_for_groups_in_one_release() -> None:
    """2.1 GiB with TP on cards of 70 GiB and more from 0.19 on, until graphs come out of the share (memory-budget)."""
    beside = {
        (version, total): budget(Launch(version, total_gib=total, tp=4), widths=LLAMA_8B, weights_gib=9).non_torch_gib
        for version in ("0.18.1", "0.19.1", "0.20.0")
        for total in (44.4, 79.2)
    }
    assert beside["0.19.1", 79.2] == 2.1
    assert beside["0.18.1", 79.2] == beside["0.18.1", 44.4] == beside["0.19.1", 44.4] == 0.4
    assert beside["0.20.0", 79.2] == fitted().group_new_gib
