"""Our server, as a client that no one here wrote sees it: the official SDK's."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, ImageContent, TextContent

from tests_py.support import protocol

BROWSER = "chromium"
"""The browser behind every server that names no other: what `pytest --browser` says."""

REF = re.compile(r"\[ref=((?:c\d+)?(?:f\d+)?e\d+)\]")
QUOTED = r'"(?:[^"\\]|\\.)*"'
THING = rf"[a-z]+ (?:{QUOTED}|\[)"
ALIKE = re.compile(rf', (?={THING}(?:[^"]|{QUOTED})*$)')
"""Where the next thing begins on a line that several share."""
HELD = re.compile(rf'^( *)(- [a-z]+(?: {QUOTED})?(?: \[[^\]"]*\])*:) (?={THING})')
"""What holds all things of its line."""


def things(line: str) -> list[str]:
    """A line of an outline as those that each thing on it would have alone."""
    held = HELD.match(line)
    if held is None:
        first, *more = ALIKE.split(line)
        indent = " " * (len(first) - len(first.lstrip()))
        return [first, *(f"{indent}- {one}" for one in more)]
    inside = ALIKE.split(line[held.end() :])
    return [held[1] + held[2], *(f"{held[1]} - {one}" for one in inside)]


@dataclass(frozen=True)
class Reply:
    """What a tool said."""

    text: str
    is_error: bool = False
    images: list[bytes] = field(default_factory=list)
    structured: dict[str, Any] | None = None

    @classmethod
    def read(cls, result: CallToolResult) -> Reply:
        """The parts of a result that tests look at."""
        texts = [part.text for part in result.content if isinstance(part, TextContent)]
        images = [base64.b64decode(part.data) for part in result.content if isinstance(part, ImageContent)]
        return cls("\n".join(texts), bool(result.is_error), images, result.structured_content)

    def section(self, title: str) -> str:
        """The text under `### TITLE`."""
        _, found, rest = f"\n{self.text}\n".partition(f"\n### {title}\n")
        assert found, f"no section {title} in:\n{self.text}"
        return rest.split("\n### ")[0].strip()

    def has_section(self, title: str) -> bool:
        """Whether there is anything under `### TITLE`."""
        return f"\n### {title}\n" in f"\n{self.text}\n"

    def line(self, part: str) -> str:
        """The one line that has these words in it, or what is theirs of a line that several share."""
        whole = [line for line in self.text.splitlines() if part in line]
        alone = [thing for line in whole for thing in things(line) if part in thing]
        lines = alone or whole
        assert len(lines) == 1, f"{len(lines)} lines with {part!r} in:\n{self.text}"
        return lines[0].strip()

    def ref(self, part: str) -> str:
        """The ref in the one line that has these words in it."""
        found = REF.search(self.line(part))
        assert found, f"no ref beside {part!r} in:\n{self.text}"
        return found[1]

    def refs(self) -> list[str]:
        """Every ref, top to bottom."""
        return REF.findall(self.text)


@dataclass(frozen=True)
class Server:
    """A running server and one client's session with it."""

    session: ClientSession

    async def call(self, tool: str, **arguments: object) -> Reply:
        """Calls a tool, whether or not it works out."""
        result = await self.session.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        return Reply.read(result)

    async def open(self, url: str) -> Reply:
        """Opens an address, which must work, and returns the reply with its snapshot."""
        reply = await self.call("browser_navigate", url=url)
        assert not reply.is_error, reply.text
        return reply

    async def click(self, ref: str, **arguments: object) -> Reply:
        """Clicks what a ref stands for, which must work."""
        reply = await self.call("browser_click", target=ref, **arguments)
        assert not reply.is_error, reply.text
        return reply

    async def snapshot(self) -> Reply:
        """The whole page as text."""
        reply = await self.call("browser_snapshot")
        assert not reply.is_error, reply.text
        return reply

    async def evaluate(self, function: str) -> str:
        """What a function returns in the page, as the tool shows it."""
        reply = await self.call("browser_evaluate", function=function)
        assert not reply.is_error, reply.text
        reported = reply.section("Result")
        # A text that could be taken for words of ours is told as JSON.
        return str(json.loads(reported)) if reported.startswith('"') else reported


def with_browser(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """A server's arguments, for the browser that the tests run on where the test names none."""
    names_one = BROWSER == "chromium" or "--browser" in arguments or "BROWSER_TYPE" in os.environ
    return arguments if names_one else ("--browser", BROWSER, *arguments)


@asynccontextmanager
async def serve(
    *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> AsyncIterator[Server]:
    """Starts `python -m patchright_mcp` and shakes hands with it.

    The client lives in a task of its own, since it must be left by the task that entered it and a
    fixture is set up and torn down by two.
    """
    arguments = with_browser(arguments)
    # Such a client hands on little of its own environment.
    handed_on = {name: os.environ[name] for name in (protocol.FOLDER, "PYTHONPATH") if os.environ.get(name)}
    env = {**handed_on, **(env or {})} or None
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "patchright_mcp", *arguments], env=env, cwd=cwd
    )
    ready: asyncio.Future[Server] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def live() -> None:
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            ready.set_result(Server(session))
            await leave.wait()

    life = asyncio.create_task(live())
    life.add_done_callback(lambda _: ready.cancel())
    try:
        server = await ready
    except asyncio.CancelledError:
        await life  # Raises what kept the server from answering.
        raise
    try:
        yield server
    finally:
        leave.set()
        await life
