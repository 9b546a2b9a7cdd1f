"""Runs the notebooks of ``notebooks/explore/`` and stores what they show: ``make explore``.

Outputs are what a reader of the repository sees, and what the tests compare; widgets are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks" / "explore"
WIDGET = "application/vnd.jupyter.widget-view+json"


def main(names: list[str]) -> None:
    """Run all of them, or those named."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        book: Any = nbformat.read(path, as_version=4)
        NotebookClient(book, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
        for number, cell in enumerate((cell for cell in book.cells if cell.cell_type == "code"), start=1):
            cell.execution_count = number
            cell.outputs = [_stored(output, number) for output in cell.outputs if WIDGET not in output.get("data", {})]
            cell.metadata.pop("execution", None)
        book.metadata = {"kernelspec": book.metadata.kernelspec, "language_info": {"name": "python"}}
        path.write_text(nbformat.writes(book) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def _stored(output: Any, number: int) -> Any:
    if "execution_count" in output:
        output.execution_count = number
    return output


if __name__ == "__main__":
    main(sys.argv[1:])
