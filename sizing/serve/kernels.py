"""The little of Jupyter's kernel interface that a page needs: is it alive, talk to it, give it back."""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado.ioloop import IOLoop
from tornado.web import HTTPError

from sizing.serve.log import BETWEEN_LINES, fault_number, plain
from sizing.serve.visits import Visit, Visits

# What a page may say to its kernel over the websocket, and what it hears. A page moves controls: it opens the one
# comm that asks for the widgets' state, and sends messages to widgets that the kernel made. Everything else that
# Jupyter's protocol knows, code above all, is refused here, before it reaches a kernel.

PROTOCOL = "v1.kernel.websocket.jupyter.org"
MOST_PARTS = 16
MOST_BYTES = 9_000_000
"""Of one message: the longest text that a page takes, each character in the longest form that JSON has for it."""
MOST_HEADER_BYTES = 10_000
"""Of a message's header, parent header and metadata, each: looked at before the content is."""

COMM_TARGETS = ("jupyter.widget.control",)
_COMM_METHODS = ("custom", "request_state", "request_states")
"""No page of the workbook sets a widget's state: what it asks for, it asks in a message that the widget reads."""
_BARE = ("kernel_info_request", "comm_info_request")
UNHEARD = ("stream", "error", "execute_input", "execute_result", "debug_event", "input_request")
"""Types of messages that a page has no use for, and a visitor no business with: what a kernel prints."""


def refusal(message: object, *, sets_state: bool = False) -> str | None:
    """Why a message is not passed on; None where it is. sets_state: of a page whose widgets are not the workbook's."""
    if not isinstance(message, bytes):
        return "a text frame"
    if len(message) > MOST_BYTES:
        return f"{len(message)} bytes"
    parts = _parts(message)
    if parts is None:
        return "a malformed frame"
    channel, header_part, parent_part, metadata_part, content_part, *_buffers = parts
    if max(map(len, (channel, header_part, parent_part, metadata_part))) > MOST_HEADER_BYTES:
        return "a header of many bytes"
    header, content = _object(header_part), _object(content_part)
    if header is None or content is None or _object(parent_part) is None or _object(metadata_part) is None:
        return "a malformed message"
    kind = header.get("msg_type")
    if channel != b"shell":
        return f"{kind} on channel {channel!r}"
    return _refusal_of(kind, content, (*_COMM_METHODS, "update") if sets_state else _COMM_METHODS)


def _refusal_of(kind: Any, content: dict[str, Any], methods: tuple[str, ...]) -> str | None:
    if kind in _BARE:
        return None
    if kind == "comm_open":
        target = content.get("target_name")
        return None if target in COMM_TARGETS and _is_name(content.get("comm_id")) else f"comm_open to {target!r}"
    if kind == "comm_close":
        return None if _is_name(content.get("comm_id")) else "a malformed comm_close"
    if kind == "comm_msg":
        data = content.get("data")
        good = _is_name(content.get("comm_id")) and isinstance(data, dict) and data.get("method") in methods
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


KERNEL_ID = r"(?P<kernel_id>\w{8}-\w{4}-\w{4}-\w{4}-\w{12})"
BURST = 400
"""Messages that a page may send at once; a drag sends one after each answer."""
BURST_S = 5.0
BUDGET_BYTES = 12_000_000
"""What a page may send at once, unpacked: the longest text, and moves beside it."""
BUDGET_BYTES_A_S = 250_000
"""What it may send on and on: reading it takes the server a few milliseconds a second."""
MOST_UNREAD_BYTES = 12_000_000
"""What waits for a browser that does not read; a page with all its charts is a third of it."""
PING_S = 20
"""Between two pings, and the time that a browser has to answer one. [s]"""
REFUSALS = 20
"""Refused messages after which a connection is closed."""


def visit_of(handler: Any, kernel_id: str) -> Visit:
    """The visit of a kernel that was given out; 404 for any other, whether it exists or not."""
    visits: Visits = handler.settings["visits"]
    visit = visits.visits.get(kernel_id)
    if visit is None:
        raise HTTPError(404)
    return visit


class Budget:
    """What a client may use: so much at once, and so much a second from then on. clock: in seconds."""

    def __init__(self, most: float, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._per_s, self._clock = most, per_s, clock
        self._left, self._seen = most, clock()

    def take(self, amount: float) -> bool:
        """Use some of it; False where it is used up."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._seen) * self._per_s) - amount
        self._seen = now
        return self._left >= 0


class OwnHandler(APIHandler):
    """Base of what only a page's own site asks."""

    def write_error(self, status_code: int, **_kwargs: Any) -> None:
        """Its number alone: nobody reads it."""
        self.finish()

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """One line for a fault; a wrong or ended page is no event."""
        if not isinstance(value, HTTPError) or value.status_code >= 500:
            self.log.error("fault %s: %s", fault_number(), type(value).__name__, exc_info=(typ, value, tb))

    def options(self, *_args: Any, **_kwargs: Any) -> None:
        """Browsers ask this before a question from another site; the answer is no."""
        raise HTTPError(405)


class StateHandler(OwnHandler):
    """Whether the page's kernel runs. The id, which nobody can guess, is what a page shows to be let in."""

    async def get(self, kernel_id: str) -> None:
        visit = visit_of(self, kernel_id)
        visits: Visits = self.settings["visits"]
        if not await visits.alive(kernel_id):
            await visits.look_after()
            raise HTTPError(404)
        kernels: Any = self.kernel_manager
        model = kernels.kernel_model(visit.kernel_id)
        self.set_header("Cache-Control", "no-store")
        self.finish({name: model[name] for name in ("id", "name", "last_activity", "execution_state", "connections")})


class GoodbyeHandler(OwnHandler):
    """A page that is closed gives its kernel back.

    Browsers say good-bye also where a page stays after all, as with a link that only starts a download; so it counts
    when the page's connection has ended as well.
    """

    async def post(self, kernel_id: str) -> None:
        visits: Visits = self.settings["visits"]
        visit = visits.visits.get(kernel_id)
        self.set_status(204)
        if visit is None:
            return  # given back already, as where its browser has opened the next page: what was asked for is so
        visit.said_goodbye = True
        await visits.end_if_gone(visit)


class PageConnection(ZMQChannelsWebsocketConnection):
    """Between a page and its kernel: passes on what a page has to say, refuses and logs the rest."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._refused = 0
        self._messages = Budget(BURST, BURST / BURST_S)
        self._bytes = Budget(BUDGET_BYTES, BUDGET_BYTES_A_S)

    def handle_incoming_message(self, incoming_msg: str) -> None:
        # Both budgets before anything is read: what is too much must cost nothing.
        if not self._messages.take(1) or not self._bytes.take(len(incoming_msg)):
            self._close("it sends too much")
            return
        visit = self._visit
        reason = refusal(incoming_msg, sets_state=self.websocket_handler.settings["other_pages"])
        if reason is None:
            if visit is not None:
                visit.moved()
                self.websocket_handler.settings["visits"].counts["moves_total"] += 1
            super().handle_incoming_message(incoming_msg)
            return
        self._refused += 1
        self.log.warning("page %s: refused %s", self.kernel_id[:8], plain(reason))
        if self._refused >= REFUSALS:
            self.websocket_handler.close(1008)

    @property
    def _visit(self) -> Visit | None:
        visits: Visits = self.websocket_handler.settings["visits"]
        return visits.visits.get(self.kernel_id)

    def _close(self, why: str) -> None:
        self.log.warning("page %s closed: %s", self.kernel_id[:8], why)
        self.websocket_handler.close(1008)

    def disconnect(self) -> None:  # type: ignore[override]
        super().disconnect()  # type: ignore[no-untyped-call]
        visits: Visits = self.websocket_handler.settings["visits"]
        visit = visits.visits.get(self.kernel_id)
        if visit is not None:
            IOLoop.current().add_callback(visits.end_if_gone, visit)

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        _, parts = self.session.feed_identities(outgoing_msg)
        lost = unheard(parts)
        if lost is None:
            handler: Any = self.websocket_handler
            if handler.unread_bytes() > MOST_UNREAD_BYTES:
                self.log.warning("page %s closed: it does not read", self.kernel_id[:8])
                handler.abandon()
                return
            if (visit := self._visit) is not None:
                waited_s = visit.hangs_s(time.monotonic())
                self.websocket_handler.settings["visits"].counts["answer_seconds_total"] += waited_s
                visit.heard_of = time.monotonic()
            super().handle_outgoing_message(stream, outgoing_msg)
        elif lost[1].strip():
            bad = "Traceback" in lost[1] or lost[0] == "error"
            level = logging.ERROR if bad else logging.INFO
            text = BETWEEN_LINES.join(filter(None, map(str.strip, lost[1].splitlines())))
            self.log.log(level, "page %s: %s: %s", self.kernel_id[:8], lost[0], plain(text, 8000))


class ChannelsHandler(KernelWebsocketHandler):
    """The websocket of a page. Only its own site may open it, and only in the protocol that pages speak.

    A browser that does not answer a ping is gone: a phone that sleeps keeps its connection open for hours otherwise.
    """

    ping_interval = PING_S
    ping_timeout = PING_S

    async def open(self, kernel_id: str) -> None:
        """Connect to the kernel. The pings are tornado's; Jupyter's own take half of a connection's first for lost."""
        visit = self.settings["visits"].visits.get(kernel_id)
        if visit is None:  # it has ended while the socket opened
            self.close(1001)
            return
        visit.said_goodbye, visit.arrived = False, True
        before, visit.socket = visit.socket, self
        if before is not None:  # one page, one socket: the newest, since a lost one may not know it yet
            before.abandon()
        await self.connection.connect()

    def unread_bytes(self) -> int:
        """What waits for the browser to read it. [bytes]"""
        stream = getattr(self.ws_connection, "stream", None)
        return 0 if stream is None or stream.closed() else len(stream._write_buffer)

    def abandon(self) -> None:
        """End the connection at once, whatever waits in it."""
        stream = getattr(self.ws_connection, "stream", None)
        if stream is not None:
            stream.close()

    write_error = OwnHandler.write_error
    log_exception = OwnHandler.log_exception

    async def get(self, kernel_id: str) -> None:
        visit_of(self, kernel_id)
        if "Origin" not in self.request.headers:  # no browser; tornado asks only those that name a site
            raise HTTPError(403)
        if PROTOCOL not in self.request.headers.get("Sec-WebSocket-Protocol", ""):
            raise HTTPError(400)
        await super().get(kernel_id=kernel_id)  # type: ignore[no-untyped-call]
