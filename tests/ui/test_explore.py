"""The notebooks that explore: a question each, a few lines a cell, outputs that are stored and compared."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sizing.base.texts import LANGUAGES, say
from sizing.ui.pages.index import EXPLORE, IndexPage

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "explore"
BOOKS = sorted(FOLDER.glob("*.ipynb"))
CHECKED = "nbval-check-output"
MOST_BYTES = 60_000
MOST_LINES = 5


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def statements(cell: Any) -> list[ast.stmt]:
    """What a cell asks, without imports and values that are only named."""
    tree = ast.parse("".join(cell["source"]))
    return [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]


def test_there_are_eight() -> None:
    assert [path.stem for path in BOOKS] == list(EXPLORE)
    assert len(BOOKS) == 8


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_question_prose_and_few_lines(path: Path) -> None:
    cells = read(path)["cells"]
    assert cells[0]["cell_type"] == "markdown"
    assert cells[0]["source"][0].startswith("# ")
    kinds = [cell["cell_type"] for cell in cells]
    assert kinds.count("markdown") >= 3
    for cell in cells:
        if cell["cell_type"] == "code":
            assert len(statements(cell)) <= MOST_LINES
    asked = sum(len(statements(cell)) for cell in cells if cell["cell_type"] == "code" and cell["outputs"])
    assert asked <= 4 * MOST_LINES


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_outputs_are_stored_and_the_file_is_small(path: Path) -> None:
    assert path.stat().st_size <= MOST_BYTES
    shown = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code" and cell["outputs"]]
    assert len(shown) >= 2
    for cell in shown:
        for output in cell["outputs"]:
            assert output["output_type"] != "stream"
            assert "image/png" not in output.get("data", {})
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gallery_names_it_and_leads_to_it(path: Path, language: str) -> None:
    html = IndexPage(language=language).explore.html
    assert say(f"index.explore.{path.stem}", language) in html.replace("&#x27;", "'")
    assert f"notebooks/explore/{path.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_page_of_the_server_names_them_without_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'href="explore/' in IndexPage().explore.html
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5.13")
    assert "href" not in IndexPage().explore.html
    monkeypatch.delenv("SERVER_SOFTWARE")
    monkeypatch.setattr("sizing.ui.pages.index.in_browser", lambda: True)
    assert "href" not in IndexPage().explore.html


def test_a_figure_that_moved_is_found(tmp_path: Path) -> None:
    """The cap of four cards on 16 A is 500 W; a stored 510 fails."""
    path = FOLDER / "3_cards_on_a_circuit.ipynb"
    book = read(path)
    first = next(cell for cell in book["cells"] if cell["metadata"].get("tags") == [CHECKED])
    text = first["outputs"][0]["data"]["text/plain"]
    assert "4: 500.0" in "".join(text)
    first["outputs"][0]["data"]["text/plain"] = "".join(text).replace("500.0", "510.0")
    book["cells"] = [first]
    moved = tmp_path / path.name
    moved.write_text(json.dumps(book), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--nbval-lax",
        "--rootdir",
        str(tmp_path),
    ]
    done = subprocess.run([*command, str(moved)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1, done.stdout
    assert "510.0" in done.stdout
