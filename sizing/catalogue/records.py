"""What the catalogue hands out: figures with their sources, cards, checkpoints, circuits, sources."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sizing.base.declare import Declared, day, flag, many, number, of_kind, one, sentence, source_key, text
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.files import ConfigPath, Many, Number, Place, Plain, Text

if TYPE_CHECKING:
    from sizing.memory.architecture import Architecture

# How most of the weights of a checkpoint can be stored.
WEIGHT_FORMATS = ("fp32", "fp16", "bf16", "fp8", "fp4", "mxfp4", "nvfp4", "int4")

# Below these keys of a config stand names of modules and groups, which are the model's own.
MODULE_NAMES = ("quantized_layers", "config_groups")


def id_text() -> Any:
    """An id as we write it."""
    return text(pattern=r"[a-z0-9]+(-[a-z0-9]+)*", says="small letters, digits and hyphens")


def remark() -> Any:
    """A remark for whoever keeps the data; no page shows it."""
    return text(default="")


def told() -> Any:
    """A remark that a page shows."""
    return sentence(default="")


class Source(Declared):
    """Where a figure comes from.

    title: the paper, page, file or collection that states the figure.
    published: date of it ("2026-10-24", "2025-06", "" where it bears none).   read_on: when it was read.
    licence: its licence, or "unknown".   url: its address, or "".
    via: what was read instead of the paper itself, where that was not at hand; "" where it was.
    """

    key: str = text(default="")
    title: str = text()
    producer: str = text()
    published: str = day(whole=False, default="")
    read_on: str = day()
    licence: str = text()
    url: str = text(pattern=r"https?://\S+", says="an address that starts with https://", default="")
    via: str = text(default="")
    note: str = remark()

    @property
    def second_hand(self) -> bool:
        """True where the paper was read only as quoted by another text."""
        return bool(self.via)


class OtherFigure(Declared):
    """A figure for the same thing that is not used, and the reason."""

    unit: str = text()
    value: float = number()
    source: str = source_key()
    reason: str = sentence()


class Figure(Shown, Declared, facts=("value", "unit", "source", "as_printed", "note", "others")):
    """A number with its unit and its source.

    as_printed: how the source prints it, where that differs from the value; else None.
    others: what other sources state for the same thing.
    """

    unit: str = text()
    value: float = number()
    source: str = source_key()
    as_printed: str | None = text(default=None)
    note: str = told()
    others: tuple[OtherFigure, ...] = many(OtherFigure, least=1, unique=("value", "source"), default=())

    def __str__(self) -> str:
        return f"{self.value:,.{0 if self.value == int(self.value) else 2}f} {self.unit} ({self.source})"


def figure(
    unit: str, low: float = 0.0, high: float = 1e18, *, whole: bool = False, optional: bool = False, shown: bool = True
) -> Any:
    """A figure in one unit, from ``low`` to ``high``, ``whole``: without a fraction; ``optional``: may be left out.

    shown: a page shows its note.
    """
    # The unit before the value: a figure in another unit is often out of bounds, too.
    same = {"unit": Text(choices=(unit,)), "value": Number(low=low, high=high, whole=whole)}
    others = Many(of=OtherFigure.schema(narrower=same), least=1, unique=("value", "source"), optional=True, default=())
    narrower = {**same, "others": others, **({} if shown else {"note": remark()})}
    return Figure.schema(optional=optional, narrower=narrower)


class Link(Declared):
    """A direct connection between cards.

    kind: "bridge", "nvlink" or "xgmi".   gb_s: of one card to all others, both directions together. [GB/s]
    largest_group: cards that it joins without a hop over PCIe, None where not stated. [-]
    """

    kind: str = text(choices=("bridge", "nvlink", "xgmi"))
    gb_s: Figure | None = figure("GB/s", 1, 1e5, optional=True)
    largest_group: int | None = number(2, 1024, whole=True, default=None)
    source: str = source_key()
    note: str = remark()


class Pcie(Declared):
    """The slot: generation and lanes; lanes are None where not stated."""

    generation: int = number(3, 9, whole=True)
    lanes: int | None = number(1, 16, whole=True, default=None)
    source: str = source_key()
    note: str = remark()


class AirflowPoint(Declared):
    """Air the card asks for at an inlet temperature. [°C], [CFM]"""

    inlet_c: float = number(-10, 60)
    cfm: float = number(1, 1000)
    source: str = source_key()


class MigProfile(Declared):
    """A hardware slice of a card.

    count: slices of this size on one card. [-]   memory_gb: nominal size, as in the name. [GB]
    memory_gib: what an instance reports on bare metal.   vgpu_memory_gib: what it reports to a virtual machine. [GiB]
    sms: streaming multiprocessors of one slice. [-]
    """

    name: str = text(pattern=r"\dg\.\d+gb", says="a profile name such as 1g.24gb")
    count: int = number(1, 16, whole=True)
    memory_gb: float = number(1, 1000)
    source: str = source_key()
    memory_gib: Figure | None = figure("GiB", 1, 1000, optional=True)
    vgpu_memory_gib: Figure | None = figure("GiB", 1, 1000, optional=True)
    sms: Figure | None = figure("SMs", 1, 1000, whole=True, optional=True)


class Vgpu(Declared):
    """Whether virtual machines can share the card. release: first vGPU release for it, "" where not stated.

    licence_years: of NVIDIA AI Enterprise that come with the card; None where none are stated. [a]
    """

    supported: bool = flag()
    release: str = text(default="")
    licence_years: int | None = number(1, 10, whole=True, default=None)
    source: str = source_key()
    note: str = told()


class Price(Declared):
    """A price of a card that someone asked or paid on a day.

    kind: "new", "list", "used", or "rental" for an hour.   currency: ISO code.   seller: as named, "" where it is not.
    vat_percent: of VAT inside; None where the source does not say. [%]   confidence: "high", "medium" or "low".
    """

    card: str = id_text()
    kind: str = text(choices=("new", "list", "used", "rental"))
    value: float = number(0.01, 1e7)
    currency: str = text(choices=("EUR", "USD"))
    vat_percent: float | None = number(0, 30, default=None)
    date: str = day(whole=False)
    seller: str = text(default="")
    confidence: str = text(choices=("high", "medium", "low"))
    source: str = source_key()
    note: str = told()

    @property
    def id(self) -> str:
        """What no two prices share."""
        return f"{self.card} {self.kind} {self.value} {self.currency} {self.date} {self.seller}"

    @property
    def net(self) -> float:
        """Without VAT where it is known to be inside. [currency]"""
        return self.value / (1 + (self.vat_percent or 0.0) / 100)


class Capability(Declared):
    """CUDA compute capability, major and minor."""

    value: tuple[int, int] = text(pattern=r"\d{1,2}\.\d", says="a compute capability such as 12.0")
    source: str = source_key()
    note: str = remark()

    @classmethod
    def made(cls, **read: Any) -> Self:
        """With the two numbers of "12.0"."""
        major, _, minor = read.pop("value").partition(".")
        return cls(value=(int(major), int(minor)), **read)


def _tflops() -> Any:
    return figure("TFLOPS", 1, 1e6, optional=True)


def _watts(*, optional: bool = False) -> Any:
    return figure("W", 10, 10_000, optional=optional)


BOARDS = ("sxm", "oam")
"""Baseboards of modules, as a form factor names them."""


class Card(
    Shown,
    Declared,
    facts=(
        "id",
        "name",
        "memory_gb",
        "memory_mib",
        "memory_bandwidth_gb_s",
        "bf16_tflops",
        "fp8_tflops",
        "fp4_tflops",
        "power_default_w",
        "power_min_w",
        "power_max_w",
        "compute_capability",
        "cooling",
        "slots",
    ),
    lists=("mig", "airflow"),
):
    """A GPU product. Fields are None where no source states them.

    cooling: "passive" (air from the server's fans), "active" (its own fan), "liquid", "" where not stated.
    memory_gb: nominal memory. [GB]   memory_mib: total that the driver reports. [MiB]
    cuda_visible_gib: total that a CUDA program sees, below the driver's. [GiB]
    memory_bandwidth_gb_s: peak of the memory. [GB/s]
    bf16_tflops, fp8_tflops, fp4_tflops: dense, without sparsity. [TFLOPS]
    power_default_w, power_min_w, power_max_w: limit as delivered, and the range it can be set to. [W]
    power_modes_w: the default limits the card can be delivered or cabled for, highest first. [W]
    slots: expansion slots it takes, None for a module or where not stated. [-]
    source: of what bears no source of its own.   read_on: day the file was last checked against its sources.
    """

    RISING = (("power_min_w", "power_default_w", "power_max_w"),)

    id: str = id_text()
    name: str = text()
    vendor: str = text()
    form_factor: str = text()
    cooling: str = text(choices=("passive", "active", "liquid"), default="")
    slots: int | None = number(1, 4, whole=True, default=None)
    memory_type: str = text(default="")
    source: str = source_key()
    read_on: str = day()
    note: str = remark()
    memory_gb: Figure = figure("GB", 1, 10_000)
    memory_mib: Figure | None = figure("MiB", 1024, 1e7, whole=True, optional=True)
    cuda_visible_gib: Figure | None = figure("GiB", 1, 10_000, optional=True)
    memory_bandwidth_gb_s: Figure = figure("GB/s", 10, 1e5)
    bf16_tflops: Figure | None = _tflops()
    fp8_tflops: Figure | None = _tflops()
    fp4_tflops: Figure | None = _tflops()
    power_default_w: Figure = _watts()
    power_min_w: Figure | None = _watts(optional=True)
    power_max_w: Figure = _watts()
    power_modes_w: tuple[Figure, ...] = many(_watts(), least=1, unique=("value",))
    link: Link | None = one(Link, default=None)
    pcie: Pcie | None = one(Pcie)
    airflow: tuple[AirflowPoint, ...] = many(AirflowPoint, least=2, unique=("inlet_c",), default=())
    mig: tuple[MigProfile, ...] = many(MigProfile, least=1, unique=("name",), default=())
    capability: Capability | None = one(Capability, default=None)
    vgpu: Vgpu | None = one(Vgpu, default=None)

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """CUDA compute capability, None where no source states it or the card has none."""
        return self.capability.value if self.capability else None

    @property
    def board(self) -> str:
        """The baseboard it sits on as a module: "sxm", "oam"; "" for a card in slots, and where it is not known."""
        kind = self.form_factor[:3].lower()
        return kind if kind in BOARDS else ""

    @property
    def pcie_generation(self) -> int | None:
        """PCIe generation of the slot, None where its owner did not say. [-]"""
        return self.pcie.generation if self.pcie else None

    @property
    def pcie_lanes(self) -> int | None:
        """PCIe lanes of the slot. [-]"""
        return self.pcie.lanes if self.pcie else None


class ConfigSource(Declared):
    """Where a checkpoint's configs come from.

    completeness: "yes" where config.json was found whole; "no" where only some of its keys were; "defaults" where it
    was not found and that of a sibling stands in.   reason: why, or what is left out.
    missing: keys of its own config that decide the cache and were not found; ``architecture`` is then refused.
    """

    source: str = source_key()
    completeness: str = text(choices=("yes", "no", "defaults"))
    reason: str = text(default="")
    missing: tuple[str, ...] = many(Text(), least=1, default=())


def _parameters() -> Any:
    return figure("parameters", 1e6, 1e14, whole=True, optional=True, shown=False)


class Checkpoint(
    Shown,
    Declared,
    facts=("id", "name", "weight_format", "weight_bytes", "params_total", "params_active", "read_on", "architecture"),
):
    """One published set of weights.

    id: Hub id.   revision: commit whose files were counted, "" where not stated.
    weight_bytes: bytes of the weight files, None where no source states them. [B]
    weight_format: how most of the weights are stored ("bf16", "fp8", "nvfp4", "mxfp4" ...), "" where not stated.
    read_on: day the file was last checked against its sources.
    params_total, params_active: parameters, and those that work on one token.
    config, hf_quant_config: the keys of config.json and hf_quant_config.json that decide bytes and limits.
    config_source: where they come from.
    """

    RISING = (("params_active", "params_total"),)
    FILE_ONLY: ClassVar = {"config_null": many(ConfigPath(), least=1, unique=("key",), default=())}

    id: str = text(pattern=r"[\w.-]+/[\w.-]+", says="a Hub id such as openai/gpt-oss-120b")
    name: str = text()
    weight_format: str = text(choices=WEIGHT_FORMATS, default="")
    read_on: str = day()
    revision: str = text(default="")
    note: str = remark()
    weight_bytes: Figure | None = figure("B", 1e7, 1e14, whole=True, optional=True, shown=False)
    params_total: Figure | None = _parameters()
    params_active: Figure | None = _parameters()
    config_source: ConfigSource = one(ConfigSource)
    config: Mapping[str, Any] = of_kind(Plain(free=MODULE_NAMES))
    hf_quant_config: Mapping[str, Any] | None = of_kind(Plain(free=MODULE_NAMES, optional=True))

    @classmethod
    def join(cls, read: dict[str, Any], place: Place) -> None:
        """TOML has no null, and to a model class null and absent differ: ``config_null`` lists the keys that are."""
        for index, path in enumerate(read.pop("config_null")):
            *parents, key = path.split(".")
            table = read["config"]
            for parent in parents:
                table = table.get(parent)
                if not isinstance(table, dict):
                    place.at("config_null").at(index).refuse("data_no_such_table", value=path)
            if key in table:
                place.at("config_null").at(index).refuse("data_duplicate", what="key", value=path)
            table[key] = None

    @functools.cached_property
    def architecture(self) -> Architecture:
        """What the config says about the cache. A SizingError where its keys cannot be read or were not found."""
        if self.config_source.missing:
            missing = ", ".join(self.config_source.missing)
            raise SizingError("config_not_found", input="checkpoint", id=self.id, missing=missing)
        from sizing.memory.config.reader import read_config  # only where asked: listing checkpoints needs no reader

        return read_config(dict(self.config), dict(self.hf_quant_config) if self.hf_quant_config is not None else None)


class Circuit(Shown, Declared, facts=("id", "name", "region", "volts", "phases", "amps", "connector")):
    """A connection to the mains. region: of one way of wiring, such as EU; its circuits' ids start with it.

    volts: between phase and neutral with one phase in Europe, between phases with three. [V]
    phases: 1 or 3. [-]   amps: rating of the breaker. [A]
    continuous_a: what its country's rules let a lasting load draw, None where none was found. [A]
    """

    RISING = (("continuous_a", "amps"),)

    id: str = id_text()
    name: str = sentence()
    region: str = text(pattern="[A-Z]{2}", says="two capital letters")
    volts: float = number(100, 690)
    phases: int = text(choices=("1", "3"))
    amps: float = number(1, 1000)
    continuous_a: float | None = number(1, 1000, default=None)
    connector: str = sentence()
    source: str = source_key()
    read_on: str = day()
    note: str = told()

    @classmethod
    def join(cls, read: dict[str, Any], place: Place) -> None:
        start = f"{read['region'].lower()}-"
        if not read["id"].startswith(start):
            place.at("id").refuse("data_wrong_form", value=read["id"], wanted=f"an id that starts with {start}")

    @classmethod
    def made(cls, **read: Any) -> Self:
        """With the phases as a number."""
        return cls(phases=int(read.pop("phases")), **read)


class ConfigKeys(Declared):
    """A group of names that a checkpoint's config may hold."""

    about: str = text()
    keys: tuple[str, ...] = many(Text(), least=1)
