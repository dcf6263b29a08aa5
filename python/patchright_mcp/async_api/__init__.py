"""The asynchronous library: Playwright's API on an undetected engine."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._bodies import FormData
from .._compatible import uses_playwright_compatibility
from .._typed import (
    BrowserBindResult,
    ClientCertificate,
    Cookie,
    DebuggerLocation,
    DebuggerPausedDetails,
    FilePayload,
    FloatRect,
    Geolocation,
    HttpCredentials,
    PdfMargins,
    Position,
    ProxySettings,
    ResourceTiming,
    ScreencastActionStyle,
    ScreencastFrame,
    ScreencastSize,
    SetCookieParam,
    SourceLocation,
    StorageState,
    StorageStateCookie,
    ViewportSize,
    VirtualCredential,
    Wall,
    WebErrorLocation,
    WebMCPTool,
    WebMCPToolAnnotations,
)
from ..errors import Error, TargetClosedError, TimeoutError  # noqa: A004
from ._base import ApiObject, Connection
from ._disposable import Disposable
from ._runtime import check_no_loop
from .api_request import APIRequest, APIRequestContext, APIResponse
from .assertions import APIResponseAssertions, Expect, LocatorAssertions, PageAssertions, expect
from .browser import Browser, BrowserType
from .cdp import CDPSession
from .clock import Clock
from .console import ConsoleMessage, WebError
from .context import BrowserContext
from .credentials import Credentials
from .debugger import Debugger
from .dialog import Dialog, FileChooser
from .frame import Frame
from .handle import ElementHandle, JSHandle
from .input import Keyboard, Mouse, Touchscreen
from .locator import FrameLocator, Locator
from .network import Download, Request, Response, WebSocket, Worker
from .page import Page
from .reading import CrawlReport, KeptAnswer, KeptAnswers
from .routing import Route
from .selectors import Selectors
from .storage import WebStorage
from .tracing import Tracing
from .video import Screencast, Video
from .web_mcp import WebMCP
from .web_socket_route import WebSocketRoute

__all__ = [
    "APIRequest",
    "APIRequestContext",
    "APIResponse",
    "APIResponseAssertions",
    "Browser",
    "BrowserBindResult",
    "BrowserContext",
    "BrowserType",
    "CDPSession",
    "ChromiumBrowserContext",
    "ClientCertificate",
    "Clock",
    "ConsoleMessage",
    "Cookie",
    "CrawlReport",
    "Credentials",
    "Debugger",
    "DebuggerLocation",
    "DebuggerPausedDetails",
    "Dialog",
    "Disposable",
    "Download",
    "ElementHandle",
    "Error",
    "Expect",
    "FileChooser",
    "FilePayload",
    "FloatRect",
    "FormData",
    "Frame",
    "FrameLocator",
    "Geolocation",
    "HttpCredentials",
    "JSHandle",
    "KeptAnswer",
    "KeptAnswers",
    "Keyboard",
    "Locator",
    "LocatorAssertions",
    "Mouse",
    "Page",
    "PageAssertions",
    "PdfMargins",
    "Playwright",
    "PlaywrightContextManager",
    "Position",
    "ProxySettings",
    "Request",
    "ResourceTiming",
    "Response",
    "Route",
    "Screencast",
    "ScreencastActionStyle",
    "ScreencastFrame",
    "ScreencastSize",
    "Selectors",
    "SetCookieParam",
    "SourceLocation",
    "StorageState",
    "StorageStateCookie",
    "TargetClosedError",
    "TimeoutError",
    "Touchscreen",
    "Tracing",
    "Video",
    "ViewportSize",
    "VirtualCredential",
    "Wall",
    "WebError",
    "WebErrorLocation",
    "WebMCP",
    "WebMCPTool",
    "WebMCPToolAnnotations",
    "WebSocket",
    "WebSocketRoute",
    "WebStorage",
    "Worker",
    "async_playwright",
    "expect",
]

ChromiumBrowserContext = BrowserContext


def _devices(*, compatible: bool) -> dict[str, dict[str, Any]]:
    devices: dict[str, dict[str, Any]] = _core.devices()
    if compatible:
        # Replaces user agents that contain the device model, which current browsers omit.
        for name, options in devices.items():
            model = name.removesuffix(" landscape")
            if "user_agent" in options:
                options["user_agent"] = options["user_agent"].replace(
                    "Android 10; K)", f"Android 10; {model})"
                )
    return devices


class Playwright(ApiObject):
    """The entry point of the library."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.chromium: BrowserType = BrowserType(connection, "chromium")
        """Chromium, Chrome and Edge."""
        self.firefox: BrowserType = BrowserType(connection, "firefox")
        """Firefox, version 153 or newer."""
        self.webkit: BrowserType = BrowserType(connection, "webkit")
        """WebKit, which cannot be launched here: only the MCP server's sessions support it."""
        self.request: APIRequest = APIRequest(connection)
        """Sends requests without a browser."""
        self.selectors: Selectors = Selectors(connection)
        """Settings of selectors: custom engines, and the test id attribute."""
        self.devices: dict[str, dict[str, Any]] = _devices(compatible=connection.compatible)
        """The context options that emulate each device, by the device's name."""

    def __getitem__(self, value: str) -> BrowserType:
        if value in ("chromium", "firefox", "webkit"):
            browser_type: BrowserType = getattr(self, value)
            return browser_type
        raise ValueError(f"Invalid browser {value}")

    async def stop(self) -> None:
        """Closes all browsers and disconnects from the engine."""
        for item in list(self._connection._known.values()):
            if isinstance(item, Browser):
                await item.close()
        self._runtime.close()


class PlaywrightContextManager:
    """Starts the library, by `start()` or in a `with` block."""

    def __init__(self, *, compatible: bool = False) -> None:
        self._playwright: Playwright | None = None
        self._compatible = compatible

    async def start(self) -> Playwright:
        """Starts the library and returns its entry point. End it with `Playwright.stop`."""
        check_no_loop()
        self._playwright = Playwright(Connection(compatible=self._compatible))
        return self._playwright

    async def __aenter__(self) -> Playwright:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        if self._playwright is not None:
            await self._playwright.stop()


def async_playwright(*, playwright_compatible: bool | None = None) -> PlaywrightContextManager:
    """Returns the entry point: `async with async_playwright() as playwright`.

    `playwright_compatible` switches off the intended differences from Playwright: scripts run in the page's own world,
    input is instant, pages are 1280 by 720, all have the focus, and they may open windows. The environment variable
    `PATCHRIGHT_MCP_PLAYWRIGHT_COMPATIBLE=1` sets the default.
    """
    return PlaywrightContextManager(compatible=uses_playwright_compatibility(playwright_compatible))
