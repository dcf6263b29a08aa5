"""The names of the server module of early patchright-mcp versions, for scripts and tests that use them.

`_login_timeout_timestamp` and `_LOGIN_COOLDOWN_SECONDS` look like variables of this module, but their values
are in the engine, shared by the whole process. So assignments here also affect tool calls over MCP.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import sys
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import _core
from .browser import PatchrightBrowser

__all__ = ["browser", "call_tool", "list_tools", "main", "run", "server"]


@dataclass
class TextContent:
    """A text in the result of a tool."""

    text: str
    type: str = "text"


@dataclass
class ImageContent:
    """An image in the result of a tool."""

    data: str
    mimeType: str  # noqa: N815 - as the protocol spells it.
    type: str = "image"


@dataclass
class Tool:
    """The description of a tool."""

    name: str
    description: str
    inputSchema: dict[str, Any]  # noqa: N815 - as the protocol spells it.
    title: str | None = None
    annotations: dict[str, Any] | None = None


class Server:
    """The server with its two methods."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def list_tools(self) -> list[Any]:
        """Returns the descriptions of the five `patchright_*` tools."""
        return await list_tools()

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """Calls a tool; see the function `call_tool`."""
        return await call_tool(name, arguments)


server: Server = Server("patchright-mcp")
browser: PatchrightBrowser = PatchrightBrowser(headless=True, timeout=30)

# Properties of `_Module` below read and write these two in the engine.
_login_timeout_timestamp: float | None
_LOGIN_COOLDOWN_SECONDS: float

_cooldown = _core.CooldownState()


def _is_login_timeout_error(error: str) -> bool:
    """Returns whether an error text says that the user did not log in or pass a challenge in time."""
    return _core.is_login_timeout(error)


def _check_cooldown() -> Any:  # noqa: ANN401 - the class depends on whether the SDK is there.
    """Returns the message during a cooldown, or `None`. Clears a cooldown that is over."""
    message = _cooldown.check()
    return None if message is None else _content({"type": "text", "text": message})


def _record_login_timeout() -> Any:  # noqa: ANN401
    """Starts a cooldown now, and returns its message."""
    return _content({"type": "text", "text": _cooldown.record()})


async def list_tools() -> list[Any]:
    """Returns the descriptions of the five `patchright_*` tools."""
    return [_shaped("Tool", Tool, tool) for tool in json.loads(_core.list_patchright_tools())]


async def call_tool(name: str, arguments: dict[str, Any]) -> list[Any]:
    """Calls a tool like an MCP client. A login timeout starts a cooldown, during which calls are rejected.

    Raises:
        ValueError: If there is no tool with this name.
    """
    atexit.unregister(_core.close_tools)
    atexit.register(_core.close_tools)
    result = json.loads(await _core.call_tool(name, json.dumps(arguments)))
    return [_content(part) for part in result["content"]]


async def main() -> None:
    """Serves over standard input and output until the client disconnects."""
    await asyncio.to_thread(_core.main, sys.argv[1:])


def run() -> int:
    """Serves over standard input and output until the client disconnects; returns the exit status."""
    return _core.main(sys.argv[1:])


def _content(part: dict[str, Any]) -> Any:  # noqa: ANN401
    if part["type"] == "image":
        return _shaped("ImageContent", ImageContent, part)
    return _shaped("TextContent", TextContent, part)


def _shaped(name: str, own: type, values: dict[str, Any]) -> Any:  # noqa: ANN401
    """Creates an object of the MCP SDK's class if the caller has imported the SDK, otherwise of `own`."""
    theirs = getattr(sys.modules.get("mcp.types"), name, None)
    if theirs is not None:
        return theirs.model_validate(values)
    known = own.__dataclass_fields__  # type: ignore[attr-defined]
    return own(**{key: value for key, value in values.items() if key in known})


class _Module(ModuleType):
    """The class of this module, with two properties whose values are in the engine."""

    @property
    def _login_timeout_timestamp(self) -> float | None:
        return _cooldown.since

    @_login_timeout_timestamp.setter
    def _login_timeout_timestamp(self, value: float | None) -> None:
        _cooldown.since = None if value is None else float(value)

    @property
    def _LOGIN_COOLDOWN_SECONDS(self) -> float:  # noqa: N802 - the name is the original's.
        period = _cooldown.period
        return int(period) if period.is_integer() else period

    @_LOGIN_COOLDOWN_SECONDS.setter
    def _LOGIN_COOLDOWN_SECONDS(self, value: float) -> None:  # noqa: N802
        _cooldown.period = float(value)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """Returns the variables with the engine's current values, for code that patches the module."""
        names = vars(ModuleType)["__dict__"].__get__(self)
        names["_login_timeout_timestamp"] = self._login_timeout_timestamp
        names["_LOGIN_COOLDOWN_SECONDS"] = self._LOGIN_COOLDOWN_SECONDS
        return names  # type: ignore[no-any-return]


sys.modules[__name__].__class__ = _Module
_cooldown.use_clock(lambda: time.time())  # noqa: PLW0108 - looked up at each call: tests patch it.
