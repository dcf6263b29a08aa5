"""Tabs by the names that they keep: any tool works in any of them, whichever is current."""

from __future__ import annotations

import asyncio
import random
import re

from tests_py.support.client import Reply
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

AGENTS = 10
CALLS_EACH = 100
DESK = """<!doctype html><title>Desk {number}</title><h1>Desk {number}</h1>
<label>Name <input id=name></label><button onclick="count.textContent = +count.textContent + 1">Add</button>
<output id=count>0</output><script>console.log("desk {number}")</script>"""

ALL_OF_IT = (
    "() => [document.title, count.textContent, document.querySelector('#name').value, document.cookie].join()"
)


def tab_of(reply: Reply) -> str:
    """The name of the tab that was made."""
    found = re.search(r"tabs total\): (t\d+)", reply.section("Result"))
    assert found, reply.text
    return found[1]


async def open_desk(workshop: Workshop, site: Site, number: int) -> str:
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
    for name in ("", "0", "t-1", "t99999", "c7t0", "t0; drop"):
        assert "There is no tab named" in await workshop.refused("browser_click", ref="text=Add", tab=name)
    assert "must be a string" in await workshop.refused("browser_click", ref="text=Add", tab=3)
    steps = [{"tool": "browser_click", "arguments": {"ref": "text=Add", "tab": "t0"}}]
    assert "goes beside `steps`" in await workshop.refused("browser_steps", steps=steps)


async def test_ten_agents_with_one_login_do_a_thousand_calls_and_none_lands_elsewhere(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/login", "<script>document.cookie = 'user=ann'</script>"))
    tabs = [await open_desk(workshop, site, number) for number in range(AGENTS)]

    async def work(number: int, tab: str) -> None:
        dice = random.Random(number)  # noqa: S311 - the same calls each time
        added, text = 0, ""
        title = f"Desk {number}"
        for step in range(CALLS_EACH):
            what = dice.choice(["add", "type", "read", "look", "find", "console", "steps", "tabs"])
            if what == "add":
                added += 1
                told = await workshop.do("browser_click", ref="text=Add", tab=tab)
            elif what == "type":
                text = f"{number}-{step}"
                told = await workshop.do("browser_type", ref="#name", text=text, tab=tab)
                assert text in told.section("Result")
            elif what == "read":
                told = await workshop.do("browser_evaluate", function=ALL_OF_IT, tab=tab)
                assert told.section("Result") == f"{title},{added},{text},user=ann"
            elif what == "look":
                told = await workshop.do("browser_snapshot", tab=tab)
                assert f'heading "{title}"' in told.section("Snapshot")
            elif what == "find":
                told = await workshop.do("browser_find", text="desk", around=0, tab=tab)
                assert f'heading "{title}"' in told.section("Snapshot")
            elif what == "console":
                told = await workshop.do("browser_console_messages", tab=tab)
                assert f'"desk {number}"' in told.section("Result")
            elif what == "steps":
                added += 2
                click = {"tool": "browser_click", "arguments": {"ref": "text=Add"}}
                told = await workshop.do("browser_steps", steps=[click, click], tab=tab)
            else:
                told = await workshop.do("browser_tabs", action="list")
                assert f"[{title}]({site.url(f'/desk/{number}')})" in told.line(f"[tab={tab}]")
                continue
            others = {f"Desk {other}" for other in range(AGENTS)} - {title}
            assert not any(re.search(rf"{other}\b", told.text) for other in others), told.text

    await asyncio.gather(*(work(number, tab) for number, tab in enumerate(tabs)))
