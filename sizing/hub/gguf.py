"""Quantisations in a repository of GGUF files, by the names of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from sizing.errors import SizingError
from sizing.hub.model import Quantisation, RepoFile

_SHARD = re.compile(r"(?P<stem>.+?)-(?P<number>\d{5})-of-(?P<total>\d{5})")
_LABEL = re.compile(
    r"(?:^|[-._])(?P<label>(?:UD-)?(?:IQ\d_\w+|Q\d(?:_[0-9A-Z]+)*|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32))(?=[-.]|$)",
    re.IGNORECASE,
)
_PROJECTOR = re.compile(r"(mmproj|imatrix)\b.*|.*[-._](mmproj|imatrix)", re.IGNORECASE)


def quantisations(files: Iterable[RepoFile]) -> tuple[tuple[Quantisation, ...], tuple[RepoFile, ...]]:
    """The quantisations on offer, smallest first, and the files that belong to none (projectors, matrices).

    Raises SizingError where shards of one are missing.
    """
    copies: dict[str, list[RepoFile]] = {}
    totals: dict[str, int] = {}
    beside: list[RepoFile] = []
    for file in files:
        stem = PurePosixPath(file.path).stem
        if _PROJECTOR.fullmatch(stem):
            beside.append(file)
            continue
        shard = _SHARD.fullmatch(stem)
        name = shard["stem"] if shard else stem
        copies.setdefault(name, []).append(file)
        totals[name] = int(shard["total"]) if shard else 1
    for name, members in copies.items():
        if len(members) != totals[name]:
            raise SizingError(
                "hub_shards_missing", input="id", found=len(members), total=totals[name], example=members[0].path
            )
    labels = {name: found["label"] for name in copies if (found := _LABEL.search(name))}
    offered = []
    for name, members in copies.items():
        label = labels.get(name)
        alone = label is not None and list(labels.values()).count(label) == 1
        size = sum(file.size_bytes for file in members)
        offered.append(Quantisation(label if label and alone else name, size, tuple(members)))
    return tuple(sorted(offered, key=lambda entry: (entry.size_bytes, entry.name))), tuple(beside)
