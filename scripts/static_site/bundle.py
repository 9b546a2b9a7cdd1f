"""Inside the browser's Python, at build time: compiles the packages and packs them into two archives.

``workbook.zip`` holds what the pages import, found by making every page; ``later.zip`` the rest, which
`sizing.ui.browser` fetches when something of it is imported first: the sheet's writers, what shows a traceback.
"""

import importlib
import json
import py_compile
import shutil
import sys
import zipfile
from pathlib import Path

TREE, OUT = Path("/mnt/tree"), Path("/mnt/out")
SITE = Path("/lib/python3.13/site-packages")
NAME = "workbook.zip"
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same archive from the same sources
ALWAYS = ("sizing", "ipywidgets", "anywidget", "piplite", "pyodide_kernel", "ipykernel", "comm", "traitlets")
# Of other packages, files that no page reads.
NO_DATA = (".js", ".ttf", ".css", ".map", ".icc", ".typed", ".pyi", ".md", ".rst", "LICENSE", ".txt")
FONTS = ("-Regular.ttf", "-Bold.ttf")

shutil.copytree(TREE, SITE, dirs_exist_ok=True)


def imported() -> set[str]:
    """Files of everything that the pages import, once each page is made and changed."""
    import pyodide_kernel

    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    pyodide_kernel.ipython_shell.send_comm = lambda *message: None
    pyodide_kernel.ipython_shell.run_cell("1")
    import build

    from sizing.sharing import highs_browser

    highs_browser._solver = build.solver
    for file in sorted((SITE / "sizing/ui/pages").glob("[a-z]*.py")):
        module = importlib.import_module(f"sizing.ui.pages.{file.stem}")
        page = module.page("")
        if hasattr(page, "state") and file.stem != "evidence":  # which has no scenario to edit
            page.state.edit({"cards": "2"})
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {str(Path(file).relative_to(SITE)) for file in files if file and file.startswith(str(SITE))}


def start_files() -> tuple[list[str], list[str]]:
    """Paths below SITE: those of the start, compiled, and those for later, as they are."""
    used = imported()
    packages = {name.split("/")[0] for name in used}
    start, later = [], []
    for path in sorted(SITE.rglob("*")):
        name = str(path.relative_to(SITE))
        if path.is_dir() or "__pycache__" in name or ".data/" in name or "/tests/" in name:
            continue
        package = name.split("/")[0]
        if name.endswith(".py") and (package in ALWAYS or name in used):
            py_compile.compile(
                str(path),
                cfile=f"{path}c",
                dfile=name,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            start.append(f"{name}c")
        elif name.endswith(".py"):
            later.append(name)
        elif package.endswith(".dist-info"):
            if name.endswith(("METADATA", "entry_points.txt")):
                text = path.read_text(encoding="utf-8")
                path.write_text(text.split("\n\n")[0] + "\n", encoding="utf-8")  # without the read-me
                start.append(name)
        elif package == "sizing":
            start.append(name)
        elif not name.endswith(NO_DATA) or name.endswith(FONTS):
            (start if package in packages else later).append(name)
    return start, later


def pack(file: Path, names: list[str], more: dict[str, str]) -> None:
    """Write an archive; more: name and text of files that exist only in it."""
    with zipfile.ZipFile("/tmp/packed", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), (SITE / name).read_bytes(), zipfile.ZIP_DEFLATED)
        for name, text in more.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), text, zipfile.ZIP_DEFLATED)
    file.write_bytes(Path("/tmp/packed").read_bytes())


start, later = start_files()
names = sorted({name.removesuffix(".py") for name in later if name.endswith(".py")})
pack(OUT / NAME, start, {"sizing/ui/later.json": json.dumps(names)})
pack(OUT / "later.zip", later, {})
print(f"  {len(start)} files at the start, {len(later)} for later")
