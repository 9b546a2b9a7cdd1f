"""A model from the Hub: asks, counts, and says what it counted."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from huggingface_hub import constants

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.notes import Level, Note
from sizing.base.texts import Day, Word
from sizing.base.units import gb
from sizing.models.hub import snapshot as store
from sizing.models.hub.choose import Choice, choose, is_weights, wanted_index
from sizing.models.hub.client import Client, NotReached
from sizing.models.hub.model import HubModel, Progress, RepoFile, read_object
from sizing.models.hub.snapshot import CONFIG, HF_QUANT, Snapshot, Totals, add_up

# From the fetched facts to the model and what to say about it.

_INDEX_OFF = 0.01  # an index states the tensors' bytes, without the headers; further off than this it is wrong


def build(found: Snapshot, *, config_id: str, quantisation: str | None, from_cache: bool) -> HubModel:
    """The model that a snapshot describes."""
    choice = choose(found.files, found.weight_map, quantisation)
    if found.config is None:
        if found.base_model:
            raise SizingError("hub_no_config_but_base", input="id", id=found.id, base=found.base_model)
        raise SizingError("hub_no_config", input="id", id=found.id)
    weight_bytes = sum(file.size_bytes for file in choice.counted)
    others = [file for file in found.files if not is_weights(file.path)]
    dtypes = add_up(found.headers[file.path] for file in choice.counted if file.path in found.headers)
    model = HubModel(
        id=found.id,
        revision=found.revision,
        commit=found.commit,
        config=read_object(found.config, CONFIG),
        config_id=config_id,
        hf_quant_config=read_object(found.hf_quant, HF_QUANT) if found.hf_quant is not None else None,
        weight_bytes=weight_bytes,
        container=choice.container,
        counted=choice.counted,
        left_out=choice.left_out,
        other_files=len(others),
        other_bytes=sum(file.size_bytes for file in others),
        dtypes=dtypes,
        quantisations=choice.quantisations,
        notes=(),
        read_on=found.read_on,
        from_cache=from_cache,
    )
    return _with_notes(model, found, choice)


def _with_notes(model: HubModel, found: Snapshot, choice: Choice) -> HubModel:
    notes: list[Note] = []

    def note(level: Level, key: str, **values: object) -> None:
        notes.append(Note(level, f"hub.note.{key}", values=values))

    if model.id.lower() != found.asked.lower():
        note("warn", "renamed", asked=found.asked, id=model.id)
    if model.from_cache:
        note("hint", "kept", read_on=Day(model.read_on))
    if model.config_id != model.id:
        note("warn", "config_from", id=model.config_id)
    if model.container != "safetensors":
        note("warn", f"no_safetensors_{model.container}")
    if choice.stale_index:
        note("warn", "stale_index")
    data_bytes = sum(dtype.size_bytes for dtype in model.dtypes) or model.weight_bytes
    total = None if choice.stale_index else found.index_total_bytes
    if total is not None and abs(total - data_bytes) > _INDEX_OFF * data_bytes:
        note("warn", "index_total", index_gb=gb(total), files_gb=gb(data_bytes))
    if model.packed:
        note("hint", "packed", dtypes=", ".join(model.packed))
    if model.left_out:
        size = sum(file.size_bytes for file in model.left_out)
        note("hint", "left_out", count=len(model.left_out), size_gb=gb(size))
    return replace(model, notes=tuple(notes))


_ADAPTER_CONFIG = "adapter_config.json"
_AT_ONCE = 4  # headers under way
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?")
_PAGE = re.compile(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<id>[^/?#]+/[^/?#]+)(?:/(?:tree|blob)/(?P<rev>[^/?#]+))?"
)
_REVISION = re.compile(r"[\w][\w./-]{0,199}")

_NOT_FOUND = ("hub_offline", "hub_unreachable", "hub_timeout", "hub_deadline", "hub_missing", "hub_missing_or_private")
_EXAMPLE = "openai/gpt-oss-120b"

Report = Callable[[Progress], None]


def look_up(
    id: str,
    *,
    revision: str | None = None,
    quantisation: str | None = None,
    config_from: str | None = None,
    token: str | bool | None = None,
    endpoint: str | None = None,
    offline: bool | None = None,
    timeout_s: float = 10.0,
    tries: int = 3,
    deadline_s: float = 180.0,
    progress: Report | None = None,
    cancelled: Callable[[], bool] | None = None,
    store_dir: Path | None = None,
    hub_cache_dir: Path | None = None,
) -> HubModel:
    """A model of the Hugging Face Hub: its config and the size of one copy of its weights. No weights are downloaded.

    id: such as "openai/gpt-oss-120b", or the address of its page.   revision: branch, tag or commit, "main" for None.
    quantisation: which one of a repository of GGUF files.   config_from: id of another model whose config.json is used.
    token: None for the usual places (HF_TOKEN, the file that ``hf auth login`` writes), False for none: then nothing
        that other programs of this machine downloaded is read either.
    endpoint: another Hub.   offline: use only what is kept here; None follows HF_HUB_OFFLINE.
    timeout_s: of one request. [s]   tries: of one request. [-]   deadline_s: of the whole look-up. [s]
    progress: told of each step.   cancelled: asked often; True ends the look-up.
    store_dir, hub_cache_dir: where answers are kept and where other programs download to, if not in the usual places.
    SizingError: a sentence for each way in which this can fail, and what to do.
    """
    id, revision = _address(id, revision)
    store_dir = store_dir or store.store(of_anyone=token is False)
    report = progress or (lambda step: None)

    def snapshot_of(name: str, at: str) -> tuple[Snapshot, bool]:
        try:
            return asked_of(name, at)
        except SizingError as error:
            raise _without_owner(error, name) if "/" not in name and error.key in _NOT_FOUND else error from None

    def asked_of(name: str, at: str) -> tuple[Snapshot, bool]:
        if constants.is_offline_mode() if offline is None else offline:
            return _kept(name, at, store_dir, hub_cache_dir, None, token), True
        client = Client(
            endpoint=endpoint,
            token=token,
            timeout_s=timeout_s,
            tries=max(1, tries),
            deadline_s=deadline_s,
            cancelled=cancelled,
        )
        try:
            found = _fetch(client, name, at, quantisation, report)
        except NotReached as trouble:
            return _kept(name, at, store_dir, hub_cache_dir, trouble.error, token), True
        store.keep(found, store_dir)
        return found, False

    found, from_cache = snapshot_of(id, revision)
    config_id = found.id
    if config_from is not None:
        other, _ = snapshot_of(*_address(config_from, None))
        found, config_id = replace(found, config=other.config, hf_quant=other.hf_quant), other.id
    return build(found, config_id=config_id, quantisation=quantisation, from_cache=from_cache)


def local(folder: Path, name: str) -> HubModel:
    """A checkpoint that lies in a folder of this machine. name: what to call it.   SizingError as `look_up`."""
    found = _downloaded(name, "local", folder, "")
    return build(found, config_id=found.id, quantisation=None, from_cache=False)


def _without_owner(error: SizingError, id: str) -> SizingError:
    """What is most likely wrong with a name that was not found and has no owner, before what went wrong with it.

    A few old models have none, so that the Hub is asked all the same.
    """
    same = [known for known in catalogue.checkpoint_ids() if known.partition("/")[2].lower() == id.lower()]
    reason = Word(f"error.{error.key}.what", tuple(error.values.items()))
    example = same[0] if same else _EXAMPLE
    return SizingError("hub_id_without_owner", input=error.input, value=id, example=example, reason=reason)


def _address(id: Any, revision: Any) -> tuple[str, str]:
    """Id and revision, from an id or the address of a page."""
    text = id.strip() if isinstance(id, str) else ""
    if page := _PAGE.match(text):
        text, revision = page["id"], revision or page["rev"]
    if not _ID.fullmatch(text) or ".." in text or "--" in text:
        raise SizingError("hub_id_invalid", input="id", value=str(id)[:100])
    if revision is None or revision == "":
        return text, "main"
    if not isinstance(revision, str) or not _REVISION.fullmatch(revision) or ".." in revision:
        raise SizingError("hub_revision_invalid", input="revision", value=str(revision)[:100])
    return text, revision


def _fetch(client: Client, id: str, revision: str, quantisation: str | None, report: Report) -> Snapshot:
    report(Progress("files", 0, 1))
    info = client.info(id, revision)
    if not info.sha or info.siblings is None:
        raise SizingError("hub_answer_unreadable", input="id", id=id, revision=revision, file="files")
    files = tuple(_file(entry, id) for entry in info.siblings)
    report(Progress("files", 1, 1))

    def text(path: str, most_bytes: int) -> str | None:
        listed = any(file.path == path for file in files)
        return client.text(info.id, info.sha or revision, path, most_bytes) if listed else None

    report(Progress("config", 0, 1))
    found = Snapshot(
        id=info.id,
        asked=id,
        revision=revision,
        commit=info.sha,
        files=files,
        config=text(CONFIG, store.MOST_CONFIG_BYTES),
        hf_quant=text(HF_QUANT, store.MOST_CONFIG_BYTES),
        read_on=datetime.datetime.now(datetime.UTC).date().isoformat(),
        base_model=_base_model(info.card_data, text(_ADAPTER_CONFIG, store.MOST_CONFIG_BYTES)),
    )
    report(Progress("config", 1, 1))
    if index := wanted_index(files):
        weight_map, total = store.index_facts(text(index, store.MOST_INDEX_BYTES) or "{}", index)
        found = replace(found, weight_map=weight_map, index_total_bytes=total)
    try:
        choice = choose(files, found.weight_map, quantisation)
    except SizingError as error:
        if error.key == "hub_adapter_only" and found.base_model:
            raise SizingError("hub_adapter_of", input="id", base=found.base_model) from None
        raise
    if choice.container != "safetensors":
        return found
    return replace(found, headers=_headers(client, found, choice.counted, report))


def _headers(client: Client, found: Snapshot, files: Iterable[RepoFile], report: Report) -> dict[str, Totals]:
    """The headers of all counted files, a few at a time."""
    todo = list(files)
    report(Progress("headers", 0, len(todo)))
    read: dict[str, Totals] = {}
    pool = ThreadPoolExecutor(max_workers=_AT_ONCE)
    try:
        under_way: dict[Future[Totals], str] = {
            pool.submit(client.header, found.id, found.commit, file.path, file.size_bytes): file.path for file in todo
        }
        while under_way:
            client.check()
            for future in wait(under_way, timeout=0.2, return_when=FIRST_COMPLETED).done:
                read[under_way.pop(future)] = future.result()
                report(Progress("headers", len(read), len(todo)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return {file.path: read[file.path] for file in todo}


def _file(entry: Any, id: str) -> RepoFile:
    """A listed file; large ones state their size in their LFS record too."""
    size = entry.size if entry.size is not None else (entry.lfs.size if entry.lfs is not None else None)
    if not isinstance(size, int) or size < 0:
        raise SizingError("hub_answer_unreadable", input="id", id=id, revision="", file=entry.rfilename)
    return RepoFile(entry.rfilename, size)


def _base_model(card: Any, adapter_config: str | None) -> str:
    """The model that this one is made from, where an adapter or the card names exactly one."""
    named = card.get("base_model") if card is not None else None
    if adapter_config is not None:
        named = read_object(adapter_config, _ADAPTER_CONFIG).get("base_model_name_or_path") or named
    if isinstance(named, list) and len(named) == 1:
        named = named[0]
    return named if isinstance(named, str) and _ID.fullmatch(named) else ""


def _kept(
    id: str,
    revision: str,
    store_dir: Path,
    hub_cache_dir: Path | None,
    trouble: SizingError | None,
    token: str | bool | None,
) -> Snapshot:
    """What is kept of an earlier look-up, else what other programs downloaded, else the reason why there is none.

    Without an account nothing is read of what other programs have downloaded, perhaps with one.
    """
    if (found := store.kept(store_dir, id, revision)) is not None:
        return found
    if token is not False and (place := store.downloaded(id, revision, hub_cache_dir)) is not None:
        return _downloaded(id, revision, *place)
    raise trouble or SizingError("hub_offline", input="id", id=id, revision=revision, file=CONFIG)


def _downloaded(id: str, revision: str, folder: Path, commit: str) -> Snapshot:
    files = tuple(
        RepoFile(path.relative_to(folder).as_posix(), path.stat().st_size)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )
    texts = {path: _local_text(folder, path) for path in (CONFIG, HF_QUANT)}
    day = datetime.date.fromtimestamp((folder / CONFIG).stat().st_mtime).isoformat()
    found = Snapshot(id, id, revision, commit, files, texts[CONFIG], texts[HF_QUANT], day)
    if index := wanted_index(files):
        weight_map, total = store.index_facts(_local_text(folder, index) or "{}", index)
        found = replace(found, weight_map=weight_map, index_total_bytes=total)
    try:
        choice = choose(files, found.weight_map)
    except SizingError as error:
        if error.key in ("hub_index_broken", "hub_no_weights", "hub_shards_missing"):
            raise SizingError("hub_offline_incomplete", input="id", id=id) from None
        raise
    if choice.container != "safetensors":
        return found
    headers: Mapping[str, Totals] = {
        file.path: store.local_header(folder, file.path, file.size_bytes) for file in choice.counted
    }
    return replace(found, headers=headers)


def _local_text(folder: Path, path: str) -> str | None:
    try:
        return (folder / path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise SizingError("hub_json_broken", input=path, line=1, column=1) from None
