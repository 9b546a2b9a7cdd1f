"""HiGHS as WebAssembly, beside the browser's Python: the same solver, loaded by a page before it plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sizing.base.errors import SizingError
from sizing.sharing.program import Maximum, Options, Program

_solver: Any = None  # highs-js, once it is loaded


async def load(folder: str) -> None:
    """Fetch the solver from a folder of the site that holds highs.js and highs.wasm. folder: ends in a slash."""
    global _solver
    if _solver is not None:
        return
    import js
    from pyodide.ffi import to_js

    js.importScripts(f"{folder}highs.js")
    options = to_js({"locateFile": lambda file, *_: folder + file}, dict_converter=js.Object.fromEntries)
    _solver = await js.Module(options)


def maximise(program: Program, goal: dict[int, float], known: Sequence[int] | None, options: Options) -> Maximum:
    """The columns that make a goal largest. known: columns to start from, or None.   options: of HiGHS.

    SizingError where the solver has not been loaded.
    """
    if _solver is None:
        raise SizingError("sharing_no_solver", input="services")
    constants = _solver.constants
    columns = len(program.upper)
    starts, indices, values = program.matrix()
    size = {"numRows": len(program.rows), "numCols": columns}
    matrix = {"format": "csr", **size, "starts": starts, "indices": indices, "values": values}
    description = {
        **size,
        "sense": constants.objectiveSense.maximize,
        "colCost": program.costs(goal),
        "colLower": [0] * columns,
        "colUpper": program.upper,
        "rowLower": [low for _, low, _ in program.rows],
        "rowUpper": [high for _, _, high in program.rows],
        "integrality": [constants.variableType.integer] * columns,
        "matrix": matrix,
    }
    model = _solver.createModel(_plain(description))
    try:
        wanted = {name: value for name, value in options.items() if name != "threads"}  # there is only one
        model.options.set(_plain({"output_flag": False, **wanted}))
        if known is not None:
            model.setSolution(_plain({"colValue": list(known)}))
        model.run()
        found = model.getSolution().colValue.to_py()
        proved = model.getModelStatus() == constants.modelStatus.optimal
        return Maximum([round(value) for value in found], float(model.getObjectiveValue()), proved)
    finally:
        model.dispose()


def _plain(value: Any) -> Any:
    import js
    from pyodide.ffi import to_js

    return to_js(value, dict_converter=js.Object.fromEntries)
