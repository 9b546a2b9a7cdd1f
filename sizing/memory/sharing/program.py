"""An integer program and HiGHS, which solves it: the only file here that needs more than the standard library."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import highspy
import numpy as np

TIME_LIMIT_S = 10.0
OPTIONS: tuple[tuple[str, int | float], ...] = (
    ("threads", 1),  # the same answer every time
    ("mip_rel_gap", 0.0),
    ("mip_abs_gap", 1e-6),
    ("mip_feasibility_tolerance", 1e-9),
    ("time_limit", TIME_LIMIT_S),
)
HELD_TIGHT = 1e-4  # MiB and counts come in steps of 1/1024 and 1


class _Quiet(highspy.Highs):
    """HiGHS greets on the console when its callbacks are set up, before any option can be set from outside."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


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

    def best(self, goal: dict[int, float], known: list[int] | None) -> tuple[list[int], bool]:
        """The columns that make a goal largest, and whether that is proved.

        known: columns that satisfy the rows, to start from, which shortens the proof. HiGHS 1.16 has been seen to hand
        back the known columns beside the better objective: what it hands over is held against what it says.
        """
        for start in (known, None) if known else (None,):
            found, reported, proved = self._run(goal, start)
            if self._holds(found) and abs(sum(w * found[c] for c, w in goal.items()) - reported) < HELD_TIGHT:
                return found, proved
        raise RuntimeError("the solver's columns do not make the objective it reports")

    def _holds(self, columns: list[int]) -> bool:
        return bool(columns) and all(
            low - HELD_TIGHT <= sum(weight * columns[column] for column, weight in terms.items()) <= high + HELD_TIGHT
            for terms, low, high in self.rows
        )

    def _run(self, goal: dict[int, float], known: list[int] | None) -> tuple[list[int], float, bool]:
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.upper), len(self.rows)
        cost = np.zeros(len(self.upper))
        for column, weight in goal.items():
            cost[column] = weight
        lp.col_cost_ = cost
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_lower_ = np.zeros(len(self.upper))
        lp.col_upper_ = np.array(self.upper, dtype=float)
        lp.integrality_ = [highspy.HighsVarType.kInteger] * len(self.upper)
        lp.row_lower_ = np.array([low for _, low, _ in self.rows], dtype=float)
        lp.row_upper_ = np.array([high for _, _, high in self.rows], dtype=float)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.cumsum([0] + [len(terms) for terms, _, _ in self.rows])
        lp.a_matrix_.index_ = np.array([column for terms, _, _ in self.rows for column in terms], dtype=np.int32)
        weights = [weight for terms, _, _ in self.rows for weight in terms.values()]
        lp.a_matrix_.value_ = np.array(weights, dtype=float)
        solver = _Quiet()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS:
            solver.setOptionValue(name, value)
        solver.passModel(lp)
        if known is not None:
            start = highspy.HighsSolution()
            start.col_value = [float(value) for value in known]
            solver.setSolution(start)
        solver.run()
        columns = [round(value) for value in solver.getSolution().col_value]
        proved = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return columns, solver.getInfo().objective_function_value, proved
