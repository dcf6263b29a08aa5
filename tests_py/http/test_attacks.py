"""What an attacker sends, byte for byte: refused, and nothing behind it was reached."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.http import INITIALIZE, KEY, HttpServer, until

BODY = json.dumps(INITIALIZE).encode()
GOOD = [
    "Content-Type: application/json",
    "Accept: application/json",
    f"Authorization: Bearer {KEY}",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with HttpServer(tmp_path_factory.mktemp("http")) as server:
        yield server
        assert not server.browsers(), "a refused request started a browser"
        assert KEY not in "".join(server.log)


def auth(*lines: str) -> list[str]:
    return ["Host: localhost", "Content-Type: application/json", "Accept: application/json", *lines]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([], 401),
        (["Authorization: Bearer wrong"], 403),
        ([f"Authorization: Bearer {KEY}x"], 403),
        ([f"Authorization: Bearer {KEY[:-1]}"], 403),
        ([f"Authorization: Bearer  {KEY}"], 403),
        ([f"Authorization: Bearer {KEY}\t{KEY}"], 403),
        ([f"Authorization: Basic {KEY}"], 401),
        ([f"Authorization: {KEY}"], 401),
        (["Authorization: Bearer"], 401),
        ([f"Authorization: Bearer {KEY}", f"Authorization: Bearer {KEY}"], 401),
        ([f"X-Api-Key: {KEY}"], 401),
        ([f"Cookie: Authorization=Bearer {KEY}"], 401),
        ([f"Authorization: Bearer {KEY}\0"], 400),
        ([f"Authorization: bearer {KEY}"], 200),
    ],
)
def test_keys(server: HttpServer, lines: list[str], status: int) -> None:
    assert server.ask(auth(*lines), BODY).status == status


def test_a_key_in_the_address_is_none(server: HttpServer) -> None:
    assert server.ask(auth(), BODY, path=f"/mcp?api_key={KEY}&key={KEY}").status == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "localhost.evil.com",
        "127.0.0.1:PORT@evil",
        "evil.com:PORT",
        "localhost:PORT:PORT",
        "127.0.0.1.evil.com",
        "127.0.0.2",
        "",
        "localhost/",
        "localhost evil.com",
    ],
)
def test_hosts(server: HttpServer, host: str) -> None:
    answer = server.ask([f"Host: {host.replace('PORT', str(server.port))}", *GOOD], BODY)
    assert answer.status in (400, 403), answer


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:9", "localhost."])
def test_names_of_loopback_are_good_hosts(server: HttpServer, host: str) -> None:
    assert server.ask([f"Host: {host}", *GOOD], BODY).status == 200


def test_a_host_must_be_reported_once(server: HttpServer) -> None:
    assert server.ask(GOOD, BODY).status in (400, 403)
    assert server.ask(["Host: localhost", "Host: evil.com", *GOOD], BODY).status in (400, 403)
    old = server.send(b"POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
    assert old.split(b" ")[1] in (b"400", b"403")
    absolute = server.ask(["Host: localhost", *GOOD], BODY, path="http://evil.com/mcp")
    assert absolute.status in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.com",
        "null",
        "http://localhost.evil.com",
        "http://localhost:PORT.evil.com",
        "http://localhost:1",
        "https://localhost:PORT",
        "file://",
        "",
    ],
)
def test_origins_are_refused_even_with_the_key(server: HttpServer, origin: str) -> None:
    origin = origin.replace("PORT", str(server.port))
    assert server.ask(["Host: localhost", f"Origin: {origin}", *GOOD], BODY).status == 403


@pytest.mark.parametrize("lines", [["Host: evil.com"], ["Host: localhost", "Origin: https://evil.com"]])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT"])
def test_host_and_origin_are_looked_at_before_all_else(
    server: HttpServer, lines: list[str], method: str
) -> None:
    for more in ([], ["Accept: image/png"], ["Content-Type: text/plain"], ["MCP-Protocol-Version: 1"]):
        assert server.ask([*lines, *more], BODY, method=method).status == 403, more
        assert server.ask([*lines, *more], b"{", path="/nowhere", method=method).status == 403, more


def test_host_and_origin_are_looked_at_before_the_body(server: HttpServer) -> None:
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: evil.com",
        "Content-Type: application/json",
        "Content-Length: 1000000",
    ]
    head = "\r\n".join(lines) + "\r\n\r\n"
    assert server.send(head.encode(), patience_s=5).split(b" ")[1] == b"403"


def test_no_web_page_is_given_leave(server: HttpServer) -> None:
    lines = ["Host: localhost", "Origin: https://evil.com", "Access-Control-Request-Method: POST"]
    answer = server.ask(lines, method="OPTIONS")
    assert answer.status in (401, 403, 405)
    for given in (answer, server.ask(["Host: localhost", *GOOD], BODY)):
        assert not [name for name in given.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_content_types_of_forms_are_refused(server: HttpServer, kind: str) -> None:
    lines = [line for line in GOOD if not line.startswith("Content-Type")]
    assert server.ask(["Host: localhost", f"Content-Type: {kind}", *lines], BODY).status == 415


def test_large_heads_and_bodies_are_not_read(server: HttpServer) -> None:
    assert server.ask(["Host: localhost", f"X-Large: {'x' * 1_000_000}", *GOOD], BODY).status in (0, 400, 431)
    assert server.ask(["Host: localhost", *(f"X-{n}: 1" for n in range(500)), *GOOD], BODY).status in (
        0,
        400,
        431,
    )
    assert server.ask(["Host: localhost", *GOOD], b" " * 5_000_000).status == 413
    text = "\r\n".join(["POST /mcp HTTP/1.1", "Host: localhost", *GOOD])
    answer = server.send(f"{text}\r\nContent-Length: 999999999999\r\n\r\n".encode(), patience_s=5)
    assert answer.split(b" ")[1] == b"413"
    chunks = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    answer = server.send(f"{text}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunks * 6, patience_s=10)
    assert answer == b"" or answer.split(b" ")[1] == b"413"


def test_two_lengths_are_not_guessed_between(server: HttpServer) -> None:
    smuggled = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for lengths in (
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Content-Length: 4\r\nContent-Length: 5",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
    ):
        head = "\r\n".join(["POST /mcp HTTP/1.1", "Host: localhost", *GOOD])
        answer = server.send(f"{head}\r\n{lengths}\r\n\r\n0\r\n\r\n".encode() + smuggled, patience_s=3)
        assert b'"status":"ok"' not in answer, (lengths, answer)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} trailing',
        b"\xff\xfe",
        b"",
        b"[]",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b"5",
        b"{}",
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_close","name":"browser_navigate"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1,"\\u0061":2}}}',
    ],
)
def test_bodies_that_are_no_message(server: HttpServer, body: bytes) -> None:
    answer = server.post(body)
    assert answer.status == 400, answer
    assert answer.json()["error"]["code"] in (-32700, -32600, -32602)


def test_methods_and_paths(server: HttpServer) -> None:
    for method in ("PUT", "PATCH", "TRACE", "OPTIONS", "HEAD"):
        assert server.ask(["Host: localhost", *GOOD], method=method).status == 405, method
    for path in ("/", "/mcp//", "/mcp/../health", "/sse", "/message", "//mcp"):
        assert server.ask(["Host: localhost", *GOOD], BODY, path=path).status == 404, path


def test_a_slow_sender_holds_nobody_up(server: HttpServer) -> None:
    slow = [socket.create_connection((server.host, server.port)) for _ in range(100)]
    try:
        for connection in slow:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: loc")
        assert server.ask(["Host: localhost", *GOOD], BODY).status == 200
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.long
def test_the_key_is_in_no_process_of_the_browser(tmp_path: Path) -> None:
    with HttpServer(tmp_path, "--log-level", "trace") as server:
        client = server.begin()
        field = re.search(r"\[ref=(\S+)\]", client.text("browser_navigate", url="data:text/html,<input>"))
        assert field
        client.text("browser_type", target=field[1], text="opensesame")
        client.text("browser_evaluate", function="() => { document.title = 'opensesame' }")
        (browser,) = server.browsers()
        for pid in (server.pid, browser):
            assert KEY.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
        assert KEY.encode() not in Path(f"/proc/{browser}/environ").read_bytes()
        client.call("browser_type", target="c9p9f9e9", text="opensesame")
        until(lambda: "tool failed" in "".join(server.log), "a line of the log")
        log = "".join(server.log)
        assert KEY not in log
        assert "opensesame" not in log


@pytest.mark.parametrize(
    "arguments",
    [
        ["--allow-unauthenticated", "--host", "0.0.0.0"],  # noqa: S104
        ["--allow-unauthenticated", "--host", "::"],
        ["--allow-unauthenticated", "--allowed-hosts", "*"],
        ["--allow-unauthenticated", "--allowed-hosts", "mine.example,*"],
        ["--allowed-origins", "https://"],
        ["--proxy-server", "http://me:swordfish@a b:1"],
        ["--api-key", "a b"],
        ["--api-key-file", "missing"],
        ["--cdp-endpoint", "file:///etc/passwd"],
        ["--cdp-endpoint", "http://127.0.0.1:1", "--allowed-origins", "https://a"],
        ["--cdp-endpoint", "http://127.0.0.1:1", "--api-key", "key-one-for-tests,key-two-for-tests"],
        ["--user-data-dir", "profile", "--api-key", "key-one-for-tests,key-two-for-tests"],
        ["--grant-permissions", "everything"],
        ["--device", "Toaster"],
        ["--storage-state", "missing.json"],
        ["--port", "70000"],
        ["--max-clients", "0"],
    ],
)
def test_a_bad_setting_is_one_line_and_status_2(tmp_path: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "patchright_mcp", "--port", "0", *arguments]
    if "--port" in arguments:
        command = [sys.executable, "-m", "patchright_mcp", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=20, check=False, text=True)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "swordfish" not in done.stderr
