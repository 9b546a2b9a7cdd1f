"""Values narrower than keys, and pages that do not divide each other, release by release.

Read from the model classes, operators and planning code of the wheels 0.19.1 to 0.33.0 (source: vllm-source).
"""

from __future__ import annotations

import pytest

from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, SlidingWindow

# 48 layers: nine keep the context with 4 KV heads, the others 128 tokens with 8; keys 192 wide, values 128.
WIDE = Layer((FullAttention(4, 192, 128),))
NARROW = Layer((SlidingWindow(8, 192, 128, 128),))
LAYERS = tuple(WIDE if index in (0, 5, 11, 17, 23, 29, 35, 41, 47) else NARROW for index in range(48))
MIMO = Architecture(LAYERS, attention_heads=64, model_type="mimo_v2_flash", moe=True)
GIB = 2**30


def start(version: str, tp: int, kv_dtype: str = "auto", capability: tuple[int, int] = (9, 0)) -> vllm.Startup:
    return vllm.startup(
        MIMO,
        available_kv_gib=40,
        max_model_len=32_768,
        max_num_batched_tokens=8192,
        tp=tp,
        kv_dtype=kv_dtype,
        version=version,
        compute_capability=capability,
    )


@pytest.mark.parametrize("tp", [1, 2, 4])
def test_older_releases_fill_values_up_to_the_keys(tp: int) -> None:
    """A page of a sliding layer is 16 x 8/TP x (192 + 192) x 2 bytes; a full layer's blocks are twice as long."""
    started = start("0.19.1", tp)
    page = 16 * 8 // tp * 384 * 2
    assert started.starts
    assert started.bytes_per_block == 9 * page
    # 32,768 tokens are 1,024 blocks of 32; 127 + 8,192 are 520 of 16 and one more, in five groups
    assert started.request_blocks == (1024, 521, 521, 521, 521, 521)
    assert started.num_blocks == 40 * GIB // (9 * page)


@pytest.mark.parametrize(("kv_dtype", "element"), [("auto", 2), ("fp8", 1)])
def test_newer_ones_keep_them_as_they_are(kv_dtype: str, element: int) -> None:
    """Pages of 16 x 4 x (192 + 128) elements on each of two cards; windows hold two batches of 8,192 tokens."""
    started = start("0.28.0", 2, kv_dtype)
    block = 9 * 16 * 4 * 320 * element
    assert started.bytes_per_block == block
    blocks = 40 * GIB // block
    assert started.kv_tokens == int(blocks / (1024 + 5 * 1033) * 32_768)


@pytest.mark.parametrize(
    ("version", "capability", "starts"),
    [
        ("0.28.0", (9, 0), True),  # Hopper's operator reads FP8
        ("0.28.0", (12, 0), False),  # the others' does not yet
        ("0.31.0", (12, 0), False),
        ("0.32.0", (12, 0), True),
        ("0.33.0", (10, 0), False),  # data-centre Blackwell takes one that has no FP8 for these widths
        ("0.23.0", (12, 0), True),  # filled up, they are as wide as keys
    ],
)
def test_which_cards_keep_narrow_values_in_fp8(version: str, capability: tuple[int, int], starts: bool) -> None:
    started = start(version, 2, "fp8", capability)
    assert started.starts is starts
    if not starts:
        assert started.refusal is not None
        assert started.refusal.key == "narrow_values"
        assert "bfloat16" in started.remedy
        assert start(version, 2, "bf16", capability).starts


def test_narrow_values_have_no_scale_for_each_head() -> None:
    started = start("0.33.0", 2, "int8_per_token_head")
    assert started.refusal is not None
    assert started.refusal.key == "narrow_values"


# Ten full layers with 4 KV heads of 512 beside fifty sliding ones with 16 of 256; four bytes of scale for each head.
GEMMA = Architecture(
    ((Layer((SlidingWindow(16, 256, 256, 1024),)),) * 5 + (Layer((FullAttention(4, 512, 512),)),)) * 10,
    attention_heads=32,
    model_type="gemma4_text",
)


@pytest.mark.parametrize(("version", "starts"), [("0.21.0", False), ("0.23.0", False), ("0.24.0", True)])
def test_pages_that_do_not_divide_are_filled_from_release_0_24(version: str, starts: bool) -> None:
    """Sliding 16 x 8 x (2 x 256 + 8) = 66,560 bytes, full 16 x 2 x (2 x 512 + 8) = 33,024, which is not half of it."""
    started = vllm.startup(
        GEMMA,
        available_kv_gib=12,
        max_model_len=262_144,
        max_num_batched_tokens=4096,
        tp=2,
        kv_dtype="int8_per_token_head",
        version=version,
        compute_capability=(8, 6),
    )
    assert started.starts is starts
    if starts:
        assert started.bytes_per_block == 10 * 66_560
        assert started.request_blocks == (321, 321, 321, 321, 321, 16_384)  # 1,023 + 4,096 tokens in blocks of 16
    else:
        assert started.refusal is not None
        assert started.refusal.key == "pages"
