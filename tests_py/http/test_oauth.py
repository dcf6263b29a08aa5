"""Tokens of an authorization server: what the official client does by itself, and what attackers send."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from tests_py.support.client import Server
from tests_py.support.http import INITIALIZE, KEY, Answer, HttpServer, until
from tests_py.support.issuer import RSA, Issuer, elliptic_key, free_port, issuer

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
METADATA = "/.well-known/oauth-protected-resource"


@pytest.fixture(scope="module")
def login() -> Iterator[Issuer]:
    with issuer() as login:
        yield login


@pytest.fixture(scope="module")
def server(login: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("oauth")
    with serve(folder, login) as server:
        yield server
        log = "".join(server.log)
        assert "eyJ" not in log, "a token is in the log"


def serve(folder: Path, login: Issuer, *more: str) -> HttpServer:
    port = free_port()
    audience = f"http://127.0.0.1:{port}/mcp"
    arguments = ["--oauth-issuer", login.url, "--oauth-audience", audience, *more]
    return HttpServer(folder, *arguments, port=port)


def ask(server: HttpServer, path: str) -> Answer:
    return server.ask([f"Host: {server.host}:{server.port}"], method="GET", path=path)


def call(server: HttpServer, token: str, tool: str, **arguments: object) -> Answer:
    client = server.begin(token)
    params = {"name": tool, "arguments": arguments}
    return client.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})


@pytest.mark.parametrize("path", ["", "/mcp"])
def test_the_server_says_who_gives_tokens(server: HttpServer, login: Issuer, path: str) -> None:
    metadata = ask(server, METADATA + path)
    assert metadata.status == 200
    said = metadata.json()
    assert said["resource"] == server.url
    assert said["authorization_servers"] == [login.url]
    assert said["scopes_supported"] == ["browser", "browser:read"]
    assert ask(server, f"{METADATA}/other").status == 404


def test_a_request_without_a_token_learns_where_to_get_one(server: HttpServer) -> None:
    refused = server.post(INITIALIZE, key=None)
    assert refused.status == 401
    found = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert found
    assert found[1] == f"http://127.0.0.1:{server.port}{METADATA}/mcp"
    assert "error=" not in refused.headers["www-authenticate"]


class Storage:
    """What a client keeps of its login."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.long
async def test_the_official_client_finds_its_way_from_the_refusal_to_a_page(server: HttpServer) -> None:
    answered: dict[str, list[str]] = {}

    async def visit(url: str) -> None:
        async with httpx2.AsyncClient() as browser:
            redirected = await browser.get(url)
        assert redirected.status_code == 302
        answered.update(parse_qs(urlparse(redirected.headers["location"]).query))

    async def returned() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=answered["code"][0], state=answered["state"][0])

    metadata = OAuthClientMetadata(client_name="test", redirect_uris=[AnyUrl("http://localhost:1/callback")])
    storage = Storage()
    login = OAuthClientProvider(server.url, metadata, storage, visit, returned)
    async with (
        httpx2.AsyncClient(auth=login, timeout=60) as http,
        streamable_http_client(server.url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        page = await Server(session).open("data:text/html,<h1>Logged in</h1>")
    assert "Logged in" in page.text
    assert storage.tokens
    claims = jwt.decode(storage.tokens.access_token, options={"verify_signature": False})
    assert claims["aud"] == server.url


@pytest.mark.parametrize(("algorithm", "kid"), [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")])
def test_tokens_of_each_algorithm_are_accepted(
    server: HttpServer, login: Issuer, algorithm: str, kid: str
) -> None:
    token = login.token(server.url, algorithm=algorithm, kid=kid)
    assert server.post(INITIALIZE, key=token).status == 200
    several = login.token(server.url, algorithm=algorithm, kid=kid, aud=["https://other.example", server.url])
    assert server.post(INITIALIZE, key=several).status == 200


def test_keys_are_accepted_beside_tokens(server: HttpServer) -> None:
    assert server.post(INITIALIZE, key=KEY).status == 200
    assert server.post(INITIALIZE, key=f"{KEY}x").status == 401


def public_pem() -> bytes:
    return RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def sealed(header: dict[str, object], claims: dict[str, object], key: bytes | None) -> str:
    """A token as no library makes it."""
    parts = [json.dumps(part).encode() for part in (header, claims)]
    text = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    signature = hmac.digest(key, text.encode(), hashlib.sha256) if key else b""
    return f"{text}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def attacks(login: Issuer, audience: str) -> dict[str, tuple[str, str]]:
    """Tokens that must not be accepted, with what the client receives."""
    now = int(time.time())
    claims: dict[str, object] = {
        "iss": login.url,
        "sub": "alice",
        "aud": audience,
        "exp": now + 300,
        "scope": "browser",
    }
    good = login.token(audience)
    head, body, signature = good.split(".")
    forged = json.dumps({**claims, "sub": "mallory"}).encode()
    strange = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    jwk = jwt.algorithms.RSAAlgorithm.to_jwk(strange.public_key(), as_dict=True)
    own = {"kid": "rsa", "jwk": jwk}
    return {
        "another audience": (login.token("https://other.example/mcp"), "another server"),
        "a longer audience": (login.token(f"{audience}/x"), "another server"),
        "no audience": (login.token(audience, aud=None), "it lacks"),
        "another issuer": (login.token(audience, iss="http://127.0.0.1:1/"), "another issuer"),
        "no issuer": (login.token(audience, iss=None), "it lacks"),
        "no subject": (login.token(audience, sub=None), "it "),
        "expired": (login.token(audience, exp=now - 60), "expired"),
        "no expiry": (login.token(audience, exp=None), "it lacks"),
        "not yet valid": (login.token(audience, nbf=now + 120), "not valid yet"),
        "an unknown key": (login.token(audience, kid="unknown"), "none of the issuer's"),
        "another key's name": (
            login.token(audience, kid="rsa", algorithm="RS256")[:-8] + "AAAAAAAA",
            "verified",
        ),
        "a key of its own": (jwt.encode(claims, strange, "RS256", headers=own), "verified"),
        "the name of a key of another kind": (
            jwt.encode(claims, RSA, "RS256", headers={"kid": "ec"}),
            "none of the issuer's",
        ),
        "another curve": (
            jwt.encode(claims, ec.generate_private_key(ec.SECP384R1()), "ES384", headers={"kid": "ec"}),
            "algorithm",
        ),
        "an algorithm beside the list": (login.token(audience, algorithm="PS256"), "algorithm"),
        "the public key as a secret": (
            sealed({"alg": "HS256", "kid": "rsa"}, claims, public_pem()),
            "algorithm",
        ),
        "no signature": (sealed({"alg": "none", "kid": "rsa"}, claims, None), "read"),
        "no signature, written otherwise": (sealed({"alg": "nOnE", "kid": "rsa"}, claims, None), "read"),
        "an empty signature": (f"{head}.{body}.", "verified"),
        "other claims": (
            f"{head}.{base64.urlsafe_b64encode(forged).decode().rstrip('=')}.{signature}",
            "verified",
        ),
        "an extension that must be understood": (
            jwt.encode(claims, RSA, "RS256", headers={"kid": "rsa", "crit": ["x"], "x": 1}),
            "verified",
        ),
        "no token": ("no.token", "read"),
    }


def test_tokens_that_are_not_meant_for_us_are_refused(server: HttpServer, login: Issuer) -> None:
    wrong = []
    for name, (token, expected) in attacks(login, server.url).items():
        refused = server.post(INITIALIZE, key=token)
        challenge = refused.headers.get("www-authenticate", "")
        if refused.status != 401 or 'error="invalid_token"' not in challenge or expected not in challenge:
            wrong.append((name, refused))
    assert not wrong


def test_scopes_say_what_a_token_permits(server: HttpServer, login: Issuer) -> None:
    reading = login.token(server.url, scope="openid browser:read")
    tools = server.begin(reading).post(LIST).json()["result"]["tools"]
    names = {tool["name"] for tool in tools}
    assert {"browser_navigate", "browser_snapshot"} <= names
    assert not {"browser_click", "browser_evaluate", "browser_run"} & names
    assert call(server, reading, "browser_navigate", url="data:text/html,<p>").status == 200
    refused = call(server, reading, "browser_click", ref="e1")
    assert refused.status == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert 'scope="browser"' in refused.headers["www-authenticate"]
    none = server.post(INITIALIZE, key=login.token(server.url, scope="openid"))
    assert none.status == 403
    assert 'scope="browser browser:read"' in none.headers["www-authenticate"]
    assert server.post(INITIALIZE, key=login.token(server.url, scope=None)).status == 403
    listed = login.token(server.url, scope=None, scp=["browser"])
    assert server.post(INITIALIZE, key=listed).status == 200


def test_a_session_belongs_to_the_subject_of_the_token(server: HttpServer, login: Issuer) -> None:
    alice = server.begin(login.token(server.url))
    again = login.token(server.url, exp=int(time.time()) + 200)
    session = f"Mcp-Session-Id: {alice.session}"
    assert server.post(LIST, session, key=again).status == 200
    assert server.post(LIST, session, key=login.token(server.url, sub="mallory")).status == 404


def test_a_new_key_of_the_issuer_is_fetched_once(login: Issuer, tmp_path: Path) -> None:
    scopes = tmp_path / "scopes.toml"
    scopes.write_text("[pages]\ntools = ['browser_navigate']\n")
    with serve(tmp_path, login, "--oauth-scopes", str(scopes)) as server:
        assert server.post(INITIALIZE, key=login.token(server.url)).status == 403
        assert server.post(INITIALIZE, key=login.token(server.url, scope="pages")).status == 200
        login.keys["new"] = elliptic_key()
        token = login.token(server.url, algorithm="ES256", kid="new", scope="pages")
        assert server.post(INITIALIZE, key=token).status == 200
        before = login.fetched
        for _ in range(20):
            assert server.post(INITIALIZE, key=login.token(server.url, kid="unknown")).status == 401
        assert login.fetched - before < 6, "invented key ids made the server ask the issuer for each"
        assert server.post(INITIALIZE, key=token).status == 200


def test_without_the_issuer_nobody_is_taken_for_a_liar(tmp_path: Path) -> None:
    with issuer() as login:
        gone = login
    with serve(tmp_path, gone) as server:
        refused = server.post(INITIALIZE, key=gone.token(server.url))
        assert refused.status == 503
        assert "retry-after" in refused.headers
        until(lambda: "--oauth-issuer" in "".join(server.log), "a line of the log")
