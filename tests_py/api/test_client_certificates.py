"""Servers that ask who is there, and certificates that are shown to them."""

import asyncio
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import cast

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificate

from patchright_mcp.async_api import Browser, Error, Playwright
from tests_py.support.certificates import Authority

pytestmark = pytest.mark.long


class _Asks(BaseHTTPRequestHandler):
    """Says who has come, or that nobody has said so."""

    def do_GET(self) -> None:
        shown = cast("ssl.SSLSocket", self.connection).getpeercert()
        name = shown["subject"][0][0][1] if shown else "nobody"
        body = f"<title>{name}</title>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Who is not welcome is told so, and is no error here."""


@contextmanager
def asking(authority: Authority) -> Iterator[int]:
    """A server that asks who has come; the port."""
    context = authority.server("127.0.0.1", "localhost")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations(authority.path)
    server = _Server(("127.0.0.1", 0), _Asks)
    # Hands are shaken in the thread that serves.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def person(folder: Path, authority: Authority) -> Path:
    """The certificate of somebody, with the key, in one file."""
    authority.server("ada")
    return folder / "ada.pem"


async def test_a_certificate_is_shown_to_its_origin_and_to_no_other(browser: Browser, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    ada = person(tmp_path, authority)
    with asking(authority) as port:
        named = {"origin": f"https://127.0.0.1:{port}", "certPath": ada, "keyPath": ada}
        context = await browser.new_context(client_certificates=[named], ignore_https_errors=True)  # type: ignore[list-item]
        page = await context.new_page()
        for host, name in (("127.0.0.1", "ada"), ("localhost", "nobody")):
            await page.goto(f"https://{host}:{port}/")
            assert await page.title() == name
            answered = await context.request.get(f"https://{host}:{port}/")
            assert name in await answered.text()
        await context.close()


async def test_who_is_not_welcome_is_reported_so(
    browser: Browser, playwright: Playwright, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    authority, stranger = Authority(tmp_path), Authority(tmp_path / "other")
    ada = person(tmp_path / "other", stranger)
    with asking(authority) as port:
        origin = f"https://127.0.0.1:{port}"
        shown = [{"origin": origin, "cert": ada.read_bytes(), "key": ada.read_bytes()}]
        context = await browser.new_context(client_certificates=shown, ignore_https_errors=True)  # type: ignore[arg-type]
        page = await context.new_page()
        with pytest.raises(Error, match="alert decrypt error"):
            await page.goto(f"{origin}/")
        await context.close()
        requests = await playwright.request.new_context(client_certificates=shown, ignore_https_errors=True)  # type: ignore[arg-type]
        with pytest.raises(Error, match="alert decrypt error"):
            await requests.get(f"{origin}/")
        await requests.dispose()


async def test_an_untrusted_certificate_is_distinguished_from_a_refusal(
    browser: Browser, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    ada = person(tmp_path, authority)
    with asking(authority) as port:
        origin = f"https://127.0.0.1:{port}"
        shown = [{"origin": origin, "certPath": ada, "keyPath": ada}]
        context = await browser.new_context(client_certificates=shown)  # type: ignore[arg-type]
        page = await context.new_page()
        with pytest.raises(Error, match=r"server's own certificate is not trusted .*SSL_CERT_FILE"):
            await page.goto(f"{origin}/")
        await context.close()


async def test_archives_and_passphrases_are_opened(browser: Browser, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    ada = person(tmp_path, authority).read_bytes()
    key, certificate = load_pem_private_key(ada, None), load_pem_x509_certificate(ada)
    archive = pkcs12.serialize_key_and_certificates(
        b"ada",
        key,  # type: ignore[arg-type]
        certificate,
        None,
        BestAvailableEncryption(b"open"),
    )
    with asking(authority) as port:
        origin = f"https://127.0.0.1:{port}"
        packed = {"origin": origin, "pfx": archive, "passphrase": "open"}
        context = await browser.new_context(client_certificates=[packed], ignore_https_errors=True)  # type: ignore[list-item]
        page = await context.new_page()
        await page.goto(origin)
        assert await page.title() == "ada"
        await context.close()
        packed["passphrase"] = "shut"  # noqa: S105  (It opens nothing.)
        with pytest.raises(Error, match="Failed to load client certificate"):
            await browser.new_context(client_certificates=[packed])  # type: ignore[list-item]
    with pytest.raises(Error, match="needs cert and key, or pfx"):
        await browser.new_context(client_certificates=[{"origin": "https://a.example"}])


SCRIPT = """
import sys
from patchright_mcp.sync_api import sync_playwright, Error
port, ada = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    shown = [{"origin": f"https://127.0.0.1:{port}", "certPath": ada, "keyPath": ada}]
    page = browser.new_context(client_certificates=shown).new_page()
    page.goto(f"https://127.0.0.1:{port}/")
    print(page.title())
    try:
        page.goto(f"https://localhost:{port}/")
    except Error as error:
        print(error.message.splitlines()[0].partition(" at ")[0])
    browser.close()
"""


async def test_only_the_origins_that_are_named_need_not_be_trusted_by_the_browser(tmp_path: Path) -> None:
    """What the browser trusts and what this process trusts are two things: the test makes them differ."""
    authority = Authority(tmp_path)
    ada = person(tmp_path, authority)
    with asking(authority) as port:
        environment = {**os.environ, "SSL_CERT_FILE": str(authority.path)}
        command = [sys.executable, "-c", SCRIPT, str(port), str(ada)]
        run = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, text=True, check=True
        )
    assert run.stdout.split("\n") == ["ada", "Page.goto: net::ERR_CERT_AUTHORITY_INVALID", ""]
