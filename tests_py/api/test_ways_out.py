"""Proxies: what cannot be obeyed is refused, and what fails names the proxy."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from patchright_mcp.async_api import Browser, Error, Playwright, ProxySettings
from tests_py.support.proxies import NAME, PASSWORD, Proxy
from tests_py.support.site import Site

MISSPELT = [
    "htpp://127.0.0.1:1",
    "ftp://127.0.0.1:1",
    "quic://127.0.0.1:1",
    "nonsense://127.0.0.1:1",
    "http://",
]


@contextmanager
def socks4(port: int) -> Iterator[tuple[str, list[bytes]]]:
    """A SOCKS 4 proxy that leads to a port of this machine. Gives its address, and what it is asked for."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def copy(source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    def serve() -> None:
        client, _ = listener.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            asked.append(client.recv(4096))
            client.sendall(b"\x00\x5a\x00\x00\x00\x00\x00\x00")
            up = Thread(target=copy, args=(client, server), daemon=True)
            up.start()
            copy(server, client)
            up.join(5)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    with listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}", asked
    thread.join(5)


@pytest.mark.parametrize("server", MISSPELT)
async def test_a_misspelt_proxy_is_refused_wherever_one_is_named(
    playwright: Playwright, browser: Browser, site: Site, server: str
) -> None:
    refusal = r"proxy: the server must be http://host:port"
    with pytest.raises(Error, match=refusal):
        await (await playwright.request.new_context(proxy={"server": server})).get(site.page("form"))
    with pytest.raises(Error, match=refusal):
        await browser.new_context(proxy={"server": server})
    with pytest.raises(Error, match=refusal):
        await playwright.chromium.launch(proxy={"server": server})
    with pytest.raises(Error, match=refusal):
        await playwright.chromium.launch_persistent_context("", proxy={"server": server})
    if server != "quic://127.0.0.1:1":  # A browser knows it.
        with pytest.raises(Error, match="--proxy-server: expected host:port"):
            await playwright.chromium.launch(args=[f"--proxy-server={server}"])
    assert not site.requested("/pages/form.html")


async def test_a_misspelt_key_of_a_proxy_is_named(playwright: Playwright, browser: Browser) -> None:
    values: ProxySettings = {"server": "http://127.0.0.1:1", "user": "me"}  # type: ignore[typeddict-unknown-key]
    for make in (playwright.request.new_context, browser.new_context, playwright.chromium.launch):
        with pytest.raises(Error, match="proxy: 'user' is not known"):
            await make(proxy=values)


@pytest.mark.parametrize("kind", ["http", "socks5", "socks5h"])
async def test_requests_without_a_page_go_through_proxies_with_passwords(
    playwright: Playwright, site: Site, kind: str
) -> None:
    with Proxy(kind.removesuffix("h")) as proxy:
        server = f"{kind}://127.0.0.1:{proxy.port}"
        settings: ProxySettings = {"server": server, "username": NAME, "password": PASSWORD}
        requests = await playwright.request.new_context(proxy=settings)
        answer = await requests.get(f"http://shop.example:{site.port}/headers")
        assert answer.ok
        assert proxy.asked == [f"shop.example:{site.port}"]
        await requests.dispose()
        wrong = await playwright.request.new_context(proxy={**settings, "password": "no"})
        refused = rf"the proxy refused the user name and password \({kind.removesuffix('h')}://127\.0\.0\.1:"
        with pytest.raises(Error, match=refused):
            await wrong.get(f"http://shop.example:{site.port}/headers")


async def test_socks_4_is_asked_for_names(playwright: Playwright, browser: Browser, site: Site) -> None:
    with socks4(site.port) as (address, asked):
        requests = await playwright.request.new_context(proxy={"server": f"socks4://{address}"})
        assert (await requests.get(f"http://shop.example:{site.port}/headers")).ok
    with socks4(site.port) as (address, asked_by_page):
        context = await browser.new_context(proxy={"server": f"socks4://{address}"})
        page = await context.new_page()
        await page.goto(f"http://shop.example:{site.port}/status/404")
        await context.close()
    wanted = b"\x04\x01" + site.port.to_bytes(2, "big") + b"\x00\x00\x00\x01\x00shop.example\x00"
    assert (asked, asked_by_page) == ([wanted], [wanted])


async def test_a_dead_proxy_is_named_and_not_the_site(
    playwright: Playwright, browser: Browser, site: Site
) -> None:
    dead: ProxySettings = {"server": "http://127.0.0.1:1"}
    requests = await playwright.request.new_context(proxy=dead)
    unreachable = r"the proxy could not be reached: nothing listens there"
    with pytest.raises(Error, match=unreachable + r" \(http://127\.0\.0\.1:1\)"):
        await requests.get(site.url("/headers"))
    behind = await browser.new_context(proxy=dead)
    with pytest.raises(Error, match=unreachable):
        await behind.request.get(site.url("/headers"))
    await behind.close()
    launched = await playwright.chromium.launch(proxy=dead)
    page = await launched.new_page()
    with pytest.raises(Error, match=unreachable):
        await page.goto(site.url("/headers"))
    await launched.close()
    assert not site.requested("/headers")


async def test_hosts_of_the_bypass_list_are_reached_without_the_proxy(
    playwright: Playwright, site: Site
) -> None:
    values: ProxySettings = {"server": "http://127.0.0.1:1", "bypass": "*.example, 127.0.0.1"}
    requests = await playwright.request.new_context(proxy=values)
    assert (await requests.get(site.url("/headers"))).ok
    with pytest.raises(Error, match="the proxy could not be reached"):
        await requests.get(site.other_origin + "/headers")
