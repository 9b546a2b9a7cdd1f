"""The share of a card that SGLang gives to weights and cache by itself. Source: sglang-kv-rules."""

from __future__ import annotations

from sizing.base.dataclass import dataclass
from sizing.base.units import GIB
from sizing.memory.sglang.releases import Rules

MIB = GIB >> 10
CONTEXT_GIB = 0.7
"""Of what CUDA sees of a card, gone before the weights load; published logs show 0.6 to 0.8 on single cards. [GiB]"""
_BY_TP = {1: 0.88, 2: 0.87, 4: 0.85, 8: 0.81, 16: 0.79}
_IMAGES = 0.95
"""What a multimodal model keeps of the share; the size of its encoder moves it by a few hundredths. [-]"""


@dataclass(frozen=True)
class Serving:
    """What decides the default share. board_mib: as the driver reports it. [MiB]

    tp, pp, attention_dp: sizes of the groups. [-]   chunk: tokens of a prefill step, None for the card's default.
    requests: --max-running-requests, None where it is not given. [-]   latent, images, drafts: kinds of the model.
    """

    board_mib: int
    tp: int = 1
    pp: int = 1
    attention_dp: int = 1
    chunk: int | None = None
    requests: int | None = None
    latent: bool = False
    images: bool = False
    drafts: bool = False


def chunk_and_batch(serving: Serving, rules: Rules) -> tuple[int, int]:
    """Tokens of a prefill step, and the largest batch that decodes from a graph, by the card's memory."""
    gib, narrow = serving.board_mib / 1024, serving.tp < 4
    if gib < 20:
        chunk, batch = 2048, 8
    elif gib < 35:
        chunk, batch = (
            rules.small_card_tokens,
            rules.small_card_batch if narrow else (160 if batch_is_new(rules) else 80),
        )
    elif gib < 60:
        chunk, batch = 4096, 32 if narrow else 160
    elif gib < 160:
        chunk, batch = 8192, 256 if narrow else 512
    else:
        chunk, batch = 16384, 512
    if rules.fraction != "reserve_mib" and 35 <= gib < 160:
        chunk = 8192
    if serving.requests:
        batch = min(batch, serving.requests)
    return serving.chunk or chunk, batch


def batch_is_new(rules: Rules) -> bool:
    """Cards below 35 GiB capture larger batches since they read larger chunks."""
    return rules.small_card_tokens > 2048 and rules.small_card_batch == 48


def default_share(serving: Serving, rules: Rules) -> float:
    """--mem-fraction-static where it is not given, by serving and the release's rules. [-]"""
    board = serving.board_mib
    if rules.fraction.startswith("tiers"):
        if rules.fraction == "tiers_capped" and board > 81_920:
            return round((board - 13 * 1024) / board, 3)
        return _BY_TP.get(serving.tp, _BY_TP[16] if serving.tp > 8 else _BY_TP[8])
    cards = serving.tp * serving.pp
    if rules.fraction == "reserve_gib":
        gib = board / 1024
        reserve_gib = 2.8 + cards / 10 if gib < 35 else (9.5 if gib < 90 else 12.0) + cards / 2 if gib < 160 else 32.0
        reserve_gib += 2 * serving.drafts + 4 * (serving.attention_dp > 1)
        share = round((board - reserve_gib * 1024) / board, 3)
        return round(share * (0.9 if serving.images else 1), 3)
    chunk, batch = chunk_and_batch(serving, rules)
    reserve = 512 + 1.5 * max(chunk, 2048) + 128 * cards + 2 * batch
    if serving.attention_dp > 1:
        reserve += batch * serving.attention_dp * (3 if batch <= 300 else 4.5)
    if rules.prefill_graphs:
        reserve += 1536 if serving.latent else 8 * prefill_sizes(chunk)
    if board > 60 * 1024:
        reserve = max(reserve, 10 * 1024)
    if serving.drafts:
        reserve += rules.draft_reserve_mib
    share = round((board - reserve) / board, 3)
    return share * _IMAGES if serving.images else share


def prefill_sizes(chunk: int) -> int:
    """Sizes that prefill is captured for: 58 up to 8,192 tokens, eight fewer or sixteen more a doubling. [-]"""
    return 58 - 8 * max(0, (8192 // max(chunk, 2048)).bit_length() - 1) + 16 * (chunk > 8192)
