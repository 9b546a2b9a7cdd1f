"""A look-up as an entry of the catalogue: in memory, and as text to paste into ``data/``."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sizing.catalogue import records
from sizing.catalogue.loader import default
from sizing.catalogue.schemas import MODULE_NAMES
from sizing.errors import SizingError
from sizing.hub.model import HubModel
from sizing.memory.config import read_config

# How a weight format is told: words in the config's quantisation, most telling first, then the largest storage type.
_WORDS = (("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("fp8", "fp8"), ("float-quantized", "fp8"))
_FOUR_BIT_METHODS = ("awq", "gptq", "pack-quantized", "auto-round", "bitsandbytes")
_DTYPES = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """What to paste so that the catalogue knows a model.

    path: the new file under ``data/``.   checkpoint: its text.   source: the entry that sources.toml needs for it.
    left_out: keys of the config that the catalogue has no use for, and values that TOML cannot hold.
    """

    path: str
    checkpoint: str
    source: str
    left_out: tuple[str, ...]


def weight_format(model: HubModel) -> str:
    """How most of the weights are stored, in the catalogue's words; "" where it cannot be told."""
    stated = stated_format(model.config, model.hf_quant_config)
    if stated is not None:
        return stated
    return _DTYPES.get(model.dtypes[0].dtype, "") if model.dtypes else ""


def stated_format(config: Mapping[str, Any], hf_quant_config: Mapping[str, Any] | None) -> str | None:
    """What the config says of a quantisation: a format, "" for one without a name here, None where it says nothing."""
    text_config = config.get("text_config")
    nested = text_config.get("quantization_config") if isinstance(text_config, Mapping) else None
    stated = json.dumps([config.get("quantization_config"), nested, hf_quant_config], default=str).lower()
    for word, name in _WORDS:
        if word in stated:
            return name
    if any(method in stated for method in _FOUR_BIT_METHODS):
        return "int4" if '"bits": 4' in stated or '"num_bits": 4' in stated or 'load_in_4bit": true' in stated else ""
    return None


def source_key(model: HubModel) -> str:
    """The key under which sources.toml holds this look-up."""
    name = "".join(c if c.isalnum() else "-" for c in model.id.lower())
    return f"hub-{name}-{model.commit[:7]}"


def checkpoint(model: HubModel) -> records.Checkpoint:
    """The model as the catalogue would hand it out."""
    key = source_key(model)
    parameters = model.parameters
    return records.Checkpoint(
        id=model.id,
        name=model.id.rpartition("/")[2],
        weight_format=weight_format(model),
        weight_bytes=records.Figure(model.weight_bytes, "B", key),
        params_total=records.Figure(parameters, "parameters", key) if parameters is not None else None,
        params_active=None,
        config=model.config,
        hf_quant_config=model.hf_quant_config,
        config_source=key,
        completeness="yes" if model.config_id == model.id else "defaults",
        completeness_reason="" if model.config_id == model.id else f"The config.json is that of {model.config_id}.",
        read_on=model.read_on,
        revision=model.commit,
    )


def catalogue_row(model: HubModel) -> CatalogueRow:
    """The text to paste: the checkpoint's file with what the catalogue needs, and its source.

    SizingError where the architecture cannot be read, or would be read differently from what the catalogue can hold.
    """
    source = {
        "title": f"{model.id} on the Hugging Face Hub, commit {model.commit[:12]}: config.json and file list",
        "producer": model.id.rpartition("/")[0] or model.id,
        "read_on": model.read_on,
        "licence": "unknown",
        "url": f"https://huggingface.co/{model.id}/tree/{model.commit}",
    }
    return written(checkpoint(model), source)


def written(entry: records.Checkpoint, source: Mapping[str, str]) -> CatalogueRow:
    """An entry as text to paste. source: what sources.toml holds for ``entry.config_source``."""
    left_out: list[str] = []
    nulls: list[str] = []
    keys = default().config_keys
    config = _kept_keys(entry.config, keys, "", left_out, nulls)
    quant = entry.hf_quant_config
    if quant is not None:
        quant = _kept_keys(quant, keys, "hf_quant_config", left_out)
    _check_nothing_is_lost(entry, config, quant, left_out)
    lines = [
        *_pair("id", entry.id),
        *_pair("name", entry.name),
        *(_pair("weight_format", entry.weight_format) if entry.weight_format else []),
        *_pair("read_on", entry.read_on),
        *(_pair("revision", entry.revision) if entry.revision else []),
        *(_pair("config_null", nulls) if nulls else []),
        *_figure("weight_bytes", entry.weight_bytes),
        *_figure("params_total", entry.params_total),
        "",
        "[config_source]",
        *_pair("source", entry.config_source),
        *_pair("completeness", entry.completeness),
        *(_pair("reason", entry.completeness_reason) if entry.completeness_reason else []),
        *_table("config", config),
    ]
    if quant is not None:
        lines += _table("hf_quant_config", quant)
    origin = [f"[{entry.config_source}]", *(line for key, value in source.items() for line in _pair(key, value))]
    path = f"checkpoints/{entry.id.replace('/', '--')}.toml"
    return CatalogueRow(path, _text(lines), _text(origin), tuple(left_out))


def _check_nothing_is_lost(
    entry: records.Checkpoint, config: Mapping[str, Any], quant: Mapping[str, Any] | None, left_out: list[str]
) -> None:
    whole = entry.architecture
    try:
        same = read_config(config, quant) == whole
    except SizingError:
        same = False
    if not same:
        raise SizingError("hub_row_incomplete", input="id", keys=", ".join(left_out[:12]))


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _kept_keys(
    table: Mapping[str, Any],
    keys: Collection[str],
    place: str,
    left_out: list[str],
    nulls: list[str] | None = None,
    free: bool = False,
) -> dict[str, Any]:
    """The keys that the catalogue knows, without numbers that are not finite.

    nulls: takes the paths of null values, which the catalogue lists by name; None where it cannot, as inside lists.
    """
    kept: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{place}.{key}" if place else key
        if not free and keys and key not in keys:
            left_out.append(where)
        elif value is None and nulls is not None and not free:
            kept[key] = None
            nulls.append(where)
        elif isinstance(value, Mapping):
            kept[key] = _kept_keys(value, keys, where, left_out, nulls, free or key in MODULE_NAMES)
        elif isinstance(value, list):
            kept[key] = [
                _kept_keys(item, keys, where, left_out, None, free) if isinstance(item, Mapping) else item
                for item in value
            ]
            if not _plain(kept[key]):
                left_out.append(where)
                del kept[key]
        elif _plain(value):
            kept[key] = value
        else:
            left_out.append(where)
    return kept


def _plain(value: Any) -> bool:
    """Whether TOML can hold it: no null, no number that is not finite."""
    match value:
        case list():
            return all(_plain(item) for item in value)
        case Mapping():
            return all(_plain(item) for item in value.values())
        case float():
            return math.isfinite(value)
        case int():  # and bool
            return -(2**63) <= value < 2**63
    return isinstance(value, str)


def _figure(name: str, figure: records.Figure | None) -> list[str]:
    if figure is None:
        return []
    return [
        "",
        f"[{name}]",
        *_pair("value", figure.value),
        *_pair("unit", figure.unit),
        *_pair("source", figure.source),
    ]


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    held = [(key, value) for key, value in sorted(table.items()) if value is not None]
    return ["", f"[{name}]", *(line for key, value in held for line in _pair(key, value))]


def _pair(key: str, value: Any) -> list[str]:
    return [f"{_key(key)} = {_value(value)}"]


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else _string(key)


def _string(text: str) -> str:
    # JSON's escapes are TOML's, but for surrogates, which a TOML text cannot hold, and DEL, which JSON leaves bare
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case list():
            return "[" + ", ".join(_value(item) for item in value) + "]"
        case Mapping():
            inner = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None)
            return f"{{ {inner} }}" if inner else "{}"
    return repr(value)
