"""A page: its language, its place, its kernel, its HTML."""

from __future__ import annotations

import asyncio
import copy
import functools
import secrets
from collections.abc import AsyncIterator, Mapping
from http.cookies import CookieError
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import nbformat
from jupyter_server.utils import url_path_join
from tornado.httputil import HTTPServerRequest
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError
from voila.handler import BaseVoilaHandler
from voila.notebook_renderer import NotebookRenderer
from voila.utils import get_page_config

from sizing.base import texts
from sizing.serve import assets
from sizing.serve.log import fault_number, plain
from sizing.serve.visits import FAULT, Places, Visit, Visits, memory_bytes
from sizing.serve.voila import ANALYST, words

TICKET = "sizing_visit"
RETRY_S = 5
"""A visitor who waits for a place asks again after so long. [s]"""


def read_pages(folder: Path, order: tuple[str, ...]) -> dict[str, Any]:
    """The notebooks of a folder by file name, those named in ``order`` first, without the cells for analysts."""
    found = {path.stem: path for path in sorted(folder.glob("*.ipynb"))}
    names = [*(name for name in order if name in found), *(name for name in found if name not in order)]
    pages = {}
    for name in names:
        notebook: Any = nbformat.read(found[name], as_version=4)  # type: ignore[no-untyped-call]
        notebook.cells = [
            cell
            for cell in notebook.cells
            if cell.cell_type != "raw" and ANALYST not in cell.metadata.get("tags", ()) and cell.source.strip()
        ]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        pages[f"{name}.ipynb"] = notebook
    return pages


def language_of(request: HTTPServerRequest) -> str:
    """The language that an address asks for; English where it names none that there is."""
    asked = [value.decode("ascii", "replace") for value in request.query_arguments.get("lang", [])]
    return asked[-1] if asked and asked[-1] in texts.LANGUAGES else texts.LANGUAGES[0]


def preferred_language(accepted: str) -> str:
    """The language of ours that a browser likes best, by its Accept-Language; English where it likes none."""
    best, liking = texts.LANGUAGES[0], 0.0
    for entry in accepted[:500].split(","):
        tag, _, weight = entry.partition(";")
        language = tag.strip().lower().partition("-")[0]
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight.strip() else 1.0
        except ValueError:
            continue
        if language in texts.LANGUAGES and quality > liking:
            best, liking = language, quality
    return best


class WordsHandler(BaseVoilaHandler):
    """Base of what answers with a page of the server's own words; every fault of it has a number."""

    def initialize(self, **_kwargs: Any) -> None:
        super().initialize(voila_configuration=self.settings["voila"].voila_configuration)

    def set_cookie(self, name: str, value: str | bytes, *args: Any, **kwargs: Any) -> None:
        """As tornado's; over TLS a cookie never leaves it."""
        super().set_cookie(name, value, *args, **{"secure": self.request.protocol == "https"} | kwargs)

    def say(self, template: str, **values: Any) -> None:
        """Write one of the server's pages in the address's language."""
        language = language_of(self.request)
        self.request.nonce = secrets.token_urlsafe(12)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        made = self.settings["voila_jinja2_env"].get_template(template)
        self.write(
            made.render(
                words=words(language),
                language=language,
                base_url=self.base_url,
                nonce=self.request.nonce,
                **values,
            )
        )

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """A sentence; where the fault is ours, with the number that its traceback has in the log."""
        number = getattr(self, "fault", "") if status_code >= 500 else ""
        self.say("error.html", status_code=status_code, number=number)
        self.finish()

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Faults of ours only, each with its number; a wrong address is no event."""
        if isinstance(value, HTTPError) and value.status_code < 500:
            return
        self.fault = fault_number()
        self.log.error("fault %s: %s", self.fault, plain(self.request.path), exc_info=(typ, value, tb))


class NotFoundHandler(WordsHandler):
    """Any address that is no page."""

    async def prepare(self) -> None:
        await super().prepare()
        raise HTTPError(404)


class HealthHandler(WordsHandler):
    """For a load balancer: costs nothing, starts nothing. 503 while kernels cannot be started."""

    def check_host(self) -> bool:
        """A balancer asks by address."""
        return True

    def get(self) -> None:
        visits: Visits = self.settings["visits"]
        places: Places = self.settings["places"]
        state = "failing" if visits.failing else "full" if visits.taken() >= places.limit else "ok"
        self.set_status(503 if state == "failing" else 200)
        self.set_header("Cache-Control", "no-store")
        counts = {"visitors": visits.taken(), "places": places.limit, "waiting": places.waiting}
        self.finish({"status": state, **counts, "ready": visits.num_ready()})

    head = get


class MetricsHandler(HealthHandler):
    """For whoever watches the server, where it was asked for: what it does, and nothing of who visits."""

    def get(self) -> None:
        visits: Visits = self.settings["visits"]
        places: Places = self.settings["places"]
        counted = {
            "visitors": visits.taken(), "places": places.limit, "waiting": places.waiting, "ready": visits.num_ready(),
            "failing": int(visits.failing), "memory_bytes": memory_bytes(), **visits.counts,
        }  # fmt: skip
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.finish("".join(f"sizing_{name} {value}\n" for name, value in counted.items()))

    head = get


class PageHandler(WordsHandler):
    """One page for one visitor.

    It leaves two cookies: the one that lets the page give its kernel back when it is closed, and the visitor's turn.
    """

    async def get(self, path: str) -> None:
        visits: Visits = self.settings["visits"]
        if path not in visits.pages:
            raise HTTPError(404)
        if self._sent_to_its_language():
            return
        ticket, address = self._ticket(), self.request.remote_ip or ""
        await visits.make_room_for(ticket)
        place = self.settings["places"].ask(ticket, address)
        if place:
            self._wait(place)
            return
        self.xsrf_token  # noqa: B018  reading it sets the cookie
        try:
            visit = await visits.begin(path, self.request.query, ticket, address)
        except BlockingIOError as error:  # no process can be made now: one visitor waits, the others go on
            self.log.error("no kernel for a visitor: %s", plain(error))
            self._wait(1)
            return
        self.log.info("page %s (%s) opened from %s", visit.number, path, self.request.remote_ip)
        try:
            await self._render(visit)
        except StreamClosedError:
            await visits.end(visit, "the browser left while it was made")
        except Exception:
            await visits.end(visit, "it could not be made")
            raise
        finally:
            visit.on_its_way = False

    def head(self, path: str) -> None:
        """Whether there is such a page; nothing is started for it."""
        if path not in self.settings["visits"].pages:
            raise HTTPError(404)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")

    def _sent_to_its_language(self) -> bool:
        if "lang" in self.request.query_arguments:
            return False
        self.set_header("Vary", "Accept-Language")
        language = preferred_language(self.request.headers.get("Accept-Language", ""))
        if language == texts.LANGUAGES[0]:
            return False
        query = "&".join(filter(None, [self.request.query, urlencode({"lang": language})]))
        self.set_header("Cache-Control", "no-store")
        self.redirect(f"{url_path_join(self.base_url, 'voila/render')}/{self.path_args[0]}?{query}")
        return True

    def _ticket(self) -> str:
        try:
            held = self.get_cookie(TICKET, "")
        except CookieError:
            held = ""
        ticket = held if held and len(held) <= 32 and held.isascii() else secrets.token_urlsafe(12)
        self.set_cookie(TICKET, ticket, path=self.base_url, httponly=True, samesite="Lax")
        return ticket

    def _wait(self, place: int) -> None:
        self.settings["visits"].counts["refused_total"] += 1
        self.set_status(503)
        self.set_header("Retry-After", str(RETRY_S))
        self.say("busy.html", place=place, retry_s=RETRY_S)

    async def _render(self, visit: Visit) -> None:
        renderer: Renderer = self.settings["renderer"]
        self.request.nonce = secrets.token_urlsafe(12)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")

        async def kernel_start(_notebook: Any) -> str:
            if not visit.ran:
                await self.flush()
            return visit.kernel_id

        async def cells(_notebook: Any, _kernel_id: str) -> AsyncIterator[Any]:
            if not visit.ran:
                await self.settings["visits"].run(visit)
            for cell in visit.cells:
                yield cell

        language = language_of(self.request)
        nonce: str = self.request.nonce
        ours = {
            "language": language, "texts": words(language), "nonce": nonce, "fault": FAULT,
            "arriving": visit.made_ahead and bool(self.request.query),
        }  # fmt: skip
        async for html in renderer.html(visit.page, ours, kernel_start, cells):
            self.write(html)
        await self.flush()


class Renderer:
    """Makes a page's HTML with Voilà's template system; what does not differ between visitors is made once."""

    def __init__(self, app: Any, pages: Mapping[str, Any]) -> None:
        self.app = app
        self.pages = pages
        self._lock = asyncio.Lock()
        self._made: NotebookRenderer | None = None

    @functools.cached_property
    def config(self) -> dict[str, Any]:
        """Voilà's page configuration: where scripts are, which extensions a page loads."""
        configuration = self.app.voila_configuration
        found: dict[str, Any] = get_page_config(
            base_url=self.app.base_url, settings=self.app.app.settings, log=self.app.log,
            voila_configuration=configuration,
        )  # fmt: skip
        return found

    async def template(self) -> NotebookRenderer:
        """Voilà's renderer, made once: only the notebook and its outputs differ from page to page."""
        async with self._lock:
            if self._made is None:
                app = self.app
                made = NotebookRenderer(
                    voila_configuration=app.voila_configuration, traitlet_config=app.config,
                    notebook_path=next(iter(self.pages)), template_paths=app.template_paths,
                    config_manager=app.config_manager, contents_manager=app.contents_manager, base_url=app.base_url,
                    kernel_spec_manager=app.kernel_spec_manager, page_config=self.config,
                )  # fmt: skip
                await made.initialize()
                made.exporter.template  # noqa: B018  compiled here, not for the first visitor
                self._made = made
            return self._made

    async def html(
        self, page: str, ours: Mapping[str, Any], kernel_start: Any, cell_generator: Any
    ) -> AsyncIterator[str]:
        """The page in pieces.

        ours: what the template knows of this visit.   kernel_start, cell_generator: what it calls for the kernel and
        for the outputs.
        """
        made = await self.template()
        config = assets.page_config(dict(self.config), base_url=self.app.base_url)
        config["jupyterLabTheme"] = made.theme
        resources = copy.copy(made.resources) | {"page_config": config, "metadata": {"name": Path(page).stem}}
        resources["sizing"] = {**resources.get("sizing", {}), **ours}
        context = {
            "frontend": "voila", "main_js": "voila.js", "kernel_start": kernel_start,
            "cell_generator": cell_generator, "progressive_rendering": False,
        }  # fmt: skip
        pieces = made.exporter.generate_from_notebook_node(
            self.pages[page], resources=resources, extra_context=context, page_config=config
        )
        async for html, _resources in pieces:
            yield html
