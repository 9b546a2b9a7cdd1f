"""Hardware and models of the user's own: a record as text, which stands wherever an id of the catalogue does.

Such an id is ``own:`` and the record as JSON, so that it travels in links and files like any other. What it says is
read by the schema of the catalogue's own files; its source is "own" everywhere.
"""

from __future__ import annotations

import base64
import functools
import json
import zlib
from collections.abc import Mapping
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Many, Place, Record, Text
from sizing.base.texts import LANGUAGES, Told, Word, say
from sizing.catalogue.loader import OWN, default
from sizing.catalogue.processors import Processor
from sizing.catalogue.records import Card, Checkpoint, Circuit, Pcie, figure

PREFIX, PACKED = OWN
SOURCE = "own"
"""In place of a key of sources.toml."""

MOST_CHARACTERS = 2_000_000
"""Longest record that is read, as a config.json may be. [characters]"""

LONGEST_NAME = 100
_OWN_ID = "_own_id"

_FLAT: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("compute_capability", "capability", "value", {}),
    ("pcie_generation", "pcie", "generation", {}),
    ("pcie_lanes", "pcie", "lanes", {}),
    ("nvlink_gb_s", "link", "gb_s", {"kind": "nvlink"}),
)
"""What a card of one's own says in one word: the file's table for it, its key there, what goes along."""


@dataclass(kw_only=True, eq=False, repr=False)
class _Config(Kind):
    """A config.json with whatever keys; the reader of configs says what it makes of them."""

    def read(self, value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            place.refuse("data_wrong_type", value=str(value)[:60], wanted="a table")
        return value


_NAME = Text(pattern=rf"(?s).{{1,{LONGEST_NAME}}}", says=f"a text of up to {LONGEST_NAME} letters")
_SAID: dict[str, Kind] = {"id": _NAME, "name": _NAME, "read_on": Text(optional=True, default="")}

_KINDS: dict[str, tuple[type[Declared], dict[str, Kind], dict[str, Any]]] = {
    "card": (
        Card,
        {"pcie": Pcie.schema(optional=True)},
        {"vendor": "own", "form_factor": "own"},
    ),
    "circuit": (Circuit, {}, {"connector": "own"}),
    "processor": (Processor, {}, {"vendor": "own"}),
    "checkpoint": (
        Checkpoint,
        {
            "config": _Config(),
            "hf_quant_config": _Config(optional=True),
            "weight_bytes": figure("B", 1e6, 1e17, whole=True, optional=True, shown=False),
        },
        {"config_source": {"completeness": "yes"}},
    ),
}
"""By kind: the record of the catalogue, what is narrower or wider here, and what a person need not say."""


def own(kind: str, record: Mapping[str, Any] | None = None, /, **fields: Any) -> str:
    """An id for a card, circuit, processor or checkpoint of one's own, as `Scenario` takes it.

    kind: "card", "circuit", "processor" or "checkpoint".   record, fields: as a file of ``data/`` has them, a figure as
    its bare number in the unit of its field. A card needs name, memory_gb, memory_bandwidth_gb_s and power_default_w; a
    circuit name, region, volts, phases and amps; a processor name, cores and tdp_w; a checkpoint name and config.
    SizingError for a field that is missing, unknown or out of bounds.

    >>> mine = own("card", name="Big one", memory_gb=128, memory_bandwidth_gb_s=4000, power_default_w=900)
    >>> mine
    'own:{"memory_bandwidth_gb_s":4000,"memory_gb":128,"name":"Big one","power_default_w":900}'
    """
    if kind not in _KINDS:
        raise SizingError("not_a_choice", input="kind", label="kind", value=str(kind)[:60], known=", ".join(_KINDS))
    try:
        plain = _plain({**(record or {}), **fields})
        said = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SizingError("own_not_json", input=kind, kind=kind, reason=str(error)[:100]) from None
    id = PREFIX + said
    read(kind, id)
    return id


def _plain(value: Any) -> Any:
    """A value as JSON has it: 80 for 80.0, numpy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read(kind: str, id: str) -> Any:
    """The record of such an id. SizingError names the input ``kind``, with what is wrong in ``values["place"]``."""
    try:
        return _read(kind, unpacked(id, kind))
    except SizingError as error:
        if error.key in ("own_refused", "own_not_json"):
            raise
        told = tuple(error.values.items())
        what, fix = (Word(f"error.{error.key}.{part}", told) for part in ("what", "fix"))
        raise SizingError("own_refused", input=kind, kind=kind, reason=what, remedy=fix, place=error.input) from None


@functools.lru_cache(maxsize=128)
def _read(kind: str, id: str) -> Any:
    record_of, wider, unsaid = _KINDS[kind]
    record = {**unsaid, **_loaded(kind, id)}
    record = {**record, "id": record.get("id", record.get("name")) if kind == "checkpoint" else SOURCE}
    said = {key: each for key, each in _SAID.items() if key in record_of.FIELDS}
    described = record_of.schema(narrower={**wider, **said})
    if kind == "card":
        record = _nested(record)
    record = {key: _full(described.fields.get(key), value) for key, value in record.items()}
    for key in described.twins:  # what is typed once is said alike in every language
        for twin in described.twins[key].values():
            if key in record:
                record.setdefault(twin, record[key])
    if "source" in described.fields:
        record.setdefault("source", SOURCE)
    if kind == "card":
        _complete_card(record)
    if kind == "circuit":
        region = str(record.get("region", ""))  # its id in a file starts with it, and its phases are a text there
        record |= {"id": f"{region.lower()}-own", "phases": str(record.get("phases", ""))}
    made = described.read(record, Place(SOURCE, (SOURCE,)))
    return made if kind == "checkpoint" else made.replace(id=id, name=_marked(made.name))


def _marked(name: str) -> Told:
    """The name with the word that it is one's own, in every language."""
    said = {language: say("ui.own.called", language, name=str(name)) for language in LANGUAGES}
    return Told(said[LANGUAGES[0]], said)


def _full(kind: Kind | None, value: Any) -> Any:
    """A figure said as its bare number, with its unit and source; a record inside with the source that it lacks."""
    if isinstance(kind, Many) and isinstance(value, list):
        return [_full(kind.of, each) for each in value]
    if not isinstance(kind, Record):
        return value
    if "unit" in kind.fields and not isinstance(value, dict):
        unit = kind.fields["unit"]
        value = {"value": value, "unit": unit.choices[0] if isinstance(unit, Text) and unit.choices else ""}
    if not isinstance(value, dict):
        return value
    told = {key: _full(kind.fields.get(key), each) for key, each in value.items()}
    return {**told, "source": SOURCE} if "source" in kind.fields else told


def _nested(record: dict[str, Any]) -> dict[str, Any]:
    """A card's record with what stands in tables of its own in a file, said here in one word each."""
    held = dict(record)
    for flat, table, key, more in _FLAT:
        if flat in held:
            said = held.get(table, {})
            held[table] = {**more, **(said if isinstance(said, dict) else {}), key: held.pop(flat)}
    return held


def _complete_card(record: dict[str, Any]) -> None:
    """A limit that nobody names is the one as delivered, which is then the only one."""
    usual = record.get("power_default_w")
    if usual is not None:
        record.setdefault("power_max_w", usual)
        record.setdefault("power_modes_w", [usual])


def _loaded(kind: str, id: str) -> dict[str, Any]:
    try:
        found = json.loads(id.removeprefix(PREFIX))
    except (ValueError, RecursionError) as error:
        raise SizingError("own_not_json", input=kind, kind=kind, reason=str(error)[:100]) from None
    if not isinstance(found, dict):
        raise SizingError("own_not_json", input=kind, kind=kind, reason=type(found).__name__)
    return found


def written(id: str) -> dict[str, Any]:
    """What such an id says, as it was said."""
    return _loaded("", unpacked(id))


def packed(id: str) -> str:
    """The id as a link writes it: itself where that is short, else compressed."""
    if not id.startswith(PREFIX):
        return id
    tight = base64.urlsafe_b64encode(zlib.compress(id.removeprefix(PREFIX).encode(), 9)).decode().rstrip("=")
    return PACKED + tight


def unpacked(id: str, kind: str = "") -> str:
    """The id that a link wrote. SizingError for what is damaged, or too long."""
    if id.startswith(PACKED):
        tight = id.removeprefix(PACKED)
        try:
            opened = zlib.decompressobj()
            raw = opened.decompress(base64.urlsafe_b64decode(tight + "=" * (-len(tight) % 4)), MOST_CHARACTERS + 1)
            id = PREFIX + raw.decode("utf-8")
            whole = opened.eof or len(raw) > MOST_CHARACTERS
        except (ValueError, zlib.error):
            whole = False
        if not whole:
            raise SizingError("own_not_json", input=kind, kind=kind, reason=tight[:20])
    if len(id) > MOST_CHARACTERS:
        raise SizingError("own_too_long", input=kind, kind=kind, most=MOST_CHARACTERS)
    return id


def of_record(value: Any) -> Any:
    """The id of a record, or of what a config was read into; any other value as it is."""
    value = getattr(value, "checkpoint", value)  # a model that was brought along
    if isinstance(value, Card | Circuit | Processor):
        return value.id
    if isinstance(value, Checkpoint):
        if _OWN_ID not in value.__dict__:
            value.__dict__[_OWN_ID] = _of_checkpoint(value)  # worked out once: a page asks at each move
        return value.__dict__[_OWN_ID]
    read_from = value if isinstance(value, Mapping) else getattr(value, "read_from", None)
    if read_from is None:
        return value
    config, quant = (value, None) if isinstance(value, Mapping) else read_from
    word = config.get("model_type") if isinstance(config, Mapping) else ""
    name = f"config.json ({word[:40]})" if isinstance(word, str) and word else "config.json"
    return own("checkpoint", {"name": name, "config": config, **({"hf_quant_config": quant} if quant else {})})


def _of_checkpoint(model: Checkpoint) -> str:
    """The id of a checkpoint: its own where the catalogue's entry is the same, else its record."""
    if model.id in default().checkpoint_ids() and default().checkpoint(model.id) == model:
        return model.id
    said: dict[str, Any] = {"id": model.id, "name": model.name, "config": dict(model.config)}
    for key in ("weight_format", "revision", "hf_quant_config"):
        if value := getattr(model, key):
            said[key] = value
    for key in ("weight_bytes", "params_total", "params_active"):
        if (stated := getattr(model, key)) is not None:
            said[key] = stated.value
    where = model.config_source
    if where.completeness != "yes" or where.missing:
        said["config_source"] = {"completeness": where.completeness, "missing": list(where.missing)}
        said["config_source"] |= {"reason": where.reason} if where.reason else {}
    return own("checkpoint", said)
