"""What a page may say to its kernel over the websocket, and what it hears.

A page moves controls: it opens the one comm that asks for the widgets' state, and sends messages to widgets that the
kernel made. Everything else that Jupyter's protocol knows, code above all, is refused here, before it reaches a kernel.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

PROTOCOL = "v1.kernel.websocket.jupyter.org"
MOST_PARTS = 16
MOST_BYTES = 9_000_000
"""Of one message: the longest text that a page takes, each character in the longest form that JSON has for it."""

COMM_TARGETS = ("jupyter.widget.control",)
_COMM_METHODS = ("update", "custom", "request_state", "request_states")
_BARE = ("kernel_info_request", "comm_info_request")
UNHEARD = ("stream", "error", "execute_input", "execute_result", "debug_event", "input_request")
"""Types of messages that a page has no use for, and a visitor no business with: what a kernel prints."""


def refusal(message: object) -> str | None:
    """Why a message is not passed on; None where it is."""
    if not isinstance(message, bytes):
        return "a text frame"
    if len(message) > MOST_BYTES:
        return f"{len(message)} bytes"
    parts = _parts(message)
    if parts is None:
        return "a malformed frame"
    channel, header_part, parent_part, metadata_part, content_part, *_buffers = parts
    header, content = _object(header_part), _object(content_part)
    if header is None or content is None or _object(parent_part) is None or _object(metadata_part) is None:
        return "a malformed message"
    kind = header.get("msg_type")
    if channel != b"shell":
        return f"{kind} on channel {channel!r}"
    return _refusal_of(kind, content)


def _refusal_of(kind: Any, content: dict[str, Any]) -> str | None:
    if kind in _BARE:
        return None
    if kind == "comm_open":
        target = content.get("target_name")
        return None if target in COMM_TARGETS and _is_name(content.get("comm_id")) else f"comm_open to {target!r}"
    if kind == "comm_close":
        return None if _is_name(content.get("comm_id")) else "a malformed comm_close"
    if kind == "comm_msg":
        data = content.get("data")
        good = _is_name(content.get("comm_id")) and isinstance(data, dict) and data.get("method") in _COMM_METHODS
        return None if good else "a malformed comm_msg"
    return f"a message of type {kind!r}"


def _parts(message: bytes) -> list[bytes] | None:
    """Channel, header, parent header, metadata, content and buffers of a frame; None where its offsets are not."""
    count = int.from_bytes(message[:8], "little")
    if not 6 <= count <= MOST_PARTS or len(message) < 8 * (count + 1):
        return None
    offsets = [int.from_bytes(message[8 * (k + 1) : 8 * (k + 2)], "little") for k in range(count)]
    rising = all(before <= after for before, after in itertools.pairwise(offsets))
    if offsets[0] != 8 * (count + 1) or not rising or offsets[-1] != len(message):
        return None
    return [message[start:stop] for start, stop in itertools.pairwise(offsets)]


def _object(part: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(part)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 100


def unheard(parts: Sequence[Any]) -> tuple[str, str] | None:
    """Type and text of a kernel's message that does not go out to the page; None for one that does.

    parts: signature, header, parent header, metadata, content.
    """
    header = _object(bytes(parts[1])) or {}
    kind = header.get("msg_type")
    if kind not in UNHEARD:
        return None
    content = _object(bytes(parts[4])) or {}
    text = content.get("text") or "\n".join(map(str, content.get("traceback") or [])) or content.get("evalue") or ""
    return str(kind), str(text)
