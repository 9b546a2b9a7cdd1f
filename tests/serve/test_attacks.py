"""One anonymous client that means harm: it is cut off, and the others do not notice."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1
from tornado.websocket import WebSocketClosedError

from sizing.serve import assets, kernels
from sizing.serve.kernels import Budget
from sizing.serve.log import Rate, without_ids
from sizing.serve.visits import MOST_SILENT_S, Visit
from tests.browser.server import Server
from tests.load.visitor import Visitor
from tests.serve.conftest import ask, health, in_loop
from tests.serve.test_wire_live import logged

MIB = 2**20
PAGE = "/voila/render/sizing.ipynb"


def memory_mib(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / MIB


def charts_of(visitor: Visitor) -> list[str]:
    """Ids of the widgets that answer with plotly's script, a megabyte and a half."""
    return [model for model, state in visitor.states.items() if "figure_data" in state]


@in_loop
async def test_who_does_not_read_is_cut_off(server: Server) -> None:
    other = await Visitor(server.page("sizing", "?lang=en")).open()
    greedy = await Visitor(server.page("sizing", "?lang=en")).open()
    assert greedy._reader is not None
    greedy._reader.cancel()
    before = memory_mib(server)
    with suppress(WebSocketClosedError):
        for chart in charts_of(greedy) * 40:
            greedy.send("comm_msg", {"comm_id": chart, "data": {"method": "custom", "content": {"kind": "plotly"}}})
            await asyncio.sleep(0.01)
    assert await logged(server, f"page {greedy.kernel_id[:8]} closed: it does not read")
    assert memory_mib(server) - before < 120
    assert await other.edit(cards="8") < 30
    greedy.tear()
    await other.close()


@in_loop
async def test_a_page_has_one_socket_the_newest(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    first = visitor._reader
    assert first is not None
    for _ in range(5):
        await visitor.connect()
    await asyncio.wait_for(first, 20)  # ended by the server
    assert await visitor.edit(cards="2") < 30
    await visitor.close()


@in_loop
async def test_large_frames_are_cut_off_before_they_are_read(server: Server) -> None:
    other = await Visitor(server.page("sizing", "?lang=en")).open()
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    heavy = {"comm_id": visitor.form, "data": {"method": "custom", "content": {"kind": "x", "fill": [{}] * 2_900_000}}}
    header = {"msg_id": secrets.token_hex(8), "msg_type": "comm_msg", "session": "s"}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": heavy}
    frame = serialize_msg_to_ws_v1(message, "shell", lambda part: json.dumps(part, separators=(",", ":")).encode())
    assert 8_000_000 < len(frame) < kernels.MOST_BYTES
    for _ in range(20):
        visitor.send_raw(frame)
    assert await logged(server, f"page {visitor.kernel_id[:8]} closed: it sends too much")
    assert await other.edit(cards="8") < 30
    visitor.tear()
    await other.close()


def test_a_script_is_preloaded_once_however_it_is_spelled(server: Server) -> None:
    name = f"/{assets.folder()}/static/voila.js"
    _, plain = ask(server, f"{PAGE}?lang=en")
    for k in range(1, 60):
        spelled = "".join(f"%{ord(sign):02x}" if k >> n & 1 else sign for n, sign in enumerate("voila"))
        response, _ = ask(server, f"/{assets.folder()}/static/{spelled}.js", Accept_Encoding="gzip")
        assert response.status == 200
    _, body = ask(server, f"{PAGE}?lang=en")
    assert body.count(b"<link") <= plain.count(b"<link") + 1
    assert body.decode().count(f'href="{name}"') == 1


def test_what_nobody_reads_is_not_kept_in_memory(server: Server) -> None:
    """Each connection asks for five megabytes and takes none of them."""
    before = memory_mib(server)
    address = urlsplit(server.url)
    waiting = []
    for _ in range(60):
        lazy = socket.create_connection((address.hostname, address.port))
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.sendall(f"GET /{assets.folder()}/plotly.js HTTP/1.1\r\nHost: localhost:{address.port}\r\n\r\n".encode())
        waiting.append(lazy)
    time.sleep(1)
    assert health(server)["status"] in ("ok", "full")
    assert memory_mib(server) - before < 60
    for lazy in waiting:
        lazy.close()


@in_loop
async def test_a_widget_s_state_is_not_set_from_outside(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    visitor.send("comm_msg", {"comm_id": visitor.form, "data": {"method": "update", "state": {"values": {}}}})
    assert await logged(server, f"page {visitor.kernel_id[:8]}: refused a malformed comm_msg")
    assert await visitor.edit(cards="2") < 30
    await visitor.close()


@in_loop
async def test_two_tabs_of_one_browser_that_open_together_both_live(server: Server) -> None:
    first = Visitor(server.page("sizing", "?lang=en"))
    await first.get(server.page("index", "?lang=en"))  # the browser has its cookies
    tabs = [first, *(Visitor(server.page(page, "?lang=en"), cookies=first.cookies) for page in ("site", "sizing"))]
    await asyncio.gather(*(tab.open() for tab in tabs))
    for tab in tabs:
        assert await tab.edit(cards="2") < 30
        await tab.close()


def test_a_wrong_socket_is_a_number_and_no_line_of_log(server: Server) -> None:
    told = len(server.log())
    for _ in range(10):
        response, body = ask(server, "/api/kernels/00000000-0000-0000-0000-000000000000/channels", Upgrade="websocket")
        assert (response.status, body) == (404, b"")
    assert "Traceback" not in server.log()[told:]


def test_the_log_holds_no_whole_id_and_no_control_sign(server: Server) -> None:
    response, _ = ask(server, "/api/kernels/12345678-0000-0000-0000-000000000000%1b%c2%9b")
    assert response.status == 404
    assert without_ids("/api/kernels/12345678-0000-0000-0000-000000000000/x") == "/api/kernels/12345678/x"
    assert "0000-0000-0000" not in server.log()
    assert not {"\x1b", "\x9b"} & set(server.log())


@in_loop
async def test_a_kernel_has_a_limit_of_memory_and_goes_first(server: Server) -> None:
    visitor = await Visitor(server.page("sizing", "?lang=en")).open()
    kernel = psutil.Process(server.kernel_pids(visitor.kernel_id)[0])
    most, _ = kernel.rlimit(psutil.RLIMIT_DATA)
    assert 1024 * MIB < most < 3 * 1024 * MIB
    with open(f"/proc/{kernel.pid}/oom_score_adj", encoding="ascii") as file:
        assert file.read().strip() == "500"
    await visitor.close()


@pytest.mark.parametrize("path", ["/health", PAGE, "/", f"/{assets.folder()}/plotly.js"])
def test_head_is_answered_without_a_body_or_a_kernel(server: Server, path: str) -> None:
    before = health(server)["visitors"]
    response, body = ask(server, path, "HEAD")
    assert response.status in (200, 302)
    assert body == b""
    assert response.getheader("Cross-Origin-Resource-Policy") == "same-origin"
    assert health(server)["visitors"] <= before


def test_figures_for_operators_are_off_unless_asked_for(server: Server) -> None:
    assert ask(server, "/metrics")[0].status == 404


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_budget_lets_a_burst_through_and_then_so_much_a_second() -> None:
    clock = Clock()
    budget = Budget(10, 2, clock)
    assert [budget.take(5), budget.take(5), budget.take(1)] == [True, True, False]
    clock.now = 2.0  # -1 + 2 x 2 = 3
    assert [budget.take(3), budget.take(1)] == [True, False]


def test_a_kernel_that_owes_an_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    clock.now = 100.0
    monkeypatch.setattr("sizing.serve.visits.time.monotonic", clock)
    visit = Visit("id", "sizing.ipynb", heard_of=100.0)
    clock.now = 200.0
    assert visit.hangs_s(clock()) == 0  # nothing was asked
    visit.moved()
    clock.now = 210.0
    visit.moved()  # a second move does not make the wait a new one
    clock.now = 200.0 + MOST_SILENT_S + 1
    assert visit.hangs_s(clock()) == MOST_SILENT_S + 1
    visit.heard_of = clock()
    assert visit.hangs_s(clock()) == 0


def test_one_kind_of_message_does_not_fill_the_log() -> None:
    clock = Clock()
    rate = Rate(clock)

    def told(kind: str, value: Any) -> bool:
        return rate.filter(record := logging.LogRecord("x", logging.ERROR, "", 0, kind, (value,), None)) and bool(
            record
        )

    assert sum(told("lost %s", k) for k in range(1000)) == Rate.MOST
    assert told("another %s", 1)
    clock.now = Rate.EVERY_S + 1
    record = logging.LogRecord("x", logging.ERROR, "", 0, "lost %s", (1,), None)
    assert rate.filter(record)
    assert f"[{1000 - Rate.MOST} more" in record.getMessage()
