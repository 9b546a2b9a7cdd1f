"""The facts of one repository at one commit, as they were fetched; kept on disk so that they can be used offline."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from huggingface_hub import cached_assets_path, try_to_load_from_cache

from sizing.hub.headers import LENGTH_BYTES, Totals, header_bytes, read_totals
from sizing.hub.model import RepoFile
from sizing.hub.reading import read_object

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


def store_path(folder: Path | None, id: str, revision: str) -> Path:
    """Where a snapshot is kept."""
    name = f"{quote(id, safe='')}@{quote(revision, safe='')}.json"
    return (folder or cached_assets_path("sizing-workbook", namespace="hub", subfolder="models")) / name


def keep(snapshot: Snapshot, folder: Path | None) -> None:
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
        except OSError:
            Path(name).unlink(missing_ok=True)


def kept(folder: Path | None, id: str, revision: str) -> Snapshot | None:
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
