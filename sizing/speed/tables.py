"""The words of the kernel library: data/kernels.toml, read strictly."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.files import ByName, Flag, Many, Number, Record, SourceKey, Text
from sizing.catalogue.loader import default


@dataclass(frozen=True)
class Library:
    """The library of measured operations: what to install, and the power limit its tables were measured at. [W]

    context_end_tokens: the longest context that was measured; beyond it the library extrapolates. [tokens]
    """

    name: str
    version: str
    module: str
    source: str
    reference_cap_w: float
    context_end_tokens: int


@dataclass(frozen=True)
class System:
    """A card whose kernels were measured. bandwidth_gb_s: what the library takes for it. [GB/s]

    releases: of the engines, where they differ from the usual ones.
    """

    card: str
    system: str
    bandwidth_gb_s: float
    source: str
    releases: Mapping[str, str]


@dataclass(frozen=True)
class Edition:
    """Another edition of a measured chip. decode, prefill: its speed against it where someone measured both. [-]"""

    card: str
    base: str
    decode: float | None
    prefill: float | None
    reason: str
    source: str


@dataclass(frozen=True)
class ContextParallel:
    """Speed with context parallel against without, as published: for one user and for ``many_at``. [-]"""

    one: float
    many: float
    many_at: int
    source: str


@dataclass(frozen=True)
class EngineTable:
    """An engine's tables. release: whose kernels were measured."""

    backend: str
    release: str
    source: str


@dataclass(frozen=True)
class NumberFormat:
    """A weight format by its names there. compute: fastest arithmetic it can run in ("bf16", "fp8", "fp4")."""

    gemm: str
    moe: str
    compute: str
    source: str


@dataclass(frozen=True)
class StandIn:
    """The checkpoint that stands for a published model of a format ("" where it is not stated).

    assumed: whether that takes something for granted.
    """

    family: str
    precision: str
    checkpoint: str
    assumed: bool
    reason: str
    source: str


@dataclass(frozen=True)
class Publisher:
    """What is taken for granted of a publisher's runs, where they do not say. tp: [-]"""

    suite: str
    tp: int
    engine: str
    reason: str
    source: str


@dataclass(frozen=True)
class Load:
    """What a benchmark asks of a server with a model, as means. [tokens]

    narrow: its runs store the model in the narrowest format of the card.
    """

    suite: str
    family: str
    checkpoint: str
    prompt_tokens: int
    answer_tokens: int
    narrow: bool
    reason: str
    source: str


@dataclass(frozen=True)
class Tables:
    """Everything in data/kernels.toml.

    pcie_gb_s: one direction of a slot, by generation. [GB/s]   same_kernels: class of model -> class it runs like.
    editions: by card.   activations: by system, engine and weight format.   caches_instead: cache whose operations
    stand in where those of latent attention lack this one, by card, engine and cache.
    """

    library: Library
    systems: Mapping[str, System]
    editions: Mapping[str, Edition]
    activations: Mapping[tuple[str, str, str], str]
    caches_instead: Mapping[tuple[str, str, str], str]
    context_parallel: ContextParallel
    engines: Mapping[str, EngineTable]
    formats: Mapping[str, NumberFormat]
    cache: Mapping[str, str]
    same_kernels: Mapping[str, str]
    stand_ins: tuple[StandIn, ...]
    siblings: Mapping[str, str]
    publishers: Mapping[str, Publisher]
    loads: Mapping[tuple[str, str], Load]
    pcie_gb_s: Mapping[int, float]
    pcie_lanes: int
    pcie_measured_gb_s: tuple[float, ...]


_SOURCE = SourceKey()
_LIBRARY = Record(
    fields={
        "name": Text(),
        "version": Text(),
        "module": Text(),
        "source": _SOURCE,
        "reference_cap_w": Number(low=1, high=5000),
        "context_end_tokens": Number(low=1, whole=True),
    },
    build=Library,
)
_SYSTEM = Record(
    fields={
        "card": Text(),
        "system": Text(),
        "bandwidth_gb_s": Number(low=1),
        "source": _SOURCE,
        "releases": Record(
            fields={name: Text() for name in ("vllm", "sglang", "trtllm")},
            build=dict,
            optional=True,
            default={},
        ),
    },
    build=System,
)
_EDITION = Record(
    fields={
        "card": Text(),
        "as": Text(),
        "decode": Number(low=0.05, high=5, optional=True, default=None),
        "prefill": Number(low=0.05, high=5, optional=True, default=None),
        "reason": Text(),
        "source": _SOURCE,
    },
    build=lambda **read: Edition(base=read.pop("as"), **read),
)
_ACTIVATION = Record(
    fields={"system": Text(), "engine": Text(), "format": Text(), "moe": Text(), "reason": Text(), "source": _SOURCE},
    build=lambda reason, source, **names: ((names["system"], names["engine"], names["format"]), names["moe"]),
)
_CACHE_INSTEAD = Record(
    fields={"card": Text(), "engine": Text(), "cache": Text(), "as": Text(), "reason": Text(), "source": _SOURCE},
    build=lambda reason, source, **names: ((names["card"], names["engine"], names["cache"]), names["as"]),
)
_CONTEXT_PARALLEL = Record(
    fields={
        "one": Number(low=0.05, high=1),
        "many": Number(low=0.05, high=1),
        "many_at": Number(low=2, whole=True),
        "source": _SOURCE,
    },
    build=ContextParallel,
)
_ENGINE = Record(fields={"backend": Text(), "release": Text(), "source": _SOURCE}, build=EngineTable)
_FORMAT = Record(
    fields={
        "gemm": Text(),
        "moe": Text(),
        "compute": Text(choices=("bf16", "fp8", "fp4")),
        "source": _SOURCE,
    },
    build=NumberFormat,
)
_SAME = Record(
    fields={"class": Text(), "as": Text(), "reason": Text(), "source": _SOURCE},
    build=lambda reason, source, **names: (names["class"], names["as"]),
)
_STAND_IN = Record(
    fields={
        "family": Text(),
        "precision": Text(optional=True, default=""),
        "checkpoint": Text(),
        "assumed": Flag(),
        "reason": Text(),
        "source": _SOURCE,
    },
    build=StandIn,
)
_SIBLING = Record(
    fields={"card": Text(), "as": Text(), "reason": Text(), "source": _SOURCE},
    build=lambda reason, source, **names: (names["card"], names["as"]),
)
_PUBLISHER = Record(
    fields={
        "suite": Text(),
        "tp": Number(low=1, whole=True),
        "engine": Text(),
        "reason": Text(),
        "source": _SOURCE,
    },
    build=Publisher,
)
_LOAD = Record(
    fields={
        "suite": Text(),
        "family": Text(),
        "checkpoint": Text(),
        "prompt_tokens": Number(low=1, whole=True),
        "answer_tokens": Number(low=1, whole=True),
        "narrow": Flag(),
        "reason": Text(),
        "source": _SOURCE,
    },
    build=Load,
)
_GENERATIONS = Record(
    fields={generation: Number(low=1) for generation in ("3", "4", "5")},
    build=lambda **rates: {int(generation): rate for generation, rate in rates.items()},
)
_PCIE = Record(
    fields={
        "source": _SOURCE,
        "lanes": Number(low=1, high=32, whole=True),
        "gb_s": _GENERATIONS,
        "measured_gb_s": Many(of=Number(low=1), least=1),
        "measured_source": _SOURCE,
    },
    build=SimpleNamespace,
)
_CACHE = Record(fields={"bf16": Text(), "fp8": Text(), "source": _SOURCE}, build=lambda source, **names: names)


def _tables(**read: Any) -> Tables:
    pcie = read.pop("pcie")
    read |= {name: {each.card: each for each in read[name]} for name in ("systems", "editions")}
    read |= {name: dict(read[name]) for name in ("same_kernels", "siblings", "activations", "caches_instead")}
    read["loads"] = {(each.suite, each.family): each for each in read["loads"]}
    publishers = {each.suite: each for each in read.pop("publishers")}
    return Tables(
        **read,
        publishers=publishers,
        pcie_gb_s=pcie.gb_s,
        pcie_lanes=pcie.lanes,
        pcie_measured_gb_s=pcie.measured_gb_s,
    )


_FILE = Record(
    fields={
        "library": _LIBRARY,
        "systems": Many(of=_SYSTEM, unique=("card",)),
        "editions": Many(of=_EDITION, unique=("card",)),
        "activations": Many(of=_ACTIVATION),
        "caches_instead": Many(of=_CACHE_INSTEAD),
        "context_parallel": _CONTEXT_PARALLEL,
        "engines": ByName(of=_ENGINE),
        "formats": ByName(of=_FORMAT),
        "cache": _CACHE,
        "same_kernels": Many(of=_SAME, unique=("class",)),
        "stand_ins": Many(of=_STAND_IN, unique=("family", "precision")),
        "siblings": Many(of=_SIBLING, unique=("card",)),
        "publishers": Many(of=_PUBLISHER, unique=("suite",)),
        "loads": Many(of=_LOAD, unique=("suite", "family")),
        "pcie": _PCIE,
    },
    build=_tables,
)


@functools.cache
def tables() -> Tables:
    """The tables, read once. SizingError for a file that does not follow its description."""
    read: Tables = default().read("kernels.toml", _FILE)
    return read


# How cards without a direct link pass their partial sums: dated facts by engine release, from data/interconnect.toml.
# Facts, not a recommendation of ours: each names the release it holds for, and what to set.
