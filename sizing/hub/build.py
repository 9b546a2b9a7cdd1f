"""From the fetched facts to the model and what to say about it."""

from __future__ import annotations

from dataclasses import replace

from sizing.errors import SizingError
from sizing.hub.choose import Choice, choose, is_weights
from sizing.hub.headers import add_up
from sizing.hub.model import HubModel
from sizing.hub.reading import read_object
from sizing.hub.snapshot import CONFIG, HF_QUANT, Snapshot
from sizing.notes import Level, Note
from sizing.texts import Day
from sizing.units import gb

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
