"""The base of every widget of ours: its script by its name, messages of the browser as calls."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import anywidget

STATIC = Path(__file__).parents[1] / "static"
_DOM = re.compile(r'^import \{ (?P<names>[^}]*) \} from "\./dom\.js";$', re.MULTILINE)

Read = Callable[[Any], Any]
"""Takes one field of a message, or refuses it by a TypeError."""


def text(most: int) -> Read:
    """A text of a message, "" where it has none; what is longer than ``most`` characters is cut."""

    def read(value: Any) -> str:
        if not isinstance(value, str | None):
            raise TypeError("no text")
        return (value or "")[:most]

    return read


def whole(value: Any) -> int:
    """A whole number of a message."""
    if type(value) is not int:
        raise TypeError("no whole number")
    return value


class Widget(anywidget.AnyWidget):
    """A widget of a page. Its script is ``static/<name>.js``, the class' name in small letters.

    hears: the messages that it takes from the browser: their fields by kind, each with what reads it. Anything else is
        not heard. A message that carries a ``seq`` is answered, whatever becomes of it.
    """

    _hears: ClassVar[Mapping[str, Mapping[str, Read]]] = {}

    def __init_subclass__(cls, hears: Mapping[str, Mapping[str, Read]] | None = None, **more: Any) -> None:
        if Widget in cls.__bases__:
            cls._esm = script(re.sub(r"\B(?=[A-Z])", "_", cls.__name__).lower())
            cls._hears = hears or {}
        super().__init_subclass__(**more)

    def __init__(self, **traits: Any) -> None:
        self._listeners: dict[str, Callable[..., object]] = {}
        super().__init__(**traits)
        self.on_msg(self._receive)

    def listen(self, **listeners: Callable[..., object]) -> None:
        """Call a listener with the fields of each message of its kind."""
        self._listeners |= listeners

    def hear(self, kind: str, *fields: Any) -> None:
        """What a message of this kind does."""
        if kind in self._listeners:
            self._listeners[kind](*fields)

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, Mapping):
            return
        try:
            kind = content.get("kind")
            if isinstance(kind, str) and kind in self._hears:
                try:
                    fields = [read(content.get(name)) for name, read in self._hears[kind].items()]
                except TypeError:
                    return
                self.hear(kind, *fields)
        finally:
            if "seq" in content:
                self.send({"kind": "done", "seq": content["seq"]})


def script(name: str) -> str:
    """A script of ``static/`` as a browser gets it: what it imports of ``dom.js`` stands in it."""
    return _DOM.sub(lambda found: _dom(found["names"]), (STATIC / f"{name}.js").read_text(encoding="utf-8"))


@functools.cache
def _dom_pieces() -> dict[str, str]:
    pieces = re.split(r"^export const ", (STATIC / "dom.js").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        piece.split(" ", 1)[0]: f"const {re.sub(r'^//.*$', '', piece, flags=re.MULTILINE).strip()}" for piece in pieces
    }


def _dom(names: str) -> str:
    """The functions of ``dom.js`` of these names, and those that they call, in the order of that file."""
    pieces, wanted = _dom_pieces(), names.split(", ")
    for name in wanted:
        wanted += [each for each in pieces if each not in wanted and re.search(rf"\b{each}\(", pieces[name])]
    return "\n".join(piece for name, piece in pieces.items() if name in wanted)
