"""The steps of a call, in any order: each with what it has come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets


class StepsBar(anywidget.AnyWidget):
    """steps: name, title and summary of each.   current: the one shown.   label: of the whole, for screen readers."""

    _esm = Path(__file__).parent / "static" / "steps.js"

    steps: Any = traitlets.List().tag(sync=True)
    current = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, current: str) -> None:
        super().__init__(label=label, current=current)
        self._go: Callable[[str], object] = lambda name: None
        self.on_msg(self._receive)

    def on_go(self, go: Callable[[str], object]) -> None:
        """Call ``go`` with the name of the step that a visitor asks for."""
        self._go = go

    def show(self, steps: Sequence[Mapping[str, str]], current: str) -> None:
        """Other summaries, another step."""
        with self.hold_sync():
            self.steps = [dict(step) for step in steps]
            self.current = current

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "go", "step": str() as step}:
                self._go(step)
