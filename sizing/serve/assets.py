"""Scripts and styles as browsers keep them: packed once, and for good, since their address names the versions.

Voilà and its widgets are a hundred small scripts. Asked one by one, compressed again for every visitor and asked
again at every visit, they are what a visitor waits for most. Here each is packed once, a returning browser asks for
none of them, and a page names at its very top what pages have needed so far, so that it comes while the kernel starts.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import hashlib
import importlib.metadata
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler

from sizing.serve.voila import packed_plotly_js, plotly_js

YEAR_S = 365 * 24 * 3600
MAX_PRELOADED = 200
MAX_PRELOADED_BYTES = 3_000_000
"""Of all scripts named ahead, packed: twice what the pages need, so that nobody can make first visits heavy."""
PACKAGES = ("voila", "ipywidgets", "jupyterlab_widgets", "anywidget", "plotly")

PIECE_BYTES = 65_536
"""What is written at a time, so that a slow reader holds no more of a file than that."""
PIECE_TIMEOUT_S = 30.0
"""A client that does not take one piece in so long is cut off. [s]"""

_needed: dict[Path, str] = {}  # scripts that pages have asked for, in the order of asking: path below here by file


@functools.cache
def folder() -> str:
    """Path of everything here below the server's address; it changes with the versions."""
    versions = " ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return f"voila/assets-{hashlib.sha256(versions.encode()).hexdigest()[:10]}"


@functools.lru_cache(maxsize=2000)
def _packed(path: Path, changed_ns: int) -> bytes:
    """A file, gzipped; made anew when the file has changed."""
    return gzip.compress(path.read_bytes(), compresslevel=6, mtime=0)


@functools.lru_cache(maxsize=8)
def _plain(path: Path, changed_ns: int) -> bytes:
    """A file as it is, for the rare client that does not unpack."""
    return path.read_bytes()


class KeptHandler(RequestHandler):
    """Answers with what a browser may keep for good."""

    async def keep(self, kind: str, path: Path, packed: bytes | None = None) -> None:
        """Write the answer, as fast as it is read. kind: its media type.   packed: where that is at hand already."""
        changed_ns = path.stat().st_mtime_ns
        unpacks = "gzip" in self.request.headers.get("Accept-Encoding", "")
        body = (packed or _packed(path, changed_ns)) if unpacks else _plain(path, changed_ns)
        self.set_header("Content-Type", kind)
        self.set_header("Content-Length", len(body))
        self.set_header("Cache-Control", f"public, max-age={YEAR_S}, immutable")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Vary", "Accept-Encoding")
        if unpacks:
            self.set_header("Content-Encoding", "gzip")
        if self.request.method == "HEAD":
            return
        try:
            for start in range(0, len(body), PIECE_BYTES):
                self.write(body[start : start + PIECE_BYTES])
                await asyncio.wait_for(self.flush(), PIECE_TIMEOUT_S)
        except TimeoutError:
            stream: Any = self.request.connection.stream  # type: ignore[union-attr]  # tornado's own
            stream.close()
        except StreamClosedError:
            pass  # the browser has gone elsewhere


class PlotlyHandler(KeptHandler):
    """plotly.js."""

    async def get(self) -> None:
        await self.keep("text/javascript; charset=utf-8", plotly_js(), packed_plotly_js())

    head = get


class AssetHandler(KeptHandler):
    """Files of the first of some folders that has them."""

    def initialize(self, roots: Sequence[str | Path], name: str) -> None:
        self.roots = [Path(root).resolve() for root in roots]
        self.name = name

    async def get(self, asked: str) -> None:
        for root in self.roots:
            path = (root / asked).resolve()
            if path.is_relative_to(root) and path.is_file():
                break
        else:
            raise HTTPError(404)
        if path.suffix == ".js" and path not in _needed and len(_needed) < MAX_PRELOADED:
            # By the file's own name: however its address is spelled, it is named once.
            version = self.get_query_argument("v", "")
            by_name = f"{self.name}/{quote(path.relative_to(root).as_posix(), safe='/@')}"
            packed_bytes = sum(len(_packed(each, each.stat().st_mtime_ns)) for each in (*_needed, path))
            if packed_bytes <= MAX_PRELOADED_BYTES:
                _needed[path] = f"{by_name}?v={version}" if version and version in path.name else by_name
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        await self.keep("text/javascript; charset=utf-8" if path.suffix == ".js" else kind, path)

    head = get


def handlers(base: str, static_roots: Sequence[str], extension_roots: Sequence[str]) -> list[Any]:
    """Routes of a server at this base address, which ends in a slash."""
    return [
        (f"{base}{folder()}/plotly.js", PlotlyHandler),
        (f"{base}{folder()}/static/(.+)", AssetHandler, {"roots": static_roots, "name": "static"}),
        (f"{base}{folder()}/labextensions/(.+)", AssetHandler, {"roots": extension_roots, "name": "labextensions"}),
    ]


def page_config(config: dict[str, Any], *, base_url: str, **_unused: Any) -> dict[str, Any]:
    """Voilà's hook: a page takes its scripts from here, and is told which it will need."""
    here = f"{base_url}{folder()}"
    return config | {
        "fullStaticUrl": f"{here}/static",
        "fullLabextensionsUrl": f"{here}/labextensions",
        "sizingScripts": [f"{here}/{path}" for path in _needed.values()],
    }
