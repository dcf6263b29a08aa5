"""Gives Claude's own browser toolset our browser: `python claude_browser.py https://… 'What to do there'`.

Its members are tools of our server under the same names (`--toolsets claude`), so that each is handed on
as it is. Needs `pip install anthropic mcp` and `ANTHROPIC_API_KEY`.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anthropic import AsyncAnthropic
from anthropic.tools import ToolError
from anthropic.tools.browser import (
    BetaAsyncAbstractBrowserToolset20260801,
    BetaBrowserMemberResult,
    BetaBrowserNavigateResult,
    BetaBrowserState,
    BetaScreenshotResult,
    BetaToolsetCallContext,
)
from mcp import ClientSession, StdioServerParameters, stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anthropic.types.beta import BetaBrowserMemberInput

TEXTS = {"read_page", "find", "get_page_text", "read_console", "read_network", "javascript_exec"}


class Browser(BetaAsyncAbstractBrowserToolset20260801):
    """The toolset, with a server of ours behind it."""

    def __init__(self, session: ClientSession, **options: Any) -> None:
        super().__init__(**options)
        self._session = session

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        told = await self._session.call_tool(name, arguments)
        if told.is_error:
            raise ToolError(told.content[0].text)
        return told

    async def execute(
        self, context: BetaToolsetCallContext, name: str, input: BetaBrowserMemberInput
    ) -> BetaBrowserMemberResult:
        """Hands a member on, and gives what it answered as the SDK wants it."""
        told = await self._call(name, input.model_dump(by_alias=True, exclude_none=True))
        if name == "navigate":
            return BetaBrowserNavigateResult(**told.structured_content)
        if name in {"screenshot", "zoom"}:
            picture = next(part for part in told.content if part.type == "image")
            return BetaScreenshotResult(data=picture.data, media_type=picture.mime_type)
        if name in TEXTS:
            return str(told.content[0].text)
        tabs = (told.structured_content or {}).get("tabs", [])
        if name == "list_tabs":
            return list(tabs)
        if name in {"new_tab", "switch_tab"}:
            return next(tab for tab in tabs if tab["active"])
        return None

    async def _browser_state(self, context: BetaToolsetCallContext) -> BetaBrowserState:
        told = await self._call("list_tabs", {})
        return BetaBrowserState(tabs=(told.structured_content or {}).get("tabs", []))


@asynccontextmanager
async def browser(*arguments: str, **options: Any) -> AsyncIterator[Browser]:
    """The toolset with a browser of its own, which ends with it."""
    command = ["-m", "patchright_mcp", "--toolsets", "claude", *arguments]
    parameters = StdioServerParameters(command=sys.executable, args=command)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield Browser(session, **options)


async def main(address: str, task: str) -> None:
    """Has Claude do the task, and prints what it says in the end."""
    async with browser("--headless") as tools:
        runner = AsyncAnthropic().beta.messages.tool_runner(
            model="claude-opus-4-8",
            max_tokens=4096,
            tools=[tools],
            messages=[{"role": "user", "content": f"Open {address}. {task}"}],
        )
        last = await runner.until_done()
        print("\n".join(part.text for part in last.content if part.type == "text"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
