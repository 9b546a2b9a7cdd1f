"""Servers as an operator starts them, and visitors without a browser."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.server import Server, running

NOTEBOOKS = str(Path(__file__).parents[2] / "notebooks")


@pytest.fixture(scope="package")
def server() -> Iterator[Server]:
    """The pages, with short patience."""
    with running("--notebooks", NOTEBOOKS, "--ready", "1", "--away-minutes", "0.1", "--log-level", "INFO",
                 "--each", "1000") as server:  # fmt: skip
        yield server


@pytest.fixture(scope="package")
def small_server() -> Iterator[Server]:
    """Behind a proxy, with one place, shown inside another site."""
    with running(
        "--notebooks", NOTEBOOKS, "--ready", "0", "--visitors", "1", "--base-url", "/sizing/", "--public",
        "--embed", "https://www.example.com",
    ) as server:  # fmt: skip
        yield server


Answer = tuple[http.client.HTTPResponse, bytes]


def ask(server: Server, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    """One request, as written: no redirect is followed and no ".." is tidied away."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    connection.request(
        method, path, body=body, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def health(server: Server) -> dict[str, Any]:
    """What a load balancer hears."""
    _, body = ask(server, urlsplit(server.url).path + "health")
    found: dict[str, Any] = json.loads(body)
    return found


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, in an event loop of its own."""

    import functools
    import inspect

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 120))

    run.__signature__ = inspect.signature(test)  # type: ignore[attr-defined]  # pytest reads the fixtures from it
    return run
