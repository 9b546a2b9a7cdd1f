"""A visitor without a browser: opens a page, takes its kernel over the websocket, moves controls and reads the answers.

It speaks what a page speaks: GET, the widgets' protocol over Jupyter's websocket, and the good-bye of a closed tab.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import secrets
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders
from tornado.simple_httpclient import SimpleAsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

PROTOCOL = "v1.kernel.websocket.jupyter.org"
CONFIG = re.compile(r'<script id="jupyter-config-data" type="application/json">(.*?)</script>', re.S)
ANSWER_TIMEOUT_S = 60.0


class RefusedError(Exception):
    """The server did not let the visitor in. status: of its answer; body: what it said."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"{status}: {body[:200]}")
        self.status = status
        self.body = body


class Visitor:
    """One visitor of one page.

    address: of the page, with its query.   values: text of every input as the kernel last said.
    """

    def __init__(self, address: str, cookies: dict[str, str] | None = None) -> None:
        self.address = address
        self.cookies = cookies if cookies is not None else {}
        self.kernel_id = ""
        self.page_s = 0.0
        self.ready_s = 0.0
        self.states: dict[str, dict[str, Any]] = {}
        self.values: dict[str, Any] = {}
        self.form = ""
        self.heard: list[str] = []  # types of all messages
        self._socket: WebSocketClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._session = uuid.uuid4().hex
        self._base = ""
        self._done: dict[int, asyncio.Future[float]] = {}
        self._all_states: asyncio.Future[None] | None = None
        self._count = itertools.count(1)

    async def get(self, address: str, **options: Any) -> HTTPResponse:
        """One request, with the cookies of this visitor; no redirect is followed."""
        client = SimpleAsyncHTTPClient(force_instance=True)
        jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": jar, **options.pop("headers", {})}
        try:
            response = await client.fetch(
                HTTPRequest(
                    address, headers=HTTPHeaders(headers), request_timeout=120, connect_timeout=60,
                    follow_redirects=False, decompress_response=True, **options,
                ),
                raise_error=False,
            )  # fmt: skip
        finally:
            client.close()
        for cookie in response.headers.get_list("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response

    async def open(self) -> Visitor:
        """Load the page and take its kernel, as far as a browser does before it draws."""
        start = time.perf_counter()
        response = await self.get(self.address)
        body = (response.body or b"").decode("utf-8", "replace")
        found = CONFIG.search(body)
        if response.code != 200 or found is None:
            raise RefusedError(response.code, body)
        self.page_s = time.perf_counter() - start
        config = json.loads(found[1])
        self.kernel_id = config["kernelId"]
        self._base = "{0.scheme}://{0.netloc}".format(urlsplit(self.address)) + config["baseUrl"]
        await self.connect()
        self._all_states = asyncio.get_running_loop().create_future()
        comm = secrets.token_hex(16)
        self.send("comm_open", {"comm_id": comm, "target_name": "jupyter.widget.control", "data": {}}, version="1.0.0")
        self.send("comm_msg", {"comm_id": comm, "data": {"method": "request_states"}})
        await asyncio.wait_for(self._all_states, ANSWER_TIMEOUT_S)
        self.ready_s = time.perf_counter() - start
        return self

    async def connect(self, **headers: str) -> WebSocketClientConnection:
        """Open the websocket, as the page's own site does."""
        address = f"{self._base}api/kernels/{self.kernel_id}/channels?session_id={self._session}"
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(self.address))
        jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        request = HTTPRequest(
            address.replace("http", "ws", 1), headers={"Origin": origin, "Cookie": jar, **headers}, connect_timeout=60
        )
        self._socket = await websocket_connect(
            request, subprotocols=[PROTOCOL], max_message_size=1 << 26, compression_options={}
        )
        self._reader = asyncio.ensure_future(self._read(self._socket))
        return self._socket

    def send(self, kind: str, content: dict[str, Any], channel: str = "shell", **metadata: str) -> None:
        """One message of Jupyter's protocol."""
        header = {
            "msg_id": uuid.uuid4().hex, "msg_type": kind, "session": self._session, "username": "", "version": "5.3",
            "date": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        message = {"header": header, "parent_header": {}, "metadata": metadata, "content": content}
        self.send_raw(serialize_msg_to_ws_v1(message, channel, lambda part: json.dumps(part).encode()))

    def send_raw(self, message: bytes | str) -> None:
        """Whatever it is."""
        assert self._socket is not None
        future = self._socket.write_message(message, binary=isinstance(message, bytes))
        future.add_done_callback(lambda done: done.exception())  # a closed socket shows where an answer is awaited

    async def edit(self, **changes: str) -> float:
        """Change inputs of the form; how long the answer took. [s]"""
        number = next(self._count)
        done: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._done[number] = done
        start = time.perf_counter()
        content = {"kind": "edit", "changes": changes, "seq": number}
        self.send("comm_msg", {"comm_id": self.form, "data": {"method": "custom", "content": content}})
        return await asyncio.wait_for(done, ANSWER_TIMEOUT_S) - start

    async def _read(self, socket: WebSocketClientConnection) -> None:
        while (message := await socket.read_message()) is not None:
            if isinstance(message, bytes):
                self._hear(message)
        for waiting in [*self._done.values(), *([self._all_states] if self._all_states else [])]:
            if not waiting.done():
                waiting.set_exception(ConnectionError("the connection was closed"))

    def _hear(self, message: bytes) -> None:
        _channel, parts = deserialize_msg_from_ws_v1(message)
        kind = json.loads(parts[0])["msg_type"]
        self.heard.append(kind)
        if kind not in ("comm_msg", "comm_open"):
            return
        content = json.loads(parts[3])
        data = content["data"]
        match data.get("method"):
            case "update_states":
                self.states = {model: entry["state"] for model, entry in data["states"].items()}
                forms = {model: state["values"] for model, state in self.states.items() if "fields" in state}
                if forms:  # the scenario's is the longest; a card of one's own has one, too
                    self.form = max(forms, key=lambda model: len(forms[model]))
                    self.values = dict(forms[self.form])
                if self._all_states is not None and not self._all_states.done():
                    self._all_states.set_result(None)
            case "update" if content["comm_id"] == self.form and "values" in data["state"]:
                self.values = dict(data["state"]["values"])
            case "custom" if content["comm_id"] == self.form and data["content"].get("kind") == "done":
                done = self._done.pop(data["content"]["seq"], None)
                if done is not None and not done.done():
                    done.set_result(time.perf_counter())

    @property
    def closed(self) -> bool:
        """The server has ended the connection."""
        return self._reader is None or self._reader.done()

    async def say_goodbye(self) -> None:
        """What a page says when it is about to be left."""
        body = f"_xsrf={self.cookies.get('_xsrf', '')}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        await self.get(f"{self._base}voila/api/shutdown/{self.kernel_id}", method="POST", body=body, headers=headers)

    async def close(self) -> None:
        """Close the tab, as a browser does: good-bye first, then the connection."""
        await self.say_goodbye()
        if self._socket is not None:
            self._socket.close()

    def tear(self) -> None:
        """Vanish without a word, as a phone in a tunnel does."""
        if self._reader is not None:
            self._reader.cancel()
        if self._socket is not None:
            protocol: Any = self._socket.protocol
            protocol.stream.close()
