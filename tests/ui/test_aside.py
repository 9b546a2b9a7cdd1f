"""Work beside the page: progress, result, failure, cancel, and a newer piece that replaces it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from sizing.ui.aside import Aside, Cancelled, Report


def _heard() -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    heard: list[tuple[str, Any]] = []
    return heard, {
        name: (lambda value, name=name: heard.append((name, value))) for name in ("progress", "done", "failed")
    }


def test_progress_and_result_arrive_in_order() -> None:
    heard, calls = _heard()
    aside = Aside()

    def work(report: Report, cancelled: Cancelled) -> str:
        report(1)
        report(2)
        return "made"

    aside.start(work, **calls)
    aside.wait(10)
    assert heard == [("progress", 1), ("progress", 2), ("done", "made")]
    assert not aside.busy


def test_a_failure_arrives_as_itself() -> None:
    heard, calls = _heard()
    aside = Aside()
    fault = ValueError("no")

    def work(report: Report, cancelled: Cancelled) -> None:
        raise fault

    aside.start(work, **calls)
    aside.wait(10)
    assert heard == [("failed", fault)]


def test_nothing_is_heard_of_cancelled_work_and_it_is_asked_to_end() -> None:
    heard, calls = _heard()
    aside, go, ended = Aside(), threading.Event(), threading.Event()

    def work(report: Report, cancelled: Cancelled) -> str:
        go.wait(10)
        report(1)
        if cancelled():
            ended.set()
        return "too late"

    aside.start(work, **calls)
    aside.cancel()
    assert not aside.busy
    go.set()
    assert ended.wait(10)
    assert heard == []


def test_newer_work_replaces_older() -> None:
    heard, calls = _heard()
    aside, go = Aside(), threading.Event()
    aside.start(lambda report, cancelled: go.wait(10) and "old", **calls)
    aside.start(lambda report, cancelled: "new", **calls)
    aside.wait(10)
    go.set()
    assert heard == [("done", "new")]


def test_inside_an_event_loop_everything_is_heard_in_its_own_thread() -> None:
    threads: list[int] = []

    async def page() -> None:
        arrived = asyncio.Event()

        def done(value: Any) -> None:
            threads.append(threading.get_ident())
            arrived.set()

        Aside().start(
            lambda report, cancelled: report("step"),
            progress=lambda step: threads.append(threading.get_ident()),
            done=done,
            failed=lambda error: None,
        )
        await asyncio.wait_for(arrived.wait(), 10)

    asyncio.run(page())
    assert threads == [threading.get_ident()] * 2
