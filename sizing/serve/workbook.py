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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_core.utils import run_sync
from jupyter_server.auth.identity import IdentityProvider, User
from jupyter_server.utils import url_path_join
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.web import GZipContentEncoding, OutputTransform, RedirectHandler, RequestHandler
from traitlets import Bool, Float, Integer, List, Unicode
from voila.app import Voila

from sizing.serve import assets, fork, kernels
from sizing.serve.kernels import KERNEL_ID, ChannelsHandler, GoodbyeHandler, PageConnection, StateHandler
from sizing.serve.log import Rate, plain, use_one_line, without_ids
from sizing.serve.pages import HealthHandler, MetricsHandler, NotFoundHandler, PageHandler, Renderer, read_pages
from sizing.serve.visits import Places, Visits
from sizing.serve.voila import PAGES

# What every answer of the server says to the browser about its own safety.

# What a page never asks for. Copying to the clipboard is the one thing that it does.
_NOT_ASKED_FOR = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer",
                  "microphone", "midi", "payment", "usb")  # fmt: skip


def content_policy(host: str, frame_ancestors: Sequence[str], nonce: str = "") -> str:
    """The Content-Security-Policy: everything from this server, nothing from elsewhere.

    host: the server's own name and port as the browser knows them; its websocket is named by it, since some browsers
        do not count it under 'self'.
    frame_ancestors: sites that may show a page inside theirs, besides this one.
    nonce: of the scripts that stand in the page; "" for an answer without any.

    ``blob:`` is how a widget's own script, sent by its kernel, becomes a module. Styles stand in the elements that
    widgets and charts lay out. No text becomes code: no 'unsafe-eval', and no inline script without the nonce.
    """
    ancestors = " ".join(["'self'", *frame_ancestors])
    scripts = f" 'nonce-{nonce}'" if nonce else ""
    sockets = f" ws://{host} wss://{host}" if host else ""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'self'; object-src 'none'; "
        f"script-src 'self' blob:{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        f"font-src 'self' data:; connect-src 'self' blob:{sockets}; frame-ancestors {ancestors}"
    )


class SafeHeaders(OutputTransform):
    """Adds the headers to every answer, whichever handler gives it."""

    def __init__(self, request: HTTPServerRequest, frame_ancestors: Sequence[str] = ()) -> None:
        self.request = request
        self.frame_ancestors = frame_ancestors

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        nonce = getattr(self.request, "nonce", "")
        host = self.request.host if _is_a_host(self.request.host) else ""
        headers["Content-Security-Policy"] = content_policy(host, self.frame_ancestors, nonce)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Permissions-Policy"] = ", ".join(f"{name}=()" for name in _NOT_ASKED_FOR)
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "cross-origin" if self.frame_ancestors else "same-origin"
        if self.request.protocol == "https":
            headers["Strict-Transport-Security"] = f"max-age={assets.YEAR_S}"
        if not self.frame_ancestors:
            headers["X-Frame-Options"] = "SAMEORIGIN"
        headers["Server"] = "sizing-workbook"
        return status_code, headers, chunk


def _is_a_host(text: Any) -> bool:
    """A host's name cannot end the policy and begin another."""
    return isinstance(text, str) and bool(text) and all(sign.isalnum() or sign in "-.:[]_" for sign in text)


def clear_after_the_dead(folder: Path) -> None:
    """Note in this server's folder whose it is, and remove those beside it whose server was killed."""
    (folder / _OWNER).write_text(str(os.getpid()), encoding="ascii")
    for owner in folder.parent.glob(f"voila_*/{_OWNER}"):
        with suppress(OSError, ValueError):
            number = int(owner.read_text(encoding="ascii"))
            try:
                os.kill(number, 0)
            except ProcessLookupError:
                shutil.rmtree(owner.parent, ignore_errors=True)


_OWNER = "server.pid"
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


class FirstHandler(RedirectHandler):
    """The way from the bare address to the first page."""

    def head(self) -> None:
        self.get()


class Anyone(IdentityProvider):
    """Visitors have no names, and get no cookie that would tell one from another."""

    def get_user(self, _handler: Any) -> User:
        return User("visitor")


class Workbook(Voila):
    """The server. Its traits are the options of the console command."""

    name = "voila"
    identity_provider_class = Anyone

    visitors = Integer(1, help="Most visitors at once.")
    each = Integer(0, help="Most pages for one address before a browser has connected to the first of them.")
    ready = Integer(0, help="Kernels kept prepared.")
    idle_s = Float(3600.0)
    away_s = Float(180.0)
    other_pages = Bool(False, help="The folder's pages are not the workbook's: their widgets may set their state.")
    metrics = Bool(False, help="Tell figures of the server's work at /metrics.")
    public = Bool(False, help="Anybody may come, by any host name.")
    embed = List(Unicode(), help="Sites that may show the pages inside theirs.")

    def init_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().init_settings()
        use_one_line(self.log)
        loggers = [logging.getLogger(f"tornado.{name}") for name in ("access", "general", "application")]
        for logger in (*loggers, logging.getLogger("asyncio")):
            use_one_line(logger)
        own: Any = self.log
        for logger in (*loggers, logging.getLogger("asyncio"), getattr(own, "logger", own)):
            logger.addFilter(Rate())
        # Voilà drops every stored output, so that an unsigned notebook is nothing to warn of.
        self.contents_manager.log.addFilter(lambda record: "is not trusted" not in str(record.msg))
        pages = read_pages(Path(self.root_dir), (FIRST_PAGES[0], *PAGES))
        self.visits = Visits(
            self.kernel_manager, pages, self.log,
            ready=self.ready, idle_s=self.idle_s, away_s=self.away_s, limit=self.visitors,
        )  # fmt: skip
        self.visits.give_up = self.give_up
        self.renderer = Renderer(self, pages)
        if fork.Nurseries.possible():
            stems = [name.removesuffix(".ipynb") for name in pages]
            environment = {**os.environ, "IPYTHONDIR": self.ipython_dir, "OPENBLAS_NUM_THREADS": "1"}
            fork.Nurseries.current = fork.Nurseries(stems, environment, self.log)
        os.environ["IPYTHONDIR"] = self.ipython_dir
        return settings | {
            "transforms": [GZipContentEncoding, functools.partial(SafeHeaders, frame_ancestors=self.embed)],
            "allow_remote_access": self.public,
            "visits": self.visits,
            "other_pages": self.other_pages,
            "places": Places(self.visitors, self.visits.taken, self.visits.on_their_way, self.each),
            "renderer": self.renderer,
            "kernel_websocket_connection_class": PageConnection,
            "websocket_compression_options": {
                "compression_level": 1
            },  # half the bytes; more would cost more time than it saves
            "websocket_max_message_size": kernels.MOST_BYTES,
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
            "%s %s %d %.0f ms %s", plain(request.method, 10), without_ids(plain(request.path)), handler.get_status(),
            milliseconds, plain(request.remote_ip, 45),
        )  # fmt: skip

    def init_handlers(self) -> list[Any]:
        base = self.server_url
        first = url_path_join(self.base_url, first_page(Path(self.root_dir)))
        return [
            (_CLIMBS, NotFoundHandler),
            (base, FirstHandler, {"url": first, "permanent": False}),
            (f"{base}health", HealthHandler),
            *([(f"{base}metrics", MetricsHandler)] if self.metrics else []),
            *assets.handlers(base, self.static_paths, self.labextensions_path),
            (f"{base}voila/render/(.+)", PageHandler),
            (f"{base}api/kernels/{KERNEL_ID}", StateHandler),
            (f"{base}api/kernels/{KERNEL_ID}/channels", ChannelsHandler),
            (f"{base}voila/api/shutdown/{KERNEL_ID}", GoodbyeHandler),
        ]

    def listen(self) -> None:
        """Take the asked port or the next free one, say where the pages are, and serve until stopped."""
        clear_after_the_dead(Path(self.connection_dir))
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
        if self.gave_up:
            sys.exit(1)

    gave_up = False

    def give_up(self) -> None:
        """End with a fault, so that whatever keeps the server starts a sound one."""
        self.gave_up = True
        self.ioloop.stop()

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
