"""How far a sheet is, told to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable

Told = Callable[[int, int], None]
"""Takes what is done and how much there is in all. What it raises ends the work, and comes out of `sheet`."""


class Progress:
    """Counts steps of about the same length and tells each. total: how many there are."""

    def __init__(self, told: Told | None, total: int) -> None:
        self.told, self.total, self.done = told, total, 0
        self._tell()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        self._tell()

    def _tell(self) -> None:
        if self.told is not None:
            self.told(self.done, self.total)
