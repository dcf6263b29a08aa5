"""Runs programs of the tool `browser_run_python`: a thread with an event loop, and persistent variables."""

from __future__ import annotations

import ast
import asyncio
import ctypes
import inspect
import io
import linecache
import os
import sys
import threading
import traceback
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from . import async_api
from .async_api import Browser, BrowserType, Page
from .async_api._base import Connection

if TYPE_CHECKING:
    from types import CodeType

    from ._core import BrowserContext as NativeContext
    from ._core import Ended, Operation, ProgramGate
    from ._core import Page as NativePage


class _Stopped(BaseException):
    """Raised asynchronously in the thread that runs programs, to stop Python code that never awaits."""


class _Printed(io.TextIOBase):
    """The output of a program, up to a limit."""

    def __init__(self, room: int) -> None:
        self._parts: list[str] = []
        self._left = room
        self.all = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.all += len(text)
        if self._left > 0:
            self._parts.append(text[: self._left])
            self._left -= len(text)
        return len(text)

    def text(self) -> str:
        """Returns the output up to the limit."""
        return "".join(self._parts)


_PRINTED: ContextVar[_Printed | None] = ContextVar("_PRINTED", default=None)


class _Stream(io.TextIOBase):
    """A stream that collects a program's output. Other output goes to standard error, as MCP uses stdout."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        sink = _PRINTED.get() or sys.__stderr__
        return sink.write(text) if sink is not None else len(text)

    def flush(self) -> None:
        if _PRINTED.get() is None and sys.__stderr__ is not None:
            sys.__stderr__.flush()


class RunningProgram:
    """A running program."""

    def __init__(self, notebook: Notebook, room: int, ended: Ended) -> None:
        self._notebook = notebook
        self._sink = _Printed(room)
        self._ended = ended
        self._failure: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_done = False

    def printed(self) -> tuple[str, int, str | None]:
        """Returns the output, the length of the full output, and the error that ended the program."""
        return self._sink.text(), self._sink.all, self._failure

    def stop(self, wherever: bool) -> None:
        """Stops the program at its next `await`, or with `wherever` also within Python code."""
        if self._is_done:
            return
        self._notebook.call(self._cancel)
        if wherever:
            self._notebook.interrupt()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def begin(self, program: str, page: NativePage) -> None:
        """Starts the program. Called in the notebook's thread."""
        _PRINTED.set(self._sink)
        try:
            code = self._notebook.compile_program(program)
            self._notebook.set_page(page)
            self._task = asyncio.get_running_loop().create_task(self._run(code))
        except BaseException as error:  # noqa: BLE001
            self._finish(error)
            return
        self._task.add_done_callback(self._done)

    async def _run(self, code: CodeType) -> None:
        # All programs of a notebook share their global variables.
        value = eval(code, self._notebook.names)  # noqa: S307
        if inspect.isawaitable(value):
            await value

    def _done(self, task: asyncio.Task[None]) -> None:
        self._finish(asyncio.CancelledError() if task.cancelled() else task.exception())

    def _finish(self, error: BaseException | None) -> None:
        if error is not None and not (isinstance(error, SystemExit) and error.code in (None, 0)):
            self._failure = _reported(error)
        self._is_done = True
        self._notebook.end_program()
        self._ended.set()


class Notebook:
    """Runs programs one after the other, with shared variables."""

    def __init__(self, gate: ProgramGate) -> None:
        _take_streams()
        self._gate = gate
        self._loop = asyncio.new_event_loop()
        self._connection: Connection | None = None
        self._count = 0
        self._is_open = True
        self.names: dict[str, Any] = {"__name__": "__program__", "asyncio": asyncio}
        # The interactive `exit` and `quit` would close standard input.
        self.names |= {"exit": sys.exit, "quit": sys.exit}
        self.names |= {name: getattr(async_api, name) for name in ("Error", "TimeoutError", "expect")}
        self._thread = threading.Thread(target=self._live, name="programs", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        while self._is_open:
            # An interrupt may arrive after its program has ended. `exit` must not end the thread.
            with suppress(_Stopped, SystemExit, KeyboardInterrupt):
                self._loop.run_forever()
        if self._connection is not None:
            self._connection.runtime.close()

    def begin(self, program: str, page: NativePage, room: int, ended: Ended) -> RunningProgram:
        """Starts a program whose variable `page` is this page. `room`: the maximum length of its output."""
        work = RunningProgram(self, room, ended)
        self.call(work.begin, program, page)
        return work

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a function in the thread that runs programs."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def interrupt(self) -> None:
        """Raises an exception in the thread that runs programs, to stop Python code."""
        thread = ctypes.c_ulong(self._thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Stopped))

    def compile_program(self, program: str) -> CodeType:
        """Compiles a program, in which `await` is allowed everywhere."""
        self._count += 1
        name = f"<program {self._count}>"
        linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
        code: CodeType = compile(
            program, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        return code

    def set_page(self, native: NativePage) -> None:
        """Sets the program's variables `page` and `context`."""
        if self._connection is None:
            self._connection = Connection()
            self._connection.attached = self
        connection = self._connection
        within, around = native.context, native.context.browser
        browser = connection.find_object(around.key)
        if not isinstance(browser, Browser):
            browser = Browser(BrowserType(connection, "chromium"), around, None)
        if within.key not in browser._contexts:
            within.follow(connection.runtime.dispatcher)
        context = browser._context_of(within, {})
        action_ms, navigation_ms = self._gate.limits
        context.set_default_timeout(action_ms)
        context.set_default_navigation_timeout(navigation_ms)
        page: Page = context._page_of(native)
        self.names |= {"page": page, "context": context}
        connection.program_works = True

    def end_program(self) -> None:
        """Lets the server answer dialogs again, after a program has ended."""
        if self._connection is not None:
            self._connection.program_works = False

    def permit(self, url: str) -> Operation:
        """Checks a URL against the server's rules; see `ProgramGate.permit`."""
        return self._gate.permit(url)

    def delegate_unmatched_requests(self, context: NativeContext, decides: bool) -> None:
        """Sets whether programs decide about requests of a context."""
        self._gate.delegate_unmatched_requests(context, decides)

    def close(self) -> None:
        """Ends the thread, once its current program has ended."""
        self._is_open = False
        self.call(self._loop.stop)


def _take_streams() -> None:
    if isinstance(sys.stdout, _Stream):
        return
    sys.stdout = sys.stderr = _Stream()
    # Standard input carries the MCP protocol, so programs must not read it.
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115


def _reported(error: BaseException) -> str:
    """Returns an error with its position in the program."""
    if isinstance(error, asyncio.CancelledError):
        return "The program was stopped"
    reported = traceback.TracebackException.from_exception(error)
    ours = [frame for frame in reported.stack if frame.filename.startswith("<program ")]
    reported.stack = traceback.StackSummary.from_list(ours)
    return "".join(reported.format(chain=False)).strip()
