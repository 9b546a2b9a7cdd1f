"""The first widget of every page: a link to the results, the page's heading, its look, and an eye on the kernel.

The look is brought only where the template has not done so.

A kernel that has been stopped (idle too long, killed, server gone) leaves a page that looks alive and does nothing.
The head asks it for a sign of life while the page is in view, and when a visitor touches the page after a silence;
without an answer the page says what happened and offers to reload. A page left untouched for half an hour stops
asking, so that its kernel can be given back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base import texts
from sizing.sheet.figures import theme


class Head(anywidget.AnyWidget):
    """Put one at the top of a page."""

    _esm = Path(__file__).parent / "static" / "head.js"

    css = traitlets.Unicode().tag(sync=True)
    sentences: Any = traitlets.Dict().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)

    def __init__(self, language: str = "en") -> None:
        in_voila = os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
        super().__init__(css="" if in_voila else _look())
        self.speak(language)
        self.on_msg(self._answer)

    def speak(self, language: str, title: str = "") -> None:
        """The sentences in a language. title: the page's name, its first heading; "" where a page has its own."""
        sentences = {name: texts.say(f"ui.frame.{name}", language) for name in ("gone", "unreachable", "reload")}
        with self.hold_sync():
            self.sentences = sentences | {"to_results": texts.say("ui.top.to_results", language)}
            self.title = title

    def _answer(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        if content.get("kind") == "ping":
            self.send({"kind": "pong", "asked": content.get("asked")})


def _look() -> str:
    """The look of the pages without the template around them, for JupyterLab."""
    files = (theme.TEMPLATE / "static" / name for name in ("theme.css", "page.css", "parts.css", "call.css"))
    return "".join(file.read_text(encoding="utf-8") for file in files)
