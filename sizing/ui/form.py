"""The inputs of a page as one widget: native controls, so that keyboard, phone and screen reader work as always."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets


class Form(anywidget.AnyWidget):
    """Labelled controls in groups, each with its unit, help and error.

    fields: what does not change with a drag: group, kind, label, help, options, stops (see controls.fields).
    values: what does: text, error and whether it differs from the default, by name.
    words: texts of the form itself.   only: names of the fields that are shown now, all where it is empty.

    The browser sends one edit at a time and the newest text only: it waits for the answer to the last one, so that a
    fast drag never queues behind slow work.
    """

    _esm = Path(__file__).parent / "static" / "form.js"

    fields: Any = traitlets.List().tag(sync=True)
    values: Any = traitlets.Dict().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)
    only: Any = traitlets.List().tag(sync=True)

    def __init__(self, fields: list[dict[str, Any]], values: dict[str, Any], words: dict[str, str]) -> None:
        super().__init__(fields=fields, values=values, words=words)
        self._edit: Callable[[Mapping[str, str]], None] = lambda changes: None
        self._reset: Callable[[str | None], None] = lambda name: None
        self.on_msg(self._receive)

    def on_edit(self, edit: Callable[[Mapping[str, str]], None]) -> None:
        """Call ``edit`` with the texts a visitor changed, by input."""
        self._edit = edit

    def on_reset(self, reset: Callable[[str | None], None]) -> None:
        """Call ``reset`` with the input to set back, or None for all."""
        self._reset = reset

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        try:
            match content:
                case {"kind": "edit", "changes": dict() as changes}:
                    self._edit({str(name): str(text)[:200] for name, text in list(changes.items())[:50]})
                case {"kind": "reset"}:
                    name = content.get("name")
                    self._reset(None if name is None else str(name))
        finally:
            self.send({"kind": "done", "seq": content.get("seq")})
