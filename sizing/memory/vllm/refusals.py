"""Why a release does not start, and what would make it start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sizing import texts


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason not to start.

    key: names the sentences ``vllm.refusal.<key>`` (why) and ``vllm.remedy.<key>`` (what would start).
    flag: the engine's flag that would help, "" where none would.   number: the value that works, None if not known.
    values: what the sentences mention.
    """

    key: str
    flag: str = ""
    number: int | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def say(self, language: str = "en") -> str:
        """Why, in one sentence."""
        return texts.say(f"vllm.refusal.{self.key}", language, **self.values)

    def say_remedy(self, language: str = "en") -> str:
        """What would start, in one sentence."""
        return texts.say(f"vllm.remedy.{self.key}", language, flag=self.flag, number=self.number, **self.values)


class RefusesError(Exception):
    """Carries a refusal out of the planning; never leaves this package."""

    def __init__(self, key: str, flag: str = "", number: int | None = None, **values: Any) -> None:
        self.refusal = Refusal(key, flag, number, MappingProxyType(values))
        super().__init__(key)
