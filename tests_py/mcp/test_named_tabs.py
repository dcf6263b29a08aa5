"""Tabs by the names that they keep: any tool works in any of them, whichever is current."""

from __future__ import annotations

import asyncio
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from mcp.types import CallToolResult

from tests_py.support.client import Reply
from tests_py.support.extent import extent
from tests_py.support.http import HttpServer, RawClient
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

AGENTS = 10
CALLS_EACH = extent(20, 100)
HTTP_CALLS_EACH = int(os.environ.get("PATCHRIGHT_AGENT_CALLS", "0"))
"""`make fleet` has each do a hundred; that takes too long for every run."""
LOGIN = "<script>document.cookie = 'user=ann'</script>"
DESK = """<!doctype html><title>Desk {number}</title><h1>Desk {number}</h1>
<label>Name <input id=name></label><button onclick="count.textContent = +count.textContent + 1">Add</button>
<output id=count>0</output><script>console.log("desk {number}")</script>"""

ALL_OF_IT = (
    "() => [document.title, count.textContent, document.querySelector('#name').value,"
    " document.cookie.match(/user=\\w+/)].join()"
)


class Agent(Protocol):
    """Whoever calls tools."""

    async def do(self, tool: str, **arguments: object) -> Reply:
        """Calls a tool, which must work."""


@dataclass(frozen=True)
class Remote:
    """A client over HTTP."""

    client: RawClient

    async def do(self, tool: str, **arguments: object) -> Reply:
        """Calls a tool, which must work."""
        result = await asyncio.to_thread(self.client.call, tool, **arguments)
        reply = Reply.read(CallToolResult.model_validate(result))
        assert not reply.is_error, reply.text
        return reply


def tab_of(reply: Reply) -> str:
    """The name of the tab that was made."""
    found = re.search(r"tabs total\): (t\d+)", reply.section("Result"))
    assert found, reply.text
    return found[1]


async def open_desk(workshop: Agent, site: Site, number: int) -> str:
    """Opens a page of its own in a tab of its own."""
    url = site.publish(f"/desk/{number}", DESK.format(number=number))
    return tab_of(await workshop.do("browser_tabs", action="new", url=url))


async def test_a_call_that_names_a_tab_works_there_and_leaves_the_current_one(
    workshop: Workshop, site: Site
) -> None:
    first = await open_desk(workshop, site, 1)
    second = await open_desk(workshop, site, 2)
    await workshop.do("browser_click", ref="text=Add", tab=first)
    assert await workshop.server.evaluate("() => document.title + count.textContent") == "Desk 20"
    shown = await workshop.do("browser_snapshot", tab=first)
    assert 'heading "Desk 1"' in shown.section("Snapshot")
    assert not shown.has_section("Open tabs")
    listed = (await workshop.do("browser_tabs", action="list")).section("Open tabs")
    assert f"(current) [Desk 2]({site.url('/desk/2')}) [tab={second}]" in listed


async def test_a_name_stays_when_other_tabs_close_and_is_never_given_again(
    workshop: Workshop, site: Site
) -> None:
    first, second, third = [await open_desk(workshop, site, number) for number in range(3)]
    await workshop.do("browser_close", tab=first)
    fourth = await open_desk(workshop, site, 3)
    assert len({first, second, third, fourth}) == 4
    assert "Desk 2" in (await workshop.do("browser_snapshot", tab=third)).text
    said = await workshop.refused("browser_snapshot", tab=first)
    assert f'There is no tab named "{first}"; the tabs are' in said
    assert third in said
    selected = await workshop.do("browser_tabs", action="select", tab=second)
    assert site.url("/desk/1") in selected.section("Page")


async def test_names_that_are_none_are_refused(workshop: Workshop, site: Site) -> None:
    await open_desk(workshop, site, 1)
    for name in ("0", "t-1", "t99999", "c7t0", "t0; drop"):
        assert "There is no tab named" in await workshop.refused("browser_click", ref="text=Add", tab=name)
    assert "must be a string" in await workshop.refused("browser_click", ref="text=Add", tab=3)
    steps = [{"tool": "browser_click", "arguments": {"ref": "text=Add", "tab": "t0"}}]
    assert "must be next to `steps`" in await workshop.refused("browser_steps", steps=steps)


async def work_at_desk(workshop: Agent, site: Site, number: int, tab: str, calls: int = CALLS_EACH) -> None:
    """Does this and that at one's own desk, and sees that each answer and each effect is of that desk."""
    dice = random.Random(number)  # noqa: S311 - the same calls each time
    added, text = 0, ""
    title = f"Desk {number}"
    for step in range(calls):
        what = dice.choice(["add", "type", "read", "look", "find", "console", "steps", "tabs"])
        if what == "add":
            added += 1
            answer = await workshop.do("browser_click", ref="text=Add", tab=tab)
        elif what == "type":
            text = f"{number}-{step}"
            answer = await workshop.do("browser_type", ref="#name", text=text, tab=tab)
            assert text in answer.section("Result")
        elif what == "read":
            answer = await workshop.do("browser_evaluate", function=ALL_OF_IT, tab=tab)
            assert answer.section("Result") == f"{title},{added},{text},user=ann"
        elif what == "look":
            answer = await workshop.do("browser_snapshot", tab=tab)
            assert f'heading "{title}"' in answer.section("Snapshot")
        elif what == "find":
            answer = await workshop.do("browser_find", text="desk", around=0, tab=tab)
            assert f'heading "{title}"' in answer.section("Snapshot")
        elif what == "console":
            answer = await workshop.do("browser_console_messages", tab=tab)
            assert f'"desk {number}"' in answer.section("Result")
        elif what == "steps":
            added += 2
            click = {"tool": "browser_click", "arguments": {"ref": "text=Add"}}
            answer = await workshop.do("browser_steps", steps=[click, click], tab=tab)
        else:
            answer = await workshop.do("browser_tabs", action="list")
            assert f"[{title}]({site.url(f'/desk/{number}')})" in answer.line(f"[tab={tab}]")
            continue
        others = {f"Desk {other}" for other in range(AGENTS)} - {title}
        assert not any(re.search(rf"{other}\b", answer.text) for other in others), answer.text
    left = await workshop.do("browser_evaluate", function=ALL_OF_IT, tab=tab)
    assert left.section("Result") == f"{title},{added},{text},user=ann"


SLIDES = """<style>p { position: absolute; top: -60px; transition: top .3s } .saved p { top: 10px }</style>
<button style="margin-top: 90px" onclick="document.body.className = 'saved'">Save</button>
<p>It has been saved. <a href="#here">View it</a></p>"""


@pytest.mark.long
async def test_what_moves_in_a_tab_in_the_background_gets_where_it_goes(
    workshop: Workshop, site: Site
) -> None:
    opened = await workshop.open(site.publish("/slides", document("Slides", SLIDES)))
    listed = (await workshop.do("browser_tabs", action="list")).section("Open tabs")
    tab = re.search(r"\[Slides\].*\[tab=(\w+)\]", listed)
    assert tab
    await workshop.do("browser_tabs", action="new", url=site.page("form"))
    saved = await workshop.do("browser_click", ref=opened.ref('button "Save"'), tab=tab[1])
    assert "It has been saved." in saved.section("Snapshot")
    drawn = "() => new Promise((done) => requestAnimationFrame(() => done('drawn')))"
    assert "drawn" in (await workshop.do("browser_evaluate", function=drawn, tab=tab[1])).section("Result")


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_ten_agents_with_one_login_work_at_once_and_none_lands_elsewhere(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/login", LOGIN))
    tabs = [await open_desk(workshop, site, number) for number in range(AGENTS)]
    await asyncio.gather(*(work_at_desk(workshop, site, number, tab) for number, tab in enumerate(tabs)))


@pytest.mark.skipif(not HTTP_CALLS_EACH, reason="`make fleet` runs it")
async def test_ten_clients_over_http_with_one_login_each_keep_to_their_own_desk(
    tmp_path: Path, folder: Path, site: Site
) -> None:
    with HttpServer(tmp_path, "--input", "instant", "--user-data-dir", str(folder)) as server:
        agents = [Remote(server.begin()) for _ in range(AGENTS)]
        await agents[0].do("browser_navigate", url=site.publish("/login", LOGIN))
        # Each has a second tab of its own in front, so that only the name leads to its desk.
        desks = []
        for number, agent in enumerate(agents):
            desks.append(await open_desk(agent, site, number))
            await agent.do("browser_tabs", action="new", url=site.page("form"))
        await asyncio.gather(
            *(
                work_at_desk(agent, site, number, desk, HTTP_CALLS_EACH)
                for number, (agent, desk) in enumerate(zip(agents, desks, strict=True))
            )
        )
