"""What the catalogue hands out: figures with their sources, cards, checkpoints, circuits, sources."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sizing.base.errors import SizingError

if TYPE_CHECKING:
    from sizing.memory.architecture import Architecture


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure comes from.

    title: the paper, page, file or collection that states the figure.
    published: date of it ("2026-10-24", "2025-06", "" where it bears none).   read_on: when it was read.
    licence: its licence, or "unknown".   url: its address, or "".
    via: what was read instead of the paper itself, where that was not at hand; "" where it was.
    """

    key: str
    title: str
    producer: str
    published: str
    read_on: str
    licence: str
    url: str = ""
    via: str = ""
    note: str = ""

    @property
    def second_hand(self) -> bool:
        """True where the paper was read only as quoted by another text."""
        return bool(self.via)


@dataclass(frozen=True, slots=True)
class OtherFigure:
    """A figure for the same thing that is not used, and the reason."""

    value: float
    unit: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit and its source.

    as_printed: how the source prints it, where that differs from the value; else None.
    others: what other sources state for the same thing.
    """

    value: float
    unit: str
    source: str
    as_printed: str | None = None
    note: str = ""
    others: tuple[OtherFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A direct connection between cards.

    kind: "bridge", "nvlink" or "xgmi".   gb_s: of one card to all others, both directions together. [GB/s]
    largest_group: cards that it joins without a hop over PCIe, None where not stated. [-]
    """

    kind: str
    gb_s: Figure | None
    largest_group: int | None
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pcie:
    """The slot: generation and lanes; lanes are None where not stated."""

    generation: int
    lanes: int | None
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class AirflowPoint:
    """Air the card asks for at an inlet temperature. [°C], [CFM]"""

    inlet_c: float
    cfm: float
    source: str


@dataclass(frozen=True, slots=True)
class MigProfile:
    """A hardware slice of a card.

    count: slices of this size on one card. [-]   memory_gb: nominal size, as in the name. [GB]
    memory_gib: what an instance reports on bare metal.   vgpu_memory_gib: what it reports to a virtual machine. [GiB]
    sms: streaming multiprocessors of one slice. [-]
    """

    name: str
    count: int
    memory_gb: float
    source: str
    memory_gib: Figure | None = None
    vgpu_memory_gib: Figure | None = None
    sms: Figure | None = None


@dataclass(frozen=True, slots=True)
class Vgpu:
    """Whether virtual machines can share the card. release: first vGPU release for it, "" where not stated."""

    supported: bool
    source: str
    release: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """A price that someone asked or paid on a day. currency: ISO code."""

    value: float
    currency: str
    date: str
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Capability:
    """CUDA compute capability, major and minor."""

    value: tuple[int, int]
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU product. Fields are None where no source states them.

    cooling: "passive" (air from the server's fans), "active" (its own fan), "liquid", "" where not stated.
    memory_gb: nominal memory. [GB]   memory_mib: total that the driver reports. [MiB]
    cuda_visible_gib: total that a CUDA program sees, below the driver's. [GiB]
    memory_bandwidth_gb_s: peak of the memory. [GB/s]
    bf16_tflops, fp8_tflops, fp4_tflops: dense, without sparsity. [TFLOPS]
    power_default_w, power_min_w, power_max_w: limit as delivered, and the range it can be set to. [W]
    power_modes_w: the default limits the card can be delivered or cabled for, highest first. [W]
    slots: expansion slots it takes, None for a module on a baseboard. [-]
    source: of what bears no source of its own.   read_on: day the file was last checked against its sources.
    """

    id: str
    name: str
    vendor: str
    form_factor: str
    cooling: str
    slots: int | None
    memory_type: str
    memory_gb: Figure
    memory_mib: Figure | None
    cuda_visible_gib: Figure | None
    memory_bandwidth_gb_s: Figure
    bf16_tflops: Figure | None
    fp8_tflops: Figure | None
    fp4_tflops: Figure | None
    power_default_w: Figure
    power_min_w: Figure | None
    power_max_w: Figure
    power_modes_w: tuple[Figure, ...]
    link: Link | None
    pcie: Pcie
    airflow: tuple[AirflowPoint, ...]
    mig: tuple[MigProfile, ...]
    capability: Capability | None
    vgpu: Vgpu | None
    prices: tuple[Price, ...]
    source: str
    read_on: str
    note: str = ""

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """CUDA compute capability, None where no source states it or the card has none."""
        return self.capability.value if self.capability else None

    @property
    def pcie_generation(self) -> int:
        """PCIe generation of the slot. [-]"""
        return self.pcie.generation

    @property
    def pcie_lanes(self) -> int | None:
        """PCIe lanes of the slot. [-]"""
        return self.pcie.lanes


@dataclass(frozen=True)
class Checkpoint:
    """One published set of weights.

    id: Hub id.   revision: commit whose files were counted, "" where not stated.
    weight_bytes: bytes of the weight files, None where no source states them. [B]
    weight_format: how most of the weights are stored ("bf16", "fp8", "nvfp4", "mxfp4" ...), "" where not stated.
    read_on: day the file was last checked against its sources.
    params_total, params_active: parameters, and those that work on one token.
    config, hf_quant_config: the keys of config.json and hf_quant_config.json that decide bytes and limits.
    config_source: key of the source of them.
    completeness: "yes" where the file was found whole; "no" where only some of its keys were; "defaults" where it was
    not found and that of a sibling stands in.   completeness_reason: why, or what is left out.
    config_missing: keys of its own config that decide the cache and were not found; ``architecture`` is then refused.
    """

    id: str
    name: str
    weight_format: str
    weight_bytes: Figure | None
    params_total: Figure | None
    params_active: Figure | None
    config: Mapping[str, Any]
    hf_quant_config: Mapping[str, Any] | None
    config_source: str
    completeness: str
    read_on: str
    completeness_reason: str = ""
    config_missing: tuple[str, ...] = ()
    revision: str = ""
    note: str = ""

    @functools.cached_property
    def architecture(self) -> Architecture:
        """What the config says about the cache. A SizingError where its keys cannot be read or were not found."""
        if self.config_missing:
            missing = ", ".join(self.config_missing)
            raise SizingError("config_not_found", input="checkpoint", id=self.id, missing=missing)
        from sizing.memory.config.reader import read_config  # only where asked: listing checkpoints needs no reader

        return read_config(dict(self.config), dict(self.hf_quant_config) if self.hf_quant_config is not None else None)


@dataclass(frozen=True, slots=True)
class Circuit:
    """A connection to the mains.

    volts: between phase and neutral with one phase in Europe, between phases with three. [V]
    phases: 1 or 3. [-]   amps: rating of the breaker. [A]
    """

    id: str
    name: str
    region: str
    volts: float
    phases: int
    amps: float
    connector: str
    source: str
    read_on: str
    note: str = ""
