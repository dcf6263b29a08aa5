"""A server with everything switched on, in a folder where tests can look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests_py.support.client import Reply, Server


@dataclass(frozen=True)
class Workshop:
    """A server that can do everything, and the folder that it works in."""

    server: Server
    folder: Path

    async def open(self, url: str) -> Reply:
        """Opens an address, which must work."""
        return await self.server.open(url)

    async def do(self, tool: str, **arguments: object) -> Reply:
        """Calls a tool, which must work."""
        reply = await self.server.call(tool, **arguments)
        assert not reply.is_error, reply.text
        return reply

    async def refused(self, tool: str, **arguments: object) -> str:
        """Calls a tool, which must fail, and returns what it says of that."""
        reply = await self.server.call(tool, **arguments)
        assert reply.is_error, reply.text
        return reply.section("Error")

    async def output(self) -> str:
        """What the page says happened."""
        return await self.server.evaluate("() => document.querySelector('output').textContent")

    def pictures(self) -> list[Path]:
        """The screenshots so far, oldest first."""
        folder = self.folder / ".viewpoint-mcp-screenshots"
        return sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
