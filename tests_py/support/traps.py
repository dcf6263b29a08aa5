"""What `tests/pages/traps.html` noticed, and what that says of who drives the browser."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from patchright_mcp.async_api import BrowserContext
from tests_py.support.client import Reply, Server
from tests_py.support.site import Site

PATIENCE_S = 60
PICTURE = re.compile(r"\S+\.png")
Notes = dict[str, Any]


@dataclass(frozen=True)
class Trap:
    """One thing that a page can look at."""

    name: str
    kind: Literal["driver", "mode", "input", "machine"]
    """Whose doing it is: the automation's, the missing window's, the hand's, or the machine's."""
    found: Callable[[Notes], object]
    acts: bool = False
    """Whether it can only go off when something is done on the page."""


def notes_of(site: Site, name: str, until: Callable[[Notes], object] | None = None) -> Notes:
    """The newest notes of the page of this name, once it has loaded and `until` holds."""
    deadline = time.monotonic() + PATIENCE_S
    notes: Notes = {}
    while time.monotonic() < deadline:
        reported = [request.body for request in site.requested("/notes") if request.query["name"] == name]
        notes = json.loads(reported[-1]) if reported else {}
        if notes and notes["facts"].get("loaded") and (until is None or until(notes)):
            return notes
        time.sleep(0.05)
    message = f"the page {name} noted only {notes}"
    raise AssertionError(message)


async def visit(
    server: Server,
    site: Site,
    name: str,
    also: Sequence[tuple[str, dict[str, object]]] = (),
    *,
    is_noticed: bool = False,
) -> Notes:
    """Does on the page what a task does, and `also` these calls, and gives the notes of the page about it.

    Every tool that the server lists is used, or this fails: those that `also` has to name as well. It fails
    as well where pages beside this one notice something, unless that is known of the browser (`is_noticed`).
    """
    left = {tool.name for tool in (await server.session.list_tools()).tools}
    task = Task(server, site, name, left, is_noticed)
    before = await task.in_one_tab(also)
    await server.open(site.page("form"))
    await task.call("browser_navigate_back")
    await task.call("browser_history", action="forward")
    await task.call("browser_history", action="back")
    await task.call("browser_snapshot")
    again = notes_of(site, name, lambda notes: "answer" not in notes["facts"])
    catches = [*before["catches"], *again["catches"], *await task.elsewhere()]
    await task.call("browser_close")
    assert not task.left, f"the task does not use {sorted(task.left)}"
    return {"facts": before["facts"], "catches": catches}


@dataclass(frozen=True)
class Task:
    """A task that uses every tool."""

    server: Server
    site: Site
    name: str
    left: set[str]
    """The tools that were not used yet."""
    is_noticed: bool

    async def call(self, tool: str, **arguments: object) -> Reply:
        """Uses a tool, which must work."""
        reply = await self.server.call(tool, **arguments)
        self.left.discard(tool)
        assert not reply.is_error, f"{tool}: {reply.text}"
        return reply

    async def in_one_tab(self, also: Sequence[tuple[str, dict[str, object]]]) -> Notes:
        """Opens the page, and does there what can be done."""
        await self.call("browser_install")
        await self.call("browser_navigate", url=self.site.url(f"/pages/traps.html?name={self.name}"))
        notes_of(self.site, self.name)
        page = await self.call("browser_snapshot")
        await self.by_hand(page)
        assert "Traps" in await self.server.evaluate("() => document.querySelector('h1').textContent")
        await self.call("browser_evaluate", function="() => document.title")
        await self.call("browser_tabs", action="new", url=self.site.page("form"))
        await self.call("browser_tabs", action="select", index=0)
        await self.call("browser_click", ref=page.ref('button "Far away"'))
        await self.call("browser_scroll", direction="up", toEnd=True)
        await self.call("browser_scroll", pixels=300)
        await self.call("browser_read")
        await self.call("browser_find", text="press")
        await self.call("browser_wait_for", selector="h1")
        await self.call("browser_wait_for", state="idle")
        await self.call("browser_console_messages", filename="console.json")
        await self.call("browser_network_requests")
        await self.call("browser_scroll_into_view", ref=page.ref('button "Far away"'))
        steps = [{"tool": "browser_click", "arguments": {"ref": page.ref('checkbox "Agree"')}}]
        await self.call("browser_steps", steps=steps)
        code = "await page.locator('h1').hover(); return [await page.title(), await page.snapshot()]"
        await self.call("browser_run", code=code)
        await self.call("browser_resize", width=1000, height=700)
        # Nobody comes.
        assert (await self.server.call("browser_ask_person", reason="Please look")).is_error
        self.left.discard("browser_ask_person")
        for tool, arguments in also:
            await self.call(tool, **arguments)
        return notes_of(self.site, self.name, lambda notes: "answer" in notes["facts"])

    async def by_hand(self, page: Reply) -> None:
        """What people do on a page."""
        picture = PICTURE.search((await self.call("browser_take_screenshot")).text)
        assert picture
        await self.call("browser_hover", ref=page.ref('button "Press"'))
        await self.call("browser_click", ref=page.ref('button "Press"'))
        await self.call("browser_type", ref=page.ref('textbox "Name"'), text="Ada Lovelace")
        await self.call("browser_type", ref=page.ref('textbox "City"'), text="London", slowly=True)
        colour = {
            "name": "Colour",
            "type": "combobox",
            "ref": page.ref('combobox "Colour"'),
            "value": "Blue",
        }
        agree = {"name": "Agree", "type": "checkbox", "ref": page.ref('checkbox "Agree"'), "value": "true"}
        await self.call("browser_fill_form", fields=[colour, agree])
        await self.call("browser_select_option", ref=page.ref('combobox "Colour"'), values=["Green"])
        await self.call("browser_click", ref=page.ref('button "Press inside"'))
        await self.call("browser_click", ref=page.ref('button "Ask"'))
        await self.call("browser_handle_dialog", accept=True)
        await self.call("browser_click", ref=page.ref('button "Picture"'))
        await self.call("browser_file_upload", paths=[picture[0]])
        await self.call("browser_press_key", keys=["Tab", "ArrowDown"], times=2)
        await self.call("browser_hover", ref=page.ref('button "Press"'), action="down")
        await self.call("browser_hover", action="up")
        slider = page.ref('slider "Volume"')
        places = {"startPosition": "10%,50%", "endPosition": "80%,50%"}
        await self.call("browser_drag", startRef=slider, endRef=slider, **places)

    async def elsewhere(self) -> list[object]:
        """Visits the page in other contexts and sessions, and for one call; gives what was caught there."""
        await self.call("browser_context_create", name="other")
        await self.call("browser_context_list")
        await self.call("browser_context_switch", name="other")
        await self.server.open(self.own("context"))
        await self.server.click("text=Ready")
        await self.call("browser_context_save_storage", path="storage.json")
        await self.call("browser_context_close", name="other")
        await self.call("patchright_fetch", url=self.own("fetch"), wait_for="#ready")
        await self.call("patchright_click", url=self.own("click"), selector="#ready button")
        await self.call("patchright_fill_form", url=self.own("fill"), fields={"#late": "Ada"})
        await self.call("patchright_execute_js", url=self.own("execute"), script=WAITS)
        await self.call("patchright_screenshot", url=self.own("picture"))
        session = json.loads((await self.call("create_session")).text)["sessionId"]
        await self.call("navigate", sessionId=session, url=self.own("session"))
        await self.call("click", sessionId=session, selector="#ready button")
        await self.call("type", sessionId=session, selector="#late", text="Ada")
        await self.call("list_sessions")
        found = [self.caught(key) for key in ("context", "fetch", "click", "fill", "execute", "session")]
        await self.call("close_session", sessionId=session)
        return [catch for catches in found for catch in catches]

    def own(self, key: str) -> str:
        """The address of another visit to the page."""
        return self.site.url(f"/pages/traps.html?name={self.name}-{key}")

    def caught(self, key: str) -> list[object]:
        """What was caught in another visit."""
        notes = notes_of(self.site, f"{self.name}-{key}")
        assert self.is_noticed or noticed(notes, acted=False) == {}, (key, notes)
        return list(notes["catches"])


WAITS = """new Promise((done) => {
  const told = () => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/notes?"));
  const until = setInterval(() => told() && done(clearInterval(until)), 20);
})"""
"""Keeps a page that closes at the end of a call until it has told what it found."""


async def visit_by_script(context: BrowserContext, site: Site, name: str) -> Notes:
    """Does the same from Python, and gives the notes of the page about it."""

    async def noted(until: Callable[[Notes], object] | None = None) -> Notes:
        return await asyncio.to_thread(notes_of, site, name, until)

    page = await context.new_page()
    await page.goto(site.url(f"/pages/traps.html?name={name}"))
    await noted()
    assert "Traps" in await page.evaluate("document.querySelector('h1').textContent")
    assert "Traps" in await page.content()
    await page.wait_for_selector("text=Press")
    await page.locator("body").aria_snapshot()
    picture = await page.screenshot()
    await page.get_by_role("button", name="Press", exact=True).hover()
    await page.get_by_role("button", name="Press", exact=True).click()
    await page.get_by_label("Name").fill("Ada Lovelace")
    await page.get_by_label("City").press_sequentially("London")
    await page.get_by_label("Colour").select_option("Blue")
    await page.get_by_label("Agree").check()
    await page.frame_locator("#other").get_by_role("button").click()
    page.once("dialog", lambda dialog: dialog.accept())
    await page.get_by_role("button", name="Ask").click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_label("Picture").click()
    await (await chooser.value).set_files({"name": "a.png", "mimeType": "image/png", "buffer": picture})
    other = await context.new_page()
    await other.goto(site.page("form"))
    await page.bring_to_front()
    await page.get_by_role("button", name="Far away").click()
    before = await noted(lambda notes: "answer" in notes["facts"])
    await page.goto(site.page("form"))
    await page.go_back()
    await page.go_forward()
    await page.go_back()
    await page.inner_text("h1")
    # The browser either kept the page as it was left or loaded it again.
    came = await page.evaluate("performance.getEntriesByType('navigation')[0].type")
    again = await noted(lambda notes: ("answer" in notes["facts"]) == (came == "navigate"))
    return {"facts": before["facts"], "catches": before["catches"] + again["catches"]}


def noticed(notes: Notes, *, acted: bool = True) -> dict[str, object]:
    """The traps that went off, with what they caught; those of the machine are nobody's fault."""
    traps = [trap for trap in TRAPS if trap.kind != "machine" and (acted or not trap.acts)]
    return {trap.name: found for trap in traps if (found := trap.found(notes))}


def _caught(kind: str) -> Callable[[Notes], object]:
    return lambda notes: sorted({what for caught, what in notes["catches"] if caught == kind})


def _identities(notes: Notes) -> object:
    facts = notes["facts"]
    values = {"worker": facts["worker"], "frame": facts["frame"]}
    return [place for place, seen in values.items() if not seen or seen["identity"] != facts["identity"]]


def _is_firefox(facts: Notes) -> bool:
    return "Firefox/" in facts["identity"]


def _hints(notes: Notes) -> object:
    hints = json.loads(notes["facts"]["identity"])[3]
    if _is_firefox(notes["facts"]):
        return hints  # It has none.
    return [name for name in ("architecture", "fullVersionList", "formFactors") if not hints.get(name)]


def _fact(read: Callable[[Notes], object]) -> Callable[[Notes], object]:
    return lambda notes: read(notes["facts"])


TRAPS = [
    Trap("`navigator.webdriver` is true", "driver", _fact(lambda facts: facts["webdriver"])),
    Trap("`navigator.webdriver` was tampered with", "driver", _fact(lambda f: not f["webdriverIsNative"])),
    Trap("names that no page has", "driver", _fact(lambda facts: facts["strangers"])),
    Trap("a worker or a frame of another site has another identity", "driver", _identities),
    Trap("what the page logs is read", "driver", _fact(lambda facts: facts["read"])),
    Trap(
        "what a worker or a frame logs is read",
        "driver",
        _fact(lambda facts: any(facts[place]["read"] for place in ("worker", "frame"))),
    ),
    Trap("`debugger` stops the page", "driver", _fact(lambda facts: facts["stopped"])),
    Trap("windows open without a click", "driver", _fact(lambda facts: facts["popup"])),
    Trap('"Headless" in the user agent', "mode", _fact(lambda facts: "Headless" in facts["identity"])),
    Trap("client hints are empty", "mode", _hints),
    Trap("a screen of 800 by 600", "mode", _fact(lambda f: f["screen"][:2] == [800, 600] and f["screen"])),
    Trap(
        "a window without a frame around its page",
        "mode",
        _fact(lambda facts: facts["outer"][1] - facts["inner"][1] < 50 and facts["outer"]),
    ),
    Trap("no mouse", "mode", _fact(lambda facts: not facts["mouse"])),
    Trap("no scrollbars", "mode", _fact(lambda facts: not facts["scrollbar"])),
    Trap(
        "no plugins, or no `chrome`",
        "mode",
        _fact(lambda f: not f["plugins"] or (f["chrome"] == "undefined") != _is_firefox(f)),
    ),
    Trap(
        "notifications are denied and not",
        "mode",
        _fact(lambda facts: facts["notifications"] == ["denied", "prompt"]),
    ),
    Trap("pictures are drawn without a GPU", "machine", lambda notes: _software(notes["facts"]["renderer"])),
    Trap("calls to functions that the page replaced", "driver", _caught("call"), acts=True),
    Trap("changes to the document", "driver", _caught("change"), acts=True),
    Trap("names that came later", "driver", _caught("global"), acts=True),
    Trap("what was logged is read later", "driver", _caught("console"), acts=True),
    Trap("a user's gesture that no user made", "driver", _caught("activation"), acts=True),
    Trap("events that scripts made", "input", _caught("untrusted"), acts=True),
    Trap("a hand that is none", "input", _caught("hand"), acts=True),
]


def _software(renderer: str | None) -> object:
    return not renderer or any(name in renderer.lower() for name in ("swiftshader", "llvmpipe"))
