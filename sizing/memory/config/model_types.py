"""What engine releases know of a model type: data/engines/model_types.csv, made by scripts/read_model_types.py.

Source: model-classes (the releases' own code). A type that stands there is served by a class that is known, so that a
key which the class never reads cannot touch the cache. Of any other type only the config's keys are known.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from sizing.base.files import data_dir, read_csv
from sizing.memory.config.class_defaults import GEOMETRY
from sizing.memory.config.fields import Fields

_Row = tuple[tuple[str, ...], tuple[str, ...]]


@functools.cache
def _table() -> dict[str, dict[str, _Row]]:
    _, rows = read_csv(data_dir() / "engines" / "model_types.csv", "engines/model_types.csv")
    kinds = ("type", "class", "file", "words", "both_ways", "encoder", "pools")
    table: dict[str, dict[str, _Row]] = {kind: {} for kind in kinds}
    for _, row in rows:
        table[row["kind"]][row["name"]] = (tuple(row["files"].split()), tuple(row["keys"].split()))
    return table


def architectures(*places: Fields) -> list[str]:
    """The classes that a config names."""
    names = [name for place in places if isinstance(found := place.table.get("architectures"), list) for name in found]
    return [name for name in names if isinstance(name, str)]


def known(*places: Fields) -> bool:
    """Whether an engine's release serves the type or the class that a config names."""
    table = _table()
    return any(place.model_type in table["type"] for place in places) or any(
        name in table["class"] for name in architectures(*places)
    )


@functools.cache
def _reads(type_names: tuple[str, ...], class_names: tuple[str, ...]) -> frozenset[str]:
    table = _table()
    files = {"everything"}
    for kind, names in (("type", type_names), ("class", class_names)):
        files.update(file for name in names for file in table[kind].get(name, ((), ()))[0])
    return frozenset(key for file in files for key in table["file"].get(file, ((), ()))[1])


def reads(*places: Fields) -> frozenset[str]:
    """Keys that could change the cache and that the classes of these types read."""
    return _reads(tuple(place.model_type for place in places), tuple(architectures(*places)[:8]))


@functools.cache
def vocabulary() -> frozenset[str]:
    """Every other key that some class of an engine reads."""
    return frozenset(_table()["words"][""][1])


def turned_both_ways(*places: Fields) -> bool:
    """Whether the engine reads every token at once for the class that a config names, though no key says so.

    Such are classes that it turns, those whose every file attends as encoders do, and models of masked words.
    """
    table = _table()
    if any(name in table["both_ways"] for name in architectures(*places)) or _fills_masks(*places):
        return True
    rows = [table["class"][name][0] for name in architectures(*places) if name in table["class"]]
    rows += [table["type"][place.model_type][0] for place in places if place.model_type in table["type"]]
    files = {file for row in rows for file in row}
    return bool(files) and files <= table["encoder"].keys()


def _fills_masks(*places: Fields) -> bool:
    """Whether a config offers a model that fills in masked words, and none that continues a text."""
    offered = list(architectures(*places))
    for place in places:
        if isinstance(found := place.table.get("auto_map"), dict):
            offered += [key for key in found if isinstance(key, str)]
    return any("MaskedLM" in name for name in offered) and not any("CausalLM" in name for name in offered)


def pooled(*places: Fields) -> str:
    """The class that a config names and that engines serve for embeddings or scores alone; "" for any other."""
    return next((name for name in architectures(*places) if name in _table()["pools"]), "")


@functools.cache
def defaults(model_type: str) -> dict[str, Any]:
    """Numbers that the configuration class of a type takes for a key that is absent."""
    pairs = (word.partition("=") for word in _table()["type"].get(model_type, ((), ()))[1])
    return {key: json.loads(value) for key, _, value in pairs}


@functools.cache
def geometry(model_type: str) -> tuple[int | None, int | None]:
    """KV heads and width of a head that a class takes where their keys are absent; None for query heads, and for
    hidden size through heads."""
    if (stated := GEOMETRY.get(model_type)) is not None:
        return stated
    own = defaults(model_type)
    groups = own.get("num_key_value_heads")
    return None if groups == own.get("num_attention_heads") else groups, own.get("head_dim")
