"""HiGHS by its wheel: with ``highs_browser`` the only files here that need more than the standard library."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np

from sizing.sharing.program import Maximum, Options, Program


class _Quiet(highspy.Highs):
    """HiGHS greets on the console when its callbacks are set up, before any option can be set from outside."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def maximise(program: Program, goal: dict[int, float], known: Sequence[int] | None, options: Options) -> Maximum:
    """The columns that make a goal largest. known: columns to start from, or None.   options: of HiGHS."""
    columns = len(program.upper)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, len(program.rows)
    lp.col_cost_ = np.array(program.costs(goal), dtype=float)
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_lower_ = np.zeros(columns)
    lp.col_upper_ = np.array(program.upper, dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * columns
    lp.row_lower_ = np.array([low for _, low, _ in program.rows], dtype=float)
    lp.row_upper_ = np.array([high for _, _, high in program.rows], dtype=float)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    starts, indices, weights = program.matrix()
    lp.a_matrix_.start_ = np.array(starts, dtype=np.int32)
    lp.a_matrix_.index_ = np.array(indices, dtype=np.int32)
    lp.a_matrix_.value_ = np.array(weights, dtype=float)
    solver = _Quiet()  # type: ignore[no-untyped-call]
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    if known is not None:
        start = highspy.HighsSolution()
        start.col_value = [float(value) for value in known]
        solver.setSolution(start)
    solver.run()
    return Maximum(
        [round(value) for value in solver.getSolution().col_value],
        solver.getInfo().objective_function_value,
        solver.getModelStatus() == highspy.HighsModelStatus.kOptimal,
    )
