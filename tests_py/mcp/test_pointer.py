"""The pointer: hovering, dragging, other buttons, scrolling."""

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


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


async def test_a_click_with_control_opens_a_tab_that_is_told_and_listed(
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


async def test_a_ref_that_was_never_shown_or_is_gone_cannot_be_scrolled_to(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("handles"))
    unknown = await workshop.refused("browser_scroll_into_view", ref="e99999")
    assert "no snapshot has shown it" in unknown
    await workshop.server.evaluate("() => document.getElementById('far').remove()")
    gone = await workshop.refused("browser_scroll_into_view", ref=page.ref('button "Far below"'))
    assert "no longer on the page" in gone
