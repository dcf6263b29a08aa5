"""The shapes of dictionaries that the library takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict


class Position(TypedDict):
    """A place within an element, in CSS pixels."""

    x: float
    y: float


class FloatRect(TypedDict):
    """A part of a page, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


class ViewportSize(TypedDict):
    """How large a page is, in CSS pixels."""

    width: int
    height: int


class Geolocation(TypedDict, total=False):
    """A place on Earth, in degrees; the accuracy is in metres."""

    latitude: float
    longitude: float
    accuracy: float | None


class HttpCredentials(TypedDict, total=False):
    """A name and a password for servers that ask for them."""

    username: str
    password: str
    origin: str | None
    send: Literal["always", "unauthorized"] | None


class ProxySettings(TypedDict, total=False):
    """A proxy, such as `http://host:3128`, and the hosts to reach without it."""

    server: str
    bypass: str | None
    username: str | None
    password: str | None


class FilePayload(TypedDict):
    """A file by its content. Pages are told the type that goes with its name, whatever `mimeType` says."""

    name: str
    mimeType: str
    buffer: bytes


Files: TypeAlias = str | Path | FilePayload | Sequence[str | Path | FilePayload]
"""Files by their path or their content: one, or several."""


class DropPayload(TypedDict, total=False):
    """What is dropped on an element: files, by path or content, and texts by their kinds."""

    files: Files | None
    data: dict[str, str] | None


class PdfMargins(TypedDict, total=False):
    """Margins of a page on paper: texts such as `2cm`, or numbers of CSS pixels."""

    top: str | float | None
    right: str | float | None
    bottom: str | float | None
    left: str | float | None


class SourceLocation(TypedDict):
    """A place in a script."""

    url: str
    lineNumber: int
    columnNumber: int
    line: int
    column: int


class WebErrorLocation(TypedDict):
    """Where an error was thrown, counted from 0."""

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
    """A cookie as the browser has it. `expires` is in seconds since 1970; -1 for the end of the session."""

    partitionKey: str | None


class SetCookieParam(TypedDict, total=False):
    """A cookie to put in, with `url` or with both `domain` and `path`. `expires` is in seconds since 1970."""

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
    """One value of a storage."""

    name: str
    value: str


class OriginState(TypedDict):
    """What one origin has stored."""

    origin: str
    localStorage: list[LocalStorageEntry]


class VirtualCredential(TypedDict):
    """A passkey. Bytes are in base64url, the private key is PKCS #8, the public one as X.509 writes it."""

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
    """Cookies and storage of a context, and its passkeys where they were asked for."""

    credentials: list[VirtualCredential]


class ClientCertificate(TypedDict, total=False):
    """A certificate for servers that ask for one."""

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
    """What pictures of a page are scaled down to fit into, in pixels."""

    width: int
    height: int


class ScreencastFrame(TypedDict):
    """A picture of a page, as JPEG; when it was drawn, in ms since 1970; and the viewport, in CSS pixels."""

    data: bytes
    timestamp: float
    viewportWidth: int
    viewportHeight: int


class ScreencastActionStyle(TypedDict, total=False):
    """How actions are drawn: declarations of CSS for each part."""

    point: str | None
    highlight: str | None
    title: str | None


class Wall(TypedDict):
    """What stands between a visitor and a page: its kind, the address, and what it is in words."""

    kind: Literal["login", "captcha", "unusual_traffic", "challenge"]
    url: str
    what: str


class BrowserBindResult(TypedDict):
    """Where others find a browser."""

    endpoint: str


class DebuggerLocation(TypedDict):
    """A place in a script."""

    file: str
    line: int | None
    column: int | None


class DebuggerPausedDetails(TypedDict):
    """Where a script stands, and before what."""

    location: DebuggerLocation
    title: str


class WebMCPToolAnnotations(TypedDict, total=False):
    """What a page says of a tool."""

    readOnly: bool | None
    untrustedContent: bool | None
    consequential: bool | None


class WebMCPTool(TypedDict, total=False):
    """A tool that a page offers, in its own words."""

    name: str
    description: str
    inputSchema: Any | None
    annotations: WebMCPToolAnnotations | None


class NameValue(TypedDict):
    """One header."""

    name: str
    value: str


class RemoteAddr(TypedDict):
    """Where an answer came from."""

    ipAddress: str
    port: int


class SecurityDetails(TypedDict, total=False):
    """The certificate of a server; times are in seconds since 1970."""

    issuer: str
    protocol: str
    subjectName: str
    validFrom: float
    validTo: float


class ResourceTiming(TypedDict):
    """When what happened, in ms after `startTime`, which is in ms since 1970; -1 for what did not."""

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
    """How many bytes went over the wire."""

    requestBodySize: int
    requestHeadersSize: int
    responseBodySize: int
    responseHeadersSize: int


class RequestOptions(TypedDict, total=False):
    """How a request without a page is sent."""

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
    """Where a group of a trace stands in a script."""

    file: str
    line: int
    column: int
