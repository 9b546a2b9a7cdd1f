"""The words of the kernel library: data/kernels.toml, read strictly."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from sizing.catalogue.files import read_toml
from sizing.catalogue.loader import default
from sizing.catalogue.schema import Flag, Kind, Many, Number, Place, Record, SourceKey, Text

FILE = "kernels.toml"


@dataclass(frozen=True, slots=True)
class Library:
    """The library of measured kernels: what to install, and the power limit its tables were measured at. [W]"""

    name: str
    version: str
    module: str
    source: str
    reference_cap_w: float


@dataclass(frozen=True, slots=True)
class System:
    """A card whose kernels were measured. bandwidth_gb_s: what the library takes for it. [GB/s]

    releases: of the engines, where they differ from the usual ones.
    """

    card: str
    system: str
    bandwidth_gb_s: float
    source: str
    releases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EngineTable:
    """An engine's tables. release: whose kernels were measured."""

    backend: str
    release: str
    source: str


@dataclass(frozen=True, slots=True)
class Format:
    """A weight format by its names there. compute: fastest arithmetic it can run in ("bf16", "fp8", "fp4")."""

    gemm: str
    moe: str
    compute: str
    source: str


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Publisher:
    """What is taken for granted of a publisher's runs, where they do not say. tp: [-]"""

    suite: str
    tp: int
    engine: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything in data/kernels.toml.

    pcie_gb_s: one direction of a slot, by generation. [GB/s]   same_kernels: class of model -> class it runs like.
    """

    library: Library
    systems: Mapping[str, System]
    engines: Mapping[str, EngineTable]
    formats: Mapping[str, Format]
    cache: Mapping[str, str]
    same_kernels: Mapping[str, str]
    stand_ins: tuple[StandIn, ...]
    siblings: Mapping[str, str]
    publishers: Mapping[str, Publisher]
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
_ENGINE = Record(fields={"backend": Text(), "release": Text(), "source": _SOURCE}, build=EngineTable)
_FORMAT = Record(
    fields={
        "gemm": Text(),
        "moe": Text(),
        "compute": Text(choices=("bf16", "fp8", "fp4")),
        "source": _SOURCE,
    },
    build=Format,
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


def _named(table: Any, kind: Record, place: Place) -> dict[str, Any]:
    if not isinstance(table, dict):
        place.refuse("data_wrong_type", value=table, wanted="a table")
    return {name: kind.read(entry, place.at(name)) for name, entry in table.items()}


@functools.cache
def tables() -> Tables:
    """The tables, read once. SizingError for a file that does not follow its description."""
    catalogue = default()
    place = Place(FILE, catalogue.sources)
    raw = read_toml(catalogue.root / FILE, FILE)
    parts: dict[str, Kind] = {
        "library": _LIBRARY,
        "systems": Many(of=_SYSTEM, unique=("card",)),
        "cache": _CACHE,
        "same_kernels": Many(of=_SAME, unique=("class",)),
        "stand_ins": Many(of=_STAND_IN, unique=("family", "precision")),
        "siblings": Many(of=_SIBLING, unique=("card",)),
        "publishers": Many(of=_PUBLISHER, unique=("suite",)),
        "pcie": _PCIE,
    }
    for name in raw:
        if name not in parts and name not in ("engines", "formats"):
            place.at(name).refuse("data_unknown_key", value=name)
    read = {name: kind.read(raw.get(name), place.at(name)) for name, kind in parts.items()}
    return Tables(
        library=read["library"],
        systems={system.card: system for system in read["systems"]},
        engines=_named(raw.get("engines"), _ENGINE, place.at("engines")),
        formats=_named(raw.get("formats"), _FORMAT, place.at("formats")),
        cache=read["cache"],
        same_kernels=dict(read["same_kernels"]),
        stand_ins=read["stand_ins"],
        siblings=dict(read["siblings"]),
        publishers={each.suite: each for each in read["publishers"]},
        pcie_gb_s=read["pcie"].gb_s,
        pcie_lanes=read["pcie"].lanes,
        pcie_measured_gb_s=read["pcie"].measured_gb_s,
    )
