"""An integer program and what a solver hands back of it; which solver that is, its caller says."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import field

from sizing.base.dataclass import dataclass

Options = dict[str, int | float | str]
OPTIONS: Options = {
    "threads": 1,  # the same answer every time
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-6,
    "mip_feasibility_tolerance": 1e-9,
}
HELD_TIGHT = 1e-4  # MiB and counts come in steps of 1/1024 and 1


@dataclass(frozen=True)
class Maximum:
    """What the solver hands over. columns: their values.   objective: as it reports it.   proved: to be the best."""

    columns: list[int]
    objective: float
    proved: bool


@dataclass
class Program:
    """Columns and rows of an integer program. Columns are whole numbers from 0 up."""

    upper: list[float] = field(default_factory=list)
    rows: list[tuple[dict[int, float], float, float]] = field(default_factory=list)

    def column(self, upper: float) -> int:
        """A new column with its largest value; its number."""
        self.upper.append(upper)
        return len(self.upper) - 1

    def row(self, terms: dict[int, float], *, low: float = -math.inf, high: float = math.inf) -> None:
        """A row: the weighted sum of columns stays between two values."""
        self.rows.append((terms, low, high))

    def best(
        self, goal: dict[int, float], known: list[int] | None, maximise: Maximise, until: float
    ) -> tuple[list[int], bool]:
        """The columns that make a goal largest, and whether that is proved.

        maximise: the solver.
        known: columns that satisfy the rows, to start from, which shortens the proof; None for nothing anywhere.
        until: when the search ends, in time.monotonic(). [s]   HiGHS 1.16 has been seen to hand back the known columns
        beside the better objective, and to take a program for infeasible after its presolve: what it hands over is
        held against what it says, and where that is wrong it is asked again.
        """
        for start, presolve in ((known, "choose"), (None, "choose"), (known, "off")):
            left_s = until - time.monotonic()
            if left_s <= 0:
                break
            found = maximise(self, goal, start, {**OPTIONS, "time_limit": left_s, "presolve": presolve})
            value = sum(weight * found.columns[column] for column, weight in goal.items()) if found.columns else 0.0
            if self._holds(found.columns) and abs(value - found.objective) < HELD_TIGHT:
                return found.columns, found.proved
        return known or [0] * len(self.upper), False

    def _holds(self, columns: list[int]) -> bool:
        return bool(columns) and all(
            low - HELD_TIGHT <= sum(weight * columns[column] for column, weight in terms.items()) <= high + HELD_TIGHT
            for terms, low, high in self.rows
        )

    def costs(self, goal: dict[int, float]) -> list[float]:
        """The goal's weight of every column."""
        return [goal.get(column, 0.0) for column in range(len(self.upper))]

    def matrix(self) -> tuple[list[int], list[int], list[float]]:
        """Row after row: where each one's terms begin and the last one's end, the column of every term, its weight."""
        starts = [0, *itertools.accumulate(len(terms) for terms, _, _ in self.rows)]
        terms = [term for row, _, _ in self.rows for term in row.items()]
        return starts, [column for column, _ in terms], [float(weight) for _, weight in terms]


Maximise = Callable[[Program, dict[int, float], Sequence[int] | None, Options], Maximum]
"""Solver: the columns that make a goal largest. Takes columns to start from, or None, and settings of HiGHS."""
