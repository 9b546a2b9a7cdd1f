"""The pages in the visitor's own browser, without a server: what the site's first cell sets up before a page is made.

Nothing here runs where a server makes the pages.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.resources
import io
import json
import logging
import os
import site
import sys
import zipfile
from collections.abc import Sequence
from types import ModuleType
from typing import Any
from urllib.parse import urljoin

from sizing.serve.voila import PUBLIC


def in_browser() -> bool:
    """Python runs in the visitor's browser: no other host, no thread, no compiled library."""
    return sys.platform == "emscripten"


def prepare() -> None:
    """Before the kernel starts: what is not in the first archive is fetched where it is imported."""
    names = json.loads((importlib.resources.files("sizing.ui") / "later.json").read_text(encoding="utf-8"))
    sys.meta_path.append(_Later(names))


def start(query: str) -> None:
    """Before the page is made. query: of the page's address."""
    os.environ["QUERY_STRING"] = query
    os.environ["SERVER_SOFTWARE"] = "voila in a browser"  # the template brings the look
    os.environ[PUBLIC] = "1"
    server_log = logging.getLogger("sizing")
    server_log.addHandler(_Console())
    server_log.propagate = False


async def load_solver() -> None:
    """For the page that plans a shared server."""
    from sizing.sharing import highs_browser

    await highs_browser.load(urljoin(_python_url(), "../highs/"))


def _python_url() -> str:
    """Address of the folder that holds Python; the rest of the site stands beside it."""
    import pyodide_js

    return str(pyodide_js._api.config.indexURL)


class _Later(importlib.abc.MetaPathFinder):
    """Fetches the modules that no page needs at its start, all at once, when the first of them is imported."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(name.replace("/", ".").removesuffix(".__init__") for name in names)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Where a module is, once the archive is unpacked; None for one that is not in it."""
        if name not in self._names:
            return None
        self._names = frozenset()
        with zipfile.ZipFile(io.BytesIO(_fetch(urljoin(_python_url(), "later.zip")))) as archive:
            archive.extractall(site.getsitepackages()[0])
        importlib.invalidate_caches()
        _name_what_is_missing()
        return importlib.machinery.PathFinder.find_spec(name, path, target)


def _name_what_is_missing() -> None:
    """fpdf2 names classes that come with Python's ssl module, which a browser lacks; nothing is fetched by them."""
    import http.client
    import urllib.request

    for module, name, plain in ((http.client, "HTTPSConnection", "HTTPConnection"),
                                (urllib.request, "HTTPSHandler", "HTTPHandler")):  # fmt: skip
        if not hasattr(module, name):
            setattr(module, name, getattr(module, plain))


def _fetch(url: str) -> bytes:
    """A file of the site, waited for: an import cannot be put off."""
    import js

    request = js.XMLHttpRequest.new()
    request.open("GET", url, False)
    request.responseType = "arraybuffer"
    request.send()
    if request.status != 200:
        raise ImportError(f"{url} answers {request.status}")
    found: bytes = request.response.to_bytes()
    return found


class _Console(logging.Handler):
    """What a server would write to its log goes to the browser's console."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        import js

        console: Any = js.console
        console.error(self.format(record))
