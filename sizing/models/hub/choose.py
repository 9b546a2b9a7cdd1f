"""Which files of a repository are its weights: one copy, however many it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.models.hub.model import LeftOutFile, Quantisation, RepoFile

# Quantisations in a repository of GGUF files, by the names of its files.

_GGUF_SHARD = re.compile(r"(?P<stem>.+?)-(?P<number>\d{5})-of-(?P<total>\d{5})")
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
        shard = _GGUF_SHARD.fullmatch(stem)
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


INDEX = "model.safetensors.index.json"
_PICKLE_INDEX = "pytorch_model.bin.index.json"
_CONSOLIDATED_INDEX = "consolidated.safetensors.index.json"

_LOADED = (".safetensors", ".bin", ".pt", ".pth")
_FOR_OTHERS = (".ggml", ".h5", ".msgpack", ".onnx", ".onnx_data", ".ckpt", ".ot", ".npz", ".tflite", ".nemo", ".distcp")
_WEIGHT_SUFFIXES = frozenset((*_LOADED, ".gguf", *_FOR_OTHERS))
_SHARD = re.compile(r"(?P<stem>.+?)-(?P<number>\d{5})-of-(?P<total>\d{5})(?P<suffix>\.\w+)")
_TRAINING = re.compile(r"(optimizer|scheduler|rng_state|random_states|training_args|trainer_state|scaler)\b.*", re.I)
_TRAINING_FOLDER = re.compile(r"(checkpoint-|global_step)\d+")
_ADAPTER = re.compile(r"(adapter_model|adapter|lora|pytorch_lora_weights)\b.*", re.I)


@dataclass(frozen=True)
class Choice:
    """Files that are counted and left out, each weight file once in one of them.

    container: "safetensors", "pickle" or "gguf".   stale_index: an index names files that are not there.
    """

    container: str
    counted: tuple[RepoFile, ...]
    left_out: tuple[LeftOutFile, ...]
    quantisations: tuple[Quantisation, ...] = ()
    stale_index: bool = False


def is_weights(path: str) -> bool:
    """Whether a file holds weights, of whatever kind, by its name."""
    return PurePosixPath(path).suffix.lower() in _WEIGHT_SUFFIXES


def wanted_index(files: Iterable[RepoFile]) -> str:
    """The index file to read before choosing, or "" where none decides."""
    paths = {file.path for file in files}
    if INDEX in paths:
        return INDEX
    safetensors = {path for path in paths if path.endswith(".safetensors") and not _aside(path)}
    if not safetensors:
        return _PICKLE_INDEX if _PICKLE_INDEX in paths else ""
    consolidated = all(path.startswith("consolidated") for path in safetensors)
    return _CONSOLIDATED_INDEX if consolidated and _CONSOLIDATED_INDEX in paths else ""


def choose(files: Iterable[RepoFile], weight_map: Mapping[str, str] | None, quantisation: str | None = None) -> Choice:
    """The one copy of the weights that an engine loads.

    weight_map: of the index file that wanted_index named, None where there is none.
    quantisation: which one, where there are only GGUF files; SizingError lists them where it is not given.
    The order: index, model.safetensors, complete shards, Mistral's consolidated files, any other single safetensors
    file, pickled files, GGUF.
    """
    weights = sorted((file for file in files if is_weights(file.path)), key=lambda file: file.path)
    asides = {file.path: reason for file in weights if (reason := _aside(file.path))}
    offered = [file for file in weights if file.path not in asides]
    safetensors = [file for file in offered if file.path.endswith(".safetensors")]
    pickles = [file for file in offered if file.path.endswith(_LOADED[1:])]
    stale = False
    if weight_map is not None:
        named, missing = _named(weight_map, weights)
        if named and not missing:
            container = "safetensors" if all(file.path.endswith(".safetensors") for file in named) else "pickle"
            return _choice(container, named, weights, asides, "not_in_index")
        if not _whole(safetensors):
            example = missing[0] if missing else "none at all"
            raise SizingError("hub_index_broken", input="index", missing=len(missing), example=example)
        stale = True
    if counted := _whole(safetensors):
        return _choice("safetensors", counted, weights, asides, "second_copy", stale)
    if counted := _whole(pickles):
        return _choice("pickle", counted, weights, asides, "second_copy")
    ggufs = [file for file in weights if file.path.lower().endswith(".gguf")]
    if ggufs:
        return _gguf(ggufs, weights, asides, quantisation)
    if any(reason == "adapter" for reason in asides.values()):
        raise SizingError("hub_adapter_only", input="id")
    raise SizingError("hub_no_weights", input="id")


def _aside(path: str) -> str:
    """Why a weight file is never a copy of the weights, or ""."""
    parts = PurePosixPath(path)
    if _TRAINING.fullmatch(parts.name) or any(_TRAINING_FOLDER.fullmatch(folder) for folder in parts.parts[:-1]):
        return "training"
    if _ADAPTER.fullmatch(parts.name):
        return "adapter"
    if parts.suffix.lower() == ".gguf":
        return "gguf"
    if "original" in parts.parts[:-1]:
        return "original"
    if len(parts.parts) > 1:
        return "subfolder"
    return "" if parts.suffix.lower() in _LOADED else "other_format"


def _named(weight_map: Mapping[str, str], files: list[RepoFile]) -> tuple[list[RepoFile], list[str]]:
    by_path = {file.path: file for file in files}
    names = sorted(set(weight_map.values()))
    return [by_path[name] for name in names if name in by_path], [name for name in names if name not in by_path]


def _whole(files: list[RepoFile]) -> list[RepoFile]:
    """One whole copy among root files of one kind; empty where there are none. Error where several or none is whole."""
    sets: dict[str, list[RepoFile]] = {}
    for file in files:
        found = _SHARD.fullmatch(file.path)
        stem = f"{found['stem']} of {int(found['total'])}" if found else PurePosixPath(file.path).stem
        sets.setdefault(stem, []).append(file)
    for start in ("model", "pytorch_model", "consolidated"):
        named = [name for name in sets if name == start or name.startswith(f"{start} of ")]
        if len(named) > 1:
            raise _ambiguous(named)
        if named:
            return _complete(named[0], sets[named[0]])
    parts = [name for name in sets if re.fullmatch(r"consolidated\.\d\d", name)]  # .00.pth, .01.pth: no total to check
    if parts:
        return [file for name in parts for file in sets[name]]
    if len(sets) > 1:
        raise _ambiguous(sets)
    return [file for name, members in sets.items() for file in _complete(name, members)]


def _ambiguous(names: Iterable[str]) -> SizingError:
    listed = sorted(names)
    return SizingError("hub_weights_ambiguous", input="id", names=", ".join(listed[:8]), count=len(listed))


def _complete(name: str, members: list[RepoFile]) -> list[RepoFile]:
    total = int(name.rpartition(" of ")[2]) if " of " in name else 1
    if len(members) != total:
        raise SizingError("hub_shards_missing", input="id", found=len(members), total=total, example=members[0].path)
    return members


def _choice(
    container: str,
    counted: list[RepoFile],
    weights: list[RepoFile],
    asides: Mapping[str, str],
    otherwise: str,
    stale: bool = False,
) -> Choice:
    taken = {file.path for file in counted}
    left_out = tuple(
        LeftOutFile(file.path, file.size_bytes, asides.get(file.path) or _second(file.path, otherwise))
        for file in weights
        if file.path not in taken
    )
    return Choice(container, tuple(counted), left_out, stale_index=stale)


def _second(path: str, otherwise: str) -> str:
    if path.startswith("consolidated"):
        return "consolidated"
    return "other_format" if otherwise == "second_copy" and not path.endswith(".safetensors") else otherwise


def _gguf(
    ggufs: list[RepoFile], weights: list[RepoFile], asides: Mapping[str, str], quantisation: str | None
) -> Choice:
    offered, projectors = quantisations(ggufs)
    names = ", ".join(entry.name for entry in offered)
    if not offered:
        raise SizingError("hub_no_weights", input="id")
    if quantisation is None:
        raise SizingError("hub_gguf_choose", input="quantisation", names=names, offered=offered)
    chosen = next((entry for entry in offered if entry.name.lower() == quantisation.strip().lower()), None)
    if chosen is None:
        raise SizingError("hub_gguf_unknown", input="quantisation", value=quantisation, names=names, offered=offered)
    taken = {file.path for file in chosen.files}
    beside = {file.path for file in projectors}
    left_out = tuple(
        LeftOutFile(
            file.path,
            file.size_bytes,
            "projector" if file.path in beside else "quantisation" if file in ggufs else asides.get(file.path, "gguf"),
        )
        for file in weights
        if file.path not in taken
    )
    return Choice("gguf", chosen.files, left_out, offered)
