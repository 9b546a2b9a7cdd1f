"""SGLang's releases: which are known, and which of the rules each of them follows."""

from __future__ import annotations

import functools
import re
from typing import Any, Literal

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.starting import facts, releases

NAME = "sglang"
RULES_SOURCE = "sglang-kv-rules"
BUDGET_SOURCE = "sglang-kv-rules"
PRINTED_WITHIN = 0.01  # temporaries of the loader are freed after the print
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[.+-]?(?:post|rc|dev)?\d*.*)?")

Fraction = Literal["tiers_by_tp", "tiers_capped", "reserve_gib", "reserve_mib"]


@dataclass(frozen=True)
class Rules:
    """What one release does.

    fraction: how it works out the default share of the card.
    indexer_counted: keys of a sparse model's indexer are charged.   indexer_elided: only where a layer picks anew.
    pools_by_layer: full and sliding layers are charged by their own widths, not all as full ones.
    draft_counted: layers and weights that draft stand inside the share.   draft_reserve_mib: else left for them. [MiB]
    state_buffers: states have buffers beside them by default, where the class can.
    state_spare_slot: the state pool's spare slot is charged.   states_drafted: how states in between are.
    c128_per_token: a compressed cache's slow states are charged by token.   pages_padded: and its pages filled up.
    image_reserve_gib: kept for images and sound. [GiB]   one_request_checked: a sliding pool must hold one request.
    prefill_graphs: graphs of prefill are kept room for.   small_card_tokens, small_card_batch: chunk and batch of cards
    below 35 GiB. [tokens], [-]   running_extra: requests above the default's bounds. [-]
    """

    fraction: Fraction
    indexer_counted: bool
    indexer_elided: bool
    pools_by_layer: bool
    draft_counted: bool
    state_buffers: bool
    state_spare_slot: bool
    states_drafted: Literal["product", "requests", "jointly"]
    c128_per_token: bool
    pages_padded: bool
    image_reserve_gib: float
    one_request_checked: bool
    prefill_graphs: bool
    draft_reserve_mib: int
    small_card_tokens: int
    small_card_batch: int
    running_extra: int

    @property
    def default_utilization(self) -> float:
        """Of a card of 80 GiB with one copy on it; `sizing.memory.sglang.shares` tells it of any other. [-]"""
        return 0.88 if self.fraction.startswith("tiers") else 0.83

    graphs_in_share = False  # they come out of what the share leaves


def read_version(version: object) -> tuple[int, ...]:
    """Numbers of a release. SizingError where it is none."""
    found = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if found is None:
        raise SizingError("engine_version_unknown", input="version", value=str(version)[:40], known=_span())
    return tuple(int(part or 0) for part in found.groups())


def check_version(version: object) -> None:
    """SizingError where the rules of a release are not known."""
    if read_version(version) < read_version(facts(NAME)["release"][0]["since"]):
        raise SizingError("engine_version_unknown", input="version", value=str(version)[:40], known=_span())


@functools.lru_cache(maxsize=200)
def rules(version: str) -> Rules:
    """What a release does. SizingError where its rules are not known; a newer one follows the newest known."""
    check_version(version)
    table, asked = facts(NAME), read_version(version)
    does: dict[str, Any] = dict(table["first"])
    for entry in table["release"]:
        if read_version(entry["since"]) <= asked:
            does.update(entry.get("does", {}))
    return Rules(**does)


def _span() -> str:
    return f"{facts(NAME)['release'][0]['since']} – {NEWEST}"


NEWEST = releases(NAME)[-1]
