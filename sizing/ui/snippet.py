"""A text that a visitor takes along, with a button that copies it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import say


class Snippet(anywidget.AnyWidget):
    """Plain text under a title; hidden while it is empty."""

    _esm = Path(__file__).parent / "static" / "snippet.js"

    title = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, language: str) -> None:
        super().__init__(words={name: say(f"ui.snippet.{name}", language) for name in ("copy", "copied", "marked")})

    def show(self, title: str, text: str) -> None:
        """Other content."""
        with self.hold_sync():
            self.title, self.text = title, text
