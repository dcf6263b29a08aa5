"""The browser's life: what happens when something dies, hangs, or is not needed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests_py.support.certificates import Authority
from tests_py.support.http import INITIALIZE, KEY, HttpServer, RawClient, until
from tests_py.support.proxies import Front
from tests_py.support.site import Site

pytestmark = pytest.mark.long

CHROMIUM = "/usr/lib/chromium/chromium"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., HttpServer]]:
    servers: list[HttpServer] = []

    def start(*arguments: str) -> HttpServer:
        servers.append(HttpServer(tmp_path, *arguments))
        return servers[-1]

    yield start
    for server in servers:
        with server:
            pass


def in_background(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append((work(), time.monotonic())))
    thread.start()
    return thread, results


def kill(server: HttpServer) -> None:
    (browser,) = server.browsers()
    os.kill(browser, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{browser}").exists(), "the end of the browser")


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_nothing_starts_before_it_is_needed(start: Callable[..., HttpServer]) -> None:
    server = start()
    client = server.begin()
    assert server.browsers() == []
    client.text("browser_navigate", url="about:blank")
    assert len(server.browsers()) == 1


def test_a_killed_browser_is_replaced(start: Callable[..., HttpServer], site: Site) -> None:
    server = start()
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    (browser,) = server.browsers()
    kill(server)
    again = client.text("browser_navigate", url=site.page("form"))
    assert "restarted" in again
    assert server.browsers() not in ([], [browser])


def test_a_call_fails_at_once_when_the_browser_dies(start: Callable[..., HttpServer], site: Site) -> None:
    server = start()
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    site.hold()
    thread, results = in_background(lambda: client.call("browser_navigate", url=site.url("/hold")))
    until(lambda: site.requested("/hold"), "the request")
    killed = time.monotonic()
    os.kill(server.browsers()[0], signal.SIGKILL)
    thread.join(20)
    site.release()
    (result, ended) = results[0]
    assert result["isError"]
    assert "browser is gone" in text(result)
    assert ended - killed < 15
    client.text("browser_navigate", url=site.page("form"))


def test_a_hanging_browser_is_given_up(start: Callable[..., HttpServer], site: Site) -> None:
    server = start()
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    (browser,) = server.browsers()
    os.kill(browser, signal.SIGSTOP)
    stopped = time.monotonic()
    result = client.call("browser_evaluate", function="() => 1")
    assert result["isError"]
    assert "gave no answer" in text(result)
    assert time.monotonic() - stopped < 25, "sooner than the action may take"
    client.text("browser_navigate", url=site.page("form"))
    until(lambda: not Path(f"/proc/{browser}").exists(), "the end of the hanging browser")


def test_a_crashed_tab_says_so_and_comes_back(start: Callable[..., HttpServer], site: Site) -> None:
    client = start().begin()
    client.text("browser_navigate", url=site.page("form"))
    renderers = set(_renderers(client.server))
    assert renderers
    for renderer in renderers:
        os.kill(renderer, signal.SIGKILL)
    until(lambda: "crashed" in text(client.call("browser_snapshot")), "the crash")
    assert "form" in client.text("browser_navigate", url=site.page("form"))


def _renderers(server: HttpServer) -> list[int]:
    (browser,) = server.browsers()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
                parents = _ancestors(int(entry.name))
            except OSError:
                continue
            if b"--type=renderer" in line and browser in parents:
                found.append(int(entry.name))
    return found


def _ancestors(pid: int) -> list[int]:
    found = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(pid)
    return found


def test_an_unused_browser_is_closed(start: Callable[..., HttpServer], site: Site) -> None:
    server = start("--idle-timeout", "500")
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    assert server.browsers()
    until(lambda: not server.browsers(), "the end of the browser")
    assert "form" in client.text("browser_navigate", url=site.page("form"))


def test_cookies_are_restored_when_asked(start: Callable[..., HttpServer], site: Site) -> None:
    for arguments, expected in ((["--restore"], True), ([], False)):
        server = start(*arguments)
        client = server.begin()
        client.text("browser_navigate", url=site.url("/cookie?name=who&value=me"))
        kill(server)
        client.text("browser_navigate", url=site.page("form"))
        assert ("who=me" in client.text("browser_evaluate", function="() => document.cookie")) == expected


def test_a_profile_keeps_what_it_is_given(start: Callable[..., HttpServer], site: Site) -> None:
    arguments = ["--user-data-dir", "profile"]
    keep = "() => { localStorage.setItem('key', 'kept'); document.cookie = 'id=7; max-age=1000' }"
    with start(*arguments) as server:
        client = server.begin()
        client.text("browser_navigate", url=site.page("form"))
        client.text("browser_evaluate", function=keep)
        other = start(*arguments).begin()
        busy = other.call("browser_navigate", url=site.page("form"))
        assert busy["isError"]
        assert str(server.browsers()[0]) in text(busy), "the holder is named"
    client = start(*arguments).begin()
    client.text("browser_navigate", url=site.page("form"))
    seen = client.text("browser_evaluate", function="() => document.cookie + localStorage.getItem('key')")
    assert "id=7" in seen
    assert "kept" in seen
    # A session has cookies of its own, also beside a profile.
    session = json.loads(client.text("create_session"))["sessionId"]
    client.text("browser_navigate", sessionId=session, url=site.page("form"))
    assert "id=7" not in client.text("browser_evaluate", sessionId=session, function="() => document.cookie")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_server_ends(
    start: Callable[..., HttpServer], site: Site, number: signal.Signals
) -> None:
    server = start()
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    (browser,) = server.browsers()
    in_background(lambda: _quietly(client, site))
    server.process.send_signal(number)
    server.process.wait(20)
    until(lambda: not Path(f"/proc/{browser}").exists(), "the end of the browser")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((server.host, server.port))


def _quietly(client: RawClient, site: Site) -> None:
    with pytest.raises((AssertionError, OSError, ValueError)):
        client.call("browser_navigate", url=site.url("/delay?ms=3000"))


def test_a_client_that_goes_in_mid_call_harms_nobody(start: Callable[..., HttpServer], site: Site) -> None:
    server = start("--client-grace", "500")
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    params = {"name": "browser_navigate", "arguments": {"url": site.url("/delay?ms=1000")}}
    body = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}).encode()
    head = "\r\n".join(
        [
            "POST /mcp HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {KEY}",
            f"Mcp-Session-Id: {client.session}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "\r\n",
        ]
    )
    with socket.create_connection((server.host, server.port)) as connection:
        connection.sendall(head.encode() + body)
    other = server.begin()
    assert "form" in other.text("browser_navigate", url=site.page("form"))


def test_a_client_that_lost_its_stream_is_forgotten_after_a_while(
    start: Callable[..., HttpServer], site: Site
) -> None:
    server = start("--client-grace", "1000")
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    head = "\r\n".join(
        [
            "GET /mcp HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {KEY}",
            f"Mcp-Session-Id: {client.session}",
            "Accept: text/event-stream",
            "\r\n",
        ]
    )
    stream = socket.create_connection((server.host, server.port))
    stream.sendall(head.encode())
    assert b"200 OK" in stream.recv(1000)
    time.sleep(1.5)  # Longer than the grace: while the stream is open, the client is here.
    assert client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 200
    stream.close()
    # Back within the grace, it finds its page.
    assert "form" in client.text("browser_evaluate", function="() => location.pathname")
    gone = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    ended = time.monotonic() + 20
    while True:
        time.sleep(2)
        if client.post(gone).status == 404:
            break
        assert time.monotonic() < ended
    assert server.post(INITIALIZE).status == 200


class Endpoint:
    """Somebody else's browser, with one page open."""

    def __init__(self, folder: Path, url: str, port: int = 0) -> None:
        self.folder = folder
        command = [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            f"--remote-debugging-port={port}",
            f"--user-data-dir={folder / 'profile'}",
            "--no-first-run",
            url,
        ]
        # What it would leave elsewhere when it is ended goes with its folder.
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr
        for line in self.process.stderr:
            if found := re.search(r"ws://127.0.0.1:(\d+)(\S+)", line):
                self.port = int(found[1])
                self.socket = found[0]
                break
        self.url = f"http://127.0.0.1:{self.port}"
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def pages(self) -> list[str]:
        return [target["url"] for target in self._targets()]

    def titles(self) -> list[str]:
        return [target["title"] for target in self._targets()]

    def open(self, url: str) -> None:
        """Opens another tab."""
        request = urllib.request.Request(f"{self.url}/json/new?{quote(url)}", method="PUT")  # noqa: S310
        urllib.request.urlopen(request).close()  # noqa: S310

    def _targets(self) -> list[dict[str, str]]:
        with urllib.request.urlopen(f"{self.url}/json/list") as answer:  # noqa: S310
            return [target for target in json.load(answer) if target["type"] == "page"]

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.reader.join(20)
        assert self.process.stderr
        self.process.stderr.close()


@pytest.fixture
def endpoint(site: Site) -> Iterator[Endpoint]:
    with tempfile.TemporaryDirectory(prefix="theirs-", ignore_cleanup_errors=True) as folder:
        endpoint = Endpoint(Path(folder), site.page("form"))
        until(lambda: endpoint.titles() == ["A form"], "the page")
        yield endpoint
        endpoint.end()


def test_somebody_elses_browser_is_used_and_left_alone(
    start: Callable[..., HttpServer], endpoint: Endpoint, site: Site
) -> None:
    for address in (endpoint.url, endpoint.socket):
        with start("--cdp-endpoint", address) as server:
            client = server.begin()
            assert "form.html" in client.text("browser_evaluate", function="() => location.href")
            assert server.browsers() == []
            client.text("browser_context_create", name="own")
            client.text("browser_navigate", url=site.page("frames"))
            assert len(endpoint.pages()) == 2
        assert endpoint.process.poll() is None
        assert endpoint.pages() == [site.page("form")]


@pytest.mark.parametrize(
    "settings", [["--cdp-endpoint", "http://127.0.0.1:1", "--isolated"], ["--headless", "false"]]
)
def test_several_keys_are_not_served_where_they_would_share_a_clipboard(
    tmp_path: Path, settings: list[str]
) -> None:
    command = [
        sys.executable,
        "-m",
        "patchright_mcp",
        "--port",
        "0",
        "--api-key",
        "key-one-for-tests,key-two-for-tests",
        *settings,
    ]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    assert ended.returncode == 2
    assert "one clipboard" in ended.stderr


def test_somebody_elses_browser_is_reached_over_tls(endpoint: Endpoint, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with Front(authority.server("127.0.0.1"), endpoint.port) as front:
        address = front.server
        socket_address = endpoint.socket.replace(
            f"ws://127.0.0.1:{endpoint.port}", address.replace("http", "ws")
        )
        for trust, given in ((True, address), (True, socket_address), (False, socket_address)):
            env = {"SSL_CERT_FILE": str(authority.path)} if trust else {}
            with HttpServer(tmp_path, "--cdp-endpoint", given, env=env) as server:
                seen = server.begin().call("browser_evaluate", function="() => location.href")
                assert ("form.html" in str(seen)) == trust, seen
                assert ("certificate" in str(seen)) != trust, seen


def test_a_tab_that_hangs_holds_up_no_other(
    start: Callable[..., HttpServer], endpoint: Endpoint, site: Site
) -> None:
    spinning = "data:text/html,<title>Spins</title><script>setTimeout(() => { for (;;); })</script>"
    endpoint.open(spinning)
    until(lambda: "Spins" in endpoint.titles(), "the tab that spins")
    client = start("--cdp-endpoint", endpoint.url).begin()
    assert '[Spins]("data:text/html' in client.text("browser_tabs", action="list")
    client.text("browser_tabs", action="new", url=site.page("form"))
    assert "A form" in client.text("browser_evaluate", function="() => document.title")


def test_a_browser_that_comes_back_is_attached_to_again(
    start: Callable[..., HttpServer], endpoint: Endpoint, site: Site
) -> None:
    server = start("--cdp-endpoint", endpoint.url, "--cdp-timeout", "3000")
    client = server.begin()
    assert "form" in client.text("browser_evaluate", function="() => location.href")
    site.hold()
    thread, results = in_background(lambda: client.call("browser_navigate", url=site.url("/hold/drop")))
    until(lambda: site.requested("/hold/drop"), "the request")
    killed = time.monotonic()
    endpoint.process.kill()
    thread.join(20)
    site.release()
    (result, ended) = results[0]
    assert "browser is gone" in text(result)
    assert ended - killed < 15
    endpoint.end()
    gone = client.call("browser_navigate", url=site.page("form"))
    assert gone["isError"]
    assert "nothing listens" in text(gone)
    back = Endpoint(endpoint.folder, site.page("frames"), endpoint.port)
    try:
        client.text("browser_navigate", url=site.page("form"))
        assert "form" in client.text("browser_evaluate", function="() => location.href")
    finally:
        back.end()


def test_headers_go_to_the_endpoint_and_nowhere_else(start: Callable[..., HttpServer]) -> None:
    asked: list[str] = []

    class Gate(socketserver.StreamRequestHandler):
        """Lets nobody in."""

        def handle(self) -> None:
            asked.append("".join(line.decode() for line in iter(self.rfile.readline, b"\r\n")))
            self.wfile.write(b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Gate) as gate:
        threading.Thread(target=gate.serve_forever, args=(0.05,), daemon=True).start()
        for scheme in ("http", "ws"):
            address = f"{scheme}://127.0.0.1:{gate.server_address[1]}/gate"
            headers = ("--cdp-header", "X-Gate: open sesame", "--cdp-header", "X-More: 2")
            client = start("--cdp-endpoint", address, *headers).begin()
            failed = str(client.call("browser_snapshot"))
            assert "401" in failed
            assert "sesame" not in failed + "".join(client.server.log)
        gate.shutdown()
    for head in asked:
        assert head.startswith("GET /gate")
        assert "x-gate: open sesame\r\n" in head.lower()
        assert "x-more: 2\r\n" in head.lower()


def test_an_endpoint_that_lies_is_distinguished_from_a_browser(start: Callable[..., HttpServer]) -> None:
    asked: list[str] = []

    class Liar(socketserver.StreamRequestHandler):
        """Sends who asks to others, talks without end, or tells of a browser that is not there."""

        def handle(self) -> None:
            asked.append("".join(line.decode() for line in iter(self.rfile.readline, b"\r\n")))
            path, reported = asked[-1].split()[1], b'{"webSocketDebuggerUrl": "ws://elsewhere.example:1/x"}'
            if path.startswith("/away"):
                elsewhere = f"http://localhost:{self.server.server_address[1]}/elsewhere"  # type: ignore[index]
                self.wfile.write(f"HTTP/1.1 302 No\r\nLocation: {elsewhere}\r\n\r\n".encode())
            elif path.startswith("/within"):
                self.wfile.write(b"HTTP/1.1 302 No\r\nLocation: /told\r\n\r\n")
            elif path.startswith("/endless"):
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n" + reported)
                with suppress(OSError):
                    while True:
                        self.wfile.write(b" " * 1_000_000)
            else:
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(reported)}\r\n\r\n"
                self.wfile.write(head.encode() + reported)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Liar) as liar:
        liar.daemon_threads = True
        threading.Thread(target=liar.serve_forever, args=(0.05,), daemon=True).start()
        for path, words in (
            ("/away", "HTTP 302"),
            ("/endless", "not a browser"),
            ("/within", "HTTP 200"),  # There it is asked for a socket, and has none.
        ):
            address = f"http://127.0.0.1:{liar.server_address[1]}{path}"
            client = start("--cdp-endpoint", address, "--cdp-header", "X-Gate: sesame").begin()
            failed = client.call("browser_snapshot")
            assert failed["isError"]
            assert words in text(failed), failed
        liar.shutdown()
    assert not [head for head in asked if head.startswith("GET /elsewhere")]
    assert [head for head in asked if head.startswith("GET /x ")], asked


def test_an_endpoint_that_never_answers_is_not_waited_for(start: Callable[..., HttpServer]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = start("--cdp-endpoint", address, "--cdp-timeout", "500").begin()
        began = time.monotonic()
        result = client.call("browser_navigate", url="about:blank")
        assert result["isError"]
        assert time.monotonic() - began < 15
