"""Options of the console command, and from them the configuration of the server."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jupyter_server.utils import url_path_join
from traitlets.config import Config

from sizing.serve import assets, fork, lab
from sizing.serve.visits import places_of_this_machine
from sizing.serve.voila import JUPYTER_PATH, PUBLIC, configuration
from sizing.serve.workbook import Workbook

LOOPBACK = ("", "localhost", "127.0.0.1", "::1")


def notebooks_dir() -> Path:
    """The folder of the pages: ``sizing/_notebooks`` in an installed package, ``notebooks`` in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def server_configuration(base_url: str) -> Config:
    """Traitlets configuration of the server: the pages' own, and what only a server of ours can set."""
    config = Config(configuration(plotly_url=url_path_join(base_url, assets.folder(), "plotly.js")))
    # A kernel that has died has lost its page: a new one under its name would be an empty one.
    config.KernelManager.autorestart = False
    if os.name == "posix":  # no port of the machine for each kernel
        config.KernelManager.transport = "ipc"
    return config


def parser() -> argparse.ArgumentParser:
    """The options. Each may also stand in the environment, as ``SIZING_VISITORS`` for ``--visitors``."""
    made = argparse.ArgumentParser(
        prog="sizing-workbook",
        description="Serve the pages of the sizing workbook.",
        epilog="Each option may stand in the environment instead: SIZING_VISITORS for --visitors. "
        "sizing-workbook lab [folder] copies the notebooks into a folder and opens them in JupyterLab.",
    )

    def option(name: str, kind: Callable[[str], Any], default: Any, text: str, **more: Any) -> None:
        variable = "SIZING_" + name.upper().replace("-", "_")
        given = os.environ.get(variable)
        made.add_argument(f"--{name}", type=kind, default=given if given else default, help=text, **more)

    option("port", int, 8866, "first port to try (8866)")
    option("host", str, "localhost", "address to listen on; 0.0.0.0 for every network (localhost)")
    option("base-url", str, "/", "path in front of every page, behind a proxy (/)")
    option("notebooks", Path, notebooks_dir(), "folder of other pages than the workbook's")
    option("visitors", _count(1), 0, "most visitors at once; more of them wait (what memory and cores bear)")
    option(
        "each", _count(0), 0, "most pages for one address that no browser has reached yet (a quarter of the visitors)"
    )
    option("ready", _count(0), 2, "pages kept prepared for the next visitors (2)")
    option("idle-minutes", _minutes, 60.0, "stop a visitor's calculation after this silence (60)")
    option("away-minutes", _minutes, 3.0, "and after this time without a browser (3)")
    option("embed", str.split, [], "sites that may show the pages inside theirs, such as https://www.example.com")
    option(
        "runtime-dir",
        Path,
        tempfile.gettempdir(),
        "folder of the kernels' sockets and small files (the system's)",
    )
    option("log-level", str, "WARN", "WARN says faults, INFO every answer", choices=["DEBUG", "INFO", "WARN", "ERROR"])
    made.add_argument("--version", action="version", version=importlib.metadata.version("sizing-workbook"))
    made.add_argument("--no-browser", action="store_true", help="only print the address")
    made.add_argument(
        "--metrics",
        action="store_true",
        default=bool(os.environ.get("SIZING_METRICS")),
        help="tell figures of the server's work at /metrics, for Prometheus",
    )
    made.add_argument(
        "--public",
        action="store_true",
        default=bool(os.environ.get("SIZING_PUBLIC")),
        help="anyone may come, by any host name, as behind a proxy; on by itself with --host beyond this machine",
    )
    return made


def _count(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return int(text)

    return count


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes")
    return minutes


def main(argv: Sequence[str] | None = None) -> None:
    """Serve the pages until stopped; with "lab" first, open the notebooks in JupyterLab instead."""
    given = sys.argv[1:] if argv is None else list(argv)
    if given[:1] == ["lab"]:
        lab.main(given[1:], notebooks_dir())
        return
    args = parser().parse_args(given)
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(JUPYTER_PATH), os.environ.get("JUPYTER_PATH")]))
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")  # kernels of this environment, not of the user's home
    public = args.public or args.host not in LOOPBACK
    if public:
        # Whoever opens a page from elsewhere must not read gated models with the operator's Hub token.
        os.environ[PUBLIC] = "1"
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"):
            os.environ.pop(name, None)
    _open_as_many_files_as_allowed()
    fork.register()
    base_url = url_path_join("/", args.base_url, "/")
    app = Workbook.instance(  # the one whose log every part of the server writes to
        config=server_configuration(base_url),
        config_file_paths=[],  # a file that happens to lie in the working folder changes nothing
        root_dir=str(args.notebooks.resolve()),
        connection_dir_root=str(Path(args.runtime_dir).resolve()),
        ip=args.host,
        port=args.port,
        base_url=base_url,
        open_browser=not args.no_browser,
        log_level=args.log_level,
        visitors=args.visitors or places_of_this_machine(),
        each=args.each,
        ready=args.ready,
        idle_s=60 * args.idle_minutes,
        away_s=60 * args.away_minutes,
        public=public,
        metrics=args.metrics,
        other_pages=args.notebooks.resolve() != notebooks_dir().resolve(),
        embed=args.embed,
    )
    app.initialize([])
    app.start()


def _open_as_many_files_as_allowed() -> None:
    """A visitor takes some thirty of the server's files and sockets; the usual first limit of 1024 ends at thirty."""
    try:
        import resource
    except ImportError:  # no such limit on Windows
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
