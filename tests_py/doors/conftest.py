"""Every door to the engine, open at once: what each answers to the same wish."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from patchright_mcp import async_api, sync_api
from tests_py.support.client import Server, serve
from tests_py.support.shell import Shell

LIMIT_MS = 5_000
"""How long a door waits for an element that cannot be acted on."""
LIFETIME_MS = 3_600_000
"""Of the sessions, which all tests of this folder use."""

DONE = "done"


class Door(Protocol):
    """A way to the engine. Each wish answers `done`, or the code of the failure."""

    async def click(self, url: str, selector: str) -> str: ...
    async def choose(self, url: str, selector: str, option: str) -> str: ...
    async def fill(self, url: str, selector: str, text: str) -> str: ...


async def reported(server: Server, tool: str, **arguments: object) -> str:
    """What came of a tool."""
    result = await server.session.call_tool(tool, arguments)
    return str((result.meta or {}).get("errorCode")) if result.is_error else DONE


async def done(server: Server, tool: str, **arguments: object) -> None:
    """Has a tool do what must work."""
    reply = await server.call(tool, **arguments)
    assert not reply.is_error, reply.text


def choice(selector: str, option: str) -> dict[str, object]:
    return {"ref": selector, "values": [option]}


@dataclass(frozen=True)
class BrowserTools:
    """The `browser_*` tools, each in a call of its own."""

    server: Server

    async def _reported(self, url: str, tool: str, **arguments: object) -> str:
        await done(self.server, "browser_navigate", url=url)
        return await reported(self.server, tool, **arguments)

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, "browser_click", ref=selector)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, "browser_select_option", **choice(selector, option))

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, "browser_type", ref=selector, text=text)


@dataclass(frozen=True)
class Form(BrowserTools):
    """`browser_fill_form`, which presses nothing."""

    session: str

    async def click(self, url: str, selector: str) -> str:
        steps = [{"tool": "browser_click", "arguments": {"ref": selector}}]
        return await self._reported(url, "browser_steps", steps=steps)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self.fill(url, selector, option)

    async def fill(self, url: str, selector: str, text: str) -> str:
        field = {"name": "It", "ref": selector, "value": text}
        return await self._reported(url, "browser_fill_form", fields=[field])

    async def _reported(self, url: str, tool: str, **arguments: object) -> str:
        await done(self.server, "browser_navigate", url=url, sessionId=self.session)
        return await reported(self.server, tool, sessionId=self.session, **arguments)


@dataclass(frozen=True)
class Steps:
    """`browser_steps`, in a session."""

    server: Server
    session: str

    async def _reported(self, url: str, tool: str, **arguments: object) -> str:
        await done(self.server, "browser_navigate", url=url, sessionId=self.session)
        steps = [{"tool": tool, "arguments": arguments}]
        return await reported(self.server, "browser_steps", steps=steps, sessionId=self.session)

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, "browser_click", ref=selector)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, "browser_select_option", **choice(selector, option))

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, "browser_type", ref=selector, text=text)


@dataclass(frozen=True)
class Program:
    """`browser_run`, in a session."""

    server: Server
    session: str

    async def _reported(self, url: str, act: str) -> str:
        code = f"""await page.goto({json.dumps(url)}, {{ timeout: 30_000 }});
try {{ await {act}; return '{DONE}'; }} catch (error) {{ return error.code; }}"""
        reply = await self.server.call("browser_run", code=code, sessionId=self.session)
        assert not reply.is_error, reply.text
        return reply.section("Result")

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, f"page.locator({json.dumps(selector)}).click()")

    async def choose(self, url: str, selector: str, option: str) -> str:
        act = f"page.locator({json.dumps(selector)}).selectOption({json.dumps(option)})"
        return await self._reported(url, act)

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, f"page.locator({json.dumps(selector)}).fill({json.dumps(text)})")


@dataclass(frozen=True)
class Run:
    """`browser_run_python`, in a session: the library in a program."""

    server: Server
    session: str

    async def _reported(self, url: str, what: str) -> str:
        program = f"""
await page.goto({url!r}, timeout=30_000)
page.set_default_timeout({LIMIT_MS})
try:
    await {what}
    print("done")
except Exception as error:
    print(error._code)
"""
        reply = await self.server.call("browser_run_python", program=program, sessionId=self.session)
        words = [line for line in reply.text.splitlines() if line.isidentifier()]
        assert words, reply.text
        return words[0]

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, f"page.locator({selector!r}).click()")

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, f"page.locator({selector!r}).select_option({option!r})")

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, f"page.locator({selector!r}).fill({text!r})")


@dataclass(frozen=True)
class Patchright:
    """The `patchright_*` tools, each on a page of its own."""

    server: Server

    async def click(self, url: str, selector: str) -> str:
        # Their limit is for the page, too.
        return await reported(
            self.server, "patchright_click", url=url, selector=selector, timeout=2 * LIMIT_MS
        )

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self.fill(url, selector, option)

    async def fill(self, url: str, selector: str, text: str) -> str:
        fields = {selector: text}
        return await reported(
            self.server, "patchright_fill_form", url=url, fields=fields, timeout=2 * LIMIT_MS
        )


@dataclass(frozen=True)
class Session:
    """`navigate`, `click` and `type`, in a session."""

    server: Server
    session: str

    async def _reported(self, url: str, tool: str, **arguments: object) -> str:
        await done(self.server, "navigate", url=url, sessionId=self.session)
        return await reported(self.server, tool, sessionId=self.session, **arguments)

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, "click", selector=selector)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self.fill(url, selector, option)

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, "type", selector=selector, text=text)


@dataclass(frozen=True)
class Claude:
    """The members of Claude's toolset."""

    server: Server

    async def _reported(self, url: str, tool: str, **arguments: object) -> str:
        await done(self.server, "navigate", url=url)
        return await reported(self.server, tool, **arguments)

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, "left_click", target={"type": "ref", "ref": selector})

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self.fill(url, selector, option)

    async def fill(self, url: str, selector: str, text: str) -> str:
        target = {"type": "ref", "ref": selector}
        return await self._reported(url, "form_input", target=target, value=text)


@dataclass(frozen=True)
class CommandLine:
    """The command line's verbs."""

    shell: Shell

    async def _reported(self, url: str, *words: str) -> str:
        return await asyncio.to_thread(self._run, url, *words)

    def _run(self, url: str, *words: str) -> str:
        self.shell.run("open", url, f"--timeout-action={LIMIT_MS}", "--input=instant")
        with self.shell.start(*words, "--json") as process:
            answer: dict[str, Any] = json.loads(process.communicate(timeout=60)[0])
        return DONE if answer["ok"] else answer["error"]["code"]

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, "click", selector)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, "select", selector, option)

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, "type", selector, text)


@dataclass(frozen=True)
class Async:
    """The asynchronous library."""

    page: async_api.Page

    async def _reported(self, url: str, act: Callable[[], Any]) -> str:
        await self.page.goto(url, timeout=30_000)
        try:
            await act()
        except async_api.Error as error:
            return str(error._code)
        return DONE

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, self.page.locator(selector).click)

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, lambda: self.page.locator(selector).select_option(option))

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, lambda: self.page.locator(selector).fill(text))


@dataclass(frozen=True)
class Sync:
    """The synchronous library, on the thread that is its own."""

    page: sync_api.Page
    thread: ThreadPoolExecutor

    async def _reported(self, url: str, act: Callable[[], object]) -> str:
        def run() -> str:
            self.page.goto(url, timeout=30_000)
            try:
                act()
            except sync_api.Error as error:
                return str(error._code)
            return DONE

        return await asyncio.get_running_loop().run_in_executor(self.thread, run)

    async def click(self, url: str, selector: str) -> str:
        return await self._reported(url, lambda: self.page.locator(selector).click())

    async def choose(self, url: str, selector: str, option: str) -> str:
        return await self._reported(url, lambda: self.page.locator(selector).select_option(option))

    async def fill(self, url: str, selector: str, text: str) -> str:
        return await self._reported(url, lambda: self.page.locator(selector).fill(text))


Doors = dict[str, Door]


@pytest.fixture(scope="module")
async def doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Doors]:
    """All doors, each with a page of its own behind it."""
    common = ("--headless", "--input", "instant", "--timeout-action", str(LIMIT_MS))
    folder: Callable[[str], Path] = tmp_path_factory.mktemp
    async with AsyncExitStack() as stack:
        lasting = ("--session-timeout", str(LIFETIME_MS))
        server = await stack.enter_async_context(
            serve(*common, *lasting, "--caps", "steps,code", cwd=folder("all"))
        )
        claude = await stack.enter_async_context(serve(*common, "--toolsets", "claude", cwd=folder("claude")))
        shell = stack.enter_context(Shell(folder("s")))
        stack.callback(lambda: shell.run("close"))
        thread = stack.enter_context(ThreadPoolExecutor(1))
        playwright = await stack.enter_async_context(async_api.async_playwright())
        page = await (await playwright.chromium.launch()).new_page()
        page.set_default_timeout(LIMIT_MS)
        session = [json.loads((await server.call("create_session")).text)["sessionId"] for _ in range(5)]
        yield {
            "browser": BrowserTools(server),
            "form": Form(server, session[0]),
            "steps": Steps(server, session[1]),
            "program": Program(server, session[4]),
            "run": Run(server, session[2]),
            "patchright": Patchright(server),
            "session": Session(server, session[3]),
            "claude": Claude(claude),
            "cli": CommandLine(shell),
            "async": Async(page),
            "sync": await _sync(stack, thread),
        }


async def _sync(stack: AsyncExitStack, thread: ThreadPoolExecutor) -> Sync:
    def begin() -> tuple[sync_api.PlaywrightContextManager, sync_api.Page]:
        manager = sync_api.sync_playwright()
        page = manager.__enter__().chromium.launch().new_page()
        page.set_default_timeout(LIMIT_MS)
        return manager, page

    manager, page = await asyncio.get_running_loop().run_in_executor(thread, begin)
    stack.callback(lambda: thread.submit(manager.__exit__, None, None, None).result())
    return Sync(page, thread)
