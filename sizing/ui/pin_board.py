"""Scenarios that were pinned, beside the one on the page. The browser's tab keeps them over a reload."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

MOST_PINS = 3


class PinBoard(anywidget.AnyWidget):
    """words: texts by name.   columns: head of each column, the page's own first, then the pins'.

    rows: label, its cells (text and whether it differs from the page's), and whether it opens a part of the table.
    pins: link of each, which the tab keeps.   full: no more can be pinned.
    """

    _esm = Path(__file__).parent / "static" / "pins.js"

    words: Any = traitlets.Dict().tag(sync=True)
    columns: Any = traitlets.List().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    pins: Any = traitlets.List().tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(words=dict(words))
        self._ask: Callable[[str, Any], object] = lambda kind, value: None
        self.on_msg(self._receive)

    def on_ask(self, ask: Callable[[str, Any], object]) -> None:
        """Call ``ask`` with "pin", "show" and "remove" with a number, or "kept" with the links that the tab has."""
        self._ask = ask

    def show(self, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], pins: Sequence[str]) -> None:
        """Other content."""
        with self.hold_sync():
            self.columns, self.rows = list(columns), [dict(row) for row in rows]
            self.pins, self.full = list(pins), len(pins) >= MOST_PINS

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "pin"}:
                self._ask("pin", None)
            case {"kind": "show" | "remove" as kind, "number": int() as number}:
                self._ask(kind, number)
            case {"kind": "kept", "pins": list() as pins}:
                self._ask("kept", [str(pin)[:8000] for pin in pins[:MOST_PINS]])
