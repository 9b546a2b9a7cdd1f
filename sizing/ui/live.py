"""A piece of a page in HTML that keeps what the visitor opened when its content changes."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class Live(anywidget.AnyWidget):
    """HTML made by sizing.ui.html, where every value is escaped.

    label: what a screen reader calls the region; said aloud on change where ``polite``.
    """

    _esm = Path(__file__).parent / "static" / "live.js"

    html = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    polite = traitlets.Bool(False).tag(sync=True)

    def __init__(self, name: str, html: str = "", *, label: str = "", polite: bool = False) -> None:
        super().__init__(name=name, html=html, label=label, polite=polite)

    def show(self, html: str) -> None:
        """Put other content in its place; nothing is sent where it is the same."""
        self.html = html
