"""The box into which a visitor pastes a start-up log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import say
from sizing.memory.startup_log import MOST_CHARACTERS

WORDS = ("label", "help", "file", "check", "clear", "cut", "shown", "edited")
SHOWN_CHARACTERS = 100_000
"""So much of a long log the text area shows: over millions of characters a browser freezes for seconds."""


class LogBox(anywidget.AnyWidget):
    """A text area with a button; error: what is wrong with the text, beside it.

    A long text is taken up to ``most_characters`` and shown up to ``shown_characters``, before the area gets it.
    """

    _esm = Path(__file__).parent / "static" / "log.js"

    words: Any = traitlets.Dict().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    most_characters = traitlets.Int(MOST_CHARACTERS).tag(sync=True)
    shown_characters = traitlets.Int(SHOWN_CHARACTERS).tag(sync=True)

    def __init__(self, language: str) -> None:
        counts = {"most_million": MOST_CHARACTERS / 1e6, "shown_thousand": SHOWN_CHARACTERS / 1e3}
        words = {name: say(f"ui.log.{name}", language, **counts) for name in WORDS}
        super().__init__(words=words)
        self._check: Callable[[str], None] = lambda text: None
        self.on_msg(self._receive)

    def on_check(self, check: Callable[[str], None]) -> None:
        """Call ``check`` with the text; with "" where it was cleared."""
        self._check = check

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        if isinstance(content, Mapping) and content.get("kind") == "log":
            self._check(str(content.get("text") or "")[: MOST_CHARACTERS + 1])
