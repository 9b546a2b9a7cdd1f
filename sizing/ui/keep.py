"""What a visitor takes along and brings back: the link, and the scenario as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

MOST_BYTES = 200_000


class Keep(anywidget.AnyWidget):
    """words: texts by name.   error: what is wrong with a file that was opened.   status: what became of it."""

    _esm = Path(__file__).parent / "static" / "keep.js"

    words: Any = traitlets.Dict().tag(sync=True)
    most_bytes = traitlets.Int(MOST_BYTES).tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(words=dict(words))
        self._save: Callable[[], object] = lambda: None
        self._open: Callable[[str], object] = lambda text: None
        self.on_msg(self._receive)

    def on_save(self, save: Callable[[], object]) -> None:
        """Call ``save`` when the scenario is wanted as a file; ``hand_over`` answers."""
        self._save = save

    def on_open(self, take: Callable[[str], object]) -> None:
        """Call ``take`` with the text of a file."""
        self._open = take

    def hand_over(self, name: str, text: str) -> None:
        """Let the browser save a text."""
        self.send({"kind": "file", "name": name, "text": text})

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "save"}:
                self._save()
            case {"kind": "open", "text": str() as text}:
                self._open(text[:MOST_BYTES])
