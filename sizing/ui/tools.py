"""The right end of a page's head: back and forward through what was tried, theme and language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import LANGUAGES, say

NAMES = ("back", "back_what", "forward", "forward_what", "theme", "system", "light", "dark", "language")


class Tools(anywidget.AnyWidget):
    """words: texts by name.   languages: (code, name in itself) of each.   language: the one spoken.

    back, forward: what the move changed that would be undone or made again; None where there is none.
    """

    _esm = Path(__file__).parent / "static" / "tools.js"

    words: Any = traitlets.Dict().tag(sync=True)
    languages: Any = traitlets.List().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    back: Any = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    forward: Any = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self) -> None:
        super().__init__(languages=[[code, say("ui.tools.itself", code)] for code in LANGUAGES])
        self._ask: Callable[[str, str], object] = lambda kind, value: None
        self.on_msg(self._receive)

    def speak(self, language: str) -> None:
        """The words in a language."""
        with self.hold_sync():
            self.words = {name: say(f"ui.tools.{name}", language, what="{what}") for name in NAMES}
            self.language = language

    def show(self, back: str | None, forward: str | None) -> None:
        """What would be undone, and what would be made again."""
        with self.hold_sync():
            self.back, self.forward = back, forward

    def on_ask(self, ask: Callable[[str, str], object]) -> None:
        """Call ``ask`` with "back", "forward" or "language", and the language's code."""
        self._ask = ask

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "back" | "forward" as kind}:
                self._ask(kind, "")
            case {"kind": "language", "language": str() as language}:
                self._ask("language", language)
