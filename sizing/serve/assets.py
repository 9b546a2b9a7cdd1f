"""Scripts and styles as browsers keep them: packed once, and for good, since their address names the versions.

Voilà and its widgets are a hundred small scripts. Asked one by one, compressed again for every visitor and asked
again at every visit, they are what a visitor waits for most. Here each is packed once, a returning browser asks for
none of them, and a page names at its very top what pages have needed so far, so that it comes while the kernel starts.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.metadata
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler

from sizing.serve.voila import packed_plotly_js

YEAR_S = 365 * 24 * 3600
MAX_PRELOADED = 200
PACKAGES = ("voila", "ipywidgets", "jupyterlab_widgets", "anywidget", "plotly")

_needed: dict[str, str] = {}  # scripts that pages have asked for, in the order of asking: address by path


@functools.cache
def folder() -> str:
    """Path of everything here below the server's address; it changes with the versions."""
    versions = " ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return f"voila/assets-{hashlib.sha256(versions.encode()).hexdigest()[:10]}"


@functools.lru_cache(maxsize=2000)
def _packed(path: Path, changed_ns: int) -> bytes:
    """A file, gzipped; made anew when the file has changed."""
    return gzip.compress(path.read_bytes(), compresslevel=6, mtime=0)


class KeptHandler(RequestHandler):
    """Answers with what a browser may keep for good."""

    def keep(self, kind: str, packed: bytes) -> None:
        """Finish the answer. kind: its media type."""
        self.set_header("Content-Type", kind)
        self.set_header("Cache-Control", f"public, max-age={YEAR_S}, immutable")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Vary", "Accept-Encoding")
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.finish(packed)
        else:
            self.finish(gzip.decompress(packed))


class PlotlyHandler(KeptHandler):
    """plotly.js."""

    def get(self) -> None:
        self.keep("text/javascript; charset=utf-8", packed_plotly_js())


class AssetHandler(KeptHandler):
    """Files of the first of some folders that has them."""

    def initialize(self, roots: Sequence[str | Path]) -> None:
        self.roots = [Path(root).resolve() for root in roots]

    def get(self, name: str) -> None:
        for root in self.roots:
            path = (root / name).resolve()
            if path.is_relative_to(root) and path.is_file():
                break
        else:
            raise HTTPError(404)
        if path.suffix == ".js" and len(_needed) < MAX_PRELOADED:
            version = self.get_query_argument("v", "")
            as_asked = f"{self.request.path}?v={version}" if version and version in path.name else self.request.path
            _needed.setdefault(self.request.path, as_asked)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.keep(
            "text/javascript; charset=utf-8" if path.suffix == ".js" else kind, _packed(path, path.stat().st_mtime_ns)
        )


def handlers(base: str, static_roots: Sequence[str], extension_roots: Sequence[str]) -> list[Any]:
    """Routes of a server at this base address, which ends in a slash."""
    return [
        (f"{base}{folder()}/plotly.js", PlotlyHandler),
        (f"{base}{folder()}/static/(.+)", AssetHandler, {"roots": static_roots}),
        (f"{base}{folder()}/labextensions/(.+)", AssetHandler, {"roots": extension_roots}),
    ]


def page_config(config: dict[str, Any], *, base_url: str, **_unused: Any) -> dict[str, Any]:
    """Voilà's hook: a page takes its scripts from here, and is told which it will need."""
    static, extensions = f"{base_url}{folder()}/static", f"{base_url}{folder()}/labextensions"
    return config | {
        "fullStaticUrl": static,
        "fullLabextensionsUrl": extensions,
        "sizingScripts": list(_needed.values()),
    }
