"""Rows of text in two columns of a PDF page: how high they are, how many fit, and in which size of type."""

from __future__ import annotations

from collections.abc import Sequence

from sizing.sheet.canvas import Canvas

LEFT, RIGHT, TOP, BOTTOM = 14.0, 196.0, 12.0, 285.0
"""Edges of what is printed. [mm]"""
GUTTER = 6.0
WIDTH = RIGHT - LEFT
COLUMN = (WIDTH - GUTTER) / 2
SCALES = (1.0, 0.95, 0.9, 0.86, 0.82, 0.78, 0.74)
"""Smaller type where there is more to say, before anything is left out."""

Piece = tuple[str, bool, str]
"""Text, whether it is bold, colour."""


class Rows:
    """Rows in one size of type, measured once. size [pt]"""

    def __init__(self, canvas: Canvas, rows: Sequence[Sequence[Piece]], size: float) -> None:
        self.canvas, self.rows, self.size = canvas, rows, size
        self.gap = size * 0.16
        self.heights = [canvas.rich(0, 0, COLUMN, row, size=size, draw=False) for row in rows]

    def fitting(self, height: float) -> int:
        """How many rows two columns of this height hold. [mm]"""
        return len(self._places(0, height))

    def needed(self) -> float:
        """The least height of two columns that hold all rows. [mm]"""
        low, high = 0.0, sum(self.heights) + self.gap * len(self.heights) + 0.5
        while high - low > 0.3:
            middle = (low + high) / 2
            low, high = (low, middle) if self.fitting(middle) == len(self.rows) else (middle, high)
        return high

    def draw(self, top: float, height: float) -> int:
        """Draw as many rows as fit; how many there are."""
        places = self._places(top, height)
        for row, (x, y) in zip(self.rows, places, strict=False):
            self.canvas.rich(x, y, COLUMN, row, size=self.size, draw=True)
        return len(places)

    def _places(self, top: float, height: float) -> list[tuple[float, float]]:
        places: list[tuple[float, float]] = []
        x, y = LEFT, top
        for high in self.heights:
            if y + high > top + height + 1e-6:
                if x > LEFT:
                    return places
                x, y = LEFT + COLUMN + GUTTER, top
                if high > height + 1e-6:
                    return places
            places.append((x, y))
            y += high + self.gap
        return places
