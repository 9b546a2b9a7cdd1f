"""The box in which a visitor brings a model along: Hub, text, or an entry of the catalogue to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import say
from sizing.models import bring

WORDS = (
    "title", "way", "way_hub", "way_text", "way_catalogue", "hub_id", "hub_id_help", "revision", "revision_help",
    "quantisation", "quantisation_help", "config_from", "config_from_help", "look_up", "cancel", "progress",
    "config_help", "quant_help", "weights", "weights_help", "unit", "bytes", "name", "name_help", "more", "read",
    "file", "text", "too_long", "entry", "entry_help", "use", "change",
)  # fmt: skip
LINE = 300  # longest text of one line

# What a message of the browser may hold, and up to which length.
_FIELDS = {
    "look_up": {
        "id": LINE,
        "revision": LINE,
        "quantisation": LINE,
        "config_from": LINE,
    },
    "cancel": {},
    "text": {
        "config": bring.MOST_BYTES + 1,
        "quant": bring.MOST_BYTES + 1,
        "weights": LINE,
        "unit": LINE,
        "name": LINE,
        "changed_from": LINE,
    },
    "entry": {"id": LINE},
    "texts": {"id": LINE},
}


class Bring(anywidget.AnyWidget):
    """Native controls for three ways to name a model, with progress, and a place for what went wrong.

    entries: ids of the catalogue.   status: phase ("idle", "busy", "done", "failed"), the way it is about, and words.
    act: called with the kind of a visitor's act ("look_up", "cancel", "text", "entry", "texts") and its texts.
    """

    _esm = Path(__file__).parent / "static" / "bring.js"

    entries: Any = traitlets.List().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)
    status: Any = traitlets.Dict().tag(sync=True)
    most_bytes = traitlets.Int(bring.MOST_BYTES).tag(sync=True)

    def __init__(self, entries: list[str], language: str) -> None:
        words = {name: say(f"ui.bring.{name}", language, most_mb=bring.MOST_BYTES / 1e6) for name in WORDS}
        super().__init__(entries=entries, words=words, status={"phase": "idle", "text": ""})
        self._act: Callable[[str, Mapping[str, str]], None] = lambda kind, texts: None
        self.on_msg(self._receive)

    def on_act(self, act: Callable[[str, Mapping[str, str]], None]) -> None:
        """Call ``act`` with what the visitor does."""
        self._act = act

    def idle(self, text: str = "") -> None:
        """Nothing under way."""
        self.status = {"phase": "idle", "text": text}

    def busy(self, text: str, done: int = 0, total: int = 0) -> None:
        """A look-up is under way; done, total: parts of its step."""
        self.status = {"phase": "busy", "way": "hub", "text": text, "done": done, "total": total}

    def done(self, way: str, text: str, title: str) -> None:
        """The model is on the page."""
        self.status = {"phase": "done", "way": way, "text": text, "title": title}

    def failed(self, way: str, what: str, fix: str, **asks: Any) -> None:
        """It did not work. asks: ``offered`` quantisations, ``wants_config`` and ``config_from``."""
        self.status = {"phase": "failed", "way": way, "text": "", "what": what, "fix": fix, **asks}

    def fill(self, texts: bring.Texts) -> None:
        """Put an entry of the catalogue into the text fields."""
        held = {"config": texts.config, "quant": texts.hf_quant_config, "weights": texts.weights}
        self.send({"kind": "texts", "name": texts.name, "unit": texts.unit, **held})

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        kind = content.get("kind") if isinstance(content, Mapping) else None
        if isinstance(kind, str) and kind in _FIELDS:
            held = {name: str(content.get(name) or "")[:most] for name, most in _FIELDS[kind].items()}
            self._act(kind, held)
