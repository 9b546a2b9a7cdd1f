"""A piece of a page in HTML that keeps what the visitor opened when its content changes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

_FOLDS = re.compile(r'<details\b[^>]*?\bdata-key="(?P<key>[^"]*)"[^>]*>|<details\b[^>]*>|</summary>|</details>')


class Live(anywidget.AnyWidget):
    """HTML made by sizing.ui.html, where every value is escaped.

    Only what can be seen travels: a folded section is sent without its inside until the visitor opens it.

    html: all of it.   shown: what the browser has.
    label: what a screen reader calls the region.   polite: its answer (``sizing-answer``) is said aloud on change.
    """

    _esm = Path(__file__).parent / "static" / "live.js"

    html = traitlets.Unicode()
    shown = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    polite = traitlets.Bool(False).tag(sync=True)

    def __init__(self, name: str, html: str = "", *, label: str = "", polite: bool = False) -> None:
        self._opened: frozenset[str] = frozenset()
        super().__init__(name=name, html=html, shown=folded_away(html, ()), label=label, polite=polite)
        self.on_msg(self._receive)

    def show(self, html: str) -> None:
        """Put other content in its place; nothing is sent where what can be seen is the same."""
        self.html = html
        self.shown = folded_away(html, self._opened)

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "open", "keys": list() as keys}:
                self._opened = frozenset(str(key) for key in keys[:100])
                self.show(self.html)


def folded_away(html: str, opened: Collection[str]) -> str:
    """The HTML without the inside of its folded sections, except those opened. opened: their data-keys.

    >>> folded_away('<p>a</p><details data-key="k"><summary>s</summary>inside</details>', ())
    '<p>a</p><details data-key="k"><summary>s</summary></details>'
    """
    kept: list[str] = []
    start, depth, cut = 0, 0, False
    for found in _FOLDS.finditer(html):
        token = found[0]
        if depth == 0:
            if found["key"] is not None and found["key"] not in opened:
                depth = 1
        elif token == "</summary>" and not cut:
            kept.append(html[start : found.end()])
            cut = True
        elif token == "</details>":
            depth -= 1
            if depth == 0:
                start, cut = (found.start(), False) if cut else (start, False)
        elif token.startswith("<details"):
            depth += 1
    kept.append(html[start:])
    return "".join(kept)
