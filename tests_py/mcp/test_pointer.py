"""The pointer: hovering, dragging, other buttons, scrolling."""

import json
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long


async def test_hovering_shows_what_the_page_keeps_for_it(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    after = await workshop.do("browser_hover", ref=page.ref('button "Menu"'))
    assert "Shown while hovered" in after.section("Snapshot")


async def test_a_drag_carries_what_the_page_gives_it(either_workshop: Workshop, site: Site) -> None:
    page = await either_workshop.open(site.page("handles"))
    start, end = page.ref('"Cargo"'), page.ref('"Hold"')
    await either_workshop.do("browser_drag", startRef=start, endRef=end)
    assert await either_workshop.output() == "Dropped tea trusted=true"


async def test_a_right_and_a_middle_click_ask_for_a_menu_and_for_a_tab(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_click", ref=page.ref('button "Context"'), button="right")
    assert await workshop.output() == "Menu asked for"
    await workshop.do("browser_click", ref=page.ref('button "Context"'), button="middle")
    assert await workshop.output() == "Middle button"


async def test_a_click_with_control_opens_a_tab_that_is_reported_and_listed(
    either_workshop: Workshop, site: Site
) -> None:
    page = await either_workshop.open(site.page("handles"))
    after = await either_workshop.do(
        "browser_click", ref=page.ref('link "To the form"'), modifiers=["Control"]
    )
    assert f"The page opened tab 1: {site.page('form')}" in after.section("Events")
    listed = (await either_workshop.do("browser_tabs", action="list")).section("Open tabs")
    assert f"0: (current) [What a hand can do]({site.page('handles')})" in listed
    assert site.page("form") in listed


async def test_what_is_far_below_is_scrolled_into_view(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_scroll_into_view", ref=page.ref('button "Far below"'))
    assert (
        await workshop.server.evaluate(
            "() => { const box = document.getElementById('far').getBoundingClientRect();"
            " return box.top >= 0 && box.bottom <= innerHeight; }"
        )
        == "true"
    )


@pytest.mark.parametrize("tool", ["instant", "natural"])
async def test_an_element_is_scrolled_to_the_middle_or_as_near_as_the_page_can(
    tool: str, tmp_path: Path, site: Site
) -> None:
    async with serve("--headless", "--input", tool, cwd=tmp_path) as server:
        await server.open(site.page("form"))
        await server.evaluate(
            "() => { document.body.innerHTML = [...Array(100).keys()].map((n) =>"
            " `<p><button id=b${n} style='height: 40px'>Button ${n}</button></p>`).join(''); }"
        )
        page = await server.snapshot()
        for number, nearest in ((50, 0.5), (57, 0.5), (52, 0.5), (99, None), (0, None)):
            reply = await server.call("browser_scroll_into_view", ref=page.ref(f'button "Button {number}"'))
            assert not reply.is_error, reply.text
            reported = json.loads(
                await server.evaluate(
                    f"() => {{ const box = document.getElementById('b{number}').getBoundingClientRect();"
                    " const root = document.scrollingElement;"
                    " return [(box.top + box.bottom) / 2 / innerHeight, root.scrollTop,"
                    " root.scrollHeight - innerHeight - root.scrollTop]; }"
                )
            )
            if nearest is not None:
                assert abs(reported[0] - nearest) < 0.01, (number, reported)
            else:
                assert min(reported[1:]) < 1, (number, reported)


async def test_a_ref_that_was_never_shown_or_is_gone_cannot_be_scrolled_to(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("handles"))
    unknown = await workshop.refused("browser_scroll_into_view", ref="e99999")
    assert "no snapshot has shown it" in unknown
    await workshop.server.evaluate("() => document.getElementById('far').remove()")
    gone = await workshop.refused("browser_scroll_into_view", ref=page.ref('button "Far below"'))
    assert "no longer on the page" in gone
