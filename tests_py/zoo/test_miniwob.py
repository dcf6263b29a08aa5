"""Twelve pages of MiniWoB++: each says what to do, and rewards who did it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site
from tests_py.support.visitor import Line, Visitor
from tests_py.zoo.running import INSTALLED

pytestmark = pytest.mark.library("MiniWoB++ = miniwob")
Begin = Callable[[str], Coroutine[Any, Any, tuple[Visitor, str]]]
SAME_COLOUR = {"aqua": "cyan", "fuchsia": "magenta"}


@pytest.fixture
async def begin(zoo_server: Server, site: Site) -> AsyncIterator[Begin]:
    """Opens a page, presses its START, and reads what is to be done; chance is the same each time."""
    (pages,) = INSTALLED.glob("venv/lib/python*/site-packages/miniwob/html")
    site.mount("miniwob", pages)

    async def begin(name: str) -> tuple[Visitor, str]:
        page = Visitor(zoo_server)
        await page.open(site.url(f"/miniwob/miniwob/{name}.html"))
        await page.value("(Math.seedrandom('boat'), core.EPISODE_MAX_TIME = 36e5)")
        await page.click("generic", "START")
        return page, (await page.lines())[0].value

    yield begin
    await zoo_server.call("browser_close")


def parts(asked: str, pattern: str) -> tuple[str, ...]:
    """What an instruction names."""
    found = re.search(pattern, asked)
    assert found, asked
    return found.groups()


async def pick_day(page: Visitor, field: str, date: str) -> None:
    """Picks a day of 2016 in jQuery UI's calendar, which opens at its last month."""
    month, day, _ = map(int, date.split("/"))
    await page.click("textbox", field)
    for _ in range(12 - month):
        await page.click("generic", "Prev")
    await page.click("link", str(day))


async def suggested(page: Visitor, pattern: str) -> str:
    """The ref of what is suggested and fits."""
    shown = [(line.ref, line.name or line.value) for line in await page.lines() if line.ref]
    found = [ref for ref, said in shown if ref and re.search(pattern, said)]
    assert found, shown
    return found[0]


async def assert_full_reward(page: Visitor) -> None:
    """The page itself says whether all was right."""
    assert await page.value("[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL, WOB_REWARD_GLOBAL > 0.9]") == [
        True,
        1,
        True,
    ]


async def test_choose_date(begin: Begin) -> None:
    page, asked = await begin("choose-date")
    await pick_day(page, "hasDatepicker", *parts(asked, r"Select (\S+) as the date"))
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_book_flight(begin: Begin) -> None:
    page, asked = await begin("book-flight")
    which, origin, target, date = parts(asked, r"the (\w+) one-way flight from: (.*) to: (.*) on (\S+)\.$")
    for field, place in (("From:", origin), ("To:", target)):
        await page.type("textbox", field, text=place)
        await page.do("browser_click", ref=await suggested(page, re.escape(place)))
    await pick_day(page, "flight-input hasDatepicker", date)
    await page.click("button", "Search")
    lines = await page.lines()
    durations = [
        int(hours) * 60 + int(minutes)
        for line in lines
        for hours, minutes in re.findall(r"^(\d+)h (\d+)m$", line.value)
    ]
    books = [line for line in lines if line.name.startswith("Book flight for $")]
    prices = [int(line.name.partition("$")[2]) for line in books]
    assert len(durations) == len(prices) > 1
    wanted = durations if which == "shortest" else prices
    await page.do("browser_click", ref=books[wanted.index(min(wanted))].ref)
    await assert_full_reward(page)


async def test_drag_sort_numbers(begin: Begin) -> None:
    page, _ = await begin("drag-sort-numbers")

    async def numbers() -> list[int]:
        return [int(line.value) for line in await page.lines() if line.role == "listitem"]

    wanted = sorted(await numbers())
    for place, number in enumerate(wanted):
        there = (await numbers())[place]
        if there != number:
            await page.drag(("listitem", str(number)), ("listitem", str(there)), place="before")
    assert await numbers() == wanted
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_use_autocomplete(begin: Begin) -> None:
    page, asked = await begin("use-autocomplete")
    first, last = parts(asked, r'starts with "(.*?)"(?: and ends with "(.*)")?\.')
    await page.type("textbox", "Tags:", text=first)
    pattern = f"^(?={re.escape(first)}).*{re.escape(last or '')}$"
    await page.do("browser_click", ref=await suggested(page, pattern))
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_enter_time(begin: Begin) -> None:
    page, asked = await begin("enter-time")
    (time,) = parts(asked, r"Enter (.*) as the time")
    assert time.endswith("M")
    await page.fill(("textbox", "", time))
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_drag_shapes_2(begin: Begin) -> None:
    page, asked = await begin("drag-shapes-2")
    (wanted,) = parts(asked, r"Drag all (\w+)")
    kinds = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}
    wanted = kinds.get(wanted) or SAME_COLOUR.get(wanted, wanted)

    async def boxes() -> list[Line]:
        return [line for line in await page.lines(allRefs=True) if "shape-container" in line.hint]

    left, right = await boxes()
    shapes = [line for line in await page.lines() if line.hint.startswith(tuple(kinds.values()))]
    for shape in [line for line in shapes if "shape-container" not in line.hint]:
        box = left if wanted in shape.hint.split(", ") else right
        result = await page.do("browser_drag", startRef=shape.ref, endRef=box.ref)
        assert "did not move" not in result.text
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_click_checkboxes_large(begin: Begin) -> None:
    page, asked = await begin("click-checkboxes-large")
    (names,) = parts(asked, r"Select (.*) and click Submit")
    await page.fill(*(("checkbox", name, "true") for name in names.split(", ")))
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_email_inbox_nl_turk(begin: Begin) -> None:
    page, asked = await begin("email-inbox-nl-turk")
    name, answer = parts(asked, r'respond to (\w+) with "(.*)"')
    holder = None
    for line in await page.lines():
        if line.value == name:
            break
        if line.ref and line.depth == 0:
            holder = line.ref
    await page.do("browser_click", ref=holder)
    await page.click("text", "Reply")
    await page.type("textbox", "", text=answer)
    await page.click("generic", "send-reply")
    await assert_full_reward(page)


async def test_use_slider_2(begin: Begin) -> None:
    page, asked = await begin("use-slider-2")
    (values,) = parts(asked, r"combination \[(.*)\]")
    handles = [line for line in await page.lines() if "ui-slider-handle" in line.hint]
    fields = [
        {"name": f"slider {place}", "type": "slider", "ref": handle.ref, "value": value}
        for place, (handle, value) in enumerate(zip(handles, values.split(","), strict=True), 1)
    ]
    await page.do("browser_fill_form", fields=fields)
    await page.click("button", "Submit")
    await assert_full_reward(page)


async def test_click_pie(begin: Begin) -> None:
    page, asked = await begin("click-pie")
    (item,) = parts(asked, r'item labeled "(\w)"')
    await page.click("generic", "+")
    await page.click("generic", item)
    await assert_full_reward(page)


async def test_grid_coordinate(begin: Begin) -> None:
    page, asked = await begin("grid-coordinate")
    (place,) = parts(asked, r"coordinate (\S+)\.$")
    await page.click("generic", f"circle, {place}, blue")
    await assert_full_reward(page)


async def test_text_editor(begin: Begin) -> None:
    page, asked = await begin("text-editor")
    (style,) = parts(asked, "give everything the style (bold|italic|underline)")
    await page.click("textbox", "ql-editor")
    await page.press("Control+a")
    await page.click("button", f"ql-{style}")
    await page.click("button", "Submit")
    await assert_full_reward(page)
