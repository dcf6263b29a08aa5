"""What the Python SDK of MCP, or FastMCP's client, can do over HTTP.

Usage: python python_sdk.py mcp|fastmcp PAGE, with SERVER, KEY and UPLOAD in the environment. Prints one JSON
object: for each subject `true`, or what went wrong.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


@asynccontextmanager
async def connect_mcp() -> AsyncIterator[Any]:
    """Connects with the official SDK."""
    import httpx2
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {os.environ['KEY']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        streamable_http_client(os.environ["SERVER"], http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


@asynccontextmanager
async def connect_fastmcp() -> AsyncIterator[Any]:
    """Connects with FastMCP."""
    from fastmcp import Client

    async with Client(os.environ["SERVER"], auth=os.environ["KEY"]) as client:
        yield client.session


CONNECT: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
    "mcp": connect_mcp,
    "fastmcp": connect_fastmcp,
}


def text(result: Any) -> str:
    """Returns the texts of a result."""
    return "\n".join(part.text for part in result.content if part.type == "text")


@dataclass
class Subjects:
    """What a client does, each subject in its turn."""

    session: Any
    page: str
    connect: Callable[[], AbstractAsyncContextManager[Any]]

    async def call(self, tool: str, **arguments: object) -> Any:
        """Calls a tool."""
        return await self.session.call_tool(tool, arguments)

    async def shows(self, expected: str, tool: str, **arguments: object) -> None:
        """Calls a tool whose answer must contain a text."""
        answer = text(await self.call(tool, **arguments))
        assert expected in answer, answer

    async def file(self, begins: bytes, tool: str, **arguments: object) -> None:
        """Calls a tool that makes a file, and reads the file as a resource."""
        answer = text(await self.call(tool, **arguments))
        listed = [str(resource.uri) for resource in (await self.session.list_resources()).resources]
        named = re.search(r"patchright://\S+", answer)
        uri = named[0] if named else listed[-1]
        content = (await self.session.read_resource(uri)).contents[0]
        data = base64.b64decode(content.blob) if hasattr(content, "blob") else content.text.encode()
        assert data.startswith(begins), data[:40]

    async def list(self) -> None:
        """The tools are listed."""
        assert any(tool.name == "browser_navigate" for tool in (await self.session.list_tools()).tools)

    async def navigate(self) -> None:
        """A page is opened."""
        await self.shows("Greetings", "browser_navigate", url=self.page)

    async def snapshot(self) -> None:
        """A page is read."""
        await self.shows('button "Greet"', "browser_snapshot")

    async def fill_and_click(self) -> None:
        """A form is filled in."""
        await self.call("browser_type", ref="label=Name", text="Ada")
        await self.shows("Hello Ada", "browser_click", ref="role=button[name=Greet]")

    async def screenshot(self) -> None:
        """A screenshot is a picture."""
        kinds = [part.type for part in (await self.call("browser_take_screenshot")).content]
        assert "image" in kinds, kinds

    async def pdf(self) -> None:
        """A PDF is made and read."""
        await self.file(b"%PDF", "browser_pdf_save")

    async def download(self) -> None:
        """A file is downloaded and read."""
        await self.file(b"name,amount", "browser_click", ref="text=Report")

    async def upload(self) -> None:
        """A file is uploaded."""
        await self.call("browser_click", ref="label=File")
        await self.shows("Got upload.txt, 12 bytes", "browser_file_upload", paths=[os.environ["UPLOAD"]])

    async def error(self) -> None:
        """An error is a result."""
        answer = await self.call("browser_click", ref="#nothing")
        assert "matches nothing" in text(answer), answer

    async def cancel(self) -> None:
        """A call is cancelled, and the next one works."""
        waiting = asyncio.create_task(self.call("browser_wait_for", text="never"))
        done, _ = await asyncio.wait([waiting], timeout=0.5)
        assert not done, "it did not wait"
        waiting.cancel()
        await asyncio.wait([waiting])
        await self.shows("Greetings", "browser_snapshot")

    async def two_clients(self) -> None:
        """Two clients with one key have pages of their own."""
        async with self.connect() as other:
            await other.call_tool("browser_navigate", {"url": f"{self.page}?other"})
            assert "?other" not in text(await self.call("browser_tabs", action="list"))
            assert "?other" in text(await other.call_tool("browser_tabs", {"action": "list"}))

    async def reconnect(self) -> None:
        """A client that comes again is served."""
        async with self.connect() as again:
            answer = await again.call_tool("browser_navigate", {"url": self.page})
            assert "Greetings" in text(answer), answer


SUBJECTS = {
    "list": Subjects.list,
    "navigate": Subjects.navigate,
    "snapshot": Subjects.snapshot,
    "fill, click": Subjects.fill_and_click,
    "screenshot": Subjects.screenshot,
    "PDF": Subjects.pdf,
    "download": Subjects.download,
    "upload": Subjects.upload,
    "error": Subjects.error,
    "cancel": Subjects.cancel,
    "two clients": Subjects.two_clients,
    "reconnect": Subjects.reconnect,
}


async def main(library: str, page: str) -> None:
    """Runs every subject."""
    outcomes: dict[str, bool | str] = {}
    connect = CONNECT[library]
    async with connect() as session:
        subjects = Subjects(session, page, connect)
        for name, subject in SUBJECTS.items():
            try:
                await subject(subjects)
                outcomes[name] = True
            except Exception as error:
                outcomes[name] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(outcomes))


asyncio.run(main(sys.argv[1], sys.argv[2]))
