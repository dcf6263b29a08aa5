"""Pages that are stuck: they are told of soon, and can always be left."""

from __future__ import annotations

import asyncio

import pytest

from tests_py.support.client import serve
from tests_py.support.extent import extent
from tests_py.support.site import Site, document
from tests_py.support.wire import until
from tests_py.support.workshop import Workshop

BEGUN = "navigator.sendBeacon('/notes/stuck');"
STUCK = {
    "in a timer": "for (;;);",
    "in microtasks": "const again = () => Promise.resolve().then(again); again()",
    "again and again": "const again = () => { try { for (;;); } finally { setTimeout(again) } }; again()",
    # The first print lets the page do other things meanwhile.
    "in printing": f"for (let times = 0; ; times++) {{ print(); if (times === 3) {BEGUN} }}",
    "in a request": (
        "const request = new XMLHttpRequest(); request.open('GET', '/hold/for-ever', false); request.send()"
    ),
}
"""What scripts do that do not end."""
REF = object()
ASKING: dict[str, dict[str, object]] = {
    "browser_snapshot": {},
    "browser_take_screenshot": {},
    "browser_click": {"ref": REF},
    "browser_press_key": {"key": "a"},
    "browser_evaluate": {"function": "() => 1"},
    "browser_wait_for": {"text": "anything"},
    "browser_resize": {"width": 500, "height": 500},
}
"""What is asked of a page that is stuck; of its button where a ref belongs."""
LEAVING = ["beforeunload", "pagehide", "unload"]


async def open_stuck(workshop: Workshop, site: Site, kind: str = "in a timer") -> str:
    """Opens a page, lets it begin what does not end, and waits until it has. Gives the ref of its button."""
    site.hold()
    does = STUCK[kind]
    script = f"const begin = () => {{ {'' if BEGUN in does else BEGUN} {does} }}"
    page = document("Stuck", f"<h1>Stuck</h1><button>Go</button><script>{script}</script>")
    opened = await workshop.open(site.publish("/stuck", page))
    before = len(site.requested("/notes/stuck"))
    # A moment later, so that this call itself is not held up.
    await workshop.server.evaluate("() => { setTimeout(begin, 200) }")
    await asyncio.to_thread(until, lambda: len(site.requested("/notes/stuck")) > before, "The script's begin")
    return opened.ref('button "Go"')


async def code(workshop: Workshop, tool: str, **arguments: object) -> str | None:
    """The code of a failure."""
    result = await workshop.server.session.call_tool(tool, arguments)
    return (result.meta or {}).get("errorCode")


@pytest.mark.long
@pytest.mark.parametrize("kind", STUCK)
@pytest.mark.parametrize("where", ["same site", "another site"])
async def test_a_page_that_is_stuck_can_be_left(
    workshop: Workshop, site: Site, kind: str, where: str
) -> None:
    await open_stuck(workshop, site, kind)
    origin = site.other_origin if where == "another site" else site.origin
    left = await workshop.open(f"{origin}/pages/form.html")
    assert 'textbox "Name"' in left.section("Snapshot")
    typed = await workshop.do("browser_type", ref=left.ref('textbox "Name"'), text="Ada")
    assert not typed.is_error


@pytest.mark.parametrize("event", LEAVING)
async def test_a_page_that_is_stuck_while_it_is_left_is_left(
    workshop: Workshop, site: Site, event: str
) -> None:
    page = document("Clings", f"<h1>Clings</h1><script>on{event} = () => {{ for (;;); }}</script>")
    await workshop.open(site.publish("/clings", page))
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


@pytest.mark.long
@pytest.mark.parametrize("kind", STUCK)
async def test_one_can_go_back_from_a_page_that_is_stuck(workshop: Workshop, site: Site, kind: str) -> None:
    await workshop.open(site.page("form"))
    await open_stuck(workshop, site, kind)
    back = await workshop.do("browser_navigate_back")
    assert 'textbox "Name"' in back.section("Snapshot")


@pytest.mark.long
@pytest.mark.parametrize("tool", ASKING)
async def test_every_call_on_a_page_that_is_stuck_says_so(workshop: Workshop, site: Site, tool: str) -> None:
    ref = await open_stuck(workshop, site)
    arguments = {name: ref if value is REF else value for name, value in ASKING[tool].items()}
    answer = await workshop.refused(tool, **arguments)
    assert "script may be running without end" in answer
    assert "may have been done" in answer
    assert "navigate elsewhere" in answer


async def test_a_page_that_is_stuck_is_listed_and_closed(workshop: Workshop, site: Site) -> None:
    await open_stuck(workshop, site)
    assert "/stuck" in (await workshop.do("browser_tabs", action="list")).section("Open tabs")
    await workshop.do("browser_close")


@pytest.mark.long
async def test_a_page_that_computes_for_long_is_not_harmed_when_it_is_asked(
    workshop: Workshop, site: Site
) -> None:
    script = (
        "const compute = () => { const end = performance.now() + 1500;"
        " while (performance.now() < end); document.querySelector('h1').textContent = 'Computed' };"
        " onclick = () => setTimeout(compute)"
    )
    page = document("Computes", f"<h1>Computes</h1><button>Go</button><script>{script}</script>")
    opened = await workshop.open(site.publish("/computes", page))
    await workshop.do("browser_click", ref=opened.ref('button "Go"'))
    while "Computed" not in (await workshop.server.call("browser_snapshot")).text:
        pass


@pytest.mark.long
async def test_a_page_that_hangs_where_it_is_opened_is_reported_and_left(
    workshop: Workshop, site: Site
) -> None:
    page = document("Hangs", "<h1>Hangs</h1><script>for (;;);</script>")
    assert await code(workshop, "browser_navigate", url=site.publish("/hangs", page)) == "page_busy"
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


@pytest.mark.long
async def test_one_can_go_back_from_a_page_that_hangs_once_it_is_loaded(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("form"))
    # Where the browser ends such a script, the next one begins.
    script = "onload = () => setInterval(() => { for (;;); })"
    page = document("Hangs", f"<h1>Hangs</h1><script>{script}</script>")
    await workshop.server.call("browser_navigate", url=site.publish("/hangs", page))
    while (await code(workshop, "browser_snapshot")) != "page_busy":
        pass
    back = await workshop.do("browser_navigate_back")
    assert 'textbox "Name"' in back.section("Snapshot")


@pytest.mark.parametrize(
    "script", ["for (;;) alert('Again')", "for (;;) confirm('Sure?')", "for (;;) prompt('Who?')"]
)
async def test_a_page_that_asks_without_end_is_left_while_it_asks(
    either_workshop: Workshop, site: Site, script: str
) -> None:
    page = document("Asks", f"<h1>Asks</h1><script>setTimeout(() => {{ {script} }}, 50)</script>")
    await either_workshop.server.call("browser_navigate", url=site.publish("/asks", page))
    while (await code(either_workshop, "browser_snapshot")) != "dialog_open":
        pass
    left = await either_workshop.open(site.page("form"))
    assert 'textbox "Name"' in left.section("Snapshot")
    assert "was dismissed" in left.section("Events")


async def test_the_question_before_leaving_is_answered_by_leaving_again(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("asking"))
    await workshop.do("browser_click", ref=page.ref('button "Ask before leaving"'))
    asked = await workshop.open(site.page("form"))
    assert "beforeunload dialog" in asked.section("Modal state")
    left = await workshop.open(site.page("form"))
    assert 'textbox "Name"' in left.section("Snapshot")


@pytest.mark.long
async def test_calls_side_by_side_on_a_page_that_is_stuck_all_end(workshop: Workshop, site: Site) -> None:
    await open_stuck(workshop, site)
    answer = await asyncio.gather(*(workshop.refused("browser_snapshot") for _ in range(3)))
    assert all("without end" in text for text in answer)


REPLACING = {
    "by its markup": "<meta http-equiv=refresh content=0>",
    "at once": "<script>location.reload()</script>",
    "a moment later": "<script>setTimeout(() => location.reload(), 50)</script>",
    "by one another": "<script>location.replace(location.pathname.replace(/.$/, (n) => 1 - n))</script>",
}


@pytest.mark.long
@pytest.mark.parametrize("how", REPLACING.values(), ids=REPLACING)
async def test_a_page_that_replaces_itself_without_end_is_seen(
    workshop: Workshop, site: Site, how: str
) -> None:
    for number in range(2):
        replacing = site.publish(
            f"/replaces-{number}", document("Replaces", f"<h1>Again</h1>{how}<button>Go</button>")
        )
    opened = await workshop.open(replacing)
    seen = await workshop.do("browser_snapshot")
    assert 'button "Go"' in seen.section("Snapshot")
    await workshop.do("browser_take_screenshot")
    await workshop.do("browser_take_screenshot", fullPage=True)
    answer = [reply for reply in (opened, seen) if "reloads itself without end" in reply.text]
    assert len(answer) <= 1
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


@pytest.mark.long
@pytest.mark.parametrize("way", ["browser_click", "browser_press_key", "browser_evaluate"])
async def test_going_to_and_fro_by_what_a_page_has_is_not_taken_for_that(
    workshop: Workshop, site: Site, way: str
) -> None:
    for here, there in ("ab", "ba"):
        link = f"<h1>Page {here}</h1><a href='/turn-{there}' autofocus>Turn</a>"
        first = site.publish(f"/turn-{here}", document(f"Page {here}", link))
    seen = await workshop.open(first)
    for _ in range(14):
        done: dict[str, dict[str, object]] = {
            "browser_click": {"ref": "text=Turn"},
            "browser_press_key": {"key": "Enter"},
            "browser_evaluate": {"function": "() => document.querySelector('a').click()"},
        }
        seen = await workshop.do(way, **done[way])
        assert "without end" not in seen.text
    assert 'heading "Page b"' in (await workshop.do("browser_snapshot")).section("Snapshot")


@pytest.mark.parametrize("levels", [100, 1_000, 3_000])
async def test_a_page_that_is_nested_deeply_is_seen(workshop: Workshop, site: Site, levels: int) -> None:
    script = (
        f"let place = document.body; for (let level = 0; level < {levels}; level++)"
        " place = place.appendChild(document.createElement('div')); place.textContent = 'The bottom'"
    )
    page = document("Deep", f"<h1>Deep</h1><script>{script}</script>")
    opened = await workshop.open(site.publish("/deep", page))
    assert 'heading "Deep"' in opened.section("Snapshot")
    await workshop.do("browser_take_screenshot", fullPage=True)
    assert "The bottom" in await workshop.server.evaluate("() => document.body.innerText")


@pytest.mark.parametrize("side", ["width", "height"])
async def test_a_page_that_is_too_large_for_a_picture_says_so_and_works_on(
    workshop: Workshop, site: Site, side: str
) -> None:
    page = document("Large", f"<div style='{side}: 100000px'><input aria-label=Name></div>")
    opened = await workshop.open(site.publish("/large-side", page))
    said = await workshop.refused("browser_take_screenshot", fullPage=True)
    assert "are more than the browser can draw" in said
    await workshop.do("browser_type", ref=opened.ref('textbox "Name"'), text="Ada")
    await workshop.do("browser_take_screenshot")


INCLUDING = [
    pytest.param("f.src = location.pathname + '?' + Math.random()", id="by its address"),
    pytest.param("f.srcdoc = document.documentElement.outerHTML", id="by its source"),
]


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.parametrize("how", extent(INCLUDING[:1], INCLUDING))
async def test_a_page_that_includes_itself_without_end_is_answered_and_left(
    workshop: Workshop, site: Site, how: str
) -> None:
    frame = f"const f = document.createElement('iframe'); {how}; document.body.append(f)"
    page = document("Includes", f"<h1>Includes</h1><script>{frame}; {{ {frame} }}</script>")
    await workshop.server.call("browser_navigate", url=site.publish("/includes", page))
    await workshop.server.call("browser_snapshot")
    await workshop.server.call("browser_take_screenshot")
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


@pytest.mark.long
async def test_a_script_of_the_callers_that_never_ends_is_ended_and_the_page_works_on(site: Site) -> None:
    async with serve("--headless", "--timeout-navigation", "3000") as server:
        opened = await server.open(site.page("form"))
        ended = await server.call("browser_evaluate", function="() => { for (;;); }")
        assert ended.is_error
        assert "Timed out after 3 s" in ended.text
        typed = await server.call("browser_type", ref=opened.ref('textbox "Name"'), text="Ada")
        assert not typed.is_error
        assert await server.evaluate("() => document.querySelector('input').value") == "Ada"


@pytest.mark.long
@pytest.mark.parametrize("when", ["while it eats", "once it has died"])
async def test_a_page_that_eats_memory_until_it_dies_holds_nothing_up(site: Site, when: str) -> None:
    eats = "const eaten = []; for (;;) eaten.push(new Array(1e4).fill(Math.random()))"
    script = f"<script>setTimeout(() => {{ {eats} }})</script>"
    page = site.publish("/eats", document("Eats", f"<h1>Eats</h1>{script}"))
    async with serve("--headless", "--arg=--js-flags=--max-old-space-size=300") as server:
        await server.call("browser_navigate", url=page)
        while when == "once it has died" and "crashed" not in (await server.call("browser_snapshot")).text:
            pass
        answer = await server.session.call_tool("browser_snapshot", {})
        assert (answer.meta or {}).get("errorCode") in ("page_busy", "page_crashed")
        assert 'textbox "Name"' in (await server.open(site.page("form"))).section("Snapshot")
