"""What every answer of the server says to the browser about its own safety."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

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
        if not self.frame_ancestors:
            headers["X-Frame-Options"] = "SAMEORIGIN"
        headers["Server"] = "sizing-workbook"
        return status_code, headers, chunk


def _is_a_host(text: Any) -> bool:
    """A host's name cannot end the policy and begin another."""
    return isinstance(text, str) and bool(text) and all(sign.isalnum() or sign in "-.:[]_" for sign in text)
