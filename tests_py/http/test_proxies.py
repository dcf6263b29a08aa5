"""Proxies of every kind, with passwords, before pages and sockets that are encrypted and that are not."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests_py.support.certificates import Authority
from tests_py.support.http import INITIALIZE, KEY, HttpServer, RawClient
from tests_py.support.proxies import NAME, PASSWORD, Proxy
from tests_py.support.site import Site

pytestmark = pytest.mark.long

KINDS = ("http", "https", "socks5")
GREETING = """() => new Promise((told) => {
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/greeting');
    socket.onmessage = (message) => told(message.data);
    socket.onerror = () => told('failed');
})"""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Signs what proxies show. The server is told to trust it, the browser is not."""
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def secure_site(authority: Authority) -> Iterator[Site]:
    with Site(authority.server("shop.example", "127.0.0.1")) as site:
        yield site


@pytest.fixture(scope="module")
def proxies(authority: Authority) -> Iterator[dict[str, Proxy]]:
    tls = authority.server("127.0.0.1")
    with Proxy("http") as http, Proxy("https", tls) as https, Proxy("socks5") as socks5:
        yield {"http": http, "https": https, "socks5": socks5}


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority, proxies: dict[str, Proxy]
) -> Iterator[HttpServer]:
    assert proxies  # They outlive it.
    trust = {"SSL_CERT_FILE": str(authority.path)}
    with HttpServer(tmp_path_factory.mktemp("http"), "--ignore-https-errors", env=trust) as server:
        yield server


def behind(server: HttpServer, proxy: Proxy, password: str = PASSWORD) -> RawClient:
    """A client whose context goes through a proxy."""
    client = server.begin()
    values = {"server": proxy.server, "username": NAME, "password": password}
    client.text("browser_context_create", proxy=values)
    return client


def test_every_kind_carries_pages_and_sockets_at_once(
    server: HttpServer, proxies: dict[str, Proxy], site: Site, secure_site: Site
) -> None:
    def visit(kind: str) -> None:
        client = behind(server, proxies[kind])
        for scheme, port in (("https", secure_site.port), ("http", site.port)):
            # A name that only the proxy knows, and another for each.
            origin = f"{scheme}://{kind}.shop.example:{port}"
            client.text("browser_navigate", url=f"{origin}/pages/form.html")
            assert "A form" in client.text("browser_evaluate", function="() => document.title")
            assert "hello" in client.text("browser_evaluate", function=GREETING), origin

    with ThreadPoolExecutor() as pool:
        list(pool.map(visit, KINDS))
    for kind in KINDS:
        # What the browser asks for itself goes the same way.
        asked = {host for host in proxies[kind].asked if ".example:" in host}
        assert asked == {f"{kind}.shop.example:{port}" for port in (site.port, secure_site.port)}


def test_what_went_wrong_is_reported_without_the_password(
    server: HttpServer, proxies: dict[str, Proxy], site: Site, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path).server("127.0.0.1")
    with Proxy("https", stranger) as untrusted, socket.create_server(("127.0.0.1", 0)) as free:
        gone = Proxy("https")
        gone.port = free.getsockname()[1]
        free.close()
        for proxy, password, reason in (
            *((proxy, "wrong", "refused the user name and password") for proxy in proxies.values()),
            (untrusted, PASSWORD, "certificate is not trusted"),
            (gone, PASSWORD, "nothing listens there"),
        ):
            client = behind(server, proxy, password)
            for scheme in ("http", "https"):
                failed = client.call("browser_navigate", url=f"{scheme}://shop.example:{site.port}/")
                assert reason in str(failed), proxy.server
                assert password not in json.dumps(failed)
            assert password not in json.dumps(client.call("browser_context_list"))
    assert all(f"shop.example:{site.port}" not in proxy.asked for proxy in proxies.values())
    assert PASSWORD not in "".join(server.log)


def test_one_proxy_serves_all_and_pages_are_still_checked(
    tmp_path: Path, proxies: dict[str, Proxy], authority: Authority, site: Site, secure_site: Site
) -> None:
    proxy = proxies["https"]
    values = {
        "SSL_CERT_FILE": str(authority.path),
        "PATCHRIGHT_MCP_PROXY_SERVER": f"https://{NAME}:sword%3Afish@127.0.0.1:{proxy.port}",
    }
    with HttpServer(tmp_path, env=values) as server:
        client = server.begin()
        session = json.loads(client.text("create_session"))["sessionId"]
        client.text("browser_navigate", url=f"http://first.example:{site.port}/pages/form.html")
        client.text(
            "browser_navigate", url=f"http://second.example:{site.port}/pages/form.html", sessionId=session
        )
        client.text("browser_context_create")
        client.text("browser_navigate", url=f"http://third.example:{site.port}/pages/form.html")
        for host in ("first", "second", "third"):
            assert f"{host}.example:{site.port}" in proxy.asked
        unproven = f"https://shop.example:{secure_site.port}/unproven"
        assert "CERT" in str(client.call("browser_navigate", url=unproven))
        assert secure_site.requested("/unproven") == []
        (browser,) = server.browsers()
        for pid in (server.pid, browser):
            assert b"fish" not in Path(f"/proc/{pid}/cmdline").read_bytes()
        assert b"fish" not in Path(f"/proc/{browser}/environ").read_bytes()


ASK = """async () => {
    const headers = { 'Authorization': 'Bearer KEY', 'Content-Type': 'application/json' };
    const answer = await fetch('/mcp', { method: 'POST', headers, body: JSON.stringify(MESSAGE) });
    return `${location.hostname} was answered ${answer.status}`;
}"""


def test_a_page_whose_name_comes_to_lead_to_the_server_is_not_answered(
    server: HttpServer, proxies: dict[str, Proxy]
) -> None:
    """To the browser it is one site that asks itself, so that nothing but the name gives it away."""
    client = behind(server, proxies["http"])
    ask = ASK.replace("KEY", KEY).replace("MESSAGE", json.dumps(INITIALIZE))
    for host, status in (("rebound.example", 403), ("localhost", 200)):
        client.text("browser_navigate", url=f"http://{host}:{server.port}/health")
        assert f"{host}:{server.port}" in proxies["http"].asked
        assert f"{host} was answered {status}" in client.text("browser_evaluate", function=ask)


def test_the_network_policy_applies_to_a_clients_proxy(tmp_path: Path, proxies: dict[str, Proxy]) -> None:
    with HttpServer(tmp_path, "--block-private-network") as server:
        client = server.begin()
        for kind in KINDS:
            port = proxies[kind].server.rsplit(":", 1)[1]
            for host in (
                "127.0.0.1",
                "localhost",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "2130706433",
                "[2002:7f00:1::]",
            ):
                values = {"server": f"{kind}://{host}:{port}", "username": NAME, "password": PASSWORD}
                refused = client.call("browser_context_create", proxy=values)
                assert refused["_meta"]["errorCode"] == "url_refused", (host, refused)
    # The server's own is its owner's business.
    own = f"http://{NAME}:{PASSWORD}@{proxies['http'].server.split('://')[1]}"
    with HttpServer(tmp_path, "--block-private-network", "--proxy-server", own) as server:
        answer = server.begin().call("browser_navigate", url="http://shop.example/")
        assert "not allowed here" not in str(answer)
        assert any("shop.example" in asked for asked in proxies["http"].asked)
