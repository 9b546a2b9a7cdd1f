"""The two tables that the German document lost in print, worked out by hand from its own rule.

Usable memory of a card: 0.9 x 95.6 - 3 = 83.04 GiB. A copy over n cards: floor((n x 83.04 - weights) / cache).
"""

from __future__ import annotations

from math import floor

import pytest

import sizing

GIB = 2**30
CARD_GIB = 0.9 * 95.6 - 3

# Weights in GiB from the bytes of the safetensors files, and cache of one conversation in GiB, both by hand:
# gpt-oss-120b: 18 full and 18 sliding layers (window 128), 8 KV heads of 64, keys and values, 2 bytes.
# Qwen3.8-27B: 16 full layers, 4 KV heads of 256; 48 DeltaNet layers: state 48 x 128 x 128 x 4 bytes and the
#   convolution's tail of 3 x (2 x 16 x 128 + 48 x 128) x 2 bytes.
# Llama 3.3 70B: 80 layers, 8 KV heads of 128.
GPT_OSS = (65_248_815_744 / GIB, (18 * 32768 + 18 * 128) * 8 * 64 * 2 * 2 / GIB)
QWEN = (
    55_562_855_904 / GIB,
    (16 * 32768 * 4 * 256 * 2 * 2 + 48 * (48 * 128 * 128 * 4 + 3 * (2 * 16 * 128 + 48 * 128) * 2)) / GIB,
)
LLAMA_32K = (72.7e9 / GIB, 80 * 32768 * 8 * 128 * 2 * 2 / GIB)
LLAMA_8K = 80 * 8192 * 8 * 128 * 2 * 2 / GIB

# checkpoint, context, cache precision, (weights, cache) in GiB
CASES = {
    "gpt-oss 32K": ("openai/gpt-oss-120b", 32768, "bf16", GPT_OSS),
    "Qwen 32K": ("Qwen/Qwen3.8-27B", 32768, "bf16", QWEN),
    "Llama FP8 32K": ("nvidia/Llama-3.3-70B-Instruct-FP8", 32768, "bf16", LLAMA_32K),
    "Llama FP8 8K, 16 bit": ("nvidia/Llama-3.3-70B-Instruct-FP8", 8192, "bf16", (72.7e9 / GIB, LLAMA_8K)),
    "Llama FP8 8K, FP8": ("nvidia/Llama-3.3-70B-Instruct-FP8", 8192, "fp8", (72.7e9 / GIB, LLAMA_8K / 2)),
    "Llama NVFP4 8K, 16 bit": ("nvidia/Llama-3.3-70B-Instruct-NVFP4", 8192, "bf16", (42.7e9 / GIB, LLAMA_8K)),
    "Llama NVFP4 8K, FP8": ("nvidia/Llama-3.3-70B-Instruct-NVFP4", 8192, "fp8", (42.7e9 / GIB, LLAMA_8K / 2)),
}

# The same worked out on paper: four copies, two pairs, one copy.
#   gpt-oss: (83.04 - 60.768)/1.1294 = 19.7; (166.08 - 60.768)/1.1294 = 93.2; (332.16 - 60.768)/1.1294 = 240.3
#   Qwen: (83.04 - 51.747)/2.1434 = 14.6; (166.08 - 51.747)/2.1434 = 53.3; (332.16 - 51.747)/2.1434 = 130.8
#   Llama FP8 at 32K, 10 GiB: 15.33/10 = 1.5; 98.37/10 = 9.8; 264.45/10 = 26.4
#   Llama FP8 at 8K, 2.5 GiB: 6.1; 39.3; 105.8    1.25 GiB: 12.3; 78.7; 211.6
#   Llama NVFP4, 39.768 GiB, 2.5 GiB: 17.3; 50.5; 116.96    1.25 GiB: 34.6; 101.05; 233.9
ON_PAPER = {
    "gpt-oss 32K": (4 * 19, 2 * 93, 240),
    "Qwen 32K": (4 * 14, 2 * 53, 130),
    "Llama FP8 32K": (4 * 1, 2 * 9, 26),
    "Llama FP8 8K, 16 bit": (4 * 6, 2 * 39, 105),
    "Llama FP8 8K, FP8": (4 * 12, 2 * 78, 211),
    "Llama NVFP4 8K, 16 bit": (4 * 17, 2 * 50, 116),
    "Llama NVFP4 8K, FP8": (4 * 34, 2 * 101, 233),
}


@pytest.mark.parametrize("case", CASES)
def test_four_copies_two_pairs_one_copy(case: str) -> None:
    checkpoint, context_tokens, kv_dtype, (weights_gib, cache_gib) = CASES[case]
    by_hand = tuple(
        copies * floor((tp * CARD_GIB - weights_gib) / cache_gib) for copies, tp in ((4, 1), (2, 2), (1, 4))
    )
    assert by_hand == ON_PAPER[case]
    sized = sizing.size(
        sizing.Scenario(checkpoint=checkpoint, cards=4, context_tokens=context_tokens, kv_dtype=kv_dtype)
    )
    assert tuple(sized.layout(copies=c, tp=t).conversations for c, t in ((4, 1), (2, 2), (1, 4))) == by_hand
