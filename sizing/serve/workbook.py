"""Voilà with our pages and nothing else: its settings, its addresses, its life."""

from __future__ import annotations

import errno
import functools
import logging
import os
import shutil
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Any

from jupyter_core.utils import run_sync
from jupyter_server.auth.identity import IdentityProvider, User
from jupyter_server.utils import url_path_join
from tornado.ioloop import IOLoop
from tornado.web import GZipContentEncoding, RedirectHandler, RequestHandler
from traitlets import Bool, Float, Integer, List, Unicode
from voila.app import Voila

from sizing.serve import fork, wire
from sizing.serve.headers import SafeHeaders
from sizing.serve.kernels import KERNEL_ID, ChannelsHandler, GoodbyeHandler, PageConnection, StateHandler
from sizing.serve.log import use_one_line
from sizing.serve.pages import HealthHandler, NotFoundHandler, PageHandler, Renderer, read_pages
from sizing.serve.places import Places
from sizing.serve.visits import Visits
from sizing.ui import assets
from sizing.ui.page import PAGES

FIRST_PAGES = ("index", "sizing")  # the first of these that exists is what "/" opens
PORTS_TO_TRY = 50

# A path that climbs out of its folder, plain or encoded, is no page and goes no further.
_CLIMBS = r".*(?:/|%2[fF])(?:\.|%2[eE]){2}(?:/|%2[fF]|$).*"

# Of the HTTP server: a client that is slow on purpose does not hold a connection for long. [s], [bytes]
_HTTP_LIMITS = {
    "idle_connection_timeout": 75,
    "body_timeout": 20,
    "max_header_size": 32_768,
    "max_body_size": 65_536,
}


def first_page(notebooks: Path) -> str:
    """Path of the page that "/" leads to, below the server's address."""
    pages = sorted(path.stem for path in notebooks.glob("*.ipynb"))
    first = next((name for name in FIRST_PAGES if name in pages), pages[0] if pages else "none")
    return f"voila/render/{first}.ipynb"


class Anyone(IdentityProvider):
    """Visitors have no names, and get no cookie that would tell one from another."""

    def get_user(self, _handler: Any) -> User:
        return User("visitor")


class Workbook(Voila):
    """The server. Its traits are the options of the console command."""

    name = "voila"
    identity_provider_class = Anyone

    visitors = Integer(1, help="Most visitors at once.")
    ready = Integer(0, help="Kernels kept prepared.")
    idle_s = Float(3600.0)
    away_s = Float(180.0)
    public = Bool(False, help="Anybody may come, by any host name.")
    embed = List(Unicode(), help="Sites that may show the pages inside theirs.")

    def init_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().init_settings()
        use_one_line(self.log)
        for name in ("tornado.access", "tornado.general", "tornado.application"):
            use_one_line(logging.getLogger(name))
        # Voilà drops every stored output, so that an unsigned notebook is nothing to warn of.
        self.contents_manager.log.addFilter(lambda record: "is not trusted" not in str(record.msg))
        pages = read_pages(Path(self.root_dir), (FIRST_PAGES[0], *PAGES))
        self.visits = Visits(
            self.kernel_manager, pages, self.log,
            ready=self.ready, idle_s=self.idle_s, away_s=self.away_s, limit=self.visitors,
        )  # fmt: skip
        self.renderer = Renderer(self, pages)
        if fork.Nurseries.possible():
            stems = [name.removesuffix(".ipynb") for name in pages]
            environment = {**os.environ, "IPYTHONDIR": self.ipython_dir, "OPENBLAS_NUM_THREADS": "1"}
            fork.Nurseries.current = fork.Nurseries(stems, environment)
        os.environ["IPYTHONDIR"] = self.ipython_dir
        return settings | {
            "transforms": [GZipContentEncoding, functools.partial(SafeHeaders, frame_ancestors=self.embed)],
            "allow_remote_access": self.public,
            "visits": self.visits,
            "places": Places(self.visitors, self.visits.taken),
            "renderer": self.renderer,
            "kernel_websocket_connection_class": PageConnection,
            "websocket_compression_options": {
                "compression_level": 1
            },  # half the bytes; more would cost more time than it saves
            "websocket_max_message_size": wire.MOST_BYTES,
            "xsrf_cookie_kwargs": {"samesite": "Lax"},
            "default_handler_class": NotFoundHandler,
            "jinja2_env": settings["voila_jinja2_env"],  # our error page for every fault
            "log_function": self.log_request,
        }

    @property
    def ipython_dir(self) -> str:
        """A profile of this server's own: nobody's start-up files run in a visitor's kernel."""
        return str(Path(self.connection_dir) / "ipython")

    def log_request(self, handler: RequestHandler) -> None:
        """One line an answer at level INFO; faults have their own."""
        request = handler.request
        milliseconds = 1000 * request.request_time()
        self.log.info(
            "%s %s %d %.0f ms %s", request.method, request.path[:200], handler.get_status(), milliseconds,
            request.remote_ip,
        )  # fmt: skip

    def init_handlers(self) -> list[Any]:
        base = self.server_url
        first = url_path_join(self.base_url, first_page(Path(self.root_dir)))
        return [
            (_CLIMBS, NotFoundHandler),
            (base, RedirectHandler, {"url": first, "permanent": False}),
            (f"{base}health", HealthHandler),
            *assets.handlers(base, self.static_paths, self.labextensions_path),
            (f"{base}voila/render/(.+)", PageHandler),
            (f"{base}api/kernels/{KERNEL_ID}", StateHandler),
            (f"{base}api/kernels/{KERNEL_ID}/channels", ChannelsHandler),
            (f"{base}voila/api/shutdown/{KERNEL_ID}", GoodbyeHandler),
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
        self.ioloop.add_callback(self.visits.begin_work)
        self.ioloop.add_callback(self.renderer.template)
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            print("\nStopped.")
        finally:
            self.stop()

    def stop(self) -> None:
        """End every kernel and leave no file."""
        run_sync(self.visits.close)()
        if fork.Nurseries.current is not None:
            fork.Nurseries.current.close()
        for _attempt in range(10):  # a kernel that is just ending may still be writing
            shutil.rmtree(self.connection_dir, ignore_errors=True)
            if not Path(self.connection_dir).exists():
                break
            time.sleep(0.1)

    def _take_port(self, asked: int) -> int:
        for port in range(asked, min(asked + PORTS_TO_TRY, 65536)):
            try:
                self.app.listen(port, self.ip, xheaders=self.public, **_HTTP_LIMITS)
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
