"""Who is let in, by which address, and what every answer says about its safety."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import pytest

from sizing.serve import assets
from tests.browser.server import Server
from tests.serve.conftest import ask, health

NOBODY = "0f6c1ad2-6a0e-4a6e-9d2e-3d0a4f1c7b55"
"""Id of a kernel that there is not."""

PAGE = "/voila/render/sizing.ipynb"


@pytest.mark.parametrize(
    "path",
    ["/", "/none", "/health", PAGE + "?lang=en", "/voila/render/none.ipynb", "/api/kernels", "/a/../b",
     f"/{assets.folder()}/plotly.js", f"/{assets.folder()}/static/voila.js"],
)  # fmt: skip
def test_every_answer_is_safe(server: Server, path: str) -> None:
    response, _ = ask(server, path)
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "camera=()" in response.headers["Permissions-Policy"]
    assert "tornado" not in response.headers["Server"].lower()


def test_a_page_s_own_scripts_are_named_and_no_others(server: Server) -> None:
    response, body = ask(server, PAGE + "?lang=en")
    text = body.decode()
    nonce = response.headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert text.count("<script") == text.count(f'nonce="{nonce}"') + text.count('<script id="jupyter-config-data"') + (
        text.count('<script type="application/vnd.voila')
    )
    again, _ = ask(server, PAGE + "?lang=en")
    assert nonce not in again.headers["Content-Security-Policy"]


def test_other_sites_may_not_show_a_page_unless_they_are_named(server: Server, small_server: Server) -> None:
    assert ask(server, "/none")[0].headers["X-Frame-Options"] == "SAMEORIGIN"
    response, _ = ask(small_server, "/sizing/none")
    assert "frame-ancestors 'self' https://www.example.com" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Frame-Options"] is None


def test_health_costs_nothing(small_server: Server) -> None:
    before = health(small_server)
    assert before["status"] == "ok"
    assert before == {"status": "ok", "visitors": 0, "places": 1, "waiting": 0, "ready": 0}
    assert health(small_server) == before


def test_a_kernel_is_seen_by_its_page_only(server: Server) -> None:
    for path in (
        f"/api/kernels/{NOBODY}", f"/api/kernels/{NOBODY}/channels", "/api/kernels", "/api/kernels/",
        "/api/sessions", "/api/kernelspecs", "/api/contents", "/api/contents/sizing.ipynb", "/api/terminals",
        "/api/status", "/api/config/x", "/login", "/logout", "/api", "/api/me", "/metrics", "/files/sizing.ipynb",
        "/voila/static/voila.js", "/voila/templates/lab/static/x", "/voila/query/x",
    ):  # fmt: skip
        response, body = ask(server, path)
        assert response.status == 404, path
        assert b"Traceback" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/api/kernels", f"/api/kernels/{NOBODY}", f"/api/kernels/{NOBODY}/restart", "/api/sessions",
     "/api/contents/x.ipynb", "/voila/files/x", PAGE, "/health", f"/voila/api/shutdown/{NOBODY}"],
)  # fmt: skip
def test_nothing_is_made_changed_or_uploaded(server: Server, method: str, path: str) -> None:
    before = health(server)
    response, _ = ask(server, path, method, body=b"{}")
    assert response.status in (403, 404, 405)
    assert health(server)["visitors"] == before["visitors"]


def test_a_page_is_given_back_by_its_own_site_only(server: Server) -> None:
    """The good-bye wants the cookie's other half, and no other site's word for it."""
    response, body = ask(server, PAGE + "?lang=en")
    kernel_id = body.decode().split('"kernelId": "')[1].split('"')[0]
    cookies = dict(cookie.split(";")[0].split("=", 1) for cookie in response.headers.get_all("Set-Cookie", []))
    jar = "; ".join(f"{name}={value}" for name, value in cookies.items())
    path = f"/voila/api/shutdown/{kernel_id}"
    form = {"Content_Type": "application/x-www-form-urlencoded", "Cookie": jar}
    token = f"_xsrf={cookies['_xsrf']}".encode()
    assert ask(server, path, "POST", body=b"", **form)[0].status == 403
    assert ask(server, path, "POST", body=token, Origin="https://elsewhere.example", **form)[0].status in (403, 404)
    assert ask(server, f"/api/kernels/{kernel_id}")[0].status == 200
    assert ask(server, path, "POST", body=token, Origin=server.url.rstrip("/"), **form)[0].status == 204
    assert ask(server, f"/api/kernels/{kernel_id}")[0].status == 404
    assert server.kernel_pids(kernel_id) == []


def test_only_this_machine_s_names_lead_to_a_private_server(server: Server, small_server: Server) -> None:
    """A site elsewhere that has its own name point here gets nothing; behind a proxy any name will do."""
    assert ask(server, "/none", Host="elsewhere.example")[0].status == 403
    assert ask(server, PAGE, Host="elsewhere.example")[0].status == 403
    assert ask(small_server, "/sizing/none", Host="elsewhere.example")[0].status == 404


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'-alert(1)-'", "{{7*7}}", "%00", "\u202e"]
)
def test_script_in_a_link_stays_text(server: Server, text: str) -> None:
    from urllib.parse import quote

    for name in ("model", "lang", "theme", "none", "template"):
        response, body = ask(server, f"{PAGE}?lang=en&{name}={quote(text)}")
        assert response.status == 200
        assert b"alert(1)" not in body
        assert b"{{7*7}}" not in body.replace(quote("{{7*7}}").encode(), b"")
    response, body = ask(server, f"/{quote(text)}")
    assert response.status == 404
    assert b"alert(1)" not in body


def test_a_browser_that_prefers_german_is_sent_there(server: Server) -> None:
    response, _ = ask(server, PAGE + "?n=2", Accept_Language="de-CH,de;q=0.9,en;q=0.5")
    assert (response.status, response.headers["Location"]) == (302, PAGE + "?n=2&lang=de")
    response, body = ask(server, PAGE + "?lang=en", Accept_Language="de")
    assert response.status == 200
    assert '<html lang="en"' in body.decode()
    response, body = ask(server, PAGE + "?lang=de", Accept_Language="en")
    assert '<html lang="de"' in body.decode()
    assert "Der Rechner wird vorbereitet" in body.decode()
    assert ask(server, PAGE, Accept_Language="fr")[0].status == 200
    _, body = ask(server, "/none?lang=de")
    assert "Unter dieser Adresse gibt es keine Seite." in body.decode()


def test_slow_and_broken_clients_keep_nobody_waiting(server: Server) -> None:
    host, port = urlsplit(server.url).netloc.split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(100)]
    for each in slow:
        each.sendall(b"GET /voila/render/sizing.ipynb HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    for rubbish in (b"\0" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" + b"x" * 200, b"A" * 70_000 + b"\r\n\r\n"):
        with socket.create_connection((host, int(port))) as broken:
            broken.sendall(rubbish)
    assert health(server)["status"] == "ok"
    assert ask(server, "/none")[0].status == 404
    for each in slow:
        each.close()
    with pytest.raises(http.client.RemoteDisconnected):
        ask(server, "/none?" + "x" * 40_000)
