"""The rules of the house: which room may import what, and that every word a person reads is in the catalogue."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sizing.base import texts

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "sizing"
FILES = sorted(PACKAGE.rglob("*.py"))
INTERFACE = {"IPython", "anywidget", "ipykernel", "ipywidgets", "plotly", "traitlets", "voila", "nbconvert", "tornado"}
# Parts that may need more than the standard library; everything else of the calculation may not.
MAY_NEED_MORE = (
    "answers/sweep.py", "models/hub", "speed", "sharing/highs_native.py", "sharing/highs_browser.py", "sheet",
)  # fmt: skip


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


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_text_can_be_filled_in(language: str) -> None:
    for key, template in texts.catalogue(language).items():
        assert template.strip(), key
        names = re.findall(r"\{(\w+)", template)
        values = dict.fromkeys(names, 1)
        assert texts.say(key, language, **values)


def test_numbers_follow_the_language() -> None:
    assert texts._FORMATTERS["en"].vformat("{x:,.1f}", (), {"x": 1234.5}) == "1,234.5"
    assert texts._FORMATTERS["de"].vformat("{x:,.1f}", (), {"x": 1234.5}) == "1.234,5"


def test_a_missing_text_is_found() -> None:
    with pytest.raises(texts.UnknownTextError, match="no text"):
        texts.say("note.of_nothing")
