"""A value that is never changed once made, and equal to any other that holds the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any, NoReturn


class Frozen:
    """Base of such values. Unlike a dataclass it costs nothing when its module is loaded."""

    def _held(self) -> Mapping[str, Any]:
        """What it holds, by name, always in the same order."""
        return self.__dict__

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self._held() == other._held()

    def __hash__(self) -> int:
        return hash(tuple(self._held().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._held().items())})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to {name!r}: replace() makes another {type(self).__name__}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete {name!r}")
