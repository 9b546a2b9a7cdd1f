"""``sizing-workbook lab``: the notebooks in a folder of the user's own, opened in JupyterLab."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from sizing.serve.voila import JUPYTER_PATH

FOLDER = "sizing-notebooks"


def copy(source: Path, target: Path) -> list[Path]:
    """Copy the notebooks of ``source``; one that is there already is the user's, and stays. Those that were copied."""
    copied = []
    for path in sorted(source.rglob("*.ipynb")):
        place = target / path.relative_to(source)
        if ".ipynb_checkpoints" in path.parts or place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        copied.append(place)
    return copied


def main(argv: Sequence[str], source: Path) -> None:
    """Copy the notebooks and become JupyterLab. source: folder of the notebooks."""
    made = argparse.ArgumentParser(
        prog="sizing-workbook lab",
        description="Copy the notebooks into a folder of your own and open them in JupyterLab.",
    )
    made.add_argument("folder", nargs="?", type=Path, default=Path(FOLDER), help=f"where to ({FOLDER})")
    made.add_argument("--no-open", action="store_true", help="copy only")
    args, more = made.parse_known_args(argv)
    try:
        copied = copy(source, args.folder)
    except OSError as error:
        made.error(f"{args.folder} cannot be written: {error.strerror}")
    print(f"{len(copied)} notebooks copied to {args.folder.resolve()}; those that were there stay as they are.")
    if args.no_open:
        return
    if find_spec("jupyterlab") is None:
        made.error("JupyterLab is not installed: pip install 'sizing-workbook[lab]'")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(JUPYTER_PATH), os.environ.get("JUPYTER_PATH")]))
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", str(args.folder), *more])
