"""A list of things as one widget of native controls: a folded row for each, with its fields inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import say

WORDS = ("title", "preset", "own_list", "add", "remove", "full", "fold", "make_fit", "no_place")


class RowsForm(anywidget.AnyWidget):
    """Rows that can be added and removed, and fields that belong to all of them.

    rows: letter, summary, state and fields of each.   own: the fields of all.   models: to search in.
    presets: (name, title) of each; preset: the one that is shown, "" for none.
    remedy: a change on offer in words, "" where there is none.

    name: names its words, ``ui.<name>.<word>``.
    """

    _esm = Path(__file__).parent / "static" / "services.js"

    rows: Any = traitlets.List().tag(sync=True)
    own: Any = traitlets.List().tag(sync=True)
    models: Any = traitlets.List().tag(sync=True)
    presets: Any = traitlets.List().tag(sync=True)
    preset = traitlets.Unicode().tag(sync=True)
    remedy = traitlets.Unicode().tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, language: str, presets: Sequence[Sequence[str]], models: Sequence[str] = ()) -> None:
        self.language = language
        super().__init__(
            words={word: say(f"ui.{name}.{word}", language) for word in WORDS},
            models=list(models),
            presets=[list(each) for each in presets],
        )
        self._ask: Callable[[Mapping[str, Any]], None] = lambda message: None
        self.on_msg(self._receive)

    def on_ask(self, ask: Callable[[Mapping[str, Any]], None]) -> None:
        """Call ``ask`` with each message of the browser: kind "edit", "add", "remove", "preset", "make_fit"."""
        self._ask = ask

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, Mapping):
            return
        try:
            self._ask(content)
        finally:
            self.send({"kind": "done", "seq": content.get("seq")})
