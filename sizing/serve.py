"""The console command ``sizing-workbook``: serves the pages and opens the first one."""

from __future__ import annotations

import argparse
import errno
import logging
import os
import sys
import threading
import traceback
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_server.utils import url_path_join
from tornado.ioloop import IOLoop
from tornado.web import HTTPError, RedirectHandler
from traitlets.config import Config
from voila.app import Voila
from voila.handler import BaseVoilaHandler
from voila.tornado.handler import TornadoVoilaHandler

from sizing.ui import assets
from sizing.ui.public import PUBLIC
from sizing.ui.voila import JUPYTER_PATH, configuration, words

FIRST_PAGES = ("index", "sizing")  # the first of these that exists is what "/" opens
PORTS_TO_TRY = 50

# What Voilà would serve beyond pages: a list of the notebooks, their contents, files of the folder.
NOT_SERVED = {"TornadoVoilaTreeHandler", "VoilaContentsHandler", "AllowListFileHandler", "ThemesHandler"}

# A path that climbs out of its folder, plain or encoded, is no page and goes no further.
_CLIMBS = r".*(?:/|%2[fF])(?:\.|%2[eE]){2}(?:/|%2[fF]|$).*"

LOOPBACK = ("", "localhost", "127.0.0.1", "::1")


def notebooks_dir() -> Path:
    """The folder of the pages: ``sizing/_notebooks`` in an installed package, ``notebooks`` in a checkout."""
    package = Path(__file__).parent
    installed = package / "_notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def first_page(notebooks: Path) -> str:
    """Path of the page that "/" leads to, below the server's address."""
    pages = sorted(path.stem for path in notebooks.glob("*.ipynb"))
    first = next((name for name in FIRST_PAGES if name in pages), pages[0] if pages else "none")
    return f"voila/render/{first}.ipynb"


class PageHandler(TornadoVoilaHandler):
    """A page. It leaves the cookie that lets the page give its kernel back when it is closed.

    Voilà alone sets that cookie only where it lists notebooks, so that closed pages would keep their kernels.
    """

    async def prepare(self) -> None:
        await super().prepare()
        self.xsrf_token  # noqa: B018  reading it sets the cookie


class NotFoundHandler(BaseVoilaHandler):
    """Any address that is no page."""

    def initialize(self, **kwargs: Any) -> None:
        super().initialize(voila_configuration=self.settings["voila"].voila_configuration)

    async def prepare(self) -> None:
        await super().prepare()
        raise HTTPError(404)


class Workbook(Voila):
    """Voilà with our pages and nothing else."""

    name = "voila"

    def init_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().init_settings()
        self.log.addFilter(_number_of_a_failed_page)
        # Voilà drops every stored output, so that an unsigned notebook is nothing to warn of.
        self.contents_manager.log.addFilter(lambda record: "is not trusted" not in record.msg)
        settings["voila_jinja2_env"].globals["words"] = words()
        return settings | {
            "compress_response": True,
            "websocket_compression_options": {},
            "ws_ping_timeout": 30_000,  # [ms] not longer than the interval, as tornado demands
            "default_handler_class": NotFoundHandler,
            "jinja2_env": settings["voila_jinja2_env"],  # our error page for every fault
        }

    def init_handlers(self) -> list[Any]:
        kept = [handler for handler in super().init_handlers() if handler[1].__name__ not in NOT_SERVED]
        kept = [(path, PageHandler if kind is TornadoVoilaHandler else kind, *rest) for path, kind, *rest in kept]
        base = self.server_url
        first = url_path_join(self.base_url, first_page(Path(self.root_dir)))
        return [
            (_CLIMBS, NotFoundHandler),
            (base, RedirectHandler, {"url": first, "permanent": False}),
            *assets.handlers(base, self.static_paths, self.labextensions_path),
            *kept,
        ]

    def listen(self) -> None:
        """Take the asked port or the next free one, say where the pages are, and serve until stopped."""
        asked: int = self.port
        self.port: int = self._take_port(asked)
        if self.port != asked:
            print(f"Port {asked} is taken by another program; using {self.port} instead.")
        print(f"The sizing workbook is at {self.address}\nStop it with Ctrl+C.", flush=True)
        if self.open_browser:
            self.launch_browser()
        self.ioloop = IOLoop.current()
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            print("\nStopped.")
        finally:
            self.stop()

    def _take_port(self, asked: int) -> int:
        for port in range(asked, min(asked + PORTS_TO_TRY, 65536)):
            try:
                self.app.listen(port, self.ip)
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
            else:
                return port
        print(f"No free port from {asked} on; name one with --port.", file=sys.stderr)
        self.exit(1)
        raise AssertionError("exit() does not return")

    @property
    def address(self) -> str:
        """What a person types to open the first page."""
        host = "localhost" if self.ip in ("", "localhost", "127.0.0.1", "0.0.0.0", "::") else self.ip
        return f"http://{host}:{self.port}{self.base_url}"

    def launch_browser(self) -> None:
        """Open the first page where a browser can be expected; elsewhere the printed address is enough."""
        on_a_screen = not sys.platform.startswith("linux") or any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
        )
        if on_a_screen:
            threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()


def _number_of_a_failed_page(record: logging.LogRecord) -> bool:
    """Put the number that the visitor sees, the start of the kernel's, before the traceback of a cell that failed."""
    if record.exc_info and record.exc_info[2] and "executing cell" in str(record.msg):
        for frame, _line in traceback.walk_tb(record.exc_info[2]):
            if isinstance(kernel_id := frame.f_locals.get("kernel_id"), str):
                record.msg = f"fault {kernel_id[:8]}: {record.msg}"
                break
    return True


def server_configuration(base_url: str, idle_minutes: int) -> Config:
    """Traitlets configuration of the server: the pages' own, and what only a server of ours can set."""
    config = Config(configuration(plotly_url=url_path_join(base_url, assets.folder(), "plotly.js")))
    config.VoilaConfiguration.page_config_hook = assets.page_config
    # A tab that is closed gives its kernel back at once; this is for those that vanish without a word.
    config.MappingKernelManager.cull_idle_timeout = idle_minutes * 60
    config.MappingKernelManager.cull_interval = 60
    config.MappingKernelManager.cull_connected = True
    config.IPKernelApp.log_level = logging.ERROR
    if os.name == "posix":  # no port of the machine for each kernel
        config.KernelManager.transport = "ipc"
    return config


def main(argv: Sequence[str] | None = None) -> None:
    """Serve the pages until stopped."""
    parser = argparse.ArgumentParser(prog="sizing-workbook", description="Serve the pages of the sizing workbook.")
    parser.add_argument("--port", type=int, default=8866, help="first port to try (8866)")
    parser.add_argument(
        "--host", default="localhost", help="address to listen on; 0.0.0.0 for every network (localhost)"
    )
    parser.add_argument("--base-url", default="/", help="path in front of every page, behind a proxy (/)")
    parser.add_argument(
        "--notebooks", type=Path, default=notebooks_dir(), help="folder of other pages than the workbook's"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument(
        "--idle-minutes", type=int, default=60, help="stop a visitor's calculation after this silence (60)"
    )
    parser.add_argument("--log-level", default="WARN", choices=["DEBUG", "INFO", "WARN", "ERROR"])
    args = parser.parse_args(argv)

    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(JUPYTER_PATH), os.environ.get("JUPYTER_PATH")]))
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")  # kernels of this environment, not of the user's home
    if args.host not in LOOPBACK:
        # Whoever opens a page from elsewhere must not read gated models with the operator's Hub token.
        os.environ[PUBLIC] = "1"
    base_url = url_path_join("/", args.base_url, "/")
    app = Workbook.instance(  # the one whose log every part of the server writes to
        config=server_configuration(base_url, args.idle_minutes),
        config_file_paths=[],  # a file that happens to lie in the working folder changes nothing
        root_dir=str(args.notebooks.resolve()),
        ip=args.host,
        port=args.port,
        base_url=base_url,
        open_browser=not args.no_browser,
        log_level=args.log_level,
    )
    app.initialize([])
    app.start()


if __name__ == "__main__":
    main()
