"""One door to a model: the catalogue, the Hub, a folder or file on this machine, a config as text or as a dict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizing import catalogue
from sizing.base.errors import SizingError, extra
from sizing.models import bring
from sizing.models.bring import Brought
from sizing.models.hub.model import read_object

CONFIG = "config.json"


def model(
    asked: str | Path | Mapping[str, Any] | catalogue.Checkpoint | Brought,
    *,
    hf_quant_config: Mapping[str, Any] | None = None,
    weights_gb: float | None = None,
    name: str = "",
    offline: bool | None = None,
) -> catalogue.Checkpoint:
    """A model as `sizing.size` and `sizing.answer` take it beside a scenario, wherever it comes from.

    asked: name of the catalogue, else of the Hub or the address of its page; a folder with a config.json and, where
        they are there, its safetensors files; a config.json, as a file, as text or as a dict.
    hf_quant_config: beside a dict or a text.   weights_gb: size of one copy, else the files' or an estimate. [GB]
    name: what to call it.   offline: nothing is asked of the Hub; None follows HF_HUB_OFFLINE.
    SizingError: what is wrong with it, and what to do.

    >>> config = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2, "vocab_size": 32000}
    >>> model(config, weights_gb=1.5, name="ours").architecture.kv_bytes(1)
    32768
    """
    if isinstance(asked, Brought):
        return asked.checkpoint
    if isinstance(asked, catalogue.Checkpoint):
        return asked
    if isinstance(asked, Mapping):
        return _of_text(_as_json(asked), hf_quant_config, weights_gb, name)
    if not isinstance(asked, str | Path):
        raise SizingError("model_door", input="model", value=type(asked).__name__)
    if isinstance(asked, str):
        if asked.lstrip().startswith("{"):
            return _of_text(asked, hf_quant_config, weights_gb, name)
        if asked in catalogue.checkpoint_ids():
            return catalogue.checkpoint(asked)
    place = Path(asked).expanduser()
    if _is(place, Path.is_dir):
        return _of_folder(place, weights_gb, name)
    if _is(place, Path.is_file):
        beside = place.parent / "hf_quant_config.json"
        quant = read_object(_text(beside), beside.name) if place.name == CONFIG and beside.is_file() else None
        return _of_text(_text(place), hf_quant_config or quant, weights_gb, name or place.parent.resolve().name)
    if isinstance(asked, Path) or asked.startswith((".", "/", "~")) or asked.endswith(".json"):
        raise SizingError("model_no_file", input="model", value=str(asked)[:200])
    with extra("hub"):
        from sizing.models.hub.lookup import look_up
    return bring.from_hub(look_up(asked, offline=offline)).checkpoint


def _is(place: Path, check: Any) -> bool:
    try:
        return bool(check(place))
    except (OSError, ValueError):  # a name too long for a path, or with a zero byte in it
        return False


def _of_text(text: str, quant: Mapping[str, Any] | None, weights_gb: float | None, name: str) -> catalogue.Checkpoint:
    weights = "" if weights_gb is None else repr(weights_gb)
    return bring.from_text(text, _as_json(quant) if quant else "", weights=weights, name=name).checkpoint


def _of_folder(folder: Path, weights_gb: float | None, name: str) -> catalogue.Checkpoint:
    """A checkpoint as it lies on the disk: its config, and the headers of its weight files where there are any."""
    if not (folder / CONFIG).is_file():
        raise SizingError("model_no_config", input="model", value=str(folder)[:200])
    called = name or folder.resolve().name
    if weights_gb is None and any(folder.glob("*.safetensors")):
        with extra("hub"):
            from sizing.models.hub.lookup import local
        found = bring.from_hub(local(folder, called)).checkpoint
        return found.replace(id=called, name=called)
    return model(folder / CONFIG, weights_gb=weights_gb, name=called)


def _as_json(table: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(table))
    except (TypeError, ValueError, RecursionError) as error:
        raise SizingError("model_not_json", input="model", value=str(error)[:100]) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SizingError("model_no_file", input="model", value=str(path)[:200]) from None
