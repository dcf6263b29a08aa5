"""An authorization server for tests: the one of the MCP SDK, with tokens that are signed JWTs."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, NamedTuple

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.routes import build_metadata, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

SCOPES = ["browser", "browser:read"]
# Making one takes long, and none of them is secret.
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class SigningKey(NamedTuple):
    """A key, how it is written as a JWK, and what it signs with."""

    private: Any
    kind: Any
    algorithm: str


def elliptic_key() -> SigningKey:
    """A new key on the curve P-256."""
    return SigningKey(ec.generate_private_key(ec.SECP256R1()), ECAlgorithm, "ES256")


class Issuer(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everybody is `alice`, and has agreed already."""

    def __init__(self, port: int) -> None:
        self.url = str(AnyHttpUrl(f"http://127.0.0.1:{port}"))
        self.keys = {
            "rsa": SigningKey(RSA, RSAAlgorithm, "RS256"),
            "ec": elliptic_key(),
            "ed": SigningKey(ed25519.Ed25519PrivateKey.generate(), OKPAlgorithm, "EdDSA"),
        }
        self.fetched = 0
        self._clients: dict[str, OAuthClientInformationFull] = {}
        self._codes: dict[str, AuthorizationCode] = {}

    def token(
        self, audience: str, *, algorithm: str = "RS256", kid: str | None = "rsa", **claims: object
    ) -> str:
        """A token for this audience. A claim that is `None` is left out."""
        now = int(time.time())
        usual = {"iss": self.url, "sub": "alice", "aud": audience, "exp": now + 300, "scope": "browser"}
        given = {name: claim for name, claim in {**usual, **claims}.items() if claim is not None}
        key = self.keys[kid].private if kid in self.keys else RSA
        return jwt.encode(given, key, algorithm, headers={"kid": kid} if kid else None)

    def key_set(self) -> list[dict[str, Any]]:
        """The public keys, as JWKs."""
        listed = []
        for kid, key in self.keys.items():
            public = key.kind.to_jwk(key.private.public_key(), as_dict=True)
            listed.append({**public, "kid": kid, "alg": key.algorithm, "use": "sig"})
        return listed

    def app(self) -> Starlette:
        """The server, with what the SDK's lacks: the published keys."""
        registration = ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES)
        url = AnyHttpUrl(self.url)
        metadata = build_metadata(url, None, registration, RevocationOptions()).model_dump(
            mode="json", exclude_none=True
        )
        metadata |= {"issuer": self.url, "jwks_uri": f"{self.url}jwks"}

        async def describe(_: Request) -> JSONResponse:
            return JSONResponse(metadata)

        async def publish(_: Request) -> JSONResponse:
            self.fetched += 1
            return JSONResponse({"keys": self.key_set()})

        routes = create_auth_routes(self, url, client_registration_options=registration)
        own = [
            Route("/.well-known/oauth-authorization-server", describe),
            Route("/jwks", publish),
        ]
        return Starlette(routes=[*own, *routes])

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """The client that has registered under this id."""
        return self._clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Takes every client."""
        assert client_info.client_id
        self._clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Sends the browser back with a code, without asking anybody."""
        assert client.client_id
        code = AuthorizationCode(
            code=secrets.token_urlsafe(),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self._codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        authorization_code: str,
    ) -> AuthorizationCode | None:
        """The code that was given."""
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        """A token for the resource that the client has named."""
        assert authorization_code.resource
        scope = " ".join(authorization_code.scopes)
        token = self.token(authorization_code.resource, scope=scope)
        return OAuthToken(access_token=token, expires_in=300, scope=scope)

    async def load_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        refresh_token: str,  # noqa: ARG002
    ) -> RefreshToken | None:
        """There are none."""
        return None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """There are none."""
        raise NotImplementedError

    async def load_access_token(self, token: str) -> AccessToken | None:  # noqa: ARG002
        """Nobody asks here: the tokens speak for themselves."""
        return None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Not offered."""
        raise NotImplementedError


@contextmanager
def issuer() -> Iterator[Issuer]:
    """The authorization server, on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        served = Issuer(listener.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(served.app(), log_level="error"))
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield served
        finally:
            server.should_exit = True
            thread.join()


def free_port() -> int:
    """A port that was free just now, for a server whose address must be known before it starts."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
