"""The base of all objects: the connection to the engine, and events."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from .._arguments import ChecksArguments
from .._core import Promise
from .._failures import CLOSED, caller
from ..errors import Error, TargetClosedError, TimeoutError  # noqa: A004
from ._runtime import Runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from .._core import BrowserContext as NativeContext
    from .._core import Operation
    from .debugger import Debugger
    from .tracing import Tracing

T = TypeVar("T")
DEFAULT_TIMEOUT = 30_000.0
# The public methods after which the `slow_mo` pause applies.
_SLOWED = frozenset(
    """blur check clear click dblclick dispatch_event down drag_and_drop drag_to drop fill focus go_back go_forward
    goto hover insert_text move press press_sequentially reload scroll_into_view_if_needed select_option select_text
    set_checked set_content set_files set_input_files tap type uncheck up wheel""".split()  # noqa: SIM905
)


class ProgramGate(Protocol):
    """The MCP server's rules for a program that works in the server's browser."""

    def permit(self, url: str) -> Operation:
        """Checks a URL against the rules, and waits if they demand it. Returns the URL to open."""

    def delegate_unmatched_requests(self, context: NativeContext, decides: bool) -> None:
        """Sets whether the program decides about a context's requests that match none of the server's rules."""


class Connection:
    """The connection of one Playwright object to the engine. Routes each event to the object with its key."""

    def __init__(self, *, compatible: bool = False) -> None:
        self.runtime: Runtime = Runtime(self._reported)
        self.compatible = compatible
        """Whether the intended differences from Playwright are switched off."""
        self._known: dict[int, ApiObject] = {}
        self.traced: Tracing | None = None
        """The trace that records calls; `None` while none is running."""
        self.debuggers: list[Debugger] = []
        """The debuggers that may pause the script's next call."""
        self.slow_mo: float = 0.0
        """The pause after each action of the script, in milliseconds."""
        self.attached: ProgramGate | None = None
        """The MCP server's rules, if the script is a program in the server's browser; otherwise `None`."""
        self.program_works = True
        """Whether this script answers dialogs. False after a program in the server's browser has ended."""

    def with_slow_mo(self, milliseconds: float) -> Connection:
        """Returns the same connection with a pause after each action."""
        with_slow_mo = copy.copy(self)
        with_slow_mo.slow_mo = milliseconds
        return with_slow_mo

    def uses_isolated_world(self, wanted: bool | None) -> bool:
        """Returns whether a script runs in the isolated world: as `wanted`, or the default."""
        return not self.compatible if wanted is None else wanted

    def register(self, key: int, item: ApiObject) -> None:
        """Registers an object for events with this key."""
        self._known[key] = item

    def find_object(self, key: int) -> Any:
        """Returns the object with this key, or `None`."""
        return self._known.get(key)

    def unregister(self, key: int) -> None:
        """Unregisters a key."""
        self._known.pop(key, None)

    def _reported(self, name: str, key: int, payload: Any) -> None:
        item = self._known.get(key)
        if item is not None:
            item._reported(name, payload)


@dataclass(eq=False)
class _Handler:
    """An event handler of a script."""

    function: Callable[..., Any]
    takes: int | None
    """How many of an event's arguments the handler accepts; `None` for all."""
    once: bool


class ApiObject(ChecksArguments):
    """An object with events."""

    _is_public = True
    _is_traced = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runtime = connection.runtime
        self._handlers: dict[str, list[_Handler]] = {}

    def on(self, event: str, f: Callable[..., Any]) -> None:
        """Calls `f` each time the event happens."""
        self._add_handler(event, f, once=False)

    def once(self, event: str, f: Callable[..., Any]) -> None:
        """Calls `f` the next time the event happens."""
        self._add_handler(event, f, once=True)

    def remove_listener(self, event: str, f: Callable[..., Any]) -> None:
        """Removes a handler."""
        handlers = self._handlers.get(event, [])
        for handler in handlers:
            if handler.function == f:
                handlers.remove(handler)
                break
        self._listening_changed(event)

    def _add_handler(self, event: str, f: Callable[..., Any], *, once: bool) -> None:
        self._handlers.setdefault(event, []).append(_Handler(f, max_positional_arguments(f), once))
        self._listening_changed(event)

    def _has_handlers(self, event: str) -> bool:
        return bool(self._handlers.get(event))

    def _listening_changed(self, event: str) -> None:
        """Called when the first listener of an event is added, or the last one removed."""

    def _emit(self, event: str, *arguments: Any) -> None:
        handlers = self._handlers.get(event)
        for handler in list(handlers or ()):
            if handler.once and handlers is not None and handler in handlers:
                handlers.remove(handler)
                self._listening_changed(event)
            self._runtime.call(handler.function, *arguments[: handler.takes])

    def _reported(self, name: str, payload: Any) -> None:
        """Handles an event of the engine."""

    async def _run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        for debugger in list(self._connection.debuggers):
            await debugger._met(self)
        traced = self._connection.traced
        if traced is not None and self._is_traced:
            value = await traced._call(self, operation, timeout, log)
        else:
            value = await self._runtime.run(operation, timeout, log)
        if self._connection.slow_mo and caller().rpartition(".")[2] in _SLOWED:
            await self._runtime.sleep(self._connection.slow_mo)
        return value


def accepted_arguments(f: Callable[..., Any], arguments: Sequence[Any]) -> Sequence[Any]:
    """Returns as many of the arguments as `f` accepts."""
    return arguments[: max_positional_arguments(f)]


def max_positional_arguments(f: Callable[..., Any]) -> int | None:
    """Returns how many arguments `f` accepts; `None` for any number."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return None
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in plain for parameter in parameters)


class Closable(ApiObject):
    """An object that is closed at the end of a `with` block."""

    async def close(self) -> None:
        """Closes the object."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


_RULE = "{:=^60}"


class Waiter(Generic[T]):
    """Waits for the first of several events. Counts all events since its creation."""

    def __init__(self, runtime: Runtime, timeout: float, what: str, log: str | None = None) -> None:
        self._runtime = runtime
        self._timeout = timeout
        self._what = what
        self._log = f"\n{_RULE.format(' logs ')}\nwaiting for {log or what}\n{_RULE.format('======')}"
        self._title = caller()
        self._begun = time.monotonic()
        self._promise = Promise()
        self._watched: list[tuple[ApiObject, str, Callable[..., Any]]] = []

    def resolve_on(
        self,
        source: ApiObject,
        event: str,
        predicate: Callable[[Any], Any] | None = None,
        convert: Callable[[Any], Any] | None = None,
    ) -> Waiter[T]:
        """Completes the wait at this event, if `predicate` accepts it."""

        def on_event(payload: Any = None) -> None:
            try:
                accepted = predicate is None or predicate(payload)
                if inspect.isawaitable(accepted):
                    self._runtime.spawn(self._accept_later(accepted, payload, convert))
                elif accepted:
                    self.resolve(convert(payload) if convert else payload)
            except Exception as error:  # noqa: BLE001
                self.reject(error)

        return self._watch(source, event, on_event)

    async def _accept_later(self, accepted: Any, payload: Any, convert: Callable[[Any], Any] | None) -> bool:
        try:
            if await self._runtime.settle(accepted):
                self.resolve(convert(payload) if convert else payload)
        except Exception as error:  # noqa: BLE001
            self.reject(error)
        return self.is_done()

    def reject_on(
        self,
        source: ApiObject,
        event: str,
        make_error: Callable[[Any], Exception],
        predicate: Callable[[Any], bool] | None = None,
    ) -> Waiter[T]:
        """Fails the wait at this event, if `predicate` accepts it."""

        def on_event(payload: Any = None) -> None:
            if predicate is None or predicate(payload):
                self.reject(make_error(payload))

        return self._watch(source, event, on_event)

    def reject_on_close(
        self, source: ApiObject, reason: Callable[[], str | None] = lambda: None
    ) -> Waiter[T]:
        """Fails the wait when this object is closed."""
        prefix = f"{self._title}: " if self._title else ""
        return self.reject_on(
            source, "close", lambda _: TargetClosedError(f"{prefix}{reason() or CLOSED}{self._log}")
        )

    def _watch(self, source: ApiObject, event: str, f: Callable[..., Any]) -> Waiter[T]:
        source._add_handler(event, f, once=False)
        self._watched.append((source, event, f))
        return self

    def resolve(self, value: Any) -> None:
        """Completes the wait with a value."""
        self._promise.resolve(value)
        self.close()

    def reject(self, error: Exception) -> None:
        """Fails the wait."""
        self._promise.reject(error)
        self.close()

    def is_done(self) -> bool:
        """Returns whether the wait has completed or failed."""
        return self._promise.is_done()

    def close(self) -> None:
        """Removes the listeners."""
        for source, event, f in self._watched:
            source.remove_listener(event, f)
        self._watched = []

    async def result(self) -> T:
        """Waits for the result."""
        spent = (time.monotonic() - self._begun) * 1000
        left = max(self._timeout - spent, 0.001) if self._timeout else 0.0
        try:
            return cast("T", await self._runtime.run(self._promise.wait(left)))
        except TimeoutError:
            prefix = f"{self._title}: " if self._title else ""
            end = f" while waiting for {self._what}" if self._what else "."
            raise TimeoutError(f"{prefix}Timeout {self._timeout:g}ms exceeded{end}{self._log}") from None
        finally:
            self.close()


def closed_error(reason: str | None = None) -> Error:
    """Returns the error for a call after a page, context or browser was closed."""
    title = caller()
    return TargetClosedError(f"{title}: {reason or CLOSED}" if title else reason or CLOSED)
