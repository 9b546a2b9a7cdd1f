"""What is known of the link between cards: facts for a layout, and all-reduces as measured (data/interconnect.toml)."""

from __future__ import annotations

import functools
import itertools
import math

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.files import DayText, Many, Number, Record, SourceKey, Text
from sizing.catalogue.loader import default
from sizing.memory.layouts import Layout


@dataclass(frozen=True)
class Fact:
    """One fact, in words ``interconnect.<key>``.

    applies: "pair", "group", "pipeline", "any", "mig".   first, last: releases it holds for, "" where open.
    flag: what to set or type, "" for none.   date: of the fact, as exact as its source.
    """

    key: str
    applies: str
    engine: str
    first: str
    last: str
    flag: str
    date: str
    source: str

    def say(self, language: str = "en") -> str:
        """The fact as a sentence."""
        return texts.say(f"interconnect.{self.key}", language)


@dataclass(frozen=True)
class AllReduce:
    """One all-reduce as measured, by the size of what is summed. [bytes], [µs]"""

    cards: int
    size_bytes: int
    one_shot_us: float
    nccl_us: float
    source: str


_FACT = Record(
    fields={
        "key": Text(pattern=r"[a-z0-9_]+", says="small letters, digits and underscores"),
        "applies": Text(choices=("pair", "group", "pipeline", "any", "mig")),
        "engine": Text(optional=True, default=""),
        "from": Text(optional=True, default=""),
        "until": Text(optional=True, default=""),
        "flag": Text(optional=True, default=""),
        "date": DayText(whole=False),
        "source": SourceKey(),
    },
    build=lambda **fields: Fact(first=fields.pop("from"), last=fields.pop("until"), **fields),
)
_ALL_REDUCE = Record(
    fields={
        "cards": Number(low=2, whole=True),
        "bytes": Number(low=1, whole=True),
        "one_shot_us": Number(low=0.1),
        "nccl_us": Number(low=0.1),
        "source": SourceKey(),
    },
    build=lambda **fields: AllReduce(size_bytes=fields.pop("bytes"), **fields),
)
_WHOLE = Record(
    fields={"facts": Many(of=_FACT, unique=("key",)), "all_reduce": Many(of=_ALL_REDUCE, unique=("cards", "bytes"))},
    build=lambda facts, all_reduce: (facts, all_reduce),
)


@functools.cache
def _read() -> tuple[tuple[Fact, ...], tuple[AllReduce, ...]]:
    read: tuple[tuple[Fact, ...], tuple[AllReduce, ...]] = default().read("interconnect.toml", _WHOLE)
    return read


def facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the file."""
    return _read()[0]


def all_reduces() -> tuple[AllReduce, ...]:
    """The measured all-reduces, by size."""
    return _read()[1]


def advice(layouts: tuple[Layout, ...]) -> tuple[Fact, ...]:
    """The facts that bear on these layouts. None where no layout uses several cards for a copy."""
    split = {"any"} if any(layout.tp * layout.pp > 1 for layout in layouts) else set()
    split |= {"pair"} if any(layout.tp == 2 for layout in layouts) else set()
    split |= {"group"} if any(layout.tp > 2 for layout in layouts) else set()
    split |= {"pipeline"} if any(layout.pp > 1 for layout in layouts) else set()
    return tuple(fact for fact in facts() if fact.applies in (split | {"mig"} if split else split))


def all_reduce_us(size_bytes: float, cards: int) -> tuple[float, float] | None:
    """One all-reduce of this size, fast and slow as measured [µs]: between sizes on the logarithm of both.

    None where no one measured as many cards, or such a size.
    """
    rows = sorted((row for row in all_reduces() if row.cards == cards), key=lambda row: row.size_bytes)
    for low, high in itertools.pairwise(rows):
        if low.size_bytes <= size_bytes <= high.size_bytes:
            at = math.log(size_bytes / low.size_bytes) / math.log(high.size_bytes / low.size_bytes)
            one_shot = low.one_shot_us * (high.one_shot_us / low.one_shot_us) ** at
            nccl = low.nccl_us * (high.nccl_us / low.nccl_us) ** at
            return min(one_shot, nccl), max(one_shot, nccl)
    return None
