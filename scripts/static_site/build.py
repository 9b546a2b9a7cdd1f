"""Builds the static site: the pages of this repository, run by the visitor's browser. ``make static`` calls it.

python scripts/static_site/build.py [--out dist/site] [--cache .venv-static/cache]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import site_pages
from fetch import PINS, ROOT, locked_versions, npm, wheels

HERE = Path(__file__).resolve().parent
EXTENSIONS = (site_pages.KERNEL, "anywidget")
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
BUNDLE = "workbook.zip"
_STYLES = "template/voila/templates/sizing/static/"
OF_THE_SERVER = (  # what pages read too
    "__init__.py", "voila.py", *(_STYLES + name for name in ("theme.css", "page.css", "parts.css", "call.css"))
)  # fmt: skip
THEMES = tuple(f"lite/themes/@jupyterlab/theme-{name}-extension/index.css" for name in ("light", "dark"))
SCRIPTS = ("lite/voici.js", *THEMES)  # of JupyterLite, what every page asks for
LATER = ("pyodide/later.zip", *site_pages.SOLVER_FILES)  # what not every visit asks for
NOT_COPIED = shutil.ignore_patterns("*.map", "pypi", "schema", "*.eot", "*.ttf", "*.woff", "*.woff2", "__pycache__")


def main() -> None:
    """Build the site anew."""
    parser = argparse.ArgumentParser(description="Build the static site.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist/site")
    parser.add_argument("--cache", type=Path, default=ROOT / ".venv-static/cache")
    args = parser.parse_args()
    for name in ("anywidget", "plotly"):
        if version(name) != locked_versions()[name]:
            raise SystemExit(f"{name} is another version in tools.lock than in requirements.lock: make static-lock")
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    print(f"Building the static site in {args.out}")
    python_part(args.out, args.cache)
    extensions = scripts_part(args.out)
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    config = site_pages.page_config(version("jupyterlite-core"), extensions)
    for notebook in notebooks:
        (args.out / f"{notebook.stem}.html").write_text(site_pages.render(notebook, config), encoding="utf-8")
    if not (args.out / "index.html").exists():
        (args.out / "index.html").write_text(site_pages.forwarding(f"{site_pages.FIRST}.html"), encoding="utf-8")
    service_worker(args.out)
    files = [path for path in args.out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    print(f"  {len(files)} files, {size / 1e6:.1f} MB")


def python_part(out: Path, cache: Path) -> None:
    """Python, the solver, and the packages."""
    runtime, highs = npm("pyodide", cache), npm("highs", cache)
    target = out / "pyodide"
    target.mkdir()
    for name in CORE:
        shutil.copy(runtime / name, target / name)
    (out / "highs").mkdir()
    for name in ("highs.js", "highs.wasm"):
        shutil.copy(highs / "build" / name, out / "highs" / name)
    tree = cache / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    kernel = share() / "labextensions" / site_pages.KERNEL / "static/pypi"
    for wheel in [*wheels(cache), *kernel.glob("ipykernel-*.whl"), *kernel.glob("pyodide_kernel-*.whl")]:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tree)
    shutil.copytree(HERE / "piplite", tree / "piplite", ignore=NOT_COPIED)
    shutil.copy(HERE / "embed.py", tree / "IPython/terminal/embed.py")
    shutil.copytree(ROOT / "sizing", tree / "sizing", ignore=shutil.ignore_patterns("__pycache__", "serve"))
    for name in OF_THE_SERVER:
        (tree / "sizing/serve" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "sizing/serve" / name, tree / "sizing/serve" / name)
    shutil.copytree(ROOT / "data", tree / "sizing/_data")
    subprocess.run(["node", str(HERE / "bundle.mjs"), str(runtime), str(highs), str(tree), str(target)], check=True)
    write_lock(runtime, target)


def write_lock(runtime: Path, target: Path) -> None:
    """The list of packages that the browser's Python knows: ours, and the names that the kernel asks for."""
    lock = json.loads((runtime / "pyodide-lock.json").read_text(encoding="utf-8"))
    files = {"workbook": (target / BUNDLE, "1")}
    for name in site_pages.KERNEL_PARTS:
        files[name] = (empty_wheel(target, name), "0")
    lock["packages"] = {
        name.replace("_", "-"): {
            "name": name.replace("_", "-"),
            "version": number,
            "file_name": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "install_dir": "site",
            "package_type": "package",
            "imports": [],
            "depends": [],
            "unvendored_tests": False,
        }
        for name, (path, number) in files.items()
    }
    (target / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def empty_wheel(target: Path, name: str) -> Path:
    """A package of nothing: its contents are in the workbook's own archive."""
    path = target / f"{name}-0-py3-none-any.whl"
    info = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: workbook\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in info.items():
            archive.writestr(zipfile.ZipInfo(f"{name}-0.dist-info/{file}", (2020, 1, 1, 0, 0, 0)), text)
    return path


def share() -> Path:
    """Where the packages of this environment keep what Jupyter serves."""
    return Path(sys.prefix) / "share/jupyter"


def scripts_part(out: Path) -> list[dict[str, str]]:
    """JupyterLite, the widgets and plotly.js; what JupyterLite must know of its extensions."""
    import plotly
    import voici_core

    lite = out / "lite"
    shutil.copytree(Path(voici_core.__file__).parent / "static/build", lite, ignore=NOT_COPIED)
    one_script(lite)
    for theme in THEMES:  # asked for by JupyterLab; the page has its own look
        (out / theme).parent.mkdir(parents=True)
        (out / theme).write_text("/* The page has its own look. */\n", encoding="utf-8")
    found = []
    for name in EXTENSIONS:
        source = share() / "labextensions" / name
        shutil.copytree(source / "static", out / "extensions" / name / "static", ignore=NOT_COPIED)
        build = json.loads((source / "package.json").read_text(encoding="utf-8"))["jupyterlab"]["_build"]
        found.append({"name": name, "load": build["load"], "extension": build["extension"]})
    shutil.copy(Path(plotly.__file__).parent / "package_data/plotly.min.js", out / "plotly.min.js")
    return found


def one_script(lite: Path) -> None:
    """The scripts that every page needs, in one file with the one that starts them."""
    files = [lite / f"{number}.js" for number in PINS["lite"]["scripts"]]
    texts = [file.read_text(encoding="utf-8") for file in (*files, lite / "voici.js")]
    for name in PINS["lite"]["not_started"]:
        here = f'"{name}"===e.id'
        if sum(text.count(here) for text in texts) != 1:
            raise SystemExit(f"voici-core starts {name} in another way than it did")
        texts = [text.replace(here, "!1") for text in texts]
    (lite / "voici.js").write_text("\n".join(texts), encoding="utf-8")
    for file in files:
        file.unlink()


def service_worker(out: Path) -> None:
    """What lets the browser keep the site; it must be written last."""
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    kept = [name for name in files if name not in LATER and (not name.startswith("lite/") or name in SCRIPTS)]
    digest = hashlib.sha256(b"".join(hashlib.sha256((out / name).read_bytes()).digest() for name in files))
    text = (HERE / "sw.js").read_text(encoding="utf-8")
    text = text.replace("__NAME__", f"sizing-{digest.hexdigest()[:12]}").replace("__KEPT__", json.dumps(kept))
    (out / "sw.js").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
