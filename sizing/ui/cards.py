"""Cards to choose from: each with a title, a text and one button."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets


class Cards(anywidget.AnyWidget):
    """cards: key, title, lines (text and kind: "", "good", "bad") and button of each; an empty button has none.

    title: heading above them, "" for none.   chosen: key of the card that is on the page, or "".
    """

    _esm = Path(__file__).parent / "static" / "cards.js"

    name = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    intro = traitlets.Unicode().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)

    def __init__(self, name: str, title: str = "") -> None:
        super().__init__(name=name, title=title)
        self._take: Callable[[str], object] = lambda key: None
        self.on_msg(self._receive)

    def on_take(self, take: Callable[[str], object]) -> None:
        """Call ``take`` with the key of the card whose button was pressed."""
        self._take = take

    def show(self, cards: Sequence[Mapping[str, Any]], *, intro: str = "", chosen: str = "") -> None:
        """Other cards."""
        with self.hold_sync():
            self.cards, self.intro, self.chosen = [dict(card) for card in cards], intro, chosen

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "take", "key": str() as key}:
                self._take(key)
