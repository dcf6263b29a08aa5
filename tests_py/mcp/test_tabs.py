"""Tabs, and the size of pages."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


@pytest.mark.long
async def test_tabs_are_listed_made_selected_and_closed(either_workshop: Workshop, site: Site) -> None:
    await either_workshop.open(site.page("form"))
    made = await either_workshop.do("browser_tabs", action="new", url=site.page("dialogs"))
    assert "Created new tab at index 1 (2 tabs total)" in made.section("Result")
    await either_workshop.do("browser_tabs", action="new")
    listed = (await either_workshop.do("browser_tabs", action="list")).section("Open tabs").splitlines()
    assert listed[0].startswith(f"- 0: [A form]({site.page('form')}) [tab=t")
    assert listed[1].startswith(f"- 1: [What asks a person]({site.page('dialogs')}) [tab=t")
    assert listed[2].startswith("- 2: (current)")
    selected = await either_workshop.do("browser_tabs", action="select", index=0)
    assert site.page("form") in selected.section("Page")
    assert await either_workshop.server.evaluate(
        "() => [document.title, document.visibilityState].join()"
    ) == ("A form,visible")
    closed = await either_workshop.do("browser_tabs", action="close", index=2)
    assert "Closed tab at index 2 (2 tabs remaining)" in closed.section("Result")
    await either_workshop.do("browser_tabs", action="close")
    left = (await either_workshop.do("browser_tabs", action="list")).section("Open tabs")
    assert left.startswith(f"- 0: (current) [What asks a person]({site.page('dialogs')}) [tab=t")


async def test_a_tab_that_is_not_there_is_refused_with_those_that_are(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_tabs", action="new")
    for action in ("select", "close"):
        said = await workshop.refused("browser_tabs", action=action, index=7)
        assert "There is no tab 7; the tabs are 0 to 1" in said


@pytest.mark.long
async def test_open_tabs_are_listed_when_they_are_others_than_before(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    opened = await workshop.do("browser_tabs", action="new", url=site.page("dialogs"))
    assert len(opened.section("Open tabs").splitlines()) == 2
    page = await workshop.do("browser_snapshot")
    assert not page.has_section("Open tabs")
    asked = await workshop.do("browser_click", ref=page.ref('button "Confirm"'))
    assert not asked.has_section("Open tabs")
    await workshop.do("browser_handle_dialog", accept=True)
    # Where the current tab stands is told with its page.
    page = await workshop.open(site.page("consequences"))
    assert not page.has_section("Open tabs")
    after = await workshop.do("browser_click", ref=page.ref('button "Open a window"'))
    assert len(after.section("Open tabs").splitlines()) == 3
    assert not (await workshop.do("browser_snapshot")).has_section("Open tabs")


async def test_after_the_last_page_was_closed_the_next_address_opens_one(
    either_workshop: Workshop, site: Site
) -> None:
    await either_workshop.open(site.page("dialogs"))
    closed = await either_workshop.do("browser_close")
    assert "no pages remaining" in closed.section("Result")
    assert "browser_navigate" in await either_workshop.refused("browser_snapshot")
    assert 'textbox "Name"' in (await either_workshop.open(site.page("form"))).section("Snapshot")


async def test_a_ref_of_another_tab_says_where_it_belongs(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("form"))
    await workshop.do("browser_tabs", action="new", url=site.page("dialogs"))
    said = await workshop.refused("browser_click", ref=page.ref('button "Register"'))
    assert "it belongs to tab 0, which is not the current one; with tab t" in said


async def test_a_tab_on_an_error_page_is_listed_with_the_address_that_was_tried(workshop: Workshop) -> None:
    nobody_there = "http://127.0.0.1:1/"
    await workshop.refused("browser_navigate", url=nobody_there)
    listed = (await workshop.do("browser_tabs", action="list")).section("Open tabs")
    assert f"({nobody_there})" in listed
    assert "chrome-error" not in listed
    assert "about:neterror" not in listed
    shown = await workshop.server.evaluate("() => document.documentURI")
    assert "chrome-error:" in shown or "about:neterror" in shown


async def test_a_page_becomes_as_large_as_it_is_reported(either_workshop: Workshop, site: Site) -> None:
    await either_workshop.open(site.page("form"))
    answer = await either_workshop.do("browser_resize", width=1920, height=1080)
    assert "Resized viewport to 1920x1080 pixels" in answer.section("Result")
    assert await either_workshop.server.evaluate("() => `${innerWidth}x${innerHeight}`") == "1920x1080"


async def test_sizes_that_cannot_be_are_refused_together(workshop: Workshop) -> None:
    said = await workshop.refused("browser_resize", width=-5, height=70_000)
    assert "`width` must be at least 1" in said
    assert "`height` must be at most 16384" in said
    assert "must be a number, not a string" in await workshop.refused("browser_resize", width="NaN", height=9)
