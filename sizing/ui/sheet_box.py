"""The sheet to take along: fields for who it is for, one button a kind of file, and how far the work is.

The file travels in one message and is saved by the browser; the server keeps neither it nor the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

MOST = 100_000
"""Characters of a field that are read; the sheet itself takes far fewer, and says so. [-]"""


class SheetBox(anywidget.AnyWidget):
    """words: texts by name.   kinds: of files, each with its label.

    busy: a file is being made.   done, total: how far it is; total 0 where nobody knows.
    status: what to say about it.   error: what is wrong, beside the fields.
    """

    _esm = Path(__file__).parent / "static" / "sheet.js"

    words: Any = traitlets.Dict().tag(sync=True)
    kinds: Any = traitlets.List().tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    done = traitlets.Int(0).tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, words: Mapping[str, str], kinds: list[tuple[str, str]]) -> None:
        super().__init__(words=dict(words), kinds=[list(kind) for kind in kinds])
        self._make: Callable[[str, str, str, str], object] = lambda kind, customer, remark, link: None
        self._cancel: Callable[[], object] = lambda: None
        self.on_msg(self._receive)

    def on_make(self, make: Callable[[str, str, str, str], object]) -> None:
        """Call ``make`` with the kind of file, the customer, the remark and the page's address."""
        self._make = make

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """Call ``cancel`` when the file is no longer wanted."""
        self._cancel = cancel

    def working(self, status: str, done: int = 0, total: int = 0) -> None:
        """A file is being made."""
        with self.hold_sync():
            self.busy, self.status, self.done, self.total, self.error = True, status, done, total, ""

    def idle(self, status: str = "", error: str = "") -> None:
        """No file is being made."""
        with self.hold_sync():
            self.busy, self.status, self.error = False, status, error

    def hand_over(self, name: str, media_type: str, content: bytes) -> None:
        """Let the browser save a file."""
        self.send({"kind": "file", "name": name, "type": media_type}, buffers=[content])

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {
                "kind": "make",
                "file": str() as kind,
                "customer": str() as customer,
                "remark": str() as remark,
                "link": str() as link,
            }:
                self._make(kind, customer[:MOST], remark[:MOST], link[:8000])
            case {"kind": "cancel"}:
                self._cancel()
