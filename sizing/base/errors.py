"""The one exception a caller meets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sizing.base import texts


class SizingError(ValueError):
    """What is wrong, with which input, and what to do about it.

    The sentences stand in the text catalogue under ``error.<key>`` as ``what`` and ``fix``, so that a page
    can say them in the visitor's language; ``str(error)`` is English.

    key: name of the entry in the text catalogue.
    input: name of the input at fault (a Scenario field, a config.json key, or file and place), or "".
    values: what the sentences mention.
    """

    def __init__(self, key: str, *, input: str = "", **values: Any) -> None:
        self.key = key
        self.input = input
        self.values = {"input": input, **values}
        super().__init__(self.say())

    def say(self, language: str = "en") -> str:
        """Both sentences in one language."""
        return f"{self.what(language)} {self.fix(language)}".strip()

    def what(self, language: str = "en") -> str:
        """What is wrong."""
        return texts.say(f"error.{self.key}.what", language, **self.values)

    def fix(self, language: str = "en") -> str:
        """What to do."""
        return texts.say(f"error.{self.key}.fix", language, **self.values)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of frames: the line of the cell, and the sentences."""
        import traceback

        own = [frame for frame in traceback.extract_tb(self.__traceback__) if f"{os.sep}sizing{os.sep}" not in frame[0]]
        asked = [f"    {frame.line}" for frame in own[-1:] if frame.line]
        return [*asked, f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.key, self.values)


def _rebuild(key: str, values: dict[str, Any]) -> SizingError:
    return SizingError(key, **values)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports that need an extra of the package; SizingError names it where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "sizing":
            raise
        raise SizingError("extra_missing", input=error.name or "", extra=name) from None
