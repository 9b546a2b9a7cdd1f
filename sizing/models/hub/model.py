"""What a look-up on the Hub brings back."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.catalogue import records
from sizing.catalogue.loader import default
from sizing.memory.config.reader import read_config

if TYPE_CHECKING:
    from sizing.catalogue.records import Checkpoint
    from sizing.memory.architecture import Architecture


@dataclass(frozen=True)
class RepoFile:
    """One file of a repository. size_bytes: of its content. [bytes]"""

    path: str
    size_bytes: int


@dataclass(frozen=True)
class LeftOutFile:
    """A weight file that is not counted. reason: names the sentence ``hub.left_out.<reason>``."""

    path: str
    size_bytes: int
    reason: str

    def say(self, language: str = "en") -> str:
        """Why it is not counted."""
        return texts.say(f"hub.left_out.{self.reason}", language)


@dataclass(frozen=True)
class DtypeTotal:
    """All tensors of one storage type in the counted files.

    elements: as stored; where several values are packed into one element this is not a number of parameters. [-]
    size_bytes: by the offsets in the headers. [bytes]
    """

    dtype: str
    tensors: int
    elements: int
    size_bytes: int


@dataclass(frozen=True)
class Quantisation:
    """One of several quantisations in a repository of GGUF files. size_bytes: of its files. [bytes]"""

    name: str
    size_bytes: int
    files: tuple[RepoFile, ...]


@dataclass(frozen=True)
class Progress:
    """How far a look-up is. step: names the sentence ``hub.progress.<step>``. done, total: parts of the step. [-]"""

    step: str
    done: int
    total: int

    def say(self, language: str = "en") -> str:
        """The sentence."""
        return texts.say(f"hub.progress.{self.step}", language, done=self.done, total=self.total)


@dataclass(frozen=True)
class HubModel:
    """A model as the Hub has it.

    id: as the Hub names it today.   revision: branch, tag or commit that was asked for.   commit: what it stands for.
    config, hf_quant_config: the files as dicts.   config_id: whose config.json it is; differs from id only on request.
    weight_bytes: bytes of the counted files. [bytes]   container: "safetensors", "pickle" or "gguf".
    counted, left_out: weight files; other_files, other_bytes: the rest of the repository. [-], [bytes]
    dtypes: from the headers, empty where the container has none that we read.
    quantisations: what a repository of GGUF files offers.   notes: what to say aloud about this look-up.
    read_on: day of the answer.   from_cache: the answer is kept from then, not fetched now.
    """

    id: str
    revision: str
    commit: str
    config: Mapping[str, Any]
    config_id: str
    hf_quant_config: Mapping[str, Any] | None
    weight_bytes: int
    container: str
    counted: tuple[RepoFile, ...]
    left_out: tuple[LeftOutFile, ...]
    other_files: int
    other_bytes: int
    dtypes: tuple[DtypeTotal, ...]
    quantisations: tuple[Quantisation, ...]
    notes: tuple[Note, ...]
    read_on: str
    from_cache: bool = False

    @functools.cached_property
    def architecture(self) -> Architecture:
        """What the config says about the cache. A SizingError where its keys cannot be read."""
        return read_config(self.config, self.hf_quant_config)

    @property
    def parameters(self) -> int | None:
        """Elements of all tensors; None where values are packed, or no header was read. [-]"""
        if not self.dtypes or self.packed:
            return None
        return sum(total.elements for total in self.dtypes)

    @property
    def packed(self) -> tuple[str, ...]:
        """Storage types in which one element holds several values, where they matter (1 % of the bytes)."""
        most = sum(total.size_bytes for total in self.dtypes) * 0.01
        return tuple(t.dtype for t in self.dtypes if t.dtype in PACKED_DTYPES and t.size_bytes > most)

    def say_source(self, language: str = "en") -> str:
        """Where this comes from: id, commit and day."""
        return texts.say("hub.source", language, id=self.id, commit=self.commit[:12], read_on=texts.Day(self.read_on))

    def checkpoint(self) -> Checkpoint:
        """The same as an entry of the catalogue."""
        return checkpoint(self)


# Whole-number types: quantised checkpoints pack 2 to 8 weights into one element of these.
PACKED_DTYPES = frozenset({"U8", "I8", "I16", "U16", "I32", "U32", "I64", "U64", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"})


# A look-up as an entry of the catalogue: in memory, and as text to paste into ``data/``.

# How a weight format is told: words in the config's quantisation, most telling first, then the largest storage type.
_WORDS = (("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("fp8", "fp8"), ("float-quantized", "fp8"))
_FOUR_BIT_METHODS = ("awq", "gptq", "pack-quantized", "auto-round", "bitsandbytes")
_DTYPES = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}


@dataclass(frozen=True)
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
    own = model.config_id == model.id
    return records.Checkpoint(
        id=model.id,
        name=model.id.rpartition("/")[2],
        weight_format=weight_format(model),
        weight_bytes=records.Figure(value=model.weight_bytes, unit="B", source=key),
        params_total=records.Figure(value=parameters, unit="parameters", source=key)
        if parameters is not None
        else None,
        params_active=None,
        config=model.config,
        hf_quant_config=model.hf_quant_config,
        config_source=records.ConfigSource(
            source=key,
            completeness="yes" if own else "defaults",
            reason="" if own else f"The config.json is that of {model.config_id}.",
        ),
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
    """An entry as text to paste. source: what sources.toml holds for ``entry.config_source.source``."""
    left_out: list[str] = []
    nulls: list[str] = []
    keys = default().config_keys
    config = _kept_keys(entry.config, keys, "", left_out, nulls)
    quant = entry.hf_quant_config
    if quant is not None:
        quant = _kept_keys(quant, keys, "hf_quant_config", left_out)
    _check_nothing_is_lost(entry, config, quant, left_out)
    optional = {"weight_format": entry.weight_format, "read_on": entry.read_on, "revision": entry.revision}
    stated = {"id": entry.id, "name": entry.name, **optional, "config_null": nulls}
    config_source = {name: getattr(entry.config_source, name) for name in ("source", "completeness", "reason")}
    lines = [
        *_pairs(stated),
        *_figure("weight_bytes", entry.weight_bytes),
        *_figure("params_total", entry.params_total),
        *("", "[config_source]"),
        *_pairs(config_source),
        *_table("config", config),
    ]
    if quant is not None:
        lines += _table("hf_quant_config", quant)
    origin = [f"[{entry.config_source.source}]", *_pairs(source)]
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
            kept[key] = _kept_keys(value, keys, where, left_out, nulls, free or key in records.MODULE_NAMES)
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
    return ["", f"[{name}]", *_pairs({"value": figure.value, "unit": figure.unit, "source": figure.source})]


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    held = [(key, value) for key, value in sorted(table.items()) if value is not None]
    return ["", f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in held)]


def _pairs(stated: Mapping[str, Any]) -> list[str]:
    """A line for each that is stated."""
    return [f"{_key(key)} = {_value(value)}" for key, value in stated.items() if value not in ("", [], None)]


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


# Reads the JSON files of a repository: strict, but for the bare word Infinity that real configs hold.

_INFINITY = {"Infinity": float("inf"), "-Infinity": float("-inf")}


def read_object(text: str, file: str) -> dict[str, Any]:
    """The JSON object in a text. file: what an error calls it.

    The bare words Infinity and -Infinity are read as what they mean; NaN and anything else that is not JSON is refused
    with line and column, as are a value that is not an object and one nested beyond reason.
    """

    def constant(word: str) -> float:
        if word not in _INFINITY:
            raise SizingError("hub_json_word", input=file, word=word)
        return _INFINITY[word]

    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=constant)
    except json.JSONDecodeError as error:
        raise SizingError("hub_json_broken", input=file, line=error.lineno, column=error.colno) from None
    except SizingError:  # which is a ValueError
        raise
    except (RecursionError, ValueError):  # nested thousands deep, or a number of thousands of digits
        raise SizingError("hub_json_unreasonable", input=file) from None
    if not isinstance(value, dict):
        raise SizingError("hub_json_not_object", input=file)
    return value
