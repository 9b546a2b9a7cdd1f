"""A model that is brought along: looked up on the Hub, pasted as text, or a changed entry of the catalogue."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Literal

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.numbers import parse_number
from sizing.base.texts import Day
from sizing.base.units import GB, GIB, gb
from sizing.catalogue.amounts import weights
from sizing.models.hub.model import CatalogueRow, catalogue_row, read_object, stated_format, written

if TYPE_CHECKING:
    from sizing.models.hub.model import HubModel

MOST_BYTES = 2_000_000
"""Longest text that is read. [bytes]"""

SOURCE = "brought"
"""In place of a key of sources.toml: what the model itself says."""

WEIGHT_UNITS = {"gb": GB, "gib": GIB, "bytes": 1}
_LEAST_WEIGHTS, _MOST_WEIGHTS = 1_000_000, 100_000 * GB  # [bytes]
_LONGEST_NAME = 100
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


@dataclass(frozen=True)
class Brought:
    """A model for one visit.

    checkpoint: stands in for an entry of the catalogue in ``sizing.size``.
    way: "hub" or "text".   hub: what the Hub answered, None for a text.
    changed_from: id of the entry of the catalogue that the text started from, "" where it did not.
    """

    checkpoint: catalogue.Checkpoint
    way: Literal["hub", "text"]
    hub: HubModel | None = None
    changed_from: str = ""


@dataclass(frozen=True)
class Texts:
    """An entry of the catalogue as texts to change. weights: digits of the size in ``unit``, "" where not known."""

    name: str
    config: str
    hf_quant_config: str
    weights: str
    unit: str


def from_hub(model: HubModel) -> Brought:
    """A look-up as a model to size. SizingError where its config cannot be read."""
    entry = model.checkpoint()
    entry = entry.replace(
        config_source=entry.config_source.replace(source=SOURCE),
        weight_bytes=_ours(entry.weight_bytes),
        params_total=_ours(entry.params_total),
    )
    return _sizeable(Brought(entry, "hub", hub=model))


def _ours(figure: catalogue.Figure | None) -> catalogue.Figure | None:
    return figure.replace(source=SOURCE) if figure else None


def from_text(
    config: str,
    hf_quant_config: str = "",
    *,
    weights: str = "",
    unit: str = "gb",
    name: str = "",
    changed_from: str = "",
    decimal: str = ".",
) -> Brought:
    """A model from the text of its config.json.

    hf_quant_config: text of that file, "" where there is none.   name: what to call it, a Hub id where it has one.
    weights: size of one copy as typed, "" to take the estimate; unit: "gb", "gib" or "bytes".
    changed_from: id of the entry of the catalogue that the texts started from.   decimal: sign before decimals.
    SizingError: a text that is too long or not a JSON object, a config that cannot be read, a size out of bounds.

    >>> text = '{"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2, "vocab_size": 32000}'
    >>> from_text(text, weights="1.5").checkpoint.architecture.kv_bytes(1)
    32768
    """
    for what, text in (("config.json", config), ("hf_quant_config.json", hf_quant_config)):
        if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
            raise SizingError("bring_too_long", input=what, most_mb=MOST_BYTES / 1e6)
    if not config.strip():
        raise SizingError("bring_nothing", input="config.json")
    read = read_object(config, "config.json")
    quant = read_object(hf_quant_config, "hf_quant_config.json") if hf_quant_config.strip() else None
    size_bytes = _weight_bytes(weights, unit, decimal)
    id, title = _named(name, read.get("model_type"))
    base = catalogue.checkpoint(changed_from) if changed_from else None
    entry = catalogue.Checkpoint(
        id=id,
        name=title,
        weight_format=stated_format(read, quant) or "",
        weight_bytes=catalogue.Figure(value=size_bytes, unit="B", source="input") if size_bytes is not None else None,
        params_total=None,
        params_active=None,
        config=read,
        hf_quant_config=quant,
        config_source=catalogue.ConfigSource(
            source=SOURCE,
            completeness=base.config_source.completeness if base else "yes",
            reason=base.config_source.reason if base else "",
        ),
        read_on=Day(datetime.date.today().isoformat()),
    )
    return _sizeable(Brought(entry, "text", changed_from=changed_from))


def texts(id: str) -> Texts:
    """An entry of the catalogue as texts to change."""
    entry = catalogue.checkpoint(id)
    known = entry.weight_bytes
    quant = entry.hf_quant_config
    return Texts(
        name=entry.id,
        config=json.dumps(entry.config, indent=2),
        hf_quant_config=json.dumps(quant, indent=2) if quant is not None else "",
        weights=str(int(known.value)) if known else "",
        unit="bytes" if known else "gb",
    )


def row(brought: Brought) -> CatalogueRow:
    """What to paste so that the catalogue knows the model. SizingError where it has no Hub id to be found under."""
    if brought.hub is not None:
        return catalogue_row(brought.hub)
    entry = brought.checkpoint
    if not _HUB_ID.fullmatch(entry.id):
        raise SizingError("bring_row_needs_id", input="name")
    key = "pasted-" + re.sub(r"[^a-z0-9]+", "-", entry.id.lower()).strip("-")
    size_bytes = entry.weight_bytes.replace(source=key) if entry.weight_bytes else None
    source = {
        "title": f"config.json of {entry.id}, as pasted into the workbook",
        "producer": entry.id.partition("/")[0],
        "read_on": entry.read_on,
        "licence": "unknown",
    }
    origin = entry.config_source.replace(source=key)
    return written(entry.replace(config_source=origin, weight_bytes=size_bytes), source)


def _sizeable(brought: Brought) -> Brought:
    """The same, once it is sure that it can be sized."""
    brought.checkpoint.architecture  # noqa: B018  a SizingError names what could not be read
    weights(brought.checkpoint)
    return brought


def _named(name: str, model_type: object) -> tuple[str, str]:
    """Id and title: the name as given, else the config's own word for its class."""
    name = " ".join(name.split())
    if len(name) > _LONGEST_NAME:
        raise SizingError("bring_name_long", input="name", most=_LONGEST_NAME)
    if name:
        return name, name.rpartition("/")[2] or name
    kind = model_type if isinstance(model_type, str) else ""
    return "config.json", f"config.json ({kind[:40]})" if kind else "config.json"


def _weight_bytes(text: str, unit: str, decimal: str) -> int | None:
    if not text.strip():
        return None
    if unit not in WEIGHT_UNITS:
        raise SizingError("bring_unit_unknown", input="weights", value=str(unit)[:20])
    try:
        found = round(parse_number(text, decimal) * WEIGHT_UNITS[unit])
    except ValueError:
        raise SizingError("bring_weights_unreadable", input="weights", value=text.strip()[:40]) from None
    if not _LEAST_WEIGHTS <= found <= _MOST_WEIGHTS:
        raise SizingError("bring_weights_out_of_range", input="weights", value=gb(found))
    return found
