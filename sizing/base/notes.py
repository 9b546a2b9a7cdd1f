"""Notes: what a good engineer would say aloud beside a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown

Level = Literal["stop", "warn", "hint"]
_RANK = {"stop": 0, "warn": 1, "hint": 2}


@dataclass(frozen=True)
class Note(Shown, facts=("level", "text", "source")):
    """One remark on a sizing.

    level: "stop" this does not work; "warn" it works, but look; "hint" good to know.
    key: names the sentence in the text catalogue: ``note.<key>``, or the key itself where it has a dot.
    source: key of sources.toml, or "" for what follows from the figures alone.
    """

    level: Level
    key: str
    source: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def text(self) -> str:
        """The sentence in English."""
        return self.say()

    def say(self, language: str = "en") -> str:
        """The sentence in one language."""
        return texts.say(self.key if "." in self.key else f"note.{self.key}", language, **self.values)


def by_level(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Notes with the most serious first, otherwise in the order in which they come."""
    return tuple(sorted(notes, key=lambda note: _RANK[note.level]))
