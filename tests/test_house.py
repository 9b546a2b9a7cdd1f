"""The rules of the house: which room may import what, that names are told apart, and that units stand in one place.

What does not keep a rule yet is listed by name. The lists may only shrink: an entry that is not needed any more fails.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

import pytest

from tests import house
from tests.house import FILES, PACKAGE, ROOT, Arrow

INTERFACE = {"IPython", "anywidget", "ipykernel", "ipywidgets", "plotly", "traitlets", "voila", "nbconvert", "tornado"}
# Parts that may need more than the standard library; everything else of the calculation may not.
MAY_NEED_MORE = (
    "answers/sweep.py", "answers/tabulate.py", "models/hub", "speed", "sharing/highs_native.py",
    "sharing/highs_browser.py", "sheet",
)  # fmt: skip

ARROWS_UP: set[str] = set()
"""Imports of a room on the same floor or above it, that still stand: none."""

CIRCLES: tuple[set[str], ...] = ()
"""Circles of files that still stand. What is left of one may be smaller than listed."""

ENGINES = ("sizing.memory.vllm", "sizing.memory.sglang", "sizing.memory.tensorrt_llm")
ENGINE_BY_NAME: set[str] = set()
"""Files outside memory that still name an engine's module."""

SAME_MEANING = {
    "__init__": "a folder's own names",
    "__main__": "a folder as a command",
    "notes": "what is said aloud beside the room's result",
    "working": "the steps behind the room's result",
    "wording": "the sentences of the room's result",
    "log_lines": "the sentences of an engine's start-up log",
    "releases": "an engine's releases and what each does",
    "start": "what an engine prints at its start",
    "air": "air through a server, its sum and its chart",
    "power": "what a server draws, its sum and its chart",
    "layouts": "how cards serve a model, their list and their chart",
    "supplies": "power supplies, what they carry and how a page tells it",
    "site": "where the server stands, as facts and as a page",
    "call": "a call with a customer, its sums and its page",
    "evidence": "what was measured beside what is said, and its page",
    "errors": "what a caller did wrong, and how a page shows it",
    "need": "what is needed, as figures and as a page tells it",
}
"""Names that several files may have, since they mean the same there."""
FILE_NAMES_TWICE = {
    "layers",
    "parts",
    "plan",
}
"""Names of several files that still mean different things."""


def _only(found: Collection[str], listed: Collection[str], rule: str) -> None:
    """Fails with what breaks a rule and is not listed, and with what is listed and breaks it no more."""
    new, gone = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    assert not new, f"{rule}:\n  " + "\n  ".join(new)
    assert not gone, "kept by now, so take it off the list of this test:\n  " + "\n  ".join(gone)


def test_the_rooms_are_those_of_the_plan() -> None:
    """Every folder of the package is a room on a floor, and no module stands loose beside the rooms."""
    assert {path.relative_to(PACKAGE).parts[0] for path in FILES} == {*house.FLOOR, "__init__.py"}
    assert len(house.FLOOR) == 12
    assert len(house.FLOORS) == 8


def test_rooms_import_from_lower_floors_only() -> None:
    upwards = {
        arrow.ends: arrow
        for arrow in house.arrows()
        if (source := house.room(arrow.source)) != (target := house.room(arrow.target))
        and house.FLOOR.get(target, 99) >= house.FLOOR[source]
    }
    new = [str(upwards[ends]) for ends in sorted(set(upwards) - ARROWS_UP)]
    assert not new, "these point at the same floor or upwards:\n  " + "\n  ".join(new)
    _only(upwards, ARROWS_UP, "upwards")


def _told(circle: Collection[str], arrows: Collection[Arrow]) -> str:
    inside = [str(arrow) for arrow in arrows if arrow.source in circle and arrow.target in circle]
    return "circle of " + ", ".join(sorted(circle)) + "\n    " + "\n    ".join(inside)


def test_no_circle_of_files() -> None:
    found = house.circles((arrow.source, arrow.target) for arrow in house.arrows())
    new = [_told(circle, house.arrows()) for circle in found if not any(circle <= listed for listed in CIRCLES)]
    assert not new, "\n  ".join(["circles of files:", *new])
    gone = [listed for listed in CIRCLES if not any(circle <= listed for circle in found)]
    assert not gone, f"cut by now, so take them off the list of this test: {gone}"


def test_late_and_type_only_imports_count() -> None:
    """The plan itself: an arrow is seen wherever in a file it stands, and a circle is found."""
    code = "def f():\n    from ..ui import page\nif TYPE_CHECKING:\n    import sizing.site.air\n"
    assert [name for name, _ in house.names(ast.parse(code), "sizing.base")] == ["sizing.site.air", "sizing.ui.page"]
    assert house.circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]) == [{"a", "b", "c"}]


def test_outside_memory_nothing_names_an_engine() -> None:
    found = {
        arrow.source for arrow in house.arrows()
        if house.room(arrow.source) != "memory" and f"{arrow.target}.".startswith(tuple(f"{name}." for name in ENGINES))
    }  # fmt: skip
    _only(found, ENGINE_BY_NAME, "these go round the protocol of the engines")


def test_no_two_files_of_one_name_mean_different_things() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        places[path.stem].append(str(path.relative_to(PACKAGE)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    new = [f"{name}: {', '.join(twice[name])}" for name in sorted(set(twice) - set(SAME_MEANING) - FILE_NAMES_TWICE)]
    assert not new, "\n  ".join(["several files of one name:", *new])
    _only(set(twice) - set(SAME_MEANING), FILE_NAMES_TWICE, "several files of one name")


def test_no_two_public_classes_of_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, path in house.modules().items():
        for node in house.tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    twice = [f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]
    assert not twice, "\n  ".join(["several classes of one name:", *twice])


def _imports(path: Path) -> set[str]:
    """Every module and name that a file imports when it runs; what is imported for type checkers alone is not."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for branch in [node for node in ast.walk(tree) if isinstance(node, ast.If)]:
        if isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING":
            branch.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return found


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


CALCULATION = [path for path in FILES if _room(path) not in ("ui", "serve")]


@pytest.mark.parametrize("path", CALCULATION, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_calculation_knows_nothing_of_the_interface(path: Path) -> None:
    imported = _imports(path)
    assert not {name for name in imported if name.split(".")[0] in INTERFACE}
    assert not {name for name in imported if name.startswith("sizing.ui")}
    if not path.relative_to(PACKAGE).as_posix().startswith(MAY_NEED_MORE):
        outside = {name.split(".")[0] for name in imported} - set(sys.stdlib_module_names) - {"sizing"}
        assert not outside


def test_the_interface_calculates_nothing() -> None:
    """No unit constant, no physics and no cache geometry: the UI takes figures as they come from a Sizing."""
    for path in (PACKAGE / "ui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"2 ?\*\* ?30|1024 ?\*\* ?3|1e9|10 ?\*\* ?9|math\.sqrt", text), path
        banned = {"sizing.memory.caches", "sizing.memory.budget"}
        assert not {name for name in _imports(path) if any(name.startswith(each) for each in banned)}, path


def test_units_are_defined_in_one_place() -> None:
    for path in FILES:
        if path.name != "units.py":
            code = ast.unparse(_without_strings(ast.parse(path.read_text(encoding="utf-8"))))
            assert not re.search(r"2 \*\* 30|1024 \*\* 3|1073741824", code), path


def _without_strings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return tree


def test_importing_the_package_loads_neither_numpy_nor_widgets() -> None:
    code = (
        "import sys, sizing; print(sorted({'numpy', 'pandas', 'plotly', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
