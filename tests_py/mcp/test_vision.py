"""Acting at coordinates, and that it has to be asked for."""

import pytest
from mcp import MCPError

from tests_py.support.client import Server
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

VISION = ["browser_mouse_click_xy", "browser_mouse_move_xy", "browser_mouse_drag_xy"]


async def middle(workshop: Workshop, element: str) -> tuple[float, float]:
    """The middle of an element in the viewport."""
    found = await workshop.server.evaluate(
        f"() => {{ const box = document.getElementById('{element}').getBoundingClientRect();"
        " return `${box.x + box.width / 2} ${box.y + box.height / 2}`; }"
    )
    x, y = found.split()
    return float(x), float(y)


async def test_without_the_capability_the_tools_are_not_there(server: Server) -> None:
    listed = {tool.name for tool in (await server.session.list_tools()).tools}
    assert listed.isdisjoint(VISION)
    for name in VISION:
        with pytest.raises(MCPError, match=r"Unknown tool.*--caps vision") as caught:
            await server.call(name, x=1, y=1)
        assert caught.value.error.code == -32601


async def test_with_it_they_stand_beside_the_others(workshop: Workshop) -> None:
    listed = {tool.name for tool in (await workshop.server.session.list_tools()).tools}
    assert {*VISION, "browser_click"} <= listed


async def test_a_click_at_coordinates_hits_what_is_there(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    x, y = await middle(workshop, "context")
    after = await workshop.do("browser_mouse_click_xy", x=x, y=y, button="right")
    assert "right button" in after.section("Result")
    assert await workshop.output() == "Menu asked for"
    await workshop.do("browser_hover", ref=page.ref('button "Menu"'))  # Both kinds of tool work on one page.


async def test_the_pointer_moves_in_steps(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("handles"))
    await workshop.do("browser_mouse_move_xy", x=10, y=10)
    # A page hears of the steps that fall into one frame by one event.
    await workshop.server.evaluate(
        "() => { window.moves = 0; addEventListener('pointermove', (event) => {"
        " moves += event.getCoalescedEvents().length; }); }"
    )
    x, y = await middle(workshop, "over")
    after = await workshop.do("browser_mouse_move_xy", x=x, y=y, steps=5)
    assert "Shown while hovered" in after.section("Snapshot")
    assert await workshop.server.evaluate("() => moves") == "5"


async def test_a_drag_by_coordinates_carries_what_the_page_gives_it(
    either_workshop: Workshop, site: Site
) -> None:
    await either_workshop.open(site.page("handles"))
    start_x, start_y = await middle(either_workshop, "cargo")
    end_x, end_y = await middle(either_workshop, "hold")
    await either_workshop.do("browser_mouse_drag_xy", startX=start_x, startY=start_y, endX=end_x, endY=end_y)
    assert await either_workshop.output() == "Dropped tea trusted=true"


async def test_what_lies_beyond_the_viewport_cannot_be_pointed_at(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("handles"))
    said = await workshop.refused("browser_mouse_click_xy", x=99_999, y=-1)
    assert "`y` must be at least 0" in said
    said = await workshop.refused("browser_mouse_drag_xy", startX=99_999, startY=1, endX=1, endY=88_888)
    assert "`startX` must be less than" in said
    assert "`endY` must be less than" in said
