"""Types of dictionaries that the library accepts and returns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict


class Position(TypedDict):
    """A position within an element, in CSS pixels."""

    x: float
    y: float


class FloatRect(TypedDict):
    """A rectangle of a page, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


class ViewportSize(TypedDict):
    """The size of a viewport, in CSS pixels."""

    width: int
    height: int


class Geolocation(TypedDict, total=False):
    """A geolocation in degrees; the accuracy is in metres."""

    latitude: float
    longitude: float
    accuracy: float | None


class HttpCredentials(TypedDict, total=False):
    """Credentials for HTTP authentication."""

    username: str
    password: str
    origin: str | None
    send: Literal["always", "unauthorized"] | None


class ProxySettings(TypedDict, total=False):
    """A proxy, such as `http://host:3128`, and hosts that bypass it."""

    server: str
    bypass: str | None
    username: str | None
    password: str | None


class FilePayload(TypedDict):
    """A file by its content. `mimeType` is the MIME type that a file input reports to the page."""

    name: str
    mimeType: str
    buffer: bytes


Files: TypeAlias = str | Path | FilePayload | Sequence[str | Path | FilePayload]
"""Files by their path or their content: one, or several."""


class DropPayload(TypedDict, total=False):
    """The data to drop on an element: files, by path or content, and texts by MIME type."""

    files: Files | None
    data: dict[str, str] | None


class PdfMargins(TypedDict, total=False):
    """Page margins: texts such as `2cm`, or numbers of CSS pixels."""

    top: str | float | None
    right: str | float | None
    bottom: str | float | None
    left: str | float | None


class SourceLocation(TypedDict):
    """A position in a script."""

    url: str
    lineNumber: int
    columnNumber: int
    line: int
    column: int


class WebErrorLocation(TypedDict):
    """The position of an error in a script. Line and column are counted from 0."""

    url: str
    line: int
    column: int


class _Cookie(TypedDict):
    name: str
    value: str
    domain: str
    path: str
    expires: float
    httpOnly: bool
    secure: bool
    sameSite: Literal["Lax", "None", "Strict"]


class Cookie(_Cookie, total=False):
    """A cookie. `expires` is a Unix time in seconds; -1 for the end of the session."""

    partitionKey: str | None


class SetCookieParam(TypedDict, total=False):
    """A cookie to add, with `url` or with both `domain` and `path`. `expires` is a Unix time."""

    name: str
    value: str
    url: str | None
    domain: str | None
    path: str | None
    expires: float | None
    httpOnly: bool | None
    secure: bool | None
    sameSite: Literal["Lax", "None", "Strict"] | None
    partitionKey: str | None


StorageStateCookie: TypeAlias = Cookie


class LocalStorageEntry(TypedDict):
    """An item of local storage."""

    name: str
    value: str


class OriginState(TypedDict):
    """The storage of an origin."""

    origin: str
    localStorage: list[LocalStorageEntry]


class VirtualCredential(TypedDict):
    """A passkey. Bytes are in base64url, the private key is PKCS #8, the public key X.509."""

    id: str
    rpId: str
    userHandle: str
    privateKey: str
    publicKey: str
    signCount: int


class _StorageState(TypedDict):
    cookies: list[StorageStateCookie]
    origins: list[OriginState]


class StorageState(_StorageState, total=False):
    """Cookies and storage of a context, and its passkeys on request."""

    credentials: list[VirtualCredential]


class ClientCertificate(TypedDict, total=False):
    """A TLS client certificate."""

    origin: str
    certPath: str | Path | None
    cert: bytes | None
    keyPath: str | Path | None
    key: bytes | None
    pfxPath: str | Path | None
    pfx: bytes | None
    passphrase: str | None


AriaRole: TypeAlias = str
"""A role of the accessibility specification, such as `button`."""


class ScreencastSize(TypedDict):
    """The maximum size of screencast frames, in pixels; larger ones are scaled down."""

    width: int
    height: int


class ScreencastFrame(TypedDict):
    """A screencast frame: JPEG data, the time in ms since 1970, and the viewport's size in CSS pixels."""

    data: bytes
    timestamp: float
    viewportWidth: int
    viewportHeight: int


class ScreencastActionStyle(TypedDict, total=False):
    """The style of the overlays of `Screencast.show_actions`: CSS declarations for each part."""

    point: str | None
    highlight: str | None
    title: str | None


class Wall(TypedDict):
    """A challenge that only a human can pass, such as a login or captcha: its kind, URL and description."""

    kind: Literal["login", "captcha", "unusual_traffic", "challenge"]
    url: str
    what: str


class BrowserBindResult(TypedDict):
    """The result of `Browser.bind`: the address through which other scripts connect."""

    endpoint: str


class DebuggerLocation(TypedDict):
    """A position in a script."""

    file: str
    line: int | None
    column: int | None


class DebuggerPausedDetails(TypedDict):
    """The position of a paused script, and the call that it is paused before."""

    location: DebuggerLocation
    title: str


class WebMCPToolAnnotations(TypedDict, total=False):
    """The annotations that a page gives one of its WebMCP tools."""

    readOnly: bool | None
    untrustedContent: bool | None
    consequential: bool | None


class WebMCPTool(TypedDict, total=False):
    """A tool that a page offers to agents (WebMCP), as the page describes it."""

    name: str
    description: str
    inputSchema: Any | None
    annotations: WebMCPToolAnnotations | None


class NameValue(TypedDict):
    """A name and its value: a header, or a storage item."""

    name: str
    value: str


class RemoteAddr(TypedDict):
    """The address of a server."""

    ipAddress: str
    port: int


class SecurityDetails(TypedDict, total=False):
    """The certificate of a server; times are Unix times in seconds."""

    issuer: str
    protocol: str
    subjectName: str
    validFrom: float
    validTo: float


class ResourceTiming(TypedDict):
    """Times of a request, in ms after `startTime`, which is in ms since 1970; -1 if unavailable."""

    startTime: float
    domainLookupStart: float
    domainLookupEnd: float
    connectStart: float
    secureConnectionStart: float
    connectEnd: float
    requestStart: float
    responseStart: float
    responseEnd: float


class RequestSizes(TypedDict):
    """The sizes of a request and its response on the network, in bytes."""

    requestBodySize: int
    requestHeadersSize: int
    responseBodySize: int
    responseHeadersSize: int


class RequestOptions(TypedDict, total=False):
    """Options of an API request."""

    params: dict[str, str | float | bool] | str | None
    headers: dict[str, str] | None
    data: Any
    form: Any
    multipart: Any
    timeout: float | timedelta | None
    fail_on_status_code: bool | None
    ignore_https_errors: bool | None
    max_redirects: int | None
    max_retries: int | None


class TracingGroupLocation(TypedDict, total=False):
    """The position of a trace group in a script."""

    file: str
    line: int
    column: int
