"""What was tried, to go back and forward through. Knows no widget."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.catalogue.values import Values

MOST = 60
"""How many steps back are kept."""

ONE_MOVE_S = 2.0
"""Changes of the same inputs that follow each other within this time are one move: a drag is undone at once. [s]"""


@dataclass(frozen=True)
class Memory:
    """What a state held at one moment.

    value: a tuple that starts with its scenario, plan or comparison.   pending: texts that could not be used.
    rest: what else it needs to stand there again.
    """

    value: tuple[Any, ...]
    pending: Mapping[Any, str]
    rest: Any = field(default=None, compare=False)


Moment = tuple[Memory, ...]
"""Every state of a page at one moment."""


class History:
    """The moments of a page; the last one noted is where the page stands.

    clock: seconds that only grow. [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._moments: list[Moment] = []
        self._at = -1
        self._last_move: tuple[frozenset[str], float] = (frozenset(), float("-inf"))

    def note(self, moment: Moment) -> None:
        """The page stands here now. What was undone before can no longer be redone, unless nothing has changed."""
        if self._at >= 0 and moment == self._moments[self._at]:
            self._moments[self._at] = moment
            return
        now, moved = self._clock(), changed(self._moments[self._at], moment) if self._at >= 0 else frozenset()
        names, when = self._last_move
        one_move = self._at > 0 and moved == names and now - when <= ONE_MOVE_S
        del self._moments[self._at + 1 :]
        if one_move:
            self._moments[-1] = moment
        else:
            self._moments.append(moment)
            del self._moments[: -MOST - 1]
        self._at = len(self._moments) - 1
        self._last_move = (moved, now)

    def back(self) -> Moment | None:
        """One move back: the moment to show, None at the first."""
        return self._go(-1)

    def forward(self) -> Moment | None:
        """One move forward again: the moment to show, None at the last."""
        return self._go(1)

    def behind(self) -> frozenset[str] | None:
        """What the last move changed, None at the first moment."""
        return changed(self._moments[self._at - 1], self._moments[self._at]) if self._at > 0 else None

    def ahead(self) -> frozenset[str] | None:
        """What the move that was undone last changed, None at the last moment."""
        last = self._at + 1 >= len(self._moments)
        return None if last else changed(self._moments[self._at], self._moments[self._at + 1])

    def _go(self, step: int) -> Moment | None:
        if not 0 <= self._at + step < len(self._moments):
            return None
        self._at += step
        self._last_move = (frozenset(), float("-inf"))
        return self._moments[self._at]


def changed(earlier: Moment, later: Moment) -> frozenset[str]:
    """Names of the inputs in which two moments differ; what has no such name is empty."""
    names: set[str] = set()
    for old, new in zip(earlier, later, strict=True):
        texts = {key for key in {*old.pending, *new.pending} if old.pending.get(key) != new.pending.get(key)}
        names |= {key for key in texts if isinstance(key, str)}
        for was, now in zip(old.value, new.value, strict=True):
            if isinstance(now, Values) and now != was:
                before = was.as_dict()
                names |= {name for name, value in now.as_dict().items() if value != before[name]}
    return frozenset(names)
