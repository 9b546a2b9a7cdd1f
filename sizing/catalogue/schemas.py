"""What each data file may hold: one description a kind of file, which the loader follows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sizing.base.files import ConfigPath, Day, Flag, Kind, Many, Number, Place, Plain, Record, Sentence, SourceKey, Text
from sizing.catalogue import records

# How most of the weights of a checkpoint can be stored.
WEIGHT_FORMATS = ("fp32", "fp16", "bf16", "fp8", "fp4", "mxfp4", "nvfp4", "int4")

# Below these keys of a config stand names of modules and groups, which are the model's own.
MODULE_NAMES = ("quantized_layers", "config_groups")

NOTE = Text(optional=True, default="")
"""A remark for whoever keeps the data; no page shows it."""
TOLD = Sentence(optional=True, default="")
"""A remark that a page shows."""


def figure(
    unit: str, *, low: float = 0.0, high: float = 1e18, whole: bool = False, optional: bool = False, note: Text = TOLD
) -> Record:
    """A figure in one unit, within bounds."""
    number = Number(low=low, high=high, whole=whole)
    in_unit = Text(choices=(unit,))
    other = Record(
        fields={"unit": in_unit, "value": number, "source": SourceKey(), "reason": Sentence()},
        build=records.OtherFigure,
    )
    return Record(
        optional=optional,
        fields={
            "unit": in_unit,  # before the value: a figure in another unit is often out of bounds, too
            "value": number,
            "source": SourceKey(),
            "as_printed": Text(optional=True),
            "note": note,
            "others": Many(of=other, optional=True, default=(), least=1, unique=("value", "source")),
        },
        build=records.Figure,
    )


def _tflops() -> Record:
    return figure("TFLOPS", low=1, high=1e6, optional=True)


def _watts(*, optional: bool = False) -> Record:
    return figure("W", low=10, high=10_000, optional=optional)


def _capability(value: str, **fields: Any) -> records.Capability:
    major, _, minor = value.partition(".")
    return records.Capability(value=(int(major), int(minor)), **fields)


LINK = Record(
    optional=True,
    fields={
        "kind": Text(choices=("bridge", "nvlink", "xgmi")),
        "gb_s": figure("GB/s", low=1, high=1e5, optional=True),
        "largest_group": Number(optional=True, low=2, high=1024, whole=True),
        "source": SourceKey(),
        "note": NOTE,
    },
    build=records.Link,
)

PCIE = Record(
    fields={
        "generation": Number(low=3, high=9, whole=True),
        "lanes": Number(optional=True, low=1, high=16, whole=True),
        "source": SourceKey(),
        "note": NOTE,
    },
    build=records.Pcie,
)

AIRFLOW = Record(
    fields={
        "inlet_c": Number(low=-10, high=60),
        "cfm": Number(low=1, high=1000),
        "source": SourceKey(),
    },
    build=records.AirflowPoint,
)

MIG = Record(
    fields={
        "name": Text(pattern=r"\dg\.\d+gb", says="a profile name such as 1g.24gb"),
        "count": Number(low=1, high=16, whole=True),
        "memory_gb": Number(low=1, high=1000),
        "source": SourceKey(),
        "memory_gib": figure("GiB", low=1, high=1000, optional=True),
        "vgpu_memory_gib": figure("GiB", low=1, high=1000, optional=True),
        "sms": figure("SMs", low=1, high=1000, whole=True, optional=True),
    },
    build=records.MigProfile,
)

VGPU = Record(
    optional=True,
    fields={"supported": Flag(), "release": Text(optional=True, default=""), "source": SourceKey(), "note": TOLD},
    build=records.Vgpu,
)

PRICE = Record(
    fields={
        "value": Number(low=1, high=1e7),
        "currency": Text(choices=("EUR", "USD")),
        "date": Day(whole=False),
        "source": SourceKey(),
        "note": TOLD,
    },
    build=records.Price,
)

CAPABILITY = Record(
    optional=True,
    fields={
        "value": Text(pattern=r"\d{1,2}\.\d", says="a compute capability such as 12.0"),
        "source": SourceKey(),
        "note": NOTE,
    },
    build=_capability,
)

CARD = Record(
    fields={
        "id": Text(pattern=r"[a-z0-9]+(-[a-z0-9]+)*", says="small letters, digits and hyphens"),
        "name": Text(),
        "vendor": Text(),
        "form_factor": Text(),
        "cooling": Text(choices=("passive", "active", "liquid"), optional=True, default=""),
        "slots": Number(optional=True, low=1, high=4, whole=True),
        "memory_type": Text(optional=True, default=""),
        "source": SourceKey(),
        "read_on": Day(),
        "note": NOTE,
        "memory_gb": figure("GB", low=1, high=10_000),
        "memory_mib": figure("MiB", low=1024, high=1e7, whole=True, optional=True),
        "cuda_visible_gib": figure("GiB", low=1, high=10_000, optional=True),
        "memory_bandwidth_gb_s": figure("GB/s", low=10, high=1e5),
        "bf16_tflops": _tflops(),
        "fp8_tflops": _tflops(),
        "fp4_tflops": _tflops(),
        "power_default_w": _watts(),
        "power_min_w": _watts(optional=True),
        "power_max_w": _watts(),
        "power_modes_w": Many(of=_watts(), least=1, unique=("value",)),
        "link": LINK,
        "pcie": PCIE,
        "airflow": Many(of=AIRFLOW, optional=True, default=(), least=2, unique=("inlet_c",)),
        "mig": Many(of=MIG, optional=True, default=(), least=1, unique=("name",)),
        "capability": CAPABILITY,
        "vgpu": VGPU,
        "prices": Many(of=PRICE, optional=True, default=(), least=1, unique=("value", "currency", "date", "source")),
    },
    rising=(("power_min_w", "power_default_w", "power_max_w"),),
    build=records.Card,
)

CONFIG_SOURCE = Record(
    fields={
        "source": SourceKey(),
        "completeness": Text(choices=("yes", "no", "defaults")),
        "reason": Text(optional=True, default=""),
        "missing": Many(of=Text(), optional=True, default=(), least=1),
    },
    build=dict,
)


def _checkpoint(config_source: dict[str, Any], **fields: Any) -> records.Checkpoint:
    return records.Checkpoint(
        config_source=config_source["source"],
        completeness=config_source["completeness"],
        completeness_reason=config_source["reason"],
        config_missing=config_source["missing"],
        **fields,
    )


def _put_nulls(read: dict[str, Any], place: Place) -> None:
    """TOML has no null, and to a model class null and absent differ: ``config_null`` lists the keys that are null."""
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


def checkpoint(config_keys: Collection[str]) -> Record:
    """A checkpoint file. config_keys: names that its config may hold."""
    count = figure("parameters", low=1e6, high=1e14, whole=True, optional=True, note=NOTE)
    return Record(
        fields={
            "id": Text(pattern=r"[\w.-]+/[\w.-]+", says="a Hub id such as openai/gpt-oss-120b"),
            "name": Text(),
            "weight_format": Text(choices=WEIGHT_FORMATS, optional=True, default=""),
            "read_on": Day(),
            "revision": Text(optional=True, default=""),
            "note": NOTE,
            "weight_bytes": figure("B", low=1e7, high=1e14, whole=True, optional=True, note=NOTE),
            "params_total": count,
            "params_active": count,
            "config_source": CONFIG_SOURCE,
            "config_null": Many(of=ConfigPath(keys=config_keys), optional=True, default=(), least=1, unique=("key",)),
            "config": Plain(keys=config_keys, free=MODULE_NAMES),
            "hf_quant_config": Plain(keys=config_keys, free=MODULE_NAMES, optional=True),
        },
        rising=(("params_active", "params_total"),),
        join=_put_nulls,
        build=_checkpoint,
    )


CIRCUIT = Record(
    fields={
        "id": Text(pattern=r"[a-z0-9]+(-[a-z0-9]+)*", says="small letters, digits and hyphens"),
        "name": Sentence(),
        "region": Text(choices=("EU", "US")),
        "volts": Number(low=100, high=690),
        "phases": Text(choices=("1", "3")),
        "amps": Number(low=1, high=1000),
        "connector": Sentence(),
        "source": SourceKey(),
        "read_on": Day(),
        "note": TOLD,
    },
    build=lambda phases, **fields: records.Circuit(phases=int(phases), **fields),
)

CONFIG_KEYS = Record(
    fields={"about": Text(), "keys": Many(of=Text(), least=1)},
    build=lambda about, keys: keys,
)

SOURCE: dict[str, Kind] = {
    "title": Text(),
    "producer": Text(),
    "published": Day(optional=True, default="", whole=False),
    "read_on": Day(),
    "licence": Text(),
    "url": Text(optional=True, default="", pattern=r"https?://\S+", says="an address that starts with https://"),
    "via": Text(optional=True, default=""),
    "note": NOTE,
}
