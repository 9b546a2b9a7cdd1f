"""A small Hub on loopback that answers as the real one does: statuses, error codes, redirects, ranges, sizes.

What the real one answers was taken from its client's source and from public reports of it: small files are redirected
(307) to a path on the same host, large ones (302) to another host, with X-Repo-Commit, X-Linked-Size and X-Linked-ETag
on the first answer; a missing model is 401 for the anonymous and 404 for the others; a gated one lists its files to
everybody and refuses their content with X-Error-Code GatedRepo.
"""

from __future__ import annotations

import hashlib
import json
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LFS_SUFFIXES = (".safetensors", ".bin", ".gguf", ".pth", ".pt", ".onnx")
ZEROS = bytes(65_536)


@dataclass(frozen=True)
class Big:
    """A large file that exists only as its first bytes and a size; the rest reads as zeros."""

    start: bytes
    size: int

    def __len__(self) -> int:
        return self.size


def weights(*tensors: tuple[str, str, list[int], int], metadata: dict | None = None) -> Big:
    """A safetensors file of (name, dtype, shape, bytes) with a true header and no stored data."""
    header: dict = {"__metadata__": metadata or {"format": "pt"}}
    offset = 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    return Big(struct.pack("<Q", len(text)) + text, 8 + len(text) + offset)


@dataclass
class Repo:
    """One repository. members: tokens that may read it where it is gated or private."""

    files: dict[str, bytes | Big]
    gated: str | bool = False
    private: bool = False
    disabled: bool = False
    members: set[str] = field(default_factory=set)
    card: dict | None = None
    commit: str = COMMIT
    branches: set[str] = field(default_factory=lambda: {"main"})


@dataclass(frozen=True)
class Seen:
    """One request that came in."""

    host: str
    path: str
    authorization: str | None
    range: str | None


class Hub:
    """The server: ``hub.repos[...] = Repo(...)``, then requests to ``hub.endpoint``.

    tokens: those that exist.   moved: old id to new id.
    before: called with path and count of requests so far; returns a full answer to give instead, or None.
    """

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.moved: dict[str, str] = {}
        self.tokens: set[str] = set()
        self.seen: list[Seen] = []
        self.bytes_sent = 0
        self.before: Callable[[str, int], tuple[int, dict[str, str], bytes] | str | None] = lambda path, count: None
        self.ignore_range = False
        handler = type("Handler", (_Handler,), {"hub": self})
        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2)]
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.endpoint, self.cdn = (f"http://127.0.0.1:{server.server_address[1]}" for server in self._servers)

    def close(self) -> None:
        """Stops listening; connections that clients kept open are dropped at their next request."""
        self.before = lambda path, count: "drop"
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Quiet."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.hub
        host = self.headers["Host"]
        hub.seen.append(Seen(host, self.path, self.headers["Authorization"], self.headers["Range"]))
        instead = hub.before(self.path, len(hub.seen))
        if instead == "drop":
            self.close_connection = True
            return None
        if instead == "stall":
            time.sleep(1.5)
            self.close_connection = True
            return None
        if instead is not None:
            return self._answer(*instead)
        url = urlsplit(self.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        if f"http://{host}" == hub.cdn:
            return self._content(parts[1] + "/" + parts[2], "/".join(parts[4:]))
        if parts[:2] == ["api", "models"]:
            revision = parts[5] if parts[4:5] == ["revision"] else "main"
            return self._info("/".join(parts[2:4]), revision, parse_qs(url.query), "/".join(parts[4:]))
        if parts[:3] == ["api", "resolve-cache", "models"]:
            return self._content("/".join(parts[3:5]), "/".join(parts[6:]))
        return self._resolve("/".join(parts[:2]), parts[3], "/".join(parts[4:]))

    def _token(self) -> str:
        return (self.headers["Authorization"] or "").removeprefix("Bearer ")

    def _refused(self, status: int, code: str, message: str) -> None:
        headers = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})}
        self._answer(status, headers, json.dumps({"error": message}).encode())

    def _repo(self, id: str) -> Repo | None:
        """The repository where it may be seen; else answers as the Hub does, and None."""
        token = self._token()
        if token and token not in self.hub.tokens:
            self._refused(401, "", "Invalid credentials in Authorization header")
            return None
        repo = self.hub.repos.get(id)
        if repo is None or (repo.private and token not in repo.members):
            self._refused(404 if token else 401, "RepoNotFound", "Repository not found")
            return None
        if repo.disabled:
            self._refused(403, "", "Access to this resource is disabled.")
            return None
        return repo

    def _info(self, id: str, revision: str, query: dict[str, list[str]], rest: str) -> None:
        if id in self.hub.moved:
            target = f"/api/models/{self.hub.moved[id]}/{rest}?blobs=true"
            return self._answer(307, {"Location": target, "X-Moved": id}, b"")
        repo = self._repo(id)
        if repo is None:
            return None
        if revision not in repo.branches | {repo.commit}:
            return self._refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        blobs = query.get("blobs", [""])[0].lower() == "true"
        facts = {
            "_id": "66a0c0ffee",
            "id": id,
            "modelId": id,
            "sha": repo.commit,
            "lastModified": "2026-11-01T10:00:00.000Z",
            "createdAt": "2026-10-01T10:00:00.000Z",
            "private": repo.private,
            "gated": repo.gated,
            "disabled": False,
            "downloads": 12,
            "likes": 3,
            "tags": ["transformers", "safetensors"],
            "siblings": [self._sibling(path, content, blobs) for path, content in sorted(repo.files.items())],
        }
        if repo.card is not None:
            facts["cardData"] = repo.card
        return self._answer(200, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(facts).encode())

    @staticmethod
    def _sibling(path: str, content: bytes | Big, blobs: bool) -> dict:
        if not blobs:
            return {"rfilename": path}
        entry: dict = {"rfilename": path, "size": len(content), "blobId": hashlib.sha1(path.encode()).hexdigest()}
        if path.endswith(LFS_SUFFIXES):
            digest = hashlib.sha256(path.encode()).hexdigest()
            entry["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 135}
        return entry

    def _resolve(self, id: str, revision: str, path: str) -> None:
        repo = self._repo(id)
        if repo is None:
            return None
        token = self._token()
        if repo.gated and token not in repo.members:
            if token:
                message = f"Access to model {id} is restricted and you are not in the authorized list. "
                return self._refused(
                    403, "GatedRepo", message + f"Visit https://huggingface.co/{id} to ask for access."
                )
            message = (
                f"Access to model {id} is restricted. You must have access to it and be authenticated to access it."
            )
            return self._refused(401, "GatedRepo", message + " Please log in.")
        if revision not in repo.branches | {repo.commit}:
            return self._refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if path not in repo.files:
            return self._refused(404, "EntryNotFound", "Entry not found")
        etag = f'"{hashlib.sha1(path.encode()).hexdigest()}"'
        headers = {"X-Repo-Commit": repo.commit, "ETag": etag, "Accept-Ranges": "bytes"}
        if path.endswith(LFS_SUFFIXES):
            headers["X-Linked-Size"] = str(len(repo.files[path]))
            headers["X-Linked-ETag"] = f'"{hashlib.sha256(path.encode()).hexdigest()}"'
            headers["Location"] = f"{self.hub.cdn}/repos/{id}/{repo.commit}/{path}?X-Amz-Signature=00"
            return self._answer(302, headers, b"Found. Redirecting")
        headers["Location"] = f"/api/resolve-cache/models/{id}/{repo.commit}/{path}"
        return self._answer(307, headers, b"Temporary Redirect")

    def _content(self, id: str, path: str) -> None:
        content = self.hub.repos[id].files[path]
        size = len(content)
        first, last, status = 0, size - 1, 200
        etag = f'"{hashlib.sha1(path.encode()).hexdigest()}"'
        headers = {"Accept-Ranges": "bytes", "ETag": etag, "X-Repo-Commit": self.hub.repos[id].commit}
        asked = self.headers["Range"]
        if asked and not self.hub.ignore_range:
            begin, _, end = asked.removeprefix("bytes=").partition("-")
            first, last = int(begin), min(int(end), size - 1)
            if first > last:
                return self._answer(416, {"Content-Range": f"bytes */{size}"}, b"")
            status = 206
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(last - first + 1)}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return None
        start = content.start if isinstance(content, Big) else content
        try:
            self._send(start[first : last + 1])
            left = last + 1 - max(first, min(len(start), last + 1))
            while left > 0:
                self._send(ZEROS[: min(left, len(ZEROS))])
                left -= len(ZEROS)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has what it wanted
        return None

    def _send(self, data: bytes) -> None:
        self.wfile.write(data)
        self.hub.bytes_sent += len(data)

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "X-Request-Id": "Root=1-test"}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
            self.hub.bytes_sent += len(body)
