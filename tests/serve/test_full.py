"""More visitors than places."""

from __future__ import annotations

import asyncio

import pytest

from tests.browser.server import Server
from tests.load.visitor import RefusedError, Visitor
from tests.serve.conftest import health, in_loop


async def left(server: Server) -> None:
    """Every place is free, now or in a moment."""
    for _ in range(100):
        if health(server)["visitors"] == 0:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"a place is still taken: {health(server)}")


@in_loop
async def test_who_comes_too_late_gets_a_place_in_the_queue_and_then_the_page(small_server: Server) -> None:
    page = small_server.page("sizing", "?n=2")
    first = await Visitor(page).open()
    late, later = Visitor(page + "&lang=de"), Visitor(page)
    for visitor, sentence in (
        (late, "Sie sind Nummer 1 in der Warteschlange."),
        (later, "You are number 2 in the queue."),
    ):
        for _asked_again in range(2):
            with pytest.raises(RefusedError) as told:
                await visitor.open()
            assert told.value.status == 503
            assert sentence in told.value.body
            assert 'http-equiv="refresh"' in told.value.body
    assert health(small_server) == {"status": "full", "visitors": 1, "places": 1, "waiting": 2, "ready": 0}
    await first.close()
    await left(small_server)
    with pytest.raises(RefusedError) as told:
        await later.open()
    assert "You are number 1 in the queue." in told.value.body or "You are number 2" in told.value.body
    await late.open()
    assert late.values["cards"]["raw"] == "2"
    await late.close()
    await left(small_server)
    await later.open()
    await later.close()
    await left(small_server)


@in_loop
async def test_a_reload_needs_no_second_place(small_server: Server) -> None:
    """The tab is left without a good-bye, as phones leave it; the same browser opens the page again."""
    first = await Visitor(small_server.page("sizing", "?lang=en")).open()
    first.tear()
    again = await Visitor(small_server.page("sizing", "?lang=en&n=2"), cookies=first.cookies).open()
    assert small_server.kernel_pids(first.kernel_id) == []
    assert again.values["cards"]["raw"] == "2"
    await again.close()
    await left(small_server)
