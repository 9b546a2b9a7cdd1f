"""The facts of one repository at one commit, as they were fetched; kept on disk so that they can be used offline."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from huggingface_hub import cached_assets_path, try_to_load_from_cache

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.models.hub.model import DtypeTotal, RepoFile, read_object

# Safetensors headers: what a weight file holds, from its first bytes.

LENGTH_BYTES = 8
LARGEST_HEADER_BYTES = 25_000_000
"""A quarter of what the format allows, and five times the largest published: a header is held in memory whole."""

Totals = dict[str, tuple[int, int, int]]
"""By storage type: tensors, elements, bytes."""


def header_bytes(start: bytes, path: str, file_bytes: int) -> int:
    """Length of the header, from the first 8 bytes of a file. [bytes]"""
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    fits = LENGTH_BYTES + length <= file_bytes
    if len(start) < LENGTH_BYTES or not 2 <= length <= LARGEST_HEADER_BYTES or not fits:
        raise SizingError("hub_header_broken", input=path)
    return length


def read_totals(header: bytes, path: str, file_bytes: int) -> Totals:
    """What the tensors of one file take, by storage type. header: without its length.   file_bytes: of the file."""
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError:
        raise SizingError("hub_header_broken", input=path) from None
    totals: Totals = {}
    room = file_bytes - LENGTH_BYTES - len(header)
    for name, tensor in read_object(text, path).items():
        if name == "__metadata__":
            continue
        dtype, elements, size = _tensor(tensor, path, room)
        tensors, all_elements, all_bytes = totals.get(dtype, (0, 0, 0))
        totals[dtype] = (tensors + 1, all_elements + elements, all_bytes + size)
    return totals


def _tensor(tensor: Any, path: str, room: int) -> tuple[str, int, int]:
    match tensor:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            plain = all(isinstance(width, int) and not isinstance(width, bool) and width >= 0 for width in shape)
            if plain and 0 <= begin <= end <= room and len(dtype) <= 16:
                return dtype, math.prod(shape), end - begin
    raise SizingError("hub_header_broken", input=path)


def add_up(files: Iterable[Mapping[str, Iterable[int]]]) -> tuple[DtypeTotal, ...]:
    """Totals of several files, largest first."""
    sums: Totals = {}
    for totals in files:
        for dtype, (tensors, elements, size) in totals.items():
            before = sums.get(dtype, (0, 0, 0))
            sums[dtype] = (before[0] + tensors, before[1] + elements, before[2] + size)
    return tuple(
        DtypeTotal(dtype, *values) for dtype, values in sorted(sums.items(), key=lambda item: (-item[1][2], item[0]))
    )


FORMAT = 1
CONFIG = "config.json"
HF_QUANT = "hf_quant_config.json"
MOST_CONFIG_BYTES = 20_000_000
MOST_INDEX_BYTES = 100_000_000


@dataclass(frozen=True)
class Snapshot:
    """What was fetched.

    asked: the id that was asked for; differs from id where the repository was renamed.
    config, hf_quant: text of the files, None where there are none.
    weight_map: of the index, None where none decides.   index_total_bytes: what the index says, None where it does not.
    headers: by file.   base_model: as an adapter or the model card names it, "".
    """

    id: str
    asked: str
    revision: str
    commit: str
    files: tuple[RepoFile, ...]
    config: str | None
    hf_quant: str | None
    read_on: str
    weight_map: Mapping[str, str] | None = None
    index_total_bytes: int | None = None
    headers: Mapping[str, Totals] = field(default_factory=dict)
    base_model: str = ""


def index_facts(text: str, path: str) -> tuple[dict[str, str], int | None]:
    """Weight map and stated size of an index file. Only names of files in the same repository count."""
    table = read_object(text, path)
    weight_map = table.get("weight_map")
    named = weight_map if isinstance(weight_map, dict) else {}
    files = {str(tensor): file for tensor, file in named.items() if isinstance(file, str)}
    metadata = table.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    return files, int(total) if isinstance(total, (int, float)) and 0 < total < 1e15 else None


MOST_KEPT = 500
"""Snapshots in a store; the oldest makes room."""


def store(*, of_anyone: bool) -> Path:
    """The folder of what is kept. of_anyone: of look-ups without an account, which is all that a stranger may read."""
    return cached_assets_path("sizing-workbook", namespace="hub", subfolder="public" if of_anyone else "models")


def store_path(folder: Path, id: str, revision: str) -> Path:
    """Where a snapshot is kept."""
    return folder / f"{quote(id, safe='')}@{quote(revision, safe='')}.json"


def keep(snapshot: Snapshot, folder: Path) -> None:
    """Stores a snapshot. A disk that is full or read-only costs only the offline use."""
    facts = {
        "format": FORMAT,
        **{
            name: getattr(snapshot, name)
            for name in ("id", "asked", "revision", "commit", "config", "hf_quant", "read_on", "base_model")
        },
        "files": [[file.path, file.size_bytes] for file in snapshot.files],
        "weight_map": sorted(set(snapshot.weight_map.values())) if snapshot.weight_map is not None else None,
        "index_total_bytes": snapshot.index_total_bytes,
        "headers": snapshot.headers,
    }
    with suppress(OSError):
        path = store_path(folder, snapshot.asked, snapshot.revision)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(facts, file)
            os.replace(name, path)
            for old in sorted(path.parent.glob("*.json"), key=os.path.getmtime)[:-MOST_KEPT]:
                old.unlink(missing_ok=True)
        except OSError:
            Path(name).unlink(missing_ok=True)


def kept(folder: Path, id: str, revision: str) -> Snapshot | None:
    """The snapshot kept for an id and revision; None where there is none that can be read."""
    try:
        facts = json.loads(store_path(folder, id, revision).read_text(encoding="utf-8"))
        return _from_facts(facts) if facts["format"] == FORMAT else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _from_facts(facts: Mapping[str, Any]) -> Snapshot:
    shards = facts["weight_map"]
    return Snapshot(
        id=facts["id"],
        asked=facts["asked"],
        revision=facts["revision"],
        commit=facts["commit"],
        files=tuple(RepoFile(str(path), int(size)) for path, size in facts["files"]),
        config=facts["config"],
        hf_quant=facts["hf_quant"],
        read_on=facts["read_on"],
        weight_map={name: name for name in shards} if shards is not None else None,
        index_total_bytes=facts["index_total_bytes"],
        headers={path: {t: (a, b, c) for t, (a, b, c) in totals.items()} for path, totals in facts["headers"].items()},
        base_model=facts["base_model"],
    )


def downloaded(id: str, revision: str, cache_dir: Path | None) -> tuple[Path, str] | None:
    """Folder and commit of what other programs have downloaded of a repository; None where there is no config.json."""
    found = try_to_load_from_cache(id, CONFIG, cache_dir=cache_dir, revision=revision)
    return (Path(found).parent, Path(found).parent.name) if isinstance(found, str) else None


def local_header(folder: Path, path: str, file_bytes: int) -> Totals:
    """What one downloaded safetensors file holds."""
    with (folder / path).open("rb") as file:
        start = file.read(LENGTH_BYTES)
        return read_totals(file.read(header_bytes(start, path, file_bytes)), path, file_bytes)
