from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal, TypeAlias, TypeVar, overload

from ..errors import Error
from ._base import ApiObject, Waiter
from ._runtime import EventContextManager
from .browser import Browser
from .console import ConsoleMessage, WebError
from .context import BrowserContext
from .dialog import Dialog, FileChooser
from .frame import Frame
from .network import Download, Request, Response, WebSocket, Worker
from .page import Page

_T = TypeVar("_T")
Handler: TypeAlias = Callable[[_T], Any] | Callable[[], Any]
Predicate: TypeAlias = Callable[[_T], Any] | None
Timeout: TypeAlias = float | timedelta | None

class ExpectsEvents(ApiObject):
    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: Timeout
    ) -> Waiter[Any]: ...

class AwaitsEvents(ExpectsEvents):
    async def wait_for_event(
        self, event: str, predicate: Callable[..., Any] | None = None, *, timeout: Timeout = None
    ) -> Any: ...

class PageEvents(AwaitsEvents):
    @overload
    def on(
        self, event: Literal["close", "crash", "domcontentloaded", "load", "popup"], f: Handler[Page]
    ) -> None: ...
    @overload
    def on(
        self, event: Literal["request", "requestfailed", "requestfinished"], f: Handler[Request]
    ) -> None: ...
    @overload
    def on(self, event: Literal["response"], f: Handler[Response]) -> None: ...
    @overload
    def on(
        self, event: Literal["frameattached", "framedetached", "framenavigated"], f: Handler[Frame]
    ) -> None: ...
    @overload
    def on(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def on(self, event: Literal["pageerror"], f: Handler[Error]) -> None: ...
    @overload
    def on(self, event: Literal["dialog", "dialogclosed"], f: Handler[Dialog]) -> None: ...
    @overload
    def on(self, event: Literal["download"], f: Handler[Download]) -> None: ...
    @overload
    def on(self, event: Literal["filechooser"], f: Handler[FileChooser]) -> None: ...
    @overload
    def on(self, event: Literal["websocket"], f: Handler[WebSocket]) -> None: ...
    @overload
    def on(self, event: Literal["worker"], f: Handler[Worker]) -> None: ...
    @overload
    def on(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def once(
        self, event: Literal["close", "crash", "domcontentloaded", "load", "popup"], f: Handler[Page]
    ) -> None: ...
    @overload
    def once(
        self, event: Literal["request", "requestfailed", "requestfinished"], f: Handler[Request]
    ) -> None: ...
    @overload
    def once(self, event: Literal["response"], f: Handler[Response]) -> None: ...
    @overload
    def once(
        self, event: Literal["frameattached", "framedetached", "framenavigated"], f: Handler[Frame]
    ) -> None: ...
    @overload
    def once(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def once(self, event: Literal["pageerror"], f: Handler[Error]) -> None: ...
    @overload
    def once(self, event: Literal["dialog", "dialogclosed"], f: Handler[Dialog]) -> None: ...
    @overload
    def once(self, event: Literal["download"], f: Handler[Download]) -> None: ...
    @overload
    def once(self, event: Literal["filechooser"], f: Handler[FileChooser]) -> None: ...
    @overload
    def once(self, event: Literal["websocket"], f: Handler[WebSocket]) -> None: ...
    @overload
    def once(self, event: Literal["worker"], f: Handler[Worker]) -> None: ...
    @overload
    def once(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def expect_event(
        self,
        event: Literal["close", "crash", "domcontentloaded", "load", "popup"],
        predicate: Predicate[Page] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Page]: ...
    @overload
    def expect_event(
        self,
        event: Literal["request", "requestfailed", "requestfinished"],
        predicate: Predicate[Request] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Request]: ...
    @overload
    def expect_event(
        self, event: Literal["response"], predicate: Predicate[Response] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Response]: ...
    @overload
    def expect_event(
        self,
        event: Literal["frameattached", "framedetached", "framenavigated"],
        predicate: Predicate[Frame] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Frame]: ...
    @overload
    def expect_event(
        self,
        event: Literal["console"],
        predicate: Predicate[ConsoleMessage] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[ConsoleMessage]: ...
    @overload
    def expect_event(
        self, event: Literal["pageerror"], predicate: Predicate[Error] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Error]: ...
    @overload
    def expect_event(
        self,
        event: Literal["dialog", "dialogclosed"],
        predicate: Predicate[Dialog] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Dialog]: ...
    @overload
    def expect_event(
        self, event: Literal["download"], predicate: Predicate[Download] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Download]: ...
    @overload
    def expect_event(
        self,
        event: Literal["filechooser"],
        predicate: Predicate[FileChooser] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[FileChooser]: ...
    @overload
    def expect_event(
        self, event: Literal["websocket"], predicate: Predicate[WebSocket] = None, *, timeout: Timeout = None
    ) -> EventContextManager[WebSocket]: ...
    @overload
    def expect_event(
        self, event: Literal["worker"], predicate: Predicate[Worker] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Worker]: ...
    @overload
    def expect_event(
        self, event: str, predicate: Callable[..., Any] | None = None, *, timeout: Timeout = None
    ) -> EventContextManager[Any]: ...

class ContextEvents(AwaitsEvents):
    @overload
    def on(
        self, event: Literal["page", "backgroundpage", "pageclose", "pageload"], f: Handler[Page]
    ) -> None: ...
    @overload
    def on(self, event: Literal["close"], f: Handler[BrowserContext]) -> None: ...
    @overload
    def on(
        self, event: Literal["request", "requestfailed", "requestfinished"], f: Handler[Request]
    ) -> None: ...
    @overload
    def on(self, event: Literal["response"], f: Handler[Response]) -> None: ...
    @overload
    def on(
        self, event: Literal["frameattached", "framedetached", "framenavigated"], f: Handler[Frame]
    ) -> None: ...
    @overload
    def on(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def on(self, event: Literal["weberror"], f: Handler[WebError]) -> None: ...
    @overload
    def on(self, event: Literal["dialog", "dialogclosed"], f: Handler[Dialog]) -> None: ...
    @overload
    def on(self, event: Literal["download"], f: Handler[Download]) -> None: ...
    @overload
    def on(self, event: Literal["serviceworker"], f: Handler[Worker]) -> None: ...
    @overload
    def on(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def once(
        self, event: Literal["page", "backgroundpage", "pageclose", "pageload"], f: Handler[Page]
    ) -> None: ...
    @overload
    def once(self, event: Literal["close"], f: Handler[BrowserContext]) -> None: ...
    @overload
    def once(
        self, event: Literal["request", "requestfailed", "requestfinished"], f: Handler[Request]
    ) -> None: ...
    @overload
    def once(self, event: Literal["response"], f: Handler[Response]) -> None: ...
    @overload
    def once(
        self, event: Literal["frameattached", "framedetached", "framenavigated"], f: Handler[Frame]
    ) -> None: ...
    @overload
    def once(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def once(self, event: Literal["weberror"], f: Handler[WebError]) -> None: ...
    @overload
    def once(self, event: Literal["dialog", "dialogclosed"], f: Handler[Dialog]) -> None: ...
    @overload
    def once(self, event: Literal["download"], f: Handler[Download]) -> None: ...
    @overload
    def once(self, event: Literal["serviceworker"], f: Handler[Worker]) -> None: ...
    @overload
    def once(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def expect_event(
        self,
        event: Literal["page", "backgroundpage", "pageclose", "pageload"],
        predicate: Predicate[Page] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Page]: ...
    @overload
    def expect_event(
        self, event: Literal["close"], predicate: Predicate[BrowserContext] = None, *, timeout: Timeout = None
    ) -> EventContextManager[BrowserContext]: ...
    @overload
    def expect_event(
        self,
        event: Literal["request", "requestfailed", "requestfinished"],
        predicate: Predicate[Request] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Request]: ...
    @overload
    def expect_event(
        self, event: Literal["response"], predicate: Predicate[Response] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Response]: ...
    @overload
    def expect_event(
        self,
        event: Literal["frameattached", "framedetached", "framenavigated"],
        predicate: Predicate[Frame] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Frame]: ...
    @overload
    def expect_event(
        self,
        event: Literal["console"],
        predicate: Predicate[ConsoleMessage] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[ConsoleMessage]: ...
    @overload
    def expect_event(
        self, event: Literal["weberror"], predicate: Predicate[WebError] = None, *, timeout: Timeout = None
    ) -> EventContextManager[WebError]: ...
    @overload
    def expect_event(
        self,
        event: Literal["dialog", "dialogclosed"],
        predicate: Predicate[Dialog] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[Dialog]: ...
    @overload
    def expect_event(
        self, event: Literal["download"], predicate: Predicate[Download] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Download]: ...
    @overload
    def expect_event(
        self, event: Literal["serviceworker"], predicate: Predicate[Worker] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Worker]: ...
    @overload
    def expect_event(
        self, event: str, predicate: Callable[..., Any] | None = None, *, timeout: Timeout = None
    ) -> EventContextManager[Any]: ...

class SocketEvents(AwaitsEvents):
    @overload
    def on(self, event: Literal["close"], f: Handler[WebSocket]) -> None: ...
    @overload
    def on(self, event: Literal["framereceived", "framesent"], f: Handler[str | bytes]) -> None: ...
    @overload
    def on(self, event: Literal["socketerror"], f: Handler[str]) -> None: ...
    @overload
    def on(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def once(self, event: Literal["close"], f: Handler[WebSocket]) -> None: ...
    @overload
    def once(self, event: Literal["framereceived", "framesent"], f: Handler[str | bytes]) -> None: ...
    @overload
    def once(self, event: Literal["socketerror"], f: Handler[str]) -> None: ...
    @overload
    def once(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def expect_event(
        self, event: Literal["close"], predicate: Predicate[WebSocket] = None, *, timeout: Timeout = None
    ) -> EventContextManager[WebSocket]: ...
    @overload
    def expect_event(
        self,
        event: Literal["framereceived", "framesent"],
        predicate: Predicate[str | bytes] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[str | bytes]: ...
    @overload
    def expect_event(
        self, event: Literal["socketerror"], predicate: Predicate[str] = None, *, timeout: Timeout = None
    ) -> EventContextManager[str]: ...
    @overload
    def expect_event(
        self, event: str, predicate: Callable[..., Any] | None = None, *, timeout: Timeout = None
    ) -> EventContextManager[Any]: ...

class WorkerEvents(ExpectsEvents):
    @overload
    def on(self, event: Literal["close"], f: Handler[Worker]) -> None: ...
    @overload
    def on(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def on(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def once(self, event: Literal["close"], f: Handler[Worker]) -> None: ...
    @overload
    def once(self, event: Literal["console"], f: Handler[ConsoleMessage]) -> None: ...
    @overload
    def once(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def expect_event(
        self, event: Literal["close"], predicate: Predicate[Worker] = None, *, timeout: Timeout = None
    ) -> EventContextManager[Worker]: ...
    @overload
    def expect_event(
        self,
        event: Literal["console"],
        predicate: Predicate[ConsoleMessage] = None,
        *,
        timeout: Timeout = None,
    ) -> EventContextManager[ConsoleMessage]: ...
    @overload
    def expect_event(
        self, event: str, predicate: Callable[..., Any] | None = None, *, timeout: Timeout = None
    ) -> EventContextManager[Any]: ...

class BrowserEvents(ApiObject):
    @overload
    def on(self, event: Literal["disconnected"], f: Handler[Browser]) -> None: ...
    @overload
    def on(self, event: Literal["context"], f: Handler[BrowserContext]) -> None: ...
    @overload
    def on(self, event: str, f: Callable[..., Any]) -> None: ...
    @overload
    def once(self, event: Literal["disconnected"], f: Handler[Browser]) -> None: ...
    @overload
    def once(self, event: Literal["context"], f: Handler[BrowserContext]) -> None: ...
    @overload
    def once(self, event: str, f: Callable[..., Any]) -> None: ...

class SessionEvents(ApiObject):
    def on(self, event: str, f: Handler[dict[str, Any]]) -> None: ...
    def once(self, event: str, f: Handler[dict[str, Any]]) -> None: ...
