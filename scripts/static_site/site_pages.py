"""The pages of the static site: a notebook becomes a page that runs its cells in the visitor's browser."""

from __future__ import annotations

import ast
import copy
import functools
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from fetch import ROOT
from traitlets.config import Config
from voici_core.exporter import VoiciExporter
from voila.configuration import VoilaConfiguration

from sizing.base import texts
from sizing.serve.voila import words

TEMPLATE = "sizing-static"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
# The kernel asks for its parts by these names; all of them are in one archive, and the rest of the names are empty.
KERNEL_PARTS = ("micropip", "piplite", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython")
# The largest files of all, which a page fetches before the scripts that want them have come and run.
FILES = ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "pyodide/workbook.zip", "pyodide/pyodide.asm.js")
SOLVER_FILES = ("highs/highs.js", "highs/highs.wasm")
SOLVER = "sizing.sharing.placement"
FIRST = "sizing"


def page_config(lite_version: str, extensions: list[dict[str, Any]]) -> dict[str, Any]:
    """What JupyterLite's scripts read on every page. Every address is relative to the page."""
    return {
        "appName": words()["workbook"],
        "appVersion": lite_version,
        "baseUrl": "./",
        "fullStaticUrl": "./lite",
        "fullLabextensionsUrl": "./extensions",
        "settingsUrl": "./lite/schemas",
        "themesUrl": "./lite/themes",
        "federated_extensions": extensions,
        "defaultKernelName": "python",
        "fileTypes": {},
        "litePluginSettings": {
            f"{KERNEL}:kernel": {
                "pyodideUrl": "./pyodide/pyodide.js",
                "disablePyPIFallback": True,
                "loadPyodideOptions": {
                    "packages": ["workbook", *KERNEL_PARTS],
                    "lockFileURL": "./pyodide/pyodide-lock.json",
                },
            }
        },
    }


@functools.cache
def needs_solver(name: str) -> bool:
    """Whether the page of this name asks for placements: something that it imports does."""
    seen: set[str] = set()
    todo = [f"sizing.ui.pages.{name}"]
    while todo:
        module = todo.pop()
        path = ROOT / module.replace(".", "/")
        file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        if module in seen or not file.is_file():
            continue
        seen.add(module)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body:  # what is imported at once, and not where a function runs or for type checkers
            if isinstance(node, ast.ImportFrom) and node.module:
                todo += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            elif isinstance(node, ast.Import):
                todo += [each.name for each in node.names]
    return SOLVER in seen


def cells(notebook: Any, name: str) -> Any:
    """The notebook as the browser runs it: the site's own first cell, and none of those for analysts.

    ``__QUERY__`` is filled in by the page, which knows it.
    """
    made = copy.deepcopy(notebook)
    made.cells = [cell for cell in made.cells if "analyst" not in cell.metadata.get("tags", ())]
    lines = ["from sizing.ui import browser", "browser.start(__QUERY__)"]
    if needs_solver(name):
        lines.append("await browser.load_solver()")
    first = nbformat.v4.new_code_cell("\n".join(lines))
    first.id = "start"
    made.cells.insert(0, first)
    return made


def said(language: str) -> dict[str, str]:
    """The texts of the template, as a page without a server says them."""
    own = {name: texts.say(f"ui.browser.{name}", language) for name in ("preparing", "slow")}
    return words(language) | own | {"fault": texts.say("ui.fault.page_in_browser", language)}


def render(path: Path, config: dict[str, Any]) -> str:
    """The HTML of a notebook's page."""
    notebook = cells(nbformat.read(path, as_version=4), path.stem)
    voila = VoilaConfiguration(config=Config(), template=TEMPLATE, strip_sources=True)
    voila.strip_sources, voila.template, voila.theme = True, TEMPLATE, "light"
    exporter = VoiciExporter(voici_config=voila, page_config=config, base_url="./", notebook_path=str(path))
    languages = {language: said(language) for language in texts.LANGUAGES}
    first = texts.LANGUAGES[0]
    files = [*FILES, *(SOLVER_FILES if needs_solver(path.stem) else ())]
    ours = {"texts": languages[first], "language": first, "languages": languages, "files": files}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        nbformat.write(notebook, file)
        html, _ = exporter.from_filename(str(file), resources={"sizing": ours, "metadata": {"name": path.stem}})
    return re.sub(r"\n\s*\n+", "\n", str(html))


def forwarding(target: str) -> str:
    """A page that leads to another one and takes the address' query along."""
    script = f"location.replace({json.dumps(target)} + location.search + location.hash)"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{words()["workbook"]}</title>\n'
        f'<link rel="icon" href="data:,">\n<script>{script}</script>\n<a href="{target}">{words()["first_page"]}</a>\n'
    )
