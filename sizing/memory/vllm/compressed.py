"""DeepSeek V4's caches: windows of records, compressed records, index keys, and the compressors' own states.

Source: vllm-kv-rules, vllm-source.
"""

from __future__ import annotations

from sizing.memory.caches import CompressedAttention
from sizing.memory.vllm.specs import Spec

# Pages are rounded up to a whole number of these. [bytes]
_ALIGNMENT = 576
_WINDOW_BLOCK = 64
_FP32 = 4
# Ratio -> (tokens of a state block, groups of tokens that the compressor overlooks).
_COMPRESSORS = {4: (4, 2), 128: (8, 1)}


def _page(num_bytes: int) -> int:
    return -(-num_bytes // _ALIGNMENT) * _ALIGNMENT


def specs(cache: CompressedAttention, block: int) -> tuple[Spec, ...]:
    """All caches of one layer. block: tokens that a block of compressed records stands for. [tokens]"""
    record = int(cache.entry_bytes("fp8"))
    found = [_sliding(_WINDOW_BLOCK, record, cache.window)]
    if not cache.ratio:
        return tuple(found)
    found.append(_growing("record", block, block // cache.ratio * record))
    state_block, overlap = _COMPRESSORS[cache.ratio]
    window = overlap * cache.ratio
    # Values and gates of each overlooked group, in fp32.
    found.append(_sliding(state_block, 2 * overlap * cache.entry_dim * _FP32, window))
    if cache.index_dim:
        found.append(_growing("index", block, block // cache.ratio * int(cache.index_bytes("fp8"))))
        found.append(_sliding(state_block, 2 * overlap * cache.index_dim * _FP32, window))
    return tuple(found)


def _growing(name: str, block: int, num_bytes: int) -> Spec:
    return Spec("full", "compressed", (name, num_bytes), block, _page(num_bytes), padded=True)


def _sliding(block: int, token_bytes: int, window: int) -> Spec:
    layout = ("window", token_bytes)
    return Spec("sliding", "compressed", layout, block, _page(block * token_bytes), window, padded=True)
