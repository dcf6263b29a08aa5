"""Pages that are stuck: they are told of soon, and can always be left."""

from __future__ import annotations

import asyncio

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

SOON = "setTimeout(() => { stuck() }, 100)"
STUCK = {
    "in a timer": f"const stuck = () => {{ for (;;); }}; {SOON}",
    "in microtasks": f"const stuck = () => Promise.resolve().then(stuck); {SOON}",
    "at load": "onload = () => setTimeout(() => { for (;;); })",
    "again and again": "const stuck = () => { try { for (;;); } finally { setTimeout(stuck) } }; " + SOON,
    "in a request": (
        "const stuck = () => { const request = new XMLHttpRequest();"
        f" request.open('GET', '/hold/for-ever', false); request.send() }}; {SOON}"
    ),
}
LEAVING = ["beforeunload", "pagehide", "unload"]


async def open_stuck(workshop: Workshop, site: Site, script: str) -> None:
    """Opens a page, and waits until its script does not end."""
    site.hold()
    body = f"<h1>Stuck</h1><script>{script}</script>"
    await workshop.server.call("browser_navigate", url=site.publish("/stuck", document("Stuck", body)))
    while (await code(workshop, "browser_snapshot")) != "page_busy":
        pass


async def code(workshop: Workshop, tool: str, **arguments: object) -> str | None:
    """The code of a failure."""
    result = await workshop.server.session.call_tool(tool, arguments)
    return (result.meta or {}).get("errorCode")


@pytest.mark.parametrize("script", STUCK.values(), ids=STUCK)
@pytest.mark.parametrize("where", ["same site", "another site"])
async def test_a_page_that_is_stuck_can_be_left(
    workshop: Workshop, site: Site, script: str, where: str
) -> None:
    await open_stuck(workshop, site, script)
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


@pytest.mark.parametrize("kind", [kind for kind in STUCK if kind != "in a request"])
async def test_one_can_go_back_from_a_page_that_is_stuck(workshop: Workshop, site: Site, kind: str) -> None:
    await workshop.open(site.page("form"))
    await open_stuck(workshop, site, STUCK[kind])
    back = await workshop.do("browser_navigate_back")
    assert 'textbox "Name"' in back.section("Snapshot")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_snapshot", {}),
        ("browser_take_screenshot", {}),
        ("browser_click", {"ref": 'textbox "Name"'}),
        ("browser_press_key", {"key": "a"}),
        ("browser_evaluate", {"function": "() => 1"}),
        ("browser_wait_for", {"text": "anything"}),
        ("browser_resize", {"width": 500, "height": 500}),
    ],
)
async def test_a_call_on_a_page_that_is_stuck_says_so(
    workshop: Workshop, site: Site, tool: str, arguments: dict[str, object]
) -> None:
    page = await workshop.open(site.page("form"))
    if "ref" in arguments:
        arguments = {"ref": page.ref(str(arguments["ref"]))}
    await open_stuck(workshop, site, STUCK["in a timer"])
    told = await workshop.refused(tool, **arguments)
    assert "script may be running without end" in told
    assert "navigate it elsewhere" in told


async def test_a_page_that_is_stuck_is_listed_and_closed(workshop: Workshop, site: Site) -> None:
    await open_stuck(workshop, site, STUCK["in a timer"])
    assert "/stuck" in (await workshop.do("browser_tabs", action="list")).section("Open tabs")
    await workshop.do("browser_close")


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


async def test_a_page_that_hangs_where_it_is_opened_is_told_and_left(workshop: Workshop, site: Site) -> None:
    page = document("Hangs", "<h1>Hangs</h1><script>for (;;);</script>")
    assert await code(workshop, "browser_navigate", url=site.publish("/hangs", page)) == "page_busy"
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


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


async def test_calls_side_by_side_on_a_page_that_is_stuck_all_end(workshop: Workshop, site: Site) -> None:
    await open_stuck(workshop, site, STUCK["in a timer"])
    told = await asyncio.gather(*(workshop.refused("browser_snapshot") for _ in range(3)))
    assert all("without end" in text for text in told)
