"""What is answered is what happened, on pages that lose, delay, replace, cover, reformat or reject input.

`make honesty` runs more actions: HONESTY_ACTIONS and HONESTY_SEED.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from patchright_mcp import async_api
from tests_py.support.client import Server, serve
from tests_py.support.lies import Lie, lies
from tests_py.support.site import Site, document

ACTIONS = int(os.environ.get("HONESTY_ACTIONS", "300"))
SEED = int(os.environ.get("HONESTY_SEED", "19"))
MOST_FALSE_SUCCESSES = int(os.environ.get("HONESTY_MOST_FALSE", "2"))
"""`make honesty` allows none. Beside other tests the timers of pages fire late."""
FALSE_FAILURES = 0.01
LIMIT_MS = 1_500
LIFETIME_MS = 7_200_000
"""Of the sessions: as long as `make honesty` may take."""
TRUTH = """() => new Promise((done) => setTimeout(() => done(JSON.parse(sessionStorage.truth)), 60))"""

Act = Callable[[Lie, str], Awaitable[str | None]]
"""Opens a page and acts there: nothing, or what the failure says."""


class Tools:
    """The `browser_*` tools, and those of sessions where they have the action."""

    def __init__(self, server: Server, session: str, folder: Path) -> None:
        self.server, self.session, self.folder = server, session, folder

    async def act(self, lie: Lie, url: str) -> str | None:
        """Opens a page and acts there."""
        opened = await self.server.call("browser_navigate", url=url, sessionId=self.session)
        assert not opened.is_error, opened.text
        for tool, arguments in self.calls(lie):
            reply = await self.server.call(tool, sessionId=self.session, **arguments)
            if reply.is_error:
                return reply.text.split("\n### ")[0]
        return None

    def calls(self, lie: Lie) -> list[tuple[str, dict[str, Any]]]:
        """What a client calls for an action."""
        on = {"ref": "#target"}
        text = on | {"text": lie.text, "slowly": lie.action == "type"}
        field = {"name": "It", "ref": "#target", "value": lie.text}
        box = field | {"value": json.dumps(lie.wish)}
        bare = {"selector": "#target", "timeout": LIMIT_MS}
        paths = [str(self.folder / "given.txt")]
        by_session: dict[str, list[tuple[str, dict[str, Any]]]] = {
            "click": [("click", bare)],
            "fill": [("browser_fill_form", {"fields": [field]})],
            "type": [("type", bare | {"text": lie.text, "clear": True})],
        }
        calls: dict[str, list[tuple[str, dict[str, Any]]]] = {
            "click": [("browser_click", on)],
            "double": [("browser_click", on | {"doubleClick": True})],
            "hover": [("browser_hover", on)],
            "fill": [("browser_type", text)],
            "type": [("browser_type", text)],
            "press": [("browser_click", on), ("browser_press_key", {"key": lie.wish_key})],
            "select": [("browser_select_option", on | {"values": [lie.wish]})],
            "check": [("browser_fill_form", {"fields": [box]})],
            "uncheck": [("browser_fill_form", {"fields": [box]})],
            "upload": [("browser_click", on), ("browser_file_upload", {"paths": paths})],
            "drag": [("browser_drag", {"startRef": "#target", "endRef": "#place"})],
        }
        return (lie.number % 3 == 0 and by_session.get(lie.action)) or calls[lie.action]

    async def truth(self) -> str | None:
        """What the page has of it."""
        reply = await self.server.call("browser_evaluate", function=TRUTH, sessionId=self.session)
        return None if reply.is_error else reply.section("Result")


class Library:
    """The Python library."""

    def __init__(self, page: async_api.Page, folder: Path) -> None:
        self.page, self.folder = page, folder

    async def act(self, lie: Lie, url: str) -> str | None:
        """Opens a page and acts there."""
        await self.open(url)
        try:
            await self.do(lie)
        except async_api.Error as error:
            return str(error)
        return None

    async def open(self, url: str) -> None:
        """Opens a page. The one before may lead elsewhere at the same moment, which ends the navigation."""
        for _ in range(5):
            with suppress(async_api.Error):
                await self.page.goto(url, timeout=30_000)
                return
        await self.page.goto(url, timeout=30_000)

    async def do(self, lie: Lie) -> None:
        """What a script calls for an action."""
        target = self.page.locator("#target")
        match lie.action:
            case "click":
                await target.click()
            case "double":
                await target.dblclick()
            case "hover":
                await target.hover()
            case "fill":
                await target.fill(lie.text)
            case "type":
                await target.clear()
                await target.press_sequentially(lie.text)
            case "press":
                await target.press(lie.wish_key)
            case "select":
                await target.select_option(str(lie.wish))
            case "check" | "uncheck":
                await target.set_checked(bool(lie.wish))
            case "upload":
                await target.set_input_files(self.folder / "given.txt")
            case _:
                await target.drag_to(self.page.locator("#place"))

    async def truth(self) -> str | None:
        """What the page has of it."""
        try:
            return json.dumps(await self.page.evaluate(TRUTH))
        except async_api.Error:
            return None


async def judged(door: Tools | Library, lie: Lie, url: str) -> tuple[str, str]:
    """What an answer was, and what it says."""
    failure = await door.act(lie, url)
    answered_ms = time.time() * 1000
    for _ in range(5):
        # A page that goes elsewhere takes an evaluation with it.
        if (text := await door.truth()) is not None:
            break
    truth = json.loads(text or "null") or {}
    happened = lie.is_true(truth, answered_ms)
    verdict = f"{'false' if happened == bool(failure) else 'true'} {'failure' if failure else 'success'}"
    return verdict, f"{verdict}: {type(door).__name__}: {lie}\n    {truth}\n    {failure}"


async def test_no_answer_claims_what_did_not_happen(site: Site, tmp_path: Path) -> None:
    site.publish("/elsewhere", document("Elsewhere", "<h1>Elsewhere</h1>"))
    (tmp_path / "given.txt").write_text("given")
    waiting = lies(SEED, ACTIONS)[::-1]
    verdicts: Counter[str] = Counter()
    wrong: list[str] = []

    async def work(door: Tools | Library) -> None:
        while waiting:
            lie = waiting.pop()
            verdict, words = await judged(door, lie, site.publish(f"/lie/{lie.number}", lie.page()))
            verdicts[verdict] += 1
            if verdict.startswith("false"):
                wrong.append(words)

    async with AsyncExitStack() as stack:
        common = ("--headless", "--input", "instant", "--timeout-action", str(LIMIT_MS))
        lasting = ("--session-timeout", str(LIFETIME_MS))
        server = await stack.enter_async_context(serve(*common, *lasting, cwd=tmp_path))
        sessions = [json.loads((await server.call("create_session")).text)["sessionId"] for _ in range(2)]
        playwright = await stack.enter_async_context(async_api.async_playwright())
        context = await (await playwright.chromium.launch()).new_context()
        pages = [await context.new_page() for _ in range(2)]
        for page in pages:
            page.set_default_timeout(LIMIT_MS)
        doors: list[Tools | Library] = [
            *(Tools(server, session, tmp_path) for session in sessions),
            *(Library(page, tmp_path) for page in pages),
        ]
        await asyncio.gather(*(work(door) for door in doors))
    report = f"seed {SEED}: {dict(verdicts)}\n" + "\n".join(sorted(wrong))
    print(report)  # noqa: T201
    assert verdicts["false success"] <= MOST_FALSE_SUCCESSES, report
    assert verdicts["false failure"] <= max(2, FALSE_FAILURES * ACTIONS), report
