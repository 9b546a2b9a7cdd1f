"""What the server answers, and what it does not."""

from __future__ import annotations

import gzip
import http.client
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizing.serve import assets, voila, workbook
from tests.browser.server import Server, running
from tests.serve.conftest import ask

TEST_PAGES = Path(__file__).parents[1] / "browser" / "notebooks"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("--notebooks", str(TEST_PAGES)) as server:
        yield server


def test_the_address_leads_to_the_first_page(server: Server) -> None:
    response, _ = ask(server, "/")
    assert response.status == 302
    assert response.headers["Location"] == "/voila/render/index.ipynb"


@pytest.mark.parametrize(
    "path",
    [
        "/voila/tree",
        "/voila/api/contents",
        "/voila/api/contents/index.ipynb",
        "/voila/files/index.ipynb",
        "/voila/files/charts_page.py",
        "/voila/render/none.ipynb",
        "/voila/render/../../conftest.py",
        "/voila/render/%2e%2e/%2e%2e/%2e%2e/notebooks/sizing.ipynb",
        "/voila/static/../../../../../etc/passwd",
        "/voila/templates/sizing/static/../../../../../../../etc/passwd",
        "/api/kernels",
        "/api/contents",
        "/api/terminals",
        "/lab",
        "/tree",
        "/none",
    ],
)
def test_nothing_but_pages_is_served(server: Server, path: str) -> None:
    response, body = ask(server, path)
    assert response.status in (403, 404)
    for secret in (b"root:", b"import ", b"nbformat", b"Traceback"):
        assert secret not in body


def test_a_file_beside_the_pages_is_not_served(server: Server) -> None:
    response, body = ask(server, "/voila/render/charts_page.py")
    while response.status in (301, 302):
        response, body = ask(server, response.headers["Location"])
    assert response.status == 404
    assert b"def page" not in body


def test_the_error_page_is_ours_and_asks_nobody(server: Server) -> None:
    _, body = ask(server, "/none")
    text = body.decode()
    assert "There is no page at this address." in text
    assert "https://" not in text


def test_nobody_can_make_a_kernel(server: Server) -> None:
    connection = http.client.HTTPConnection(server.url.split("/")[2], timeout=60)
    connection.request("POST", "/api/kernels", body="{}")
    assert connection.getresponse().status in (403, 404, 405)
    connection.close()


def test_plotly_comes_packed_and_is_kept(server: Server) -> None:
    path = f"/{assets.folder()}/plotly.js"
    response, body = ask(server, path, **{"Accept-Encoding": "gzip, br"})
    assert response.status == 200
    assert response.headers["Content-Encoding"] == "gzip"
    assert "immutable" in response.headers["Cache-Control"]
    assert gzip.decompress(body) == voila.plotly_js().read_bytes()
    response, body = ask(server, path)
    assert response.headers["Content-Encoding"] is None
    assert body == voila.plotly_js().read_bytes()


def test_scripts_come_packed_and_are_kept(server: Server) -> None:
    response, body = ask(server, f"/{assets.folder()}/static/voila.js", **{"Accept-Encoding": "gzip"})
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" in response.headers["Cache-Control"]
    assert b"function" in gzip.decompress(body)
    _, page = ask(server, "/voila/render/broken.ipynb")
    assert f'rel="preload" as="script" href="/{assets.folder()}/static/voila.js"' in page.decode()


def test_a_page_is_not_told_to_load_what_a_stranger_invents(server: Server) -> None:
    asked = f"/{assets.folder()}/static/treepage.js?v=invented"
    assert ask(server, asked)[0].status == 200
    _, page = ask(server, "/voila/render/broken.ipynb")
    assert "invented" not in page.decode()


@pytest.mark.parametrize("name", ["static/none.js", "static/", "labextensions/", "static/%2e%2e/conf.json", "none.js"])
def test_no_other_file_is_an_asset(server: Server, name: str) -> None:
    assert ask(server, f"/{assets.folder()}/{name}")[0].status == 404


def test_no_other_template_and_no_source(server: Server) -> None:
    """A page is ours whatever the address asks for, has its title, and shows no code."""
    response, body = ask(server, "/voila/render/index.ipynb?template=reveal&theme=classic")
    text = body.decode()
    assert response.status == 200
    assert "<title>Charts for the tests</title>" in text
    assert "Preparing the calculator…" in text
    assert 'name="viewport"' in text
    assert "charts_page import" not in text
    assert "said to stderr" not in text
    assert "https://" not in text
    assert "_xsrf=" in "".join(response.headers.get_all("Set-Cookie", []))


def test_a_taken_port_is_said_and_the_next_one_used() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [
            Path(sys.executable).with_name("sizing-workbook"),
            "--no-browser",
            "--host=127.0.0.1",
            f"--port={port}",
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        process.terminate()
        process.communicate(timeout=20)
    assert said[0].startswith(f"Port {port} is taken by another program; using ")
    assert said[1].startswith("The sizing workbook is at http://")
    assert f":{port}/" not in said[1]
    assert said[2] == "Stop it with Ctrl+C.\n"


def test_the_browser_is_opened_only_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(workbook.webbrowser, "open", opened.append)
    monkeypatch.setattr(workbook.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    app = workbook.Workbook(ip="localhost", port=8866)
    app.launch_browser()
    assert opened == []
    monkeypatch.setattr(workbook.sys, "platform", "win32")
    app.launch_browser()
    assert opened == ["http://localhost:8866/"]


def test_the_first_page_is_the_start_page_where_there_is_one(tmp_path: Path) -> None:
    for name in ("compare", "sizing", "index"):
        (tmp_path / f"{name}.ipynb").touch()
        assert workbook.first_page(tmp_path) == f"voila/render/{name}.ipynb"
