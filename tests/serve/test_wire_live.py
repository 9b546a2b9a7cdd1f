"""A visitor who tries what a page never does, over a real websocket."""

from __future__ import annotations

import asyncio
import time

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from tests.browser.server import Server
from tests.load.visitor import PROTOCOL, Visitor
from tests.serve.conftest import ask, health, in_loop
from tests.serve.test_wire import frame


async def logged(server: Server, text: str) -> bool:
    """The log says it, now or in a moment."""
    for _ in range(50):
        if text in server.log():
            return True
        await asyncio.sleep(0.1)
    return False


async def connected(request: HTTPRequest) -> int:
    """The status with which a page's socket opens, 101, or is refused."""
    try:
        (await websocket_connect(request, subprotocols=[PROTOCOL])).close()
    except HTTPClientError as refused:
        return refused.code
    return 101


@in_loop
async def test_a_page_is_answered(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    assert await visitor.edit(context_tokens="16384") < 30
    assert visitor.values["context_tokens"]["raw"] == "16384"
    await visitor.close()


@in_loop
async def test_no_code_of_a_visitor_runs(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    code = "open('/tmp/sizing-broken-in', 'w')"
    for channel in ("shell", "control", "stdin"):
        visitor.send("execute_request", {"code": code, "silent": False, "user_expressions": {"x": code}}, channel)
        visitor.send("debug_request", {"type": "request", "command": "evaluate"}, channel)
    visitor.send("complete_request", {"code": "import o", "cursor_pos": 8})
    visitor.send("inspect_request", {"code": "print", "cursor_pos": 5, "detail_level": 1})
    visitor.send("history_request", {"raw": True, "output": True, "hist_access_type": "tail", "n": 10})
    assert await logged(server, f"page {visitor.kernel_id[:8]}: refused a message of type 'execute_request'")
    assert await logged(server, f"page {visitor.kernel_id[:8]}: refused execute_request on channel b'control'")
    await visitor.edit(cards="2")
    forbidden = {"execute_reply", "execute_input", "complete_reply", "inspect_reply", "history_reply", "debug_reply",
                 "stream", "error"}  # fmt: skip
    assert not forbidden & set(visitor.heard)
    from pathlib import Path

    assert not Path("/tmp/sizing-broken-in").exists()
    await visitor.close()


@in_loop
async def test_other_comms_and_malformed_frames_end_the_connection_at_last(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    visitor.send("comm_open", {"comm_id": "1", "target_name": "jupyter.widget", "data": {"state": {}}})
    visitor.send("comm_open", {"comm_id": "2", "target_name": "none", "data": {}})
    assert await logged(server, "refused comm_open to 'none'")
    assert await visitor.edit(cards="2") < 30  # a mistake is forgiven
    for number in range(30):
        visitor.send_raw((2**60).to_bytes(8, "little") + bytes(number))
    for _ in range(100):
        if visitor.closed:
            break
        await asyncio.sleep(0.1)
    assert visitor.closed
    await visitor.close()


@in_loop
async def test_a_kernel_s_own_words_go_to_the_log_and_not_to_the_visitor(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    visitor.send("comm_msg", {"comm_id": "no such comm", "data": {"method": "custom", "content": {}}})
    assert await logged(server, "No such comm: no such comm")
    await visitor.edit(cards="2")
    assert "stream" not in visitor.heard
    await visitor.close()


@in_loop
async def test_ten_megabytes_harm_nobody(server: Server) -> None:
    one, other = [await Visitor(server.page("sizing", "?lang=en")).open() for _ in range(2)]
    content = {
        "comm_id": one.form,
        "data": {"method": "custom", "content": {"kind": "edit", "seq": 9, "changes": {"cards": "9" * 10_000_000}}},
    }
    one.send_raw(frame("comm_msg", content))
    assert await other.edit(cards="2") < 30
    for _ in range(100):
        if one.closed:
            break
        await asyncio.sleep(0.1)
    assert one.closed
    assert await other.edit(cards="4") < 30
    await other.close()


@in_loop
async def test_script_in_every_field_stays_text(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    for name in list(visitor.values):
        await visitor.edit(**{name: "<script>alert(1)</script>" * 3})
        await visitor.edit(**{name: "\0\u202e" + "9" * 300})
    assert await visitor.edit(cards="2") < 30
    assert "fault" not in server.log()
    await visitor.close()


@in_loop
async def test_a_flood_is_cut_off(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    for _ in range(1000):
        visitor.send("kernel_info_request", {})
    assert await logged(server, f"page {visitor.kernel_id[:8]} closed: it sends too much")
    assert health(server)["status"] == "ok"
    visitor.tear()


@in_loop
async def test_the_websocket_is_for_the_page_s_own_site(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    address = f"{server.url}api/kernels/{visitor.kernel_id}/channels".replace("http", "ws", 1)
    for origin in ("https://elsewhere.example", "null", server.url.rstrip("/").replace("1886", "1"), None):
        headers = {"Origin": origin} if origin else {}
        assert await connected(HTTPRequest(address, headers=headers)) == 403, origin
    own = {"Origin": server.url.rstrip("/")}
    with pytest.raises(HTTPClientError) as refused:
        await websocket_connect(HTTPRequest(address, headers=own))
    assert refused.value.code == 400
    await visitor.close()
    for _ in range(100):  # the page's end is taken up in the server's own time
        if (status := await connected(HTTPRequest(address, headers=own))) != 101:
            break
        await asyncio.sleep(0.1)
    assert status == 404


@in_loop
async def test_what_a_visitor_leaves_behind_is_cleared_away(server: Server) -> None:
    """Closed, torn off, or never connected: after the patience of this server, 6 s, there is nothing left."""
    closed, torn = [await Visitor(server.page("site", "?lang=en")).open() for _ in range(2)]
    response, body = ask(server, "/voila/render/site.ipynb?lang=en")  # a link preview
    kernels = [closed.kernel_id, torn.kernel_id, body.decode().split('"kernelId": "')[1].split('"')[0]]
    assert all(server.kernel_pids(kernel) for kernel in kernels)
    await closed.close()
    torn.tear()
    give_up = time.monotonic() + 30
    while any(server.kernel_pids(kernel) for kernel in kernels) and time.monotonic() < give_up:
        await asyncio.sleep(0.2)
    assert not any(server.kernel_pids(kernel) for kernel in kernels)
    assert response.status == 200


@in_loop
async def test_a_page_that_only_lost_its_connection_goes_on(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    await visitor.edit(context_tokens="4096")
    visitor.tear()
    await asyncio.sleep(0.5)
    await visitor.connect()
    assert await visitor.edit(cards="2") < 30
    assert visitor.values["context_tokens"]["raw"] == "4096"
    await visitor.close()


@in_loop
async def test_a_page_that_stays_after_its_good_bye_keeps_its_kernel(server: Server) -> None:
    """A link that starts a download makes a browser say good-bye, and the page stays."""
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    await visitor.say_goodbye()
    await asyncio.sleep(1)
    assert await visitor.edit(cards="2") < 30
    await visitor.close()
    for _ in range(50):
        if not server.kernel_pids(visitor.kernel_id):
            break
        await asyncio.sleep(0.1)
    assert server.kernel_pids(visitor.kernel_id) == []
